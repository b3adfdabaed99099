#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace transmuter::cli {

/// Writes to standard output. When nobody reads it any more, the process ends as by SIGPIPE, which is what a shell
/// expects of a program in front of `head`. Throws Unavailable for anything else, as a full disk.
void print(std::string_view text);
/// Makes sure that all is written; throws as print does.
void flush();

/// "90.4 MB", in powers of 1000 as the hub's pages have it.
std::string readable_size(std::uint64_t bytes);

/// `text` with spaces up to `width` code points.
std::string padded(std::string_view text, std::size_t width);

}  // namespace transmuter::cli
