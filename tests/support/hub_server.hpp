#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace transmuter {

struct ServedFile {
  std::string content;
  bool is_large = false;  // in large file storage: the hub redirects to the storage
};
using ServedFiles = std::map<std::string, ServedFile>;

struct ServedRepo {
  std::map<std::string, ServedFiles> commits;
  std::map<std::string, std::string> refs;  // branch or tag -> commit
  std::string card;                         // JSON of cardData; empty for none
  bool is_gated = false;
  bool is_private = false;
  bool tells_sizes = true;  // whether ?blobs=true is understood
};

/// What goes wrong with the next requests whose "METHOD target" has `where` in it.
struct Fault {
  std::string where = {};
  int times = 1;
  int status = 0;                                   // answers this instead
  std::map<std::string, std::string> headers = {};  // set, or removed when the value is empty
  std::optional<std::uint64_t> cut_after = {};      // closes after this many bytes of the body
  std::int64_t longer = 0;                          // the body is this much longer than it should be (or shorter)
  bool flips_a_byte = false;                        // of the body
  bool ignores_range = false;
  bool stalls = false;              // sends nothing (after cut_after bytes, if given), stays open
  std::string raw = {};             // sends this instead of an answer and closes
  std::function<void()> then = {};  // called before the connection is closed
};

struct SeenRequest {
  std::string line;  // "GET /owner/name/resolve/main/config.json"
  bool at_storage = false;
  std::map<std::string, std::string> headers;  // names in lower case
};

/// A small Hugging Face hub on 127.0.0.1 with repositories in memory and the routes, headers and redirects of the real
/// one; its storage for large files is another port under another host name (localhost). Stops cleanly.
class HubServer {
 public:
  HubServer();
  ~HubServer();
  HubServer(const HubServer&) = delete;
  HubServer& operator=(const HubServer&) = delete;

  std::string endpoint() const;

  /// Adds a commit and points the branch to it; returns its hash.
  std::string commit(const std::string& repo, ServedFiles files, const std::string& branch = "main");
  /// Runs `change` on a repository while no request does.
  void change(const std::string& repo, const std::function<void(ServedRepo&)>& change);
  void rename(const std::string& old_name, const std::string& new_name);
  void require_token(const std::string& token);

  void fail(Fault fault);
  void forget_faults();
  std::vector<SeenRequest> requests() const;
  /// How many requests had `part` in their "METHOD target".
  std::size_t count(std::string_view part) const;
  void forget_requests();
  /// Waits until so many requests have come that have `part` in their "METHOD target".
  void wait_for(std::string_view part, std::size_t count = 1) const;

 private:
  struct Answer;
  class Listener;

  std::size_t count_locked(std::string_view part) const;
  void serve(int socket, bool at_storage);
  Answer answer(const SeenRequest& request);
  Answer answer_hub(const std::string& target, const SeenRequest& request);
  static Answer refusal(int status, const std::string& code, const std::string& message);
  static Answer answer_info(const std::string& name, const ServedRepo& repo, const std::string& commit,
                            bool with_blobs);
  static Answer answer_tree(const ServedFiles& files);
  Answer answer_file(const std::string& commit, const ServedFiles& files, const std::string& path);
  Answer answer_storage(const std::string& target);
  std::optional<Fault> take_fault(const std::string& line);
  bool send_answer(int socket, const SeenRequest& request, Answer answer);

  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  std::map<std::string, ServedRepo> repos_;
  std::map<std::string, std::string> renamed_;
  std::map<std::string, std::string> storage_;  // sha256 -> content
  std::string token_;
  std::vector<Fault> faults_;
  std::vector<SeenRequest> requests_;
  std::unique_ptr<Listener> hub_;
  std::unique_ptr<Listener> storage_listener_;
};

/// The etag that the hub gives such a file.
std::string etag_of(const ServedFile& file);

}  // namespace transmuter
