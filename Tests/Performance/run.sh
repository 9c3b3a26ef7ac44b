#!/usr/bin/env bash
# Benchmarks against peers: on this machine, and on real servers that this script starts and stops.
#
#   bash Tests/Performance/run.sh [book] [checkpoints] [protected] [logging] [transfer] [local] [listing] [small] [pipe] [sniffing] [search] [serving] [shelf] [fleet] [fleet-claims] [reader-books] [sync-memory] [sync-unchanged] [sync-upload] [ftp-book] [ftp-transfer] [ftp-listing] [ftp-small]
#     [ranges] [sftp-book] [sftp-bulk] [sftp-bulk-link] [sftp-small] [sftp-small-link] [sftp-listing] [sftp-requests]
#
# All, unless named.
#
# book      requests and bytes for sniffing, opening and reading a 101 MB EPUB, counted by the server in its log
# checkpoints  requests and bytes for 4 KiB at 90 % of a deflated PDF of 180 MB, once indexed, counted the same way
# protected a protected sound decrypted beside openssl enc; requests and bytes of a protected book of 100 MB beside the same one without
#           protection, counted the same way; memory for a page of a protected PDF of 180 MB
# logging   5,000 requests to Apache without a logger, with one at its default level and with one at .debug, alternating; with BEFORE=FILE,
#           2,000 folders listed by that build of the tool and by this one
# transfer  GET and PUT of one large file beside curl, alternating: seconds, CPU seconds, peak memory
# local     100,000 files listed beside find -ls, and in JSON beside ls -l; one large file copied beside cp and sync, alternating, on the disk of $TMPDIR
# listing   10,000 entries of a WebDAV folder with size and time beside rclone lsl, alternating
# small     1,000 files of 4 KiB sent over a link with a round trip of 20 ms and 16 connections, published and in place, beside curl
# pipe      standard input to a WebDAV server: peak memory
# serving   chapters and ranges over HTTP beside nginx and a plain server in Python; 200 readers of 20 books over a link with a round trip of 20 ms
# shelf     a shelf of 10,000 books on a WebDAV server over a link with a round trip of 20 ms: first look, memory beside a tenth of them,
#           nothing changed, 100 changed, covers, searches, feeds beside calibre's server, the server stopped and started again
# fleet     500 pairs of folders (this machine, WebDAV and SFTP, a round trip of 20 ms) kept in step by 1, 2 and 4 workers on PostgreSQL:
#           pairs a minute; needs root
# fleet-claims    claims among 1,000,000 pairs, sizes of the tables, and the plan of a claim
# sniffing  10,000 mixed files of a folder: files told in a second, by name or content, and by content alone
# search    50 MB of chapters in one book searched, beside xmllint --html over the same files, one processor each, alternating; memory for 300 MB
# sync-memory     1,000,000 simulated entries brought in step: seconds and memory
# sync-unchanged  10,000 files that are in step, over links with a round trip of 20 ms, beside one recursive listing; needs root
# sync-upload     1,000 files of 4 KiB, first sync to each kind of storage beside rclone sync with 4 and 16 transfers; needs root
# reader-books  10,000 books of a reader application listed by a driver: seconds and memory
#
# The FTP parts need root, and are skipped without:
#
# ftp-book      data connections and bytes for sniffing, opening and reading that EPUB, on vsftpd and ProFTPD
# ftp-transfer  RETR and STOR of one large file beside curl, alternating: vsftpd in clear, ProFTPD over TLS
# ftp-listing   10,000 entries of a folder beside rclone lsf, alternating, on vsftpd and ProFTPD
# ftp-small     1,000 files of 4 KiB sent over a link with a round trip of 20 ms and 8 connections, published and in place, beside lftp
# ranges        one large file over HTTP, WebDAV and FTP in one stream and in several ranges at once, beside aria2c and lftp with four
#               streams: without a round trip, with one of 20 ms, and with that and a small window
#
# The SFTP parts, on OpenSSH, need root too:
#
# sftp-book        round trips and bytes after the login for sniffing, opening and reading that EPUB
# sftp-bulk        one large file down and up beside sftp, alternating: over libssh2 and over the ssh program
# sftp-bulk-link   one file of half that size beside sftp and rclone, over a link with a round trip of 20 ms
# sftp-small       1,000 files of 4 KiB beside sftp
# sftp-small-link  1,000 files of 4 KiB over that link, beside rclone with 16 transfers
# sftp-listing     10,000 entries of a folder over that link, beside sftp and rclone
# sftp-requests    attributes and removal of 1,000 files over that link, beside sftp
#
# RUNS=5 SIZE_MB=1024   how often, and how much; CARREL=FILE benchmarks another build of the tool.
# BEFORE=FILE           another build of the tool, for logging.
# PIPE_MB=10240         how much goes through the pipe.
# Figures are ratios within one run: a machine's mood changes from minute to minute.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
runs=${RUNS:-5}
size=$(( ${SIZE_MB:-1024} << 20 ))
status=0

