#!/usr/bin/env bash
# Installs what is missing, builds a release and turns four sentences into embeddings with the built-in model.
# Safe to run again: it takes seconds when nothing changed. Arguments go to tools/deps.sh (tools/deps.sh --help).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

echo "== 1/3 What the build needs (system packages, ONNX Runtime, Rust crates)"
tools/deps.sh --system "$@"

echo "== 2/3 Building the release (some minutes the first time)"
[ -f build/build.ninja ] || cmake --preset release >/dev/null
cmake --build --preset release -- --quiet

echo "== 3/3 build/transmuter run text-embedding: which sentences mean the same?"
build/transmuter run text-embedding "The cat sat on the mat." "A kitten rests on a rug." \
  "Stock markets fell sharply on Monday." "Shares dropped at the start of the week."
