#!/usr/bin/env bash
# Builds a small program for each product of Carrel, runs it, and sees that it links the libraries and compiles the packages that README.md
# says. Builds and tests the packages in Examples.
#
#   run.sh [PRODUCT...]      these products, without Examples
#
# All of them are targets of one package that depends on Carrel (make.py): it is planned and built once, in the build folder of the tests, so
# that only these few files are compiled. CARREL_TEST_TRAITS has the traits of that build where they are not the default ones, for example
# Formats,Metrics; with other traits than there, everything would be compiled again. Servers are those of Tests/Servers/servers.sh, by their
# variables; without them the programs for servers are built and not run, unless CARREL_REQUIRE_SERVERS=1.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
REPOSITORY=$(cd "$HERE/../.." && pwd)
BUILD=$REPOSITORY/.build
README=$REPOSITORY/README.md
WORK=$(mktemp -d "${TMPDIR:-/tmp}/carrel-products.XXXXXX")
FAILURES=0
export SWIFT_DETERMINISTIC_HASHING=1

say() { printf '==> %s\n' "$*" >&2; }
fail() { say "$*"; FAILURES=$((FAILURES + 1)); }

finish() {
  rm -rf "$WORK"
  if [ -n "${CARREL_TEST_NGINX_DATA:-}" ]; then rm -f "$CARREL_TEST_NGINX_DATA/try-products.epub"; fi
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# shellcheck source=readme.sh
. "$HERE/readme.sh"

# ---- what is there ---------------------------------------------------------------------------------------

products() { sed -n 's/^ *\.library(name: "\([^"]*\)".*/\1/p' "$REPOSITORY/Package.swift"; }

# What the program wants of the system: its own toolchain's libraries and those of the C and C++ languages are no product's.
linked_libraries() { # PROGRAM
  readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*\]/\1/p' |
    grep -v -x -e 'libswift.*' -e 'lib_\?Foundation.*' -e libdispatch -e libBlocksRuntime -e libc -e libm -e 'libstdc++' -e libgcc_s -e 'ld-.*' |
    sort -u || true
}

# The targets that were compiled for the program.
compiled_targets() { sed -n 's/.*\/\([^/]*\)\.build\/.*/\1/p' "$1.product/Objects.LinkFileList" | sort -u; }

# The packages of those that are not Carrel's.
compiled_packages() { # PROGRAM
  local target
  compiled_targets "$1" | while read -r target; do
    case $target in
      ArgumentParser*) echo swift-argument-parser ;;
      GRDB) echo GRDB.swift ;;
      Logging) echo swift-log ;;
      CoreMetrics) echo swift-metrics ;;
      Try*) ;;
      *) if ! grep -q "name: \"$target\"" "$REPOSITORY/Package.swift"; then echo "$target"; fi ;;
    esac
  done | sort -u
}

# ---- the checks ------------------------------------------------------------------------------------------