# Memory rather than a disk where there is room for four copies: the disk's own pace is not what is measured.
base=${TMPDIR:-/tmp}
if [ -d /dev/shm ] && [ "$(df -Pk /dev/shm | awk 'NR == 2 { print $4 }')" -gt $(( size / 256 )) ]; then base=/dev/shm; fi
work=$(mktemp -d "$base/carrel-bench.XXXXXX")
chmod 755 "$work"
export CARREL_SERVERS_ROOT=$work/servers
mkdir -m 755 "$CARREL_SERVERS_ROOT"

# What is measured on a disk has to lie on one.
disk=$(mktemp -d "${TMPDIR:-/tmp}/carrel-bench.XXXXXX")
servers=()
relay=
far=
# Further processes that end with this script.
children=()

finish() {
  local root pid
  for pid in $relay ${children[@]+"${children[@]}"}; do kill "$pid" 2>/dev/null || true; done
  # They may still write below the folders that go.
  for pid in ${children[@]+"${children[@]}"}; do wait "$pid" 2>/dev/null || true; done
  for root in ${servers[@]+"${servers[@]}"}; do
    CARREL_SERVERS_ROOT=$root bash "$top/Tests/Servers/servers.sh" down >/dev/null 2>&1 || true
  done
  rm -rf "$work" "$disk"
}
trap finish EXIT
trap 'exit 130' INT TERM

end_child() { # PID
  local pid left=()
  kill "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
  # The number may be another process's from now on.
  for pid in ${children[@]+"${children[@]}"}; do [ "$pid" = "$1" ] || left+=("$pid"); done
  children=(${left[@]+"${left[@]}"})
}

prepare() {
  if [ -z "${CARREL:-}" ]; then
    bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --product carrel >&2
    case " $parts " in *" book "* | *" ftp-book "* | *" sftp-book "* | *" reader-books "*) bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --product sample-book >&2 ;; esac
    case " $parts " in *" checkpoints "*) bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --product checkpoints-benchmark >&2 ;; esac
    case " $parts " in *" logging "*) bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --product logging-benchmark >&2 ;; esac
    case " $parts " in *" sync-memory "*) bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --product sync-memory-benchmark >&2 ;; esac
    case " $parts " in *" search "*) bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --product search-benchmark >&2 ;; esac
    case " $parts " in *" sniffing "*) bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --product sniffing-benchmark >&2 ;; esac
    local bin
    bin=$(bash "$top/.ci/release" --package-path "$top" --static-swift-stdlib --show-bin-path)
    CARREL=$bin/carrel
    BOOK=$bin/sample-book
  fi
  BOOK=${BOOK:-$(dirname "$CARREL")/sample-book}
}

serve() { # NAME... : at the far end of the link, where there is one
  bash "$top/Tests/Servers/install.sh" >&2
  servers+=("$CARREL_SERVERS_ROOT")
  ${far:+nsenter --net="$far"} bash "$top/Tests/Servers/servers.sh" up "$@" >&2
  set -a
  eval "$(bash "$top/Tests/Servers/servers.sh" env)"
  set +a
  export CARREL_PASSWORD=$CARREL_TEST_PASSWORD
}

