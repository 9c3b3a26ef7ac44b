#!/usr/bin/env bash
# Runs all tests of Carrel against real servers: installs what is missing, builds, starts the servers in a private
# folder, tests, and takes everything down again. Arguments are those of `swift test` that choose, for example: --filter WebDAV
#
# CI=true (or CARREL_REQUIRE_SERVERS=1) makes a missing server a failure instead of skipped tests. CARREL_FULL=1 adds what is slow and
# seldom fails: calibre itself as the driver of a reader application, and a build without the default traits.
set -euo pipefail

REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SERVERS=$REPOSITORY/Tests/Servers/servers.sh
RACES='^IntegrationTests\.(WebDAVRace|WebDAVWriting|S3)Tests'
FTP='^IntegrationTests\.FTP'
SFTP='^IntegrationTests\.SFTP'
COMMAND='^IntegrationTests\.Command'
CALIBRE='^IntegrationTests\.CalibreTests'
LONG_RUNS='^IntegrationTests\.(ServerConformance|ProvidersPage|UndoServer)Tests'
# Hundreds at once, on few cores, would measure nothing but how long each waits for its turn. Two lanes share this number.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-12}
# With the connection to PostgreSQL, which libraries leave out by default; one order of names, or everything would be compiled anew.
export CARREL_TEST_TRAITS=${CARREL_TEST_TRAITS:-Formats,Fleet}
# Providers of storages on a network, whose tests wait as much as they compute.
NETWORK='FTP|HTTP|S3|SFTP|WebDAV'
# Several packages share a build folder: a plan that was kept there may be another one's, whose tests would run instead. Plans are made
# with one order of hashes, or their commands would differ by chance, and everything be compiled anew.
export NO_COLOR=1
ANEW=--disable-build-manifest-caching
TESTS=.build/debug/carrelPackageTests.xctest
SCRATCH=
# What the tests say, how long each part took, and what the second lane says.
SAID=$(mktemp)
TIMES=$(mktemp)
BESIDE=$(mktemp)
# Children that a signal has to reach: what is waited for, the second lane, and the release that is being compiled.
CHILD=
LANE=
RELEASE=
# The program as it is released.
PROGRAM=
STARTED=$SECONDS

say() { printf '==> %s\n' "$*" >&2; }

# Runs on every way out, also after Ctrl-C: no server and no file may be left behind.
clean_up() {
  local code=$? child
  trap - EXIT INT TERM HUP
  # The Swift package manager takes its compilers along at SIGINT alone.
  if [ -n "$RELEASE" ]; then kill -INT -- "-$RELEASE" 2>/dev/null || true; fi
  for child in $CHILD $LANE; do kill -TERM -- "-$child" 2>/dev/null || true; done
  for child in $CHILD $LANE $RELEASE; do wait "$child" 2>/dev/null || true; done
  if [ "$code" != 0 ]; then show_what_was_beside; fi
  if [ -n "$SCRATCH" ]; then
    if [ "$code" != 0 ]; then show_server_errors; fi
    bash "$SERVERS" down 2>/dev/null || true
    rm -rf "$SCRATCH" || true
  fi
  if [ "$code" != 0 ]; then show_failures; fi
  if [ -s "$TIMES" ]; then show_times; fi
  rm -f "$SAID" "$TIMES" "$BESIDE"
  if [ "$code" = 0 ]; then
    say "Carrel: all tests passed in $((SECONDS - STARTED)) s."
  else
    say "Carrel: FAILED (exit code $code) after $((SECONDS - STARTED)) s."
  fi
  exit "$code"
}

# The shell handles a signal only while it waits; hence the background, and a process group that ends as one.
run() {
  local code=0
  if [ -n "${IN_LANE:-}" ]; then "$@" </dev/null; return; fi
  set -m
  "$@" </dev/null &
  CHILD=$!
  set +m
  wait "$CHILD" || code=$?
  CHILD=
  return "$code"
}

# part NAME COMMAND…: says what begins, and notes how long it took.
part() {
  local name=$1 begin=$SECONDS code=0
  shift
  say "$name"
  "$@" || code=$?
  printf '%6d s  %s\n' $((SECONDS - begin)) "$name" >>"$TIMES"
  return "$code"
}

# lanes FIRST SECOND: runs two functions beside each other; what the second says comes when both are done.
lanes() {
  local code=0 width=$SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(((width + 1) / 2))
  set -m
  (trap - EXIT INT TERM HUP; IN_LANE=yes SAID=/dev/null; "$2") </dev/null >"$BESIDE" 2>&1 &
  LANE=$!
  set +m
  "$1" || code=$?
  # Where the first lane has failed, nobody waits for the second.
  if [ "$code" = 0 ]; then wait "$LANE" || code=$?; LANE=; fi
  cat "$BESIDE"
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$width
  return "$code"
}