# Each C module whose headers are missing says how to install everything, as README.md and Tests/Servers/install.sh do.
check_sentences() {
  local everything module package
  everything=$(grep -o 'sudo apt-get install pkg-config .*-dev' "$README")
  for package in ${everything#*install }; do
    grep -q "[( ]$package[ )]" <(sed -n '/^BUILD_PACKAGES=/,/)$/p' "$REPOSITORY/Tests/Servers/install.sh") ||
      fail "Tests/Servers/install.sh does not install $package, which README.md has"
  done
  # CLinux and CChild need nothing but the C library.
  for module in "$REPOSITORY"/Sources/C[A-Z]*; do
    case ${module##*/} in CLinux | CChild | CarrelCommand) continue ;; esac
    ls "$module"/*.swift >/dev/null 2>&1 && continue
    grep -q -r -F "(everything that Carrel needs: $everything)" "$module" || fail "${module#"$REPOSITORY"/} does not say: $everything"
  done
}

check() { # PRODUCT
  local product=$1 program=$BUILD/debug/Try$1 expected found library package
  for expected in libraries packages; do
    if [ "$expected" = libraries ]; then found=$(linked_libraries "$program"); else found=$(compiled_packages "$program"); fi
    expected=$("listed_$expected" "$product")
    [ "$expected" = "$found" ] || fail "$product: README.md says" ${expected:-nothing}", and it is" ${found:-nothing}
  done
  for library in $(linked_libraries "$program"); do
    package=$(debian_package "$library")
    dpkg -L "${package:-none}" 2>/dev/null | grep "/$library\.so$" >/dev/null || fail "$library is not in ${package:-any package that README.md names}"
  done
  case $product in
    SFTPFileProvider) found=$(compiled_targets "$program" | grep -x -e Publication -e GRDB -e CurlTransport || true) ;;
    *FileProvider) found=$(compiled_targets "$program" | grep -x -e Publication -e GRDB -e SSHTransport || true) ;;
    *) found= ;;
  esac
  [ -z "$found" ] || fail "$product compiles" $found
}

# Sets ARGUMENTS; fails where the server is not there.
prepare() { # PRODUCT
  ARGUMENTS=()
  case $1 in
    LocalFileProvider) ARGUMENTS=("$WORK/books") ;;
    LCPStore | ReaderDriver | ReaderLibrary | PublicationCache) ARGUMENTS=("$WORK/reader") ;;
    Sync) ARGUMENTS=("$WORK/books" "$WORK/sync") ;;
    SyncFleet) ARGUMENTS=("$WORK/fleet") ;;
    Shelf | ShelfServer) ARGUMENTS=("$WORK/books" "$WORK/$1") ;;
    Archives | LCP | Publication | FileInformation) ARGUMENTS=("$WORK/books/lamp.epub") ;;
    Carrel) ARGUMENTS=("file://$WORK/books/lamp.epub") ;;
    CarrelCommand) ARGUMENTS=(ls "$WORK/books") ;;
    WebDAVFileProvider) ARGUMENTS=("$(as_reader "${CARREL_TEST_APACHE_DIGEST_URL:-}")") ;;
    FTPFileProvider) ARGUMENTS=("$(as_reader "${CARREL_FTP_PYFTPD_URL:-}")") ;;
    SFTPFileProvider) ARGUMENTS=("${CARREL_SFTP_ASYNCSSH:-}" "${CARREL_SSH_KNOWN_HOSTS:-}") ;;
    S3FileProvider) ARGUMENTS=("s3://${CARREL_TEST_S3_BUCKET:-}/" "${CARREL_TEST_S3_URL:-}") ;;
    HTTPFileProvider)
      ARGUMENTS=("${CARREL_TEST_NGINX_PLAIN_URL:+${CARREL_TEST_NGINX_PLAIN_URL}try-products.epub}")
      if [ -n "${CARREL_TEST_NGINX_DATA:-}" ]; then install -m 644 "$WORK/books/lamp.epub" "$CARREL_TEST_NGINX_DATA/try-products.epub"; fi
      ;;
  esac
  local argument
  for argument in ${ARGUMENTS[@]+"${ARGUMENTS[@]}"}; do [ -n "$argument" ] || return 1; done
}

as_reader() { [ -z "$1" ] || printf '%s\n' "${1/:\/\//://$CARREL_TEST_USER@}"; }

# What the program says, in part.
answer() {
  case $1 in
    FileProviderCore) echo 'lamp.epub: No provider is registered' ;;
    FileProviderConformance) echo ' promises kept, 0 broken' ;;
    MediaTags) echo Night ;;
    HTTPFileProvider) echo '"50", "4b", "3", "4"' ;;
    LocalFileProvider | CarrelCommand) echo lamp.epub ;;
    MemoryFileProvider | WebDAVFileProvider | FTPFileProvider | SFTPFileProvider | S3FileProvider) echo note.txt ;;
    Publication | Carrel) echo 'The Lamp at the Carrel by ' ;;
    FileInformation) echo 'title The Lamp at the Carrel' ;;
    Sync) echo '1 created, 0 failed' ;;
    SyncFleet) echo 'ann-photos: PostgreSQL at “127.0.0.1:9” cannot be reached' ;;
    Shelf) echo '/lamp.epub: The Lamp at the Carrel' ;;
    ShelfServer) echo '200 true' ;;
    ReaderDriver) echo absent ;;
    ReaderApplication) echo library.sqlite ;;
    ReaderLink) echo 'library.sqlite 100' ;;
    MediaTypes) echo EPUB ;;
    FileProviderUndo) echo 'it can be taken back' ;;
    PredicateFormat) echo 'fileSize > 1000' ;;
    Archives) echo 'META-INF/container.xml ' ;;
    LCP) echo 'The licence is not text' ;;
    LCPConnection) echo "The licence's server was not reached" ;;
    OPDS) echo "The catalogue's server was not reached" ;;
    LCPStore) echo '10 of 10 characters copied, no more' ;;
    PublicationCache) echo '0 bytes kept' ;;
    PublicationServer) echo '200 It was dark.' ;;
    ReaderLibrary) echo '0 books' ;;
  esac
}

try() { # PRODUCT
  local said expected
  expected=$(answer "$1")
  if [ -z "$expected" ]; then fail "$1: run.sh does not know what to expect of it"; return; fi
  if ! prepare "$1"; then
    if [ "${CARREL_REQUIRE_SERVERS:-0}" = 1 ]; then fail "$1: its server is not there"; else say "$1: not run, there is no server"; fi
    return
  fi
  if ! said=$(CARREL_PASSWORD=${CARREL_TEST_PASSWORD:-} AWS_ACCESS_KEY_ID=${CARREL_TEST_S3_KEY:-} \
    AWS_SECRET_ACCESS_KEY=${CARREL_TEST_S3_SECRET:-} timeout 60 "$BUILD/debug/Try$1" ${ARGUMENTS[@]+"${ARGUMENTS[@]}"} 2>&1 </dev/null); then
    fail "$1: it ended with an error: $said"
  elif [[ $said != *"$expected"* ]]; then
    fail "$1: “$expected” was expected, and it said: $said"
  fi
}

# With the versions that are checked out already, so that nothing is asked of the network.
take_versions() { # FOLDER
  if [ ! -f "$1/Package.resolved" ]; then cp "$REPOSITORY/Package.resolved" "$1/" 2>/dev/null || true; fi
}

# The examples' own manifests are for people: their targets are there, and what they depend on is. Nothing is compiled.
check_manifests() {
  local folder
  for folder in "$REPOSITORY"/Examples/*/Package.swift; do
    folder=${folder%/Package.swift}
    take_versions "$folder"
    swift package --package-path "$folder" --scratch-path "$BUILD" show-dependencies >"$WORK/build.log" 2>&1 ||
      { cat "$WORK/build.log" >&2; fail "Examples/${folder##*/}: the manifest is wrong"; }
  done
}

# build --examples PRODUCT..., or without examples
build() {
  local package=$BUILD/products traits=${CARREL_TEST_TRAITS:-default} tests=
  if [ "$1" = --examples ]; then tests=--build-tests; fi
  python3 "$HERE/make.py" "$package" ".package(name: \"carrel\", path: \"$REPOSITORY\", traits: [\"${traits//,/\", \"}\"])" "$@"
  rm -f "$package/Package.resolved"
  take_versions "$package"
  # Several packages share the folder; see Tests/run.sh.
  swift build $tests --package-path "$package" --scratch-path "$BUILD" --disable-build-manifest-caching ${CARREL_BUILD_FLAGS:-} \
    >"$WORK/build.log" 2>&1 || { cat "$WORK/build.log" >&2; say "products: the package does not build"; exit 1; }
}

test_examples() {
  say "testing: the examples"
  "$BUILD/debug/try-carrelPackageTests.xctest" --testing-library swift-testing </dev/null || fail "the examples' tests failed"
}

main() {
  local product chosen=("$@")
  check_sentences
  if [ $# = 0 ]; then
    mapfile -t chosen < <(products)
    check_manifests
    build --examples "${chosen[@]}"
    test_examples
  else
    build "$@"
  fi
  mkdir "$WORK/books" "$WORK/reader"
  if [ ! -x "$BUILD/debug/sample-book" ]; then
    swift build --package-path "$REPOSITORY" --product sample-book --disable-build-manifest-caching \
      ${CARREL_TEST_TRAITS:+--traits "$CARREL_TEST_TRAITS"} ${CARREL_BUILD_FLAGS:-}
  fi
  "$BUILD/debug/sample-book" "$WORK/books/lamp.epub" --epub2
  for product in "${chosen[@]}"; do
    check "$product"
    try "$product"
    printf '%-24s %-60s %s\n' "$product" "$(linked_libraries "$BUILD/debug/Try$product" | tr '\n' ' ')" \
      "$(compiled_packages "$BUILD/debug/Try$product" | tr '\n' ' ')($(compiled_targets "$BUILD/debug/Try$product" | wc -l) targets)"
  done
  [ "$FAILURES" = 0 ] || { say "products: $FAILURES failed"; exit 1; }
}

main "$@"
