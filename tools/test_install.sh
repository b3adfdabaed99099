#!/usr/bin/env bash
# Installs the release build into a folder of its own, moves it, and builds a small program against it with find_package.
# The source tree's models and ONNX Runtime are out of sight meanwhile: the moved tree must serve itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
place=$(mktemp -d)
restore() {
  [ ! -d models.hidden ] || mv models.hidden models
  [ ! -d .deps/onnxruntime.hidden ] || mv .deps/onnxruntime.hidden .deps/onnxruntime
  rm -rf "$place"
}
trap restore EXIT
cmake --install build --prefix "$place/first" >/dev/null
mv "$place/first" "$place/moved"
mv models models.hidden
[ ! -d .deps/onnxruntime ] || mv .deps/onnxruntime .deps/onnxruntime.hidden
cmake -S tests/install -B "$place/build" -G Ninja -DCMAKE_PREFIX_PATH="$place/moved" >/dev/null
cmake --build "$place/build" >/dev/null
"$place/build/consumer"
(cd / && "$place/moved/bin/transmuter" run text-embedding "moved" --json >/dev/null)
echo "install: the library, find_package(transmuter) and the program work from a moved tree"
