#!/usr/bin/env bash
# Installs what is missing, builds the tests and runs all of them. Safe to run again. Arguments go to ctest, as in
# ./test.sh -R Tokenizer
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

echo "== 1/3 What the build needs (system packages, ONNX Runtime, Rust crates)"
tools/deps.sh --system

echo "== 2/3 Building the tests"
# A newer compiler may warn of more; only our own checks make that an error.
[ -f build-dev/build.ninja ] || cmake --preset dev ${CI:+-DTRANSMUTER_WERROR=ON} >/dev/null
cmake --build --preset dev -- --quiet

echo "== 3/3 Running them"
ctest --test-dir build-dev --output-on-failure --progress "$@"
