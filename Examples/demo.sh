#!/usr/bin/env bash
# Shows the main job on a private WebDAV server: a book is recognised, opened and read where it lies.
#
# Installs what is missing (Debian's packages; says which), builds, starts the server on loopback, makes a sample book, reads it, and
# takes everything down again.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/carrel-demo.XXXXXX")
chmod 755 "$work"
export CARREL_SERVERS_ROOT=$work/servers
mkdir -m 755 "$CARREL_SERVERS_ROOT"

finish() {
  bash "$top/Tests/Servers/servers.sh" down >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { # shows the command as a person would type it, and runs it
  local shown="carrel $*"
  printf '$ %s\n' "${shown//$CARREL_TEST_APACHE_URL/dav://…}"
  "$bin/carrel" "$@"
}

say "1. What is missing is installed"
bash "$top/Tests/Servers/install.sh" demo

say "2. Build (the first time takes a few minutes)"
bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --product carrel
bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --product sample-book
bin=$(bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --show-bin-path)

say "3. A private WebDAV server with a book of 101 MB, and one of a few pages"
bash "$top/Tests/Servers/servers.sh" up apache
set -a
eval "$(bash "$top/Tests/Servers/servers.sh" env)"
set +a
export CARREL_PASSWORD=$CARREL_TEST_PASSWORD
"$bin/sample-book" "$work/lamp.epub"
"$bin/sample-book" "$work/large.epub" --large text-first
install -m 644 "$work/lamp.epub" "$work/large.epub" "$CARREL_TEST_APACHE_DATA/"
run ls -l --user reader "$CARREL_TEST_APACHE_URL"

lamp=$CARREL_TEST_APACHE_URL/lamp.epub
say "4. What is it?"
run sniff --content --user reader "$lamp"

say "5. Its manifest and table of contents"
run book info --user reader "$lamp"
run book ls --toc --user reader "$lamp"

say "6. The first page, as text"
first=$("$bin/carrel" book ls --user reader "$lamp" | head -n 1 | cut -f 1)
printf '$ carrel book cat --user reader dav://…/lamp.epub %s\n' "$first"
"$bin/carrel" book cat --user reader "$lamp" "$first" | sed -e 's/<title>.*<\/title>//' -e 's/<[^>]*>//g' | sed -n '/[^[:space:]]/p'

say "7. What it costs: the first chapter of the 101 MB book"
first=$("$bin/carrel" book ls --user reader "$CARREL_TEST_APACHE_URL/large.epub" | head -n 1 | cut -f 1)
printf '$ carrel book cat --stats --user reader dav://…/large.epub %s\n' "$first"
"$bin/carrel" book cat --stats --user reader "$CARREL_TEST_APACHE_URL/large.epub" "$first" | wc -c | awk '{ print $1 " bytes of chapter" }'
printf '(one of the requests is the server asking for the password)\n'
