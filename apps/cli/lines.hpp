#pragma once

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "tasks/registry.hpp"

namespace transmuter::cli {

/// Runs each line of standard input and prints its result, in the order of the lines. Many lines are on their way at
/// once, in a bounded part of the memory; while the other side writes nothing, all results of what it wrote are out.
/// Throws what the first line that fails throws, as "line 3: ...", after the results of those before it.
void run_lines(const Task& task, const AnyServing& serving, const RunArguments& arguments, const ProgressBars& bars);

}  // namespace transmuter::cli