# What tests say is kept: what failed is repeated at the very end, where nobody has to look for it.
kept() { run bash -o pipefail -c '"$@" 2>&1 | tee -a "$0"' "$SAID" "$@"; }

# What is built already, as `swift test` runs it, but without the build folder's lock: that is for those who build.
test_built() { kept "$TESTS" --testing-library swift-testing "$@"; }

show_times() {
  say "how long each part took:"
  sort -rn "$TIMES" >&2
}

# The second lane, where it was cut short, and the release, where it was still being compiled.
show_what_was_beside() {
  if [ -n "$LANE" ]; then say "last lines of the second lane:"; tail -n 20 "$BESIDE" >&2; fi
  if [ -n "$RELEASE" ]; then say "last lines of the release's build:"; tail -n 5 "$SCRATCH/release.log" >&2 || true; fi
}

show_failures() {
  local failures
  failures=$(grep -h -A 12 -e 'recorded an issue' "$SAID" "$BESIDE" | grep -v -e '^◇' -e '^✔' | tail -n 80) || return 0
  say "what failed:"
  printf '%s\n' "$failures" >&2
}

show_server_errors() {
  local log lines
  for log in "$CARREL_SERVERS_ROOT"/log/*.error.log "$CARREL_SERVERS_ROOT"/log/{rclone,wsgidav,moto,vsftpd,pureftpd,pyftpd,asyncssh,rclone_sftp,postgresql}.log; do
    lines=$(grep -svi -e ':notice\]' -e ' NOTICE: ' "$log" | tail -n 5) || true
    [ -n "$lines" ] || continue
    say "last lines of ${log##*/}:"
    printf '%s\n' "$lines" >&2
  done
}

require_servers() { [ "${CARREL_REQUIRE_SERVERS:-0}" = 1 ]; }

install_missing() {
  local wanted=all
  if is_full; then wanted=full; fi
  if bash "$REPOSITORY/Tests/Servers/install.sh" "$wanted"; then return 0; fi
  if require_servers; then return 1; fi
  say "continuing with what is installed"
}

install_all() { part "installing what is missing" install_missing; }

check_texts() {
  part "folders" run python3 .ci/folders.py &&
    part "words" run python3 .ci/words.py &&
    part "style" run swift format lint --strict --recursive --parallel Sources Providers Tests Examples Package.swift
}

# Of a setting that it doesn't know, systemd only warns: nothing may be said about the unit.
verify_unit() {
  local unit=carrel-shelf.service folder said code=0
  if ! command -v systemd-analyze >/dev/null; then
    say "there is no systemd-analyze: $unit is not verified"
    return 0
  fi
  folder=$(mktemp -d)
  # The program need not be installed here.
  sed 's|^ExecStart=[^ ]*|ExecStart=/bin/true|' "Documentation/$unit" >"$folder/$unit"
  said=$(systemd-analyze verify --man=no "$folder/$unit" 2>&1) || code=$?
  rm -rf "$folder"
  if [ "$code" = 0 ] && [[ "$said" != *"$unit"* ]]; then return 0; fi
  printf '%s\n' "$said" >&2
  return 1
}

start_servers() {
  local code=0
  SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/carrel-tests.XXXXXX")
  export CARREL_SERVERS_ROOT=$SCRATCH/servers
  # as root the servers run as another user, who has to pass through this folder
  if [ "$(id -u)" = 0 ]; then chmod 711 "$SCRATCH"; fi
  # rclone reads every folder anew for every request otherwise, in quadratic time.
  export CARREL_RCLONE_DIR_CACHE=${CARREL_RCLONE_DIR_CACHE:-1s}
  bash "$SERVERS" up || code=$?
  if [ "$code" = 0 ]; then
    return 0
  elif require_servers; then
    say "a server is missing or did not start"
    return 1
  fi
  say "continuing without some servers: their tests are skipped"
}

export_environment() {
  local lines
  lines=$(bash "$SERVERS" env)
  set -a
  eval "$lines"
  set +a
}

