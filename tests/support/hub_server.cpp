#include "support/hub_server.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json.hpp"
#include "hub/digest.hpp"

namespace transmuter {
namespace {

std::string hash(const std::string& content, std::size_t digits) {
  auto digest = Digest::of_etag(std::string(digits, '0'), content.size());
  if (!digest) throw std::logic_error("no hash has so many digits");
  digest->add(content);
  return digest->hexadecimal();
}

std::string blob_id(const std::string& content) { return hash(content, 40); }
std::string sha256(const std::string& content) { return hash(content, 64); }

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string percent_decoded(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      decoded += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Returns when the other side closes or sends more, or this side shuts down.
void wait_for_close(int socket) {
  pollfd waiting{.fd = socket, .events = POLLIN, .revents = 0};
  poll(&waiting, 1, -1);
}

struct Route {
  enum class Kind { Info, Tree, File } kind = Kind::Info;
  std::string repo;
  std::string revision = "main";
  std::string path;
};

/// "/api/models/REPO[/revision/REV]", "/api/models/REPO/tree/REV" or "/REPO/resolve/REV/PATH".
Route parse_route(const std::string& target) {
  constexpr std::string_view kApi = "/api/models/";
  const std::string path = target.substr(0, target.find('?'));
  const bool is_api = path.starts_with(kApi);
  const std::string rest = path.substr(is_api ? kApi.size() : 1);
  Route route;
  for (const auto& [word, kind] : {std::pair<std::string, Route::Kind>{"/revision/", Route::Kind::Info},
                                   {"/tree/", Route::Kind::Tree},
                                   {"/resolve/", Route::Kind::File}}) {
    const std::size_t split = rest.find(word);
    if (split == std::string::npos || is_api == (kind == Route::Kind::File)) continue;
    const std::string tail = rest.substr(split + word.size());
    const std::size_t slash = tail.find('/');
    route = {.kind = kind,
             .repo = rest.substr(0, split),
             .revision = percent_decoded(tail.substr(0, slash)),
             .path = slash == std::string::npos ? "" : percent_decoded(tail.substr(slash + 1))};
    return route;
  }
  route.repo = rest;
  return route;
}

}  // namespace

std::string etag_of(const ServedFile& file) { return file.is_large ? sha256(file.content) : blob_id(file.content); }

struct HubServer::Answer {
  int status = 200;
  std::map<std::string, std::string> headers;
  std::string body;
};

HubServer::Answer HubServer::refusal(int status, const std::string& code, const std::string& message) {
  return {.status = status, .headers = {{"X-Error-Code", code}, {"X-Error-Message", message}}, .body = {}};
}

/// Accepts connections on one port, each served by a thread of its own.
class HubServer::Listener {
 public:
  Listener(HubServer& server, bool at_storage) : server_(server), at_storage_(at_storage) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(socket_, 64) != 0 ||
        getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("the test hub finds no port");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }

  ~Listener() {
    shutdown(socket_, SHUT_RDWR);
    acceptor_.join();
    {
      const std::scoped_lock lock(mutex_);
      for (const int connection : open_) shutdown(connection, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    close(socket_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }

 private:
  void accept_all() {
    for (;;) {
      const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      const std::scoped_lock lock(mutex_);
      open_.push_back(connection);
      threads_.emplace_back([this, connection] {
        server_.serve(connection, at_storage_);
        const std::scoped_lock closing(mutex_);
        std::erase(open_, connection);
        close(connection);
      });
    }
  }

  HubServer& server_;
  bool at_storage_;
  int socket_ = -1;
  int port_ = 0;
  std::thread acceptor_;
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
};

HubServer::HubServer()
    : hub_(std::make_unique<Listener>(*this, false)), storage_listener_(std::make_unique<Listener>(*this, true)) {}

HubServer::~HubServer() {
  hub_.reset();
  storage_listener_.reset();
}

std::string HubServer::endpoint() const { return fmt::format("http://127.0.0.1:{}", hub_->port()); }

std::string HubServer::commit(const std::string& repo, ServedFiles files, const std::string& branch) {
  const std::scoped_lock lock(mutex_);
  std::string description = repo;
  for (const auto& [path, file] : files) {
    description += fmt::format("\n{} {}", path, etag_of(file));
    if (file.is_large) storage_[sha256(file.content)] = file.content;
  }
  const std::string id = blob_id(description);
  repos_[repo].commits[id] = std::move(files);
  repos_[repo].refs[branch] = id;
  return id;
}

void HubServer::change(const std::string& repo, const std::function<void(ServedRepo&)>& change) {
  const std::scoped_lock lock(mutex_);
  change(repos_[repo]);
}

void HubServer::rename(const std::string& old_name, const std::string& new_name) {
  const std::scoped_lock lock(mutex_);
  renamed_[old_name] = new_name;
  if (auto repo = repos_.extract(old_name)) {
    repo.key() = new_name;
    repos_.insert(std::move(repo));
  }
}

void HubServer::require_token(const std::string& token) {
  const std::scoped_lock lock(mutex_);
  token_ = token;
}

void HubServer::fail(Fault fault) {
  const std::scoped_lock lock(mutex_);
  faults_.push_back(std::move(fault));
}

void HubServer::forget_faults() {
  const std::scoped_lock lock(mutex_);
  faults_.clear();
}

std::vector<SeenRequest> HubServer::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

std::size_t HubServer::count(std::string_view part) const {
  const std::scoped_lock lock(mutex_);
  return count_locked(part);
}

std::size_t HubServer::count_locked(std::string_view part) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      requests_, [part](const SeenRequest& request) { return request.line.find(part) != std::string::npos; }));
}

void HubServer::forget_requests() {
  const std::scoped_lock lock(mutex_);
  requests_.clear();
}

void HubServer::wait_for(std::string_view part, std::size_t count) const {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return count_locked(part) >= count; });
}

