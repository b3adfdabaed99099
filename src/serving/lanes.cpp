#include "serving/lanes.hpp"

#include <algorithm>
#include <utility>

namespace transmuter::serving {

Lanes::Iterator Lanes::add(std::shared_ptr<Request> request) {
  Request& added = *request;
  const auto [entry, is_new] = lanes_.try_emplace(added.key);
  Lane& lane = entry->second;
  if (is_new) lane.most_rows = added.most_rows;
  added.place = lane.requests.insert(lane.requests.end(), std::move(request));
  lane.rows += added.size;
  rows_ += added.size;
  return entry;
}

Batch Lanes::take(Iterator entry) {
  Lane& lane = entry->second;
  Batch batch;
  std::size_t room = lane.most_rows;
  while (room > 0 && !lane.requests.empty()) {
    Request& head = *lane.requests.front();
    const std::size_t count = std::min(room, head.size - head.taken);
    batch.push_back({lane.requests.front(), head.taken, count});
    head.taken += count;
    room -= count;
    if (head.taken == head.size) {
      head.place.reset();
      lane.requests.pop_front();
    }
  }
  const std::size_t taken = lane.most_rows - room;
  lane.rows -= taken;
  rows_ -= taken;
  if (lane.requests.empty()) lanes_.erase(entry);
  return batch;
}

void Lanes::remove(Request& request) {
  const auto place = std::exchange(request.place, std::nullopt);
  if (!place) return;
  const Iterator entry = lanes_.find(request.key);
  Lane& lane = entry->second;
  const std::size_t waiting = request.size - request.taken;
  lane.rows -= waiting;
  rows_ -= waiting;
  lane.requests.erase(*place);
  if (lane.requests.empty()) lanes_.erase(entry);
}

}  // namespace transmuter::serving
