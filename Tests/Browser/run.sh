#!/usr/bin/env bash
# Tests `carrel book serve` and `carrel shelf serve` on the wire and in headless Chromium.
#
#   CARREL=PROGRAM run.sh [TEST...]      TEST: a module, class or method, such as test_reading.TurningTests
#
# CARREL is the program as it is released (by default the one below .build), built with the package trait Serving. Chromium and its driver
# come from Debian, and so does jing, which checks Atom; selenium and jsonschema come from PyPI into .build/browser. Screenshots are kept in
# $BROWSER_ARTIFACTS/browser (.build/browser-artifacts).
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
REPOSITORY=$(cd "$HERE/../.." && pwd)
BUILD=$REPOSITORY/.build
VENV=$BUILD/browser/venv
PACKAGES=(selenium==4.51.0 "jsonschema[format-nongpl]==4.26.0")
# Seconds for everything: each lane that takes longer hangs.
LIMIT=${BROWSER_LIMIT:-240}
export BROWSER_ARTIFACTS=${BROWSER_ARTIFACTS:-$BUILD/browser-artifacts} PYTHONDONTWRITEBYTECODE=1
CARREL=${CARREL:-$BUILD/release/carrel}
# Selenium looks for no browser of its own and reports to nobody.
export CARREL SE_OFFLINE=true SE_AVOID_STATS=true
LOGS=$(mktemp -d "${TMPDIR:-/tmp}/carrel-browser-logs.XXXXXX")
LANES=()

say() { printf '==> %s\n' "$*" >&2; }

# Runs on every way out: no browser and no server may be left behind.
clean_up() {
  local code=$? lane
  trap - EXIT INT TERM HUP
  for lane in ${LANES[@]+"${LANES[@]}"}; do kill -TERM -- "-$lane" 2>/dev/null || true; done
  for lane in ${LANES[@]+"${LANES[@]}"}; do wait "$lane" 2>/dev/null || true; done
  rm -rf "$LOGS"
  exit "$code"
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# The distribution's own Python where there is one, as for the servers of Tests/Servers.
python() { if [ -x /usr/bin/python3 ]; then /usr/bin/python3 "$@"; else python3 "$@"; fi; }

install_missing() {
  local package missing=()
  for package in chromium chromium-driver fonts-dejavu-core fonts-liberation jing; do is_installed "$package" || missing+=("$package"); done
  python -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
  if [ ${#missing[@]} != 0 ]; then
    say "installing from the distribution: ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q -y install --no-install-recommends "${missing[@]}"
  fi
  if ! [ -x "$VENV/bin/python" ] || ! "$VENV/bin/python" -c 'import selenium, jsonschema' 2>/dev/null; then
    say "installing ${PACKAGES[*]} into $VENV"
    mkdir -p "$(dirname "$VENV")"
    python -m venv --clear "$VENV"
    "$VENV/bin/pip" --quiet --disable-pip-version-check install "${PACKAGES[@]}"
  fi
}

# lane NAME TEST...: runs tests in the background, in a process group that ends as one.
lane() {
  local name=$1
  shift
  set -m
  (cd "$HERE" && exec timeout "$LIMIT" "$VENV/bin/python" -m unittest -v "$@") </dev/null >"$LOGS/$name" 2>&1 &
  LANES+=($!)
  set +m
}

main() {
  local begin=$SECONDS code=0 number names=()
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  [ -x "$CARREL" ] || { say "there is no program at $CARREL: bash .ci/release --static-swift-stdlib --product carrel"; exit 127; }
  install_missing
  rm -rf "$BROWSER_ARTIFACTS/browser"
  begin=$SECONDS
  if [ $# -gt 0 ]; then
    names=(chosen)
    lane chosen "$@"
  else
    # Two lanes beside each other; what is measured in seconds goes before most of what takes the cores.
    names=(pages rest)
    lane pages test_reading test_shelf
    lane rest test_wire test_hostile test_catalogue test_pictures_and_sound
  fi
  for number in "${!names[@]}"; do
    wait "${LANES[$number]}" || { code=$?; say "tests of the lane ${names[$number]} FAILED (exit code $code)"; }
    cat "$LOGS/${names[$number]}" >&2
  done
  LANES=()
  say "browser tests took $((SECONDS - begin)) s; screenshots are in $BROWSER_ARTIFACTS/browser"
  return "$code"
}

main "$@"