void HubServer::serve(int socket, bool at_storage) {
  std::string buffer;
  for (;;) {
    std::size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
      char bytes[4096];
      const ssize_t count = recv(socket, bytes, sizeof bytes, 0);
      if (count <= 0) return;
      buffer.append(bytes, static_cast<std::size_t>(count));
    }
    SeenRequest request{.line = buffer.substr(0, buffer.find(" HTTP/")), .at_storage = at_storage, .headers = {}};
    for (std::size_t line = buffer.find("\r\n") + 2; line < end;) {
      const std::size_t line_end = buffer.find("\r\n", line);
      const std::string header = buffer.substr(line, line_end - line);
      const std::size_t colon = header.find(": ");
      if (colon != std::string::npos) request.headers[lower(header.substr(0, colon))] = header.substr(colon + 2);
      line = line_end + 2;
    }
    buffer.erase(0, end + 4);
    if (!send_answer(socket, request, answer(request))) return;
  }
}

HubServer::Answer HubServer::answer(const SeenRequest& request) {
  const std::scoped_lock lock(mutex_);
  requests_.push_back(request);
  arrived_.notify_all();
  const std::string target = request.line.substr(request.line.find(' ') + 1);
  return request.at_storage ? answer_storage(target) : answer_hub(target, request);
}

HubServer::Answer HubServer::answer_hub(const std::string& target, const SeenRequest& request) {
  const Route route = parse_route(target);
  if (const auto renamed = renamed_.find(route.repo); renamed != renamed_.end()) {
    std::string location = target;
    location.replace(location.find(route.repo), route.repo.size(), renamed->second);
    return {.status = 307, .headers = {{"Location", location}}, .body = "moved"};
  }
  const auto repo = repos_.find(route.repo);
  const auto sent = request.headers.find("authorization");
  const bool has_token = !token_.empty() && sent != request.headers.end() && sent->second == "Bearer " + token_;
  if (sent != request.headers.end() && !has_token) {
    return {.status = 401, .headers = {{"X-Error-Message", "Invalid credentials in Authorization header"}}, .body = {}};
  }
  if (repo == repos_.end() || (repo->second.is_private && !has_token)) {
    return refusal(has_token ? 404 : 401, "RepoNotFound", "Repository not found");
  }
  if (repo->second.is_gated && !has_token && route.kind == Route::Kind::File) {
    return refusal(401, "GatedRepo", "Access to this model is restricted");
  }
  const auto ref = repo->second.refs.find(route.revision);
  const auto commit = repo->second.commits.find(ref != repo->second.refs.end() ? ref->second : route.revision);
  if (commit == repo->second.commits.end()) {
    return refusal(404, "RevisionNotFound", "Invalid rev id: " + route.revision);
  }
  switch (route.kind) {
    case Route::Kind::Info: {
      const bool with_blobs = target.find("blobs=") != std::string::npos && repo->second.tells_sizes;
      return answer_info(route.repo, repo->second, commit->first, with_blobs);
    }
    case Route::Kind::Tree: return answer_tree(commit->second);
    case Route::Kind::File: return answer_file(commit->first, commit->second, route.path);
  }
  throw std::logic_error("no such route");
}

HubServer::Answer HubServer::answer_info(const std::string& name, const ServedRepo& repo, const std::string& commit,
                                         bool with_blobs) {
  std::vector<Json> siblings;
  for (const auto& [path, file] : repo.commits.at(commit)) {
    Json::Members entry{{"rfilename", path}};
    if (with_blobs) {
      entry.insert(entry.end(), {{"size", file.content.size()}, {"blobId", blob_id(file.content)}});
      if (file.is_large) {
        const Json lfs = Json::object({{"sha256", etag_of(file)}, {"size", file.content.size()}, {"pointerSize", 134}});
        entry.emplace_back("lfs", lfs);
      }
    }
    siblings.push_back(Json::object(entry));
  }
  Json::Members info{{"_id", "621ffdc136468d709f17b0f6"},
                     {"id", name},
                     {"modelId", name},
                     {"sha", commit},
                     {"private", repo.is_private},
                     {"tags", Json::array({})},
                     {"downloads", 1},
                     {"likes", 0},
                     {"siblings", Json::array(siblings)}};
  if (!repo.card.empty()) info.emplace_back("cardData", Json::parse(repo.card, "card"));
  return {.status = 200, .headers = {{"Content-Type", "application/json"}}, .body = Json::object(info).dump()};
}

