#include "support/program.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <pty.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace transmuter::testing {
namespace {

[[noreturn]] void fail_system(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

int opened(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (file < 0) fail_system(path);
  return file;
}

/// Both ends, closed in the program but where it gets one.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_system("pipe");
    read = ends[0];
    write = ends[1];
  }
  int read = -1;
  int write = -1;
};

/// This end is the test's, that one the program's. The program writes to the terminal as it is.
Pipe terminal() {
  Pipe pipe;
  close(pipe.read);
  close(pipe.write);
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 100;
  if (openpty(&pipe.read, &pipe.write, nullptr, nullptr, &size) != 0) fail_system("openpty");
  fcntl(pipe.read, F_SETFD, FD_CLOEXEC);
  fcntl(pipe.write, F_SETFD, FD_CLOEXEC);
  return pipe;
}

std::string read_all(int file, std::size_t at_most) {
  std::string text;
  std::array<char, 1U << 16U> block{};
  while (text.size() < at_most) {
    const ssize_t count = read(file, block.data(), block.size());
    if (count <= 0) break;  // a terminal ends with an error
    text.append(block.data(), static_cast<std::size_t>(count));
  }
  close(file);
  return text;
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::vector<std::string> environment_of(const Call& call) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    const std::string name(text.substr(0, equals));
    const bool is_hub = name.starts_with("HF_") || name.starts_with("HUGGING") || name.starts_with("TRANSFORMERS_");
    if (!is_hub) variables[name] = text.substr(equals + 1);
  }
  variables["HF_HUB_CACHE"] = "/nonexistent/hub";
  variables["HF_TOKEN_PATH"] = "/nonexistent/token";
  variables["HF_HUB_OFFLINE"] = "1";
  variables["TERM"] = "xterm";
  for (const auto& [name, value] : call.environment) variables[name] = value;
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

int start(const Call& call, int input, int output, int errors) {
  std::signal(SIGPIPE, SIG_IGN);  // here; the program gets the default
  const std::string program = call.program.empty() ? TRANSMUTER_PROGRAM : call.program;
  std::vector<std::string> arguments = call.arguments;
  arguments.insert(arguments.begin(), "transmuter");
  std::vector<std::string> environment = environment_of(call);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  if (!call.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, call.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = -1;
  errno = posix_spawn(&process, program.c_str(), &actions, &attributes, pointers(arguments).data(),
                      pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (errno != 0) fail_system(program);
  return process;
}

}  // namespace

Json Outcome::json() const { return Json::parse(output, "standard output", ErrorCode::InvalidInput); }

std::vector<std::string> Outcome::lines() const {
  std::vector<std::string> all;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

Outcome run_program(const Call& call) {
  const Pipe input;
  const Pipe output;
  const Pipe errors = call.errors_to_terminal ? terminal() : Pipe();
  const int given_input = call.input_file.empty() ? -1 : opened(call.input_file, O_RDONLY);
  const int given_output = call.output_file.empty() ? -1 : opened(call.output_file, O_WRONLY | O_CREAT | O_TRUNC);
  const int process = start(call, given_input >= 0 ? given_input : input.read,
                            given_output >= 0 ? given_output : output.write, errors.write);
  for (const int mine : {input.read, output.write, errors.write, given_input, given_output}) {
    if (mine >= 0) close(mine);
  }
  Outcome outcome;
  int status = 0;
  {
    const std::jthread writer([&] {
      write_all(input.write, call.input);
      close(input.write);
    });
    const std::jthread reader([&] { outcome.errors = read_all(errors.read, ~0UL); });
    outcome.output = read_all(output.read, call.read_at_most);
    rusage usage{};
    if (wait4(process, &status, 0, &usage) != process) fail_system("wait4");
    outcome.peak_kilobytes = usage.ru_maxrss;
  }
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

Outcome call_program(std::vector<std::string> arguments) {
  return run_program(Call{.arguments = std::move(arguments)});
}

Conversation::Conversation(const Call& call) {
  const Pipe input;
  const Pipe output;
  const int errors = opened("/dev/null", O_WRONLY);
  process_ = start(call, input.read, output.write, errors);
  for (const int theirs : {input.read, output.write, errors}) ::close(theirs);
  input_ = input.write;
  output_ = output.read;
}

Conversation::~Conversation() {
  if (process_ >= 0) close();
}

void Conversation::write(const std::string& text) const { write_all(input_, text); }

std::string Conversation::read_line() {
  std::string line;
  for (char c = 0; read(output_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

std::string Conversation::stop(int signal) {
  kill(process_, signal);
  return read_all(std::exchange(output_, -1), ~0UL);
}

int Conversation::close() {
  ::close(input_);
  if (output_ >= 0) ::close(output_);
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string test_folder(const std::string& path) { return std::string(TRANSMUTER_TESTS_DIR) + "/" + path; }

}  // namespace transmuter::testing
