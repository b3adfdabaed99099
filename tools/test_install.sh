#!/usr/bin/env bash
# Installs the release build into a folder of its own and builds a small program against it with find_package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cmake --install build --prefix "$place/first" >/dev/null
mv "$place/first" "$place/moved" # relocatable: nothing may remember the first place
cmake -S tests/install -B "$place/build" -G Ninja -DCMAKE_PREFIX_PATH="$place/moved" >/dev/null
cmake --build "$place/build" >/dev/null
"$place/build/consumer"
(cd / && "$place/moved/bin/transmuter" run text-embedding "moved" --json >/dev/null)
echo "install: the library, find_package(transmuter) and the program work from a moved tree"
