#!/usr/bin/env bash
# A siege of sync workers: they are killed, and their database is restarted and cut off, while files change on both sides of each pair.
#
#   CARREL=PROGRAM run.sh [--kills N] [--restarts N] [--cuts N] [--freezes N] [--pairs N] [--workers N] [--seconds S] [--seed N]
#
# CARREL is the program as it is released (by default the one below .build), built with the package trait Fleet. Starts Apache and, as
# root, OpenSSH for a part of the pairs, unless servers are up already and their variables are set (Tests/Servers/servers.sh env).
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
REPOSITORY=$(cd "$HERE/../.." && pwd)
SERVERS=$REPOSITORY/Tests/Servers/servers.sh
export CARREL=${CARREL:-$REPOSITORY/.build/release/carrel} PYTHONDONTWRITEBYTECODE=1
SCRATCH=

# Runs on every way out: no server may be left behind.
clean_up() {
  local code=$?
  trap - EXIT INT TERM HUP
  if [ -n "$SCRATCH" ]; then
    CARREL_SERVERS_ROOT=$SCRATCH bash "$SERVERS" down >/dev/null 2>&1 || true
    # The trees of a siege that failed are there.
    if [ "$code" = 0 ]; then rm -rf "$SCRATCH"; fi
  fi
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

[ -x "$CARREL" ] || { echo "run.sh: there is no program $CARREL: make carrel builds it" >&2; exit 2; }
if [ -z "${CARREL_TEST_APACHE_URL:-}" ]; then
  SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/carrel-siege-servers.XXXXXX")
  chmod 755 "$SCRATCH"
  names=(apache)
  if [ "$(id -u)" = 0 ]; then names+=(openssh); fi
  CARREL_SERVERS_ROOT=$SCRATCH bash "$SERVERS" up "${names[@]}" >&2
  set -a
  eval "$(CARREL_SERVERS_ROOT=$SCRATCH bash "$SERVERS" env)"
  set +a
fi
# The distribution's own Python where there is one, as for the servers of Tests/Servers.
python=python3
if [ -x /usr/bin/python3 ]; then python=/usr/bin/python3; fi
"$python" "$HERE/siege.py" "$@"
