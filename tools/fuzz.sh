#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz/ with clang and runs each for a while: tools/fuzz.sh [SECONDS, 30 by default].
# What a run finds new stays in build-fuzz/corpus/; an input that crashes lands in build-fuzz/ with its name printed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-30}

clang=
for version in 21 20 19 18 17 16; do
  if command -v clang++-$version >/dev/null; then clang=$version; break; fi
done
if [ -z "$clang" ]; then
  for version in 19 18 17 16; do
    apt-cache show "clang-$version" >/dev/null 2>&1 || continue
    echo "fuzz: installing clang-$version, whose libFuzzer drives the targets"
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "clang-$version" "libclang-rt-$version-dev" >/dev/null
    clang=$version
    break
  done
fi
[ -n "$clang" ] || { echo "fuzz: no clang of 16 or later here" >&2; exit 1; }

cmake --preset fuzz -DCMAKE_C_COMPILER="clang-$clang" -DCMAKE_CXX_COMPILER="clang++-$clang" >/dev/null
cmake --build --preset fuzz -- --quiet
cd build-fuzz
for target in fuzz_*; do
  [ -x "$target" ] && [ -f "$target" ] || continue
  name=${target#fuzz_}
  mkdir -p "corpus/$name"
  seeds=../tests/fuzz/corpus/$name
  [ -d "$seeds" ] || seeds=
  echo "fuzz: $name for $seconds s"
  # shellcheck disable=SC2086  # no folder when there are no seeds
  "./$target" -max_total_time="$seconds" -max_len=8192 -rss_limit_mb=2048 -timeout=10 -print_final_stats=0 -verbosity=0 \
    "corpus/$name" $seeds 2>"$name.log" || { tail -40 "$name.log"; echo "fuzz: $name failed" >&2; exit 1; }
done
echo "fuzz: nothing found"