judge() { # TEXT VALUE OPERATOR LIMIT
  if awk -v a="$2" -v b="$4" "BEGIN { exit !(a $3 b) }"; then printf '  %-52s %8s   (%s %s)\n' "$1" "$2" "$3" "$4"
  else printf '  %-52s %8s   (%s %s)  MISSED\n' "$1" "$2" "$3" "$4"; status=1; fi
}

# ---- requests and bytes for a book -------------------------------------------------------------------------

# Runs a command and gives the lines that the server's log has got from it. The log is written after the answer, so wait for it to
# stand still.
seen() { # LOG CMD...
  local log=$1 before now last=-1
  shift
  before=$(wc -l <"$log")
  "$@" >/dev/null || return
  local looks=0
  while now=$(wc -l <"$log"); [ "$now" != "$last" ] || [ "$now" = "$before" ]; do
    last=$now; looks=$(( looks + 1 )); sleep 0.2
    [ "$looks" -lt 100 ] || { echo "run.sh: the server has seen nothing of: $*" >&2; return 1; }
  done
  tail -n +$(( before + 1 )) "$log"
}

# What the server saw of a command: "requests bytes heads".
served() {
  seen "$CARREL_TEST_APACHE_LOG" "$@" | awk -F'\t' '{ n++; b += $5 } $1 == "HEAD" { h++ } END { print n + 0, b + 0, h + 0 }'
}

book() {
  local order url chapter n b h
  for order in text-first text-last; do
    "$BOOK" "$work/$order.epub" --large "$order"
    install -m 644 "$work/$order.epub" "$CARREL_TEST_APACHE_DATA/$order.epub"
    url=$CARREL_TEST_APACHE_OPEN_URL/$order.epub
    chapter=$("$CARREL" book ls "$url" | head -n 1 | cut -f 1)
    printf 'book, %s, %s bytes\n' "$order" "$(stat -c %s "$work/$order.epub")"
    read -r n b h < <(served "$CARREL" sniff --content "$url")
    judge "sniff: requests" "$n" "<=" 1; judge "sniff: bytes" "$b" "<=" 70000; judge "sniff: HEADs" "$h" "<=" 0
    read -r n b h < <(served "$CARREL" book info "$url")
    judge "open: requests" "$n" "<=" 3; judge "open: bytes" "$b" "<=" 100000; judge "open: HEADs" "$h" "<=" 0
    read -r n b h < <(served "$CARREL" book cat "$url" "$chapter")
    judge "first chapter: requests" "$n" "<=" 4; judge "first chapter: bytes" "$b" "<=" 130000; judge "first chapter: HEADs" "$h" "<=" 0
    rm -f "$work/$order.epub" "$CARREL_TEST_APACHE_DATA/$order.epub"
  done
}

# ---- a part of a deflated entry ----------------------------------------------------------------------------

# The first reading finds the checkpoints on its way; what opening costs is taken off the second one.
checkpoints() {
  local bench url n b h opened_n opened_b opened_h
  bench=$(dirname "$CARREL")/checkpoints-benchmark
  url=$CARREL_TEST_APACHE_OPEN_URL/pdf.epub
  "$bench" make "$work/pdf.epub"
  install -m 644 "$work/pdf.epub" "$CARREL_TEST_APACHE_DATA/pdf.epub"
  "$bench" read "$url" "$work/checkpoints"
  read -r opened_n opened_b opened_h < <(served "$bench" open "$url" "$work/checkpoints")
  read -r n b h < <(served "$bench" read "$url" "$work/checkpoints")
  printf 'checkpoints, a book of %s bytes, opened with %s requests and %s bytes\n' "$(stat -c %s "$work/pdf.epub")" "$opened_n" "$opened_b"
  judge "4 KiB at 90 %: requests" $(( n - opened_n )) "<=" 2; judge "4 KiB at 90 %: bytes" $(( b - opened_b )) "<=" 1153434
  judge "4 KiB at 90 %: HEADs" $(( h - opened_h )) "<=" 0
  rm -rf "$work/pdf.epub" "$CARREL_TEST_APACHE_DATA/pdf.epub" "$work/checkpoints"
}