HubServer::Answer HubServer::answer_tree(const ServedFiles& files) {
  std::vector<Json> entries;
  for (const auto& [path, file] : files) {
    Json::Members entry{
        {"type", "file"}, {"oid", blob_id(file.content)}, {"size", file.content.size()}, {"path", path}};
    if (file.is_large) {
      const Json lfs = Json::object({{"oid", etag_of(file)}, {"size", file.content.size()}, {"pointerSize", 134}});
      entry.emplace_back("lfs", lfs);
    }
    entries.push_back(Json::object(entry));
  }
  return {.status = 200, .headers = {{"Content-Type", "application/json"}}, .body = Json::array(entries).dump()};
}

HubServer::Answer HubServer::answer_file(const std::string& id, const ServedFiles& files, const std::string& path) {
  const auto file = files.find(path);
  if (file == files.end()) {
    Answer missing = refusal(404, "EntryNotFound", "Entry not found");
    missing.headers["X-Repo-Commit"] = id;
    return missing;
  }
  const std::string etag = '"' + etag_of(file->second) + '"';
  if (!file->second.is_large) {
    return {.status = 200, .headers = {{"ETag", etag}, {"X-Repo-Commit", id}}, .body = file->second.content};
  }
  const std::string location = fmt::format("http://localhost:{}/storage/{}?signature=secret", storage_listener_->port(),
                                           sha256(file->second.content));
  return {.status = 302,
          .headers = {{"Location", location},
                      {"X-Repo-Commit", id},
                      {"X-Linked-Etag", etag},
                      {"X-Linked-Size", std::to_string(file->second.content.size())}},
          .body = "Found. Redirecting"};
}

HubServer::Answer HubServer::answer_storage(const std::string& target) {
  constexpr std::string_view kPrefix = "/storage/";
  const auto content = storage_.find(target.substr(kPrefix.size(), 64));
  if (content == storage_.end()) return {.status = 403, .headers = {}, .body = "AccessDenied"};
  return {.status = 200, .headers = {{"ETag", "\"not-the-hub's\""}}, .body = content->second};
}

std::optional<Fault> HubServer::take_fault(const std::string& line) {
  const std::scoped_lock lock(mutex_);
  const auto fault = std::ranges::find_if(faults_, [&line](const Fault& candidate) {
    return candidate.times > 0 && line.find(candidate.where) != std::string::npos;
  });
  if (fault == faults_.end()) return std::nullopt;
  --fault->times;
  return *fault;
}

/// False when the connection is over.
bool HubServer::send_answer(int socket, const SeenRequest& request, Answer answer) {
  const Fault fault = take_fault(request.line).value_or(Fault{});
  if (!fault.raw.empty()) {
    send_all(socket, fault.raw);
    return false;
  }
  const bool is_head = request.line.starts_with("HEAD ");
  if (fault.status != 0) answer = {.status = fault.status, .headers = {}, .body = "fault"};
  if (fault.flips_a_byte) ++answer.body.at(answer.body.size() / 2);

  const auto range = request.headers.find("range");
  if (!is_head && answer.status == 200 && range != request.headers.end() && !fault.ignores_range) {
    const std::size_t from = std::stoull(range->second.substr(range->second.find('=') + 1));
    const std::size_t size = answer.body.size();
    if (from >= size) {
      answer = {.status = 416, .headers = {{"Content-Range", fmt::format("bytes */{}", size)}}, .body = {}};
    } else {
      answer.status = 206;
      answer.headers["Content-Range"] = fmt::format("bytes {}-{}/{}", from, size - 1, size);
      answer.body.erase(0, from);
    }
  }
  const auto length = static_cast<std::int64_t>(answer.body.size()) + fault.longer;
  answer.body.resize(static_cast<std::size_t>(std::max<std::int64_t>(length, 0)), '?');
  answer.headers.emplace("Content-Length", std::to_string(answer.body.size()));
  for (const auto& [name, value] : fault.headers) {
    answer.headers.erase(name);
    if (!value.empty()) answer.headers[name] = value;
  }
  std::string head = fmt::format("HTTP/1.1 {} Whatever\r\n", answer.status);
  for (const auto& [name, value] : answer.headers) head += fmt::format("{}: {}\r\n", name, value);
  head += "\r\n";

  if (fault.stalls && !fault.cut_after) {
    wait_for_close(socket);
    return false;
  }
  if (!send_all(socket, head)) return false;
  std::string_view body = is_head ? std::string_view{} : answer.body;
  const bool is_cut = fault.cut_after && !is_head;
  if (is_cut) body = body.substr(0, std::min<std::size_t>(*fault.cut_after, body.size()));
  const bool sent = send_all(socket, body);
  if (fault.then) fault.then();
  if (fault.stalls) wait_for_close(socket);
  return sent && !is_cut && !fault.then && !fault.stalls && !fault.headers.contains("Content-Length");
}

}  // namespace transmuter