main() {
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  if [ "${CI:-}" = true ]; then
    export CARREL_REQUIRE_SERVERS=1
    # Nobody debugs there: without lines for a debugger and an index of other modules, compiling takes a quarter less.
    export CARREL_BUILD_FLAGS="-debug-info-format none -Xswiftc -index-ignore-system-modules"
  fi
  cd "$REPOSITORY"
  [ "$(uname)" = Linux ] || { say "Carrel runs on Linux only"; exit 1; }
  if ! command -v swift >/dev/null; then
    say "there is no swift in PATH: see https://www.swift.org/install"
    exit 127
  fi
  # The one waits for the network and the disk, the other computes.
  lanes install_all check_texts
  part "the unit for systemd" verify_unit
  # shellcheck disable=SC2086 # several flags
  part "building" run env SWIFT_DETERMINISTIC_HASHING=1 swift build --build-tests --traits "$CARREL_TEST_TRAITS" "$ANEW" ${CARREL_BUILD_FLAGS:-}
  if [ $# = 0 ]; then
    # Only in a complete run: while a change is being written, its API and its pages may differ.
    part "public API" run python3 .ci/api compare
    part "snippets" run python3 .ci/snippets
  fi
  part "starting servers" start_servers
  export_environment
  if [ $# -gt 0 ]; then
    part "testing: $*" test_built "$@"
    return
  fi
  begin_release
  lanes test_computing test_waiting
  lanes test_servers test_sftp
  part "testing: races on real servers" test_built --filter "$RACES"
  part "testing: the kit on every storage, and undo on real servers" test_built --filter "$LONG_RUNS"
  part "waiting for the program as it is released" finish_release
  test_released
  lanes test_packages test_wire
  if is_full; then
    part "testing: calibre" test_built --filter "$CALIBRE"
    part "building without the default traits" build_without_traits
  fi
}

# One target after the other: together they would only keep each other waiting.
test_targets() { # GREP-OPTIONS...
  local target targets
  targets=$(ls -d Tests/*Tests | sed 's/.*\///' | grep -v -x IntegrationTests | grep -E "$@") || return
  for target in $targets; do
    part "testing: $target" test_built --filter "^$target\." || return
  done
}

test_computing() { test_targets -v -x "($NETWORK).*Tests"; }

test_waiting() {
  test_targets -x "($NETWORK).*Tests" || return
  part "documentation" run python3 .ci/docs
}

test_servers() {
  part "testing: real servers" test_built --filter '^IntegrationTests\.' \
    --skip "$COMMAND" --skip "$FTP" --skip "$SFTP" --skip "$RACES" --skip "$LONG_RUNS" --skip "$CALIBRE" || return
  part "testing: real servers of FTP" test_built --filter "$FTP"
}

test_sftp() { part "testing: real servers of SFTP" test_built --filter "$SFTP"; }

# Optimised code is other code: what people run is tested as they get it. Compiled when no test wants the cores (sched(7), SCHED_IDLE), and
# C++ first: left to itself, the build has it last, and Publication, and all that stands on it, waits.
begin_release() {
  set -m
  chrt --idle 0 bash -e -c 'for chosen in "--target CPDF" "--target CAudioTags" "--product carrel"; do
    bash .ci/release --static-swift-stdlib $chosen
  done' </dev/null >"$SCRATCH/release.log" 2>&1 &
  RELEASE=$!
  set +m
}

finish_release() {
  local code=0
  wait "$RELEASE" || code=$?
  RELEASE=
  if [ "$code" != 0 ]; then cat "$SCRATCH/release.log"; return "$code"; fi
  PROGRAM=$(bash .ci/release --static-swift-stdlib --show-bin-path)/carrel
}

test_wire() {
  test_fleet || return
  test_browser
}

test_fleet() { part "testing: a fleet under siege" run env CARREL="$PROGRAM" bash Tests/Fleet/run.sh; }

# Beside builds, pages take longer.
test_browser() { part "testing: in a browser" run env CARREL="$PROGRAM" BROWSER_LIMIT=600 bash Tests/Browser/run.sh; }

# Packages that depend on this one; in the same build folder only their own few files have to be compiled.
test_packages() { part "testing: the examples, and a program for each product" kept bash Tests/Products/run.sh; }

# Alone: beside pages, servers take longer to answer than the tests wait.
test_released() {
  CARREL_TEST_PROGRAM=$PROGRAM part "testing: the program as it is released" test_built --filter "$COMMAND"
}

is_full() { [ "${CARREL_FULL:-0}" = 1 ]; }

# A verb whose package trait is not there is wrong usage, and tells how to build it.
expect_missing() { # TRAIT COMMAND...
  local trait=$1 answer code=0
  shift
  answer=$("$@" 2>&1 >/dev/null) || code=$?
  case "$code $answer" in
    "2 "*"built without the package trait $trait,"*"swift build "*" --traits default,$trait"*) ;;
    *) say "without the trait $trait, exit code 2 and a sentence should come from $*; it was $code: $answer"; return 1 ;;
  esac
}

# What an app gets that wants no image and tag libraries; in a folder of its own, or the next build would start anew.
build_without_traits() {
  local folder scratch=.build/without-traits
  run swift build --disable-default-traits --product carrel --scratch-path "$scratch" "$ANEW" || return
  folder=$(mktemp -d "$SCRATCH/traits.XXXXXX")
  : >"$folder/picture.jpg"
  : >"$folder/comic.cbr"
  expect_missing Formats "$scratch"/debug/carrel thumb "$folder/picture.jpg" - || return
  expect_missing Formats "$scratch"/debug/carrel book info "$folder/comic.cbr"
}

main "$@"