# ---- what a log costs ----------------------------------------------------------------------------------------

logging() {
  local bench url kind i
  bench=$(dirname "$CARREL")/logging-benchmark
  url=${CARREL_TEST_APACHE_URL/:\/\//://$CARREL_TEST_USER@}
  start_over none default debug
  for i in $(seq 0 $(( runs * 2 ))); do
    [ "$i" = 1 ] && start_over none default debug # the first round warms up
    for kind in none default debug; do timed "$work/$kind" "$bench" "$url/" 5000 "$kind" 2>/dev/null; done
  done
  printf '5,000 requests: no logger %s s (%s s CPU), default %s s (%s s CPU), .debug %s s (%s s CPU), medians of %s\n' \
    "$(median "$work/none" 1)" "$(median "$work/none" 2)" "$(median "$work/default" 1)" "$(median "$work/default" 2)" \
    "$(median "$work/debug" 1)" "$(median "$work/debug" 2)" $(( runs * 2 ))
  judge "default logger: time, times that of none" "$(ratio "$(median "$work/default" 1)" "$(median "$work/none" 1)")" "<=" 1.02
  [ -n "${BEFORE:-}" ] || return 0
  for i in $(seq 0 1999); do mkdir -p "$CARREL_TEST_APACHE_DATA/folders/$(( i / 50 ))/$i"; done
  chmod -R a+rwX "$CARREL_TEST_APACHE_DATA/folders"
  start_over before now
  for i in $(seq 0 $(( runs * 2 ))); do
    [ "$i" = 1 ] && start_over before now
    timed "$work/before" "$BEFORE" ls -R --user "$CARREL_TEST_USER" "$CARREL_TEST_APACHE_URL/folders" >/dev/null
    timed "$work/now" "$CARREL" ls -R --user "$CARREL_TEST_USER" "$CARREL_TEST_APACHE_URL/folders" >/dev/null
  done
  rm -rf "$CARREL_TEST_APACHE_DATA/folders"
  printf '2,040 folders listed: before %s s (%s s CPU), now %s s (%s s CPU), medians of %s\n' "$(median "$work/before" 1)" \
    "$(median "$work/before" 2)" "$(median "$work/now" 1)" "$(median "$work/now" 2)" $(( runs * 2 ))
  judge "without a log: time, times that before" "$(ratio "$(median "$work/now" 1)" "$(median "$work/before" 1)")" "<=" 1.02
}

# ---- GET and PUT beside curl --------------------------------------------------------------------------------

# Runs a command and adds "seconds cpu KiB" to a file.
timed() { # FILE CMD...: by a finer clock than time's, whose step is 10 ms
  local out=$1 start end
  shift
  start=$EPOCHREALTIME
  /usr/bin/time -o "$work/time" -f "%U %S %M" "$@" || { tail -n 3 "$work"/*.log >&2 || true; return 1; }
  end=$EPOCHREALTIME
  awk -v a="$start" -v b="$end" '{ printf "%.3f %s %s\n", b - a, $1 + $2, $3 }' "$work/time" >>"$out"
}

median() { sort -n -k "$2,$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'; }
fastest() { sort -n -k "$2,$2" "$1" | awk -v c="$2" 'NR == 1 { print $c }'; }
largest() { sort -n -k "$2,$2" "$1" | tail -n 1 | awk -v c="$2" '{ print $c }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'; }

start_over() { # NAME... : empty files for the times of each
  local name
  for name in "$@"; do : >"$work/$name"; done
}

beside_curl() { # TITLE
  # Judged by medians; the fastest of each stands beside them, because single runs vary by seconds on small machines.
  printf '%s: curl %s s (%s s CPU), carrel %s s (%s s CPU), medians of %s; fastest %s s and %s s\n' "$1" \
    "$(median "$work/curl" 1)" "$(median "$work/curl" 2)" "$(median "$work/carrel" 1)" "$(median "$work/carrel" 2)" "$runs" \
    "$(fastest "$work/curl" 1)" "$(fastest "$work/carrel" 1)"
}

compare() { # TITLE
  beside_curl "$1"
  local curl_s carrel_s curl_c carrel_c
  curl_s=$(median "$work/curl" 1); carrel_s=$(median "$work/carrel" 1)
  curl_c=$(median "$work/curl" 2); carrel_c=$(median "$work/carrel" 2)
  judge "speed, times curl's" "$(ratio "$curl_s" "$carrel_s")" ">=" 0.95
  judge "CPU time, times curl's" "$(ratio "$carrel_c" "$curl_c")" "<=" 1.3
  judge "peak memory, MiB" "$(( $(largest "$work/carrel" 3) / 1024 ))" "<=" 64
}

transfer() {
  local server url data web i
  head -c "$size" /dev/urandom >"$work/big"
  for server in APACHE NGINX; do
    eval "url=\$CARREL_TEST_${server}_URL data=\$CARREL_TEST_${server}_DATA"
    web=http${url#dav}
    install -m 644 "$work/big" "$data/big"
    start_over curl carrel
    for i in $(seq 0 "$runs"); do
      [ "$i" = 1 ] && start_over curl carrel # the first pair warms up
      rm -f "$work/got"; timed "$work/curl" curl -sS --fail -u "$CARREL_TEST_USER:$CARREL_TEST_PASSWORD" -o "$work/got" "$web/big"
      rm -f "$work/got"; timed "$work/carrel" "$CARREL" cp --quiet --user "$CARREL_TEST_USER" "$url/big" "$work/got"
    done
    cmp "$work/big" "$work/got"
    compare "GET of $(( size >> 20 )) MiB from ${server,,}"
    rm -f "$work/got" "$data/big"
    start_over curl carrel
    for i in $(seq 0 "$runs"); do
      [ "$i" = 1 ] && start_over curl carrel
      rm -f "$data/up"; timed "$work/curl" curl -sS --fail -u "$CARREL_TEST_USER:$CARREL_TEST_PASSWORD" -T "$work/big" -o /dev/null "$web/up"
      rm -f "$data/up"; timed "$work/carrel" "$CARREL" cp --quiet --user "$CARREL_TEST_USER" "$work/big" "$url/up"
    done
    cmp "$work/big" "$data/up"
    compare "PUT of $(( size >> 20 )) MiB to ${server,,}"
    rm -f "$data/up"
  done
}

# ---- this machine's files beside find, cp and sync ------------------------------------------------------------

beside() { # TITLE PEER OPERATOR LIMIT: the larger the ratio, the slower Carrel
  local peer carrel
  peer=$(median "$work/peer" 1); carrel=$(median "$work/carrel" 1)
  printf '%s: %s %s s (%s s CPU), carrel %s s (%s s CPU), medians of %s; fastest %s s and %s s\n' "$1" "$2" "$peer" \
    "$(median "$work/peer" 2)" "$carrel" "$(median "$work/carrel" 2)" "$runs" "$(fastest "$work/peer" 1)" "$(fastest "$work/carrel" 1)"
  judge "time, times that of $2" "$(ratio "$carrel" "$peer")" "$3" "$4"
  judge "peak memory, MiB" "$(( $(largest "$work/carrel" 3) / 1024 ))" "<=" 100
}

this_machine() {
  local i flag
  mkdir "$disk/folder"
  seq -f "$disk/folder/a file with a name number %06g.text" 100000 | tr '\n' '\0' | xargs -0 touch
  # The library's own listing is most of ls; -l writes a line for each item as find -ls does.
  for flag in "" -l; do
    start_over peer carrel
    for i in $(seq 0 "$runs"); do
      [ "$i" = 1 ] && start_over peer carrel # the first pair warms up
      timed "$work/peer" find "$disk/folder" -ls >/dev/null
      timed "$work/carrel" "$CARREL" ls $flag "$disk/folder" >/dev/null
    done
    beside "100,000 files, ls $flag" "find -ls" "<=" 1.5
  done
  start_over peer carrel
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over peer carrel
    timed "$work/peer" "$CARREL" ls -l "$disk/folder" >/dev/null
    timed "$work/carrel" "$CARREL" ls --json "$disk/folder" >/dev/null
  done
  beside "100,000 files, ls --json" "ls -l" "<=" 1.3
  [ "$("$CARREL" ls "$disk/folder" | wc -l)" = 100000 ] || { echo "run.sh: the listing is not whole" >&2; exit 1; }
  rm -rf "$disk/folder"

  head -c "$size" /dev/urandom >"$disk/big"
  start_over peer carrel
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over peer carrel
    # What one leaves the disk to do, the other must not pay for.
    rm -f "$disk/copy"; sync -f "$disk"
    timed "$work/peer" sh -c 'cp "$1" "$2" && sync "$2"' sh "$disk/big" "$disk/copy"
    rm -f "$disk/copy"; sync -f "$disk"
    timed "$work/carrel" "$CARREL" cp --quiet "$disk/big" "$disk/copy"
  done
  cmp "$disk/big" "$disk/copy"
  # 0.9 times the speed.
  beside "copy of $(( size >> 20 )) MiB" "cp and sync" "<=" 1.11
}

# ---- listing a folder of a server beside rclone ----------------------------------------------------------------

# What rclone knows of the server stands in its environment: arguments are visible to every user of the machine.
rclone_for() { # URL
  export RCLONE_CONFIG=/dev/null RCLONE_WEBDAV_URL=$1 RCLONE_WEBDAV_VENDOR=other RCLONE_WEBDAV_USER=$CARREL_TEST_USER
  RCLONE_WEBDAV_PASS=$(printf '%s' "$CARREL_TEST_PASSWORD" | rclone obscure -)
  export RCLONE_WEBDAV_PASS
}

listing() {
  local server url data i
  for server in APACHE NGINX; do
    eval "url=\$CARREL_TEST_${server}_URL data=\$CARREL_TEST_${server}_DATA"
    mkdir "$data/many"
    seq -f "$data/many/a file with a name number %06g.text" 10000 | tr '\n' '\0' | xargs -0 touch
    rclone_for "http${url#dav}"
    start_over peer carrel
    for i in $(seq 0 "$runs"); do
      [ "$i" = 1 ] && start_over peer carrel # the first pair warms up
      timed "$work/peer" rclone lsl --max-depth 1 :webdav:many >"$work/rclone.out"
      timed "$work/carrel" "$CARREL" ls -l --user "$CARREL_TEST_USER" "$url/many" >"$work/carrel.out"
    done
    [ "$(wc -l <"$work/carrel.out")" = 10000 ] && [ "$(wc -l <"$work/rclone.out")" = 10000 ] \
      || { echo "run.sh: a listing is not whole" >&2; exit 1; }
    beside "10,000 entries of ${server,,}, ls -l" "rclone lsl" "<=" 0.7
    rm -rf "$data/many"
  done
}

# ---- small files over a long way ---------------------------------------------------------------------------------

emptied() { # FOLDER: for what the server's user is to write
  rm -rf "$1"
  mkdir -m 777 "$1"
}

small_files() {
  local i
  mkdir -p "$work/small"
  for i in $(seq -w 1000); do head -c 4096 /dev/urandom >"$work/small/file-$i"; done
}

small() {
  local port i kind file name
  small_files
  python3 "$here/delay_relay.py" "$(sed 's#^.*:\([0-9]*\)/.*$#\1#' <<<"$CARREL_TEST_APACHE_URL")" 10 >"$work/port" &
  relay=$!
  until [ -s "$work/port" ]; do sleep 0.1; done
  port=$(cat "$work/port")
  for file in "$work/small"/*; do
    printf 'upload-file = "%s"\nurl = "http://127.0.0.1:%s/dav/small/%s"\noutput = /dev/null\n' "$file" "$port" "${file##*/}"
  done >"$work/curl.conf"
  start_over curl eager rclone published inplace
  rclone_for "http://127.0.0.1:$port/dav"
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over curl eager rclone published inplace
    emptied "$CARREL_TEST_APACHE_DATA/small"
    timed "$work/curl" curl -sS --fail -u "$CARREL_TEST_USER:$CARREL_TEST_PASSWORD" --parallel --parallel-max 16 --no-progress-meter \
      -K "$work/curl.conf"
    # Without its question whether it may send, which costs curl a round trip for each file.
    emptied "$CARREL_TEST_APACHE_DATA/small"
    timed "$work/eager" curl -sS --fail -u "$CARREL_TEST_USER:$CARREL_TEST_PASSWORD" --parallel --parallel-max 16 --no-progress-meter \
      -H "Expect:" -K "$work/curl.conf"
    for kind in published inplace; do
      emptied "$CARREL_TEST_APACHE_DATA/small"
      timed "$work/$kind" "$CARREL" cp -r --quiet --transfers 16 $([ $kind = published ] || echo --in-place) \
        --user "$CARREL_TEST_USER" "$work/small/." "dav://127.0.0.1:$port/dav/small"
      [ "$(find "$CARREL_TEST_APACHE_DATA/small" -name 'file-*' -size 8 | wc -l)" = 1000 ] || { echo "run.sh: files are missing" >&2; exit 1; }
    done
    emptied "$CARREL_TEST_APACHE_DATA/small"
    timed "$work/rclone" rclone copy --transfers 16 --checkers 16 "$work/small" :webdav:small
  done
  kill "$relay"
  relay=
  rm -rf "$CARREL_TEST_APACHE_DATA/small"
  printf '1,000 files of 4 KiB, 20 ms, 16 connections: curl %s s (without Expect %s s), carrel published %s s, in place %s s, rclone %s s, medians of %s\n' \
    "$(median "$work/curl" 1)" "$(median "$work/eager" 1)" "$(median "$work/published" 1)" "$(median "$work/inplace" 1)" "$(median "$work/rclone" 1)" "$runs"
  judge "published: rate, times curl's" "$(ratio "$(median "$work/curl" 1)" "$(median "$work/published" 1)")" ">=" 0.5
  # Both take two round trips for a file: curl asks whether it may send, carrel looks at what was kept.
  judge "in place: rate, times curl's" "$(ratio "$(median "$work/curl" 1)" "$(median "$work/inplace" 1)")" ">=" 0.9
  judge "published: rate, times rclone's" "$(ratio "$(median "$work/rclone" 1)" "$(median "$work/published" 1)")" ">=" 9
}

# ---- a stream of unknown length ----------------------------------------------------------------------------------

pipe() {
  local megabytes=${PIPE_MB:-10240}
  # Memory is what is measured: not the place for ten gigabytes.
  chmod 755 "$disk"
  mkdir -m 755 "$disk/servers"
  export CARREL_SERVERS_ROOT=$disk/servers
  serve apache
  if [ "$(df -Pm "$CARREL_TEST_APACHE_DATA" | awk 'NR == 2 { print $4 }')" -lt $(( megabytes + 512 )) ]; then
    echo "run.sh: there is no room for $megabytes MiB; say less with PIPE_MB" >&2
    exit 1
  fi
  : >"$work/carrel"
  head -c "${megabytes}M" /dev/zero | timed "$work/carrel" "$CARREL" cp --quiet --user "$CARREL_TEST_USER" - "$CARREL_TEST_APACHE_URL/zeros"
  [ "$(stat -c %s "$CARREL_TEST_APACHE_DATA/zeros")" = $(( megabytes << 20 )) ] || { echo "run.sh: bytes are missing" >&2; exit 1; }
  rm -f "$CARREL_TEST_APACHE_DATA/zeros"
  printf 'pipe of %s MiB: %s s\n' "$megabytes" "$(median "$work/carrel" 1)"
  judge "peak memory, MiB" "$(( $(largest "$work/carrel" 3) / 1024 ))" "<=" 64
}

# ---- telling what files are --------------------------------------------------------------------------------------

sniffing() {
  local rate
  TMPDIR=$disk "$(dirname "$CARREL")/sniffing-benchmark" | tee "$work/sniffing"
  while read -r rate; do judge "files per second" "$rate" ">=" 2000; done < <(sed -n 's/.*, 8 at once: \([0-9]*\) files.*/\1/p' "$work/sniffing")
}

. "$here/fleet.sh"
. "$here/ftp.sh"
. "$here/sftp.sh"
. "$here/protected.sh"
. "$here/ranges.sh"
. "$here/reader.sh"
. "$here/search.sh"
. "$here/serving.sh"
. "$here/shelf.sh"
. "$here/sync.sh"

parts=${*:-book checkpoints protected logging transfer local listing small pipe sniffing search serving shelf fleet fleet-claims reader-books sync-memory sync-unchanged sync-upload ftp-book ftp-transfer ftp-listing ftp-small ranges
  sftp-book sftp-bulk sftp-small sftp-bulk-link sftp-small-link sftp-listing sftp-requests}
wanted=
for part in $parts; do
  case $part in
    book | checkpoints | protected | logging | transfer | local | listing | small | pipe | sniffing | search | serving | shelf | reader-books | sync-memory) wanted+=" $part" ;;
    ftp-book | ftp-transfer | ftp-listing | ftp-small | ranges)
      if [ "$(id -u)" = 0 ]; then wanted+=" $part"
      else echo "$part: skipped: FTP servers are started by root alone"; fi ;;
    fleet | fleet-claims | sync-unchanged | sync-upload)
      if [ "$(id -u)" = 0 ]; then wanted+=" $part"
      else echo "$part: skipped: the servers of FTP and SFTP are started by root alone"; fi ;;
    sftp-book | sftp-bulk | sftp-small | sftp-bulk-link | sftp-small-link | sftp-listing | sftp-requests)
      if [ "$(id -u)" = 0 ]; then wanted+=" $part"
      else echo "$part: skipped: OpenSSH's server is started by root alone"; fi ;;
    *) echo "run.sh: there is no benchmark called “$part”" >&2; exit 2 ;;
  esac
