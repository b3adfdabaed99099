#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "transmuter/error.hpp"

namespace transmuter {

/// What keeps `repo` from being "name" or "owner/name" as the hub allows it; empty when nothing does.
/// Parity: huggingface_hub 0.36 validate_repo_id (ASCII letters only, as the hub itself).
std::string_view repo_id_fault(std::string_view repo);
/// Throws InvalidInput when `repo` has a fault.
void check_repo_id(std::string_view repo);

/// Throws unless `path` is a relative path that stays below its folder: no empty part, no "." or "..", no NUL, no part
/// longer than a file name may be. `what` begins the message: "revision", "the hub lists the file".
void check_relative_path(std::string_view path, std::string_view what, ErrorCode code);

/// 40 lower case hexadecimal digits.
bool is_commit_hash(std::string_view revision);
bool is_hexadecimal(std::string_view text, std::size_t digits);

/// For a URL; slashes stay when `keep_slashes`. Parity: Python 3.11 urllib.parse.quote.
std::string percent_encode(std::string_view text, bool keep_slashes);

/// At most `count` of `names`, those nearest to `wanted` by edit distance first.
std::vector<std::string> nearest_names(std::string_view wanted, std::vector<std::string> names, std::size_t count);

/// What a server said, fit for a message: printable, one line, not too long.
std::string printable(std::string_view text);

}  // namespace transmuter
