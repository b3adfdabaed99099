#include "serving/lanes.hpp"

#include <algorithm>
#include <utility>

namespace transmuter::serving {

Lanes::Iterator Lanes::add(const std::shared_ptr<Request>& request, std::size_t part) {
  Part& added = request->parts[part];
  const auto [entry, is_new] = lanes_.try_emplace(added.key);
  Lane& lane = entry->second;
  if (is_new) lane.most_rows = added.most_rows;
  added.waiting = lane.waiting.insert(lane.waiting.end(), {request, part});
  lane.rows += added.left();
  rows_ += added.left();
  return entry;
}

Batch Lanes::take(Iterator entry) {
  Lane& lane = entry->second;
  Batch batch;
  std::size_t room = lane.most_rows;
  while (room > 0 && !lane.waiting.empty()) {
    const Waiting& head = lane.waiting.front();
    Part& part = head.request->parts[head.part];
    const std::size_t count = std::min(room, part.left());
    batch.push_back({head.request, part.next, count});
    part.next += count;
    head.request->taken += count;
    room -= count;
    if (part.left() == 0) {
      part.waiting.reset();
      lane.waiting.pop_front();
    }
  }
  const std::size_t taken = lane.most_rows - room;
  lane.rows -= taken;
  rows_ -= taken;
  if (lane.waiting.empty()) lanes_.erase(entry);
  return batch;
}

void Lanes::remove(Request& request) {
  for (Part& part : request.parts) {
    const auto waiting = std::exchange(part.waiting, std::nullopt);
    if (!waiting) continue;
    const Iterator entry = lanes_.find(part.key);
    Lane& lane = entry->second;
    lane.rows -= part.left();
    rows_ -= part.left();
    lane.waiting.erase(*waiting);
    if (lane.waiting.empty()) lanes_.erase(entry);
  }
}

}  // namespace transmuter::serving