done
parts=$wanted
[ -n "$parts" ] || exit 0
prepare
names=()
case " $parts " in *" book "* | *" checkpoints "* | *" protected "* | *" logging "* | *" serving "* | *" shelf "* | *" transfer "* | *" listing "* | *" small "*) names+=(apache nginx) ;; esac
case " $parts " in *" ftp-book "* | *" ftp-transfer "* | *" ftp-listing "*) names+=(vsftpd proftpd) ;; esac
case " $parts " in *" sftp-book "* | *" sftp-bulk "* | *" sftp-small "*) names+=(openssh) ;; esac
case " $parts " in *" sync-unchanged "*) names+=(apache openssh) ;; esac
case " $parts " in *" fleet "*) names+=(apache openssh postgresql) ;; esac
case " $parts " in *" fleet-claims "*) names+=(postgresql) ;; esac
case " $parts " in *" sync-upload "*) names+=(apache vsftpd proftpd openssh moto) ;; esac
[ ${#names[@]} = 0 ] || serve $(printf '%s\n' "${names[@]}" | sort -u)
over_link=()
for part in $parts; do
  case $part in
    pipe | ftp-small | ranges) ;;
    local) this_machine ;;
    reader-books) reader_books ;;
    fleet-claims) fleet_claims ;;
    sync-*) "sync_${part#sync-}" ;;
    sftp-bulk-link) ;;
    sftp-small-link | sftp-listing | sftp-requests) over_link+=("$part") ;;
    sftp-*) "sftp_${part#sftp-}" ;;
    ftp-*) "ftp_${part#ftp-}" ;;
    *) "$part" ;;
  esac
done
# Last, because they have servers of their own.
case " $parts " in *" pipe "*) pipe ;; esac
case " $parts " in *" ftp-small "*) ftp_small ;; esac
case " $parts " in *" ranges "*) ranges ;; esac
[ ${#over_link[@]} = 0 ] || sftp_over_link 1500 "${over_link[@]}"
# With packets of the usual size it is the link's own process, and not the clients, that large files would wait for.
case " $parts " in *" sftp-bulk-link "*) sftp_over_link 65535 sftp-bulk-link ;; esac
exit "$status"
