# The FTP parts of run.sh, which reads this file: they use its functions and what it has prepared. All of them need root, as the
# servers do.

ftp_place() { # URL: its host and port, apart
  sed -E 's#^[a-z]+://([^/]*):([0-9]+)/.*$#\1 \2#' <<<"$1"
}

tell() { printf '  %-52s %8s\n' "$@"; } # TEXT VALUE...: figures without a limit

ftp_rclone_for() { # URL
  read -r RCLONE_FTP_HOST RCLONE_FTP_PORT < <(ftp_place "$1")
  RCLONE_FTP_PASS=$(printf '%s' "$CARREL_TEST_PASSWORD" | rclone obscure -)
  export RCLONE_CONFIG=/dev/null RCLONE_FTP_HOST RCLONE_FTP_PORT RCLONE_FTP_PASS RCLONE_FTP_USER=$CARREL_TEST_USER
}

# ---- a book ------------------------------------------------------------------------------------------------------

# Every command of these servers that opens a data connection for reading.
ftp_data_commands() { awk '/["\t](RETR|LIST|NLST|MLSD)[ "\t]/ { n++ } END { print n + 0 }' "$1"; }

statistic() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" "$work/statistics"; } # NAME

ftp_look() { # TITLE LOG CMD... : what it took, as the client says and as the server saw
  local title=$1 n b
  shift
  if ! seen "$@" >"$work/commands" 2>"$work/statistics"; then cat "$work/statistics" >&2; return 1; fi
  n=$(statistic dataConnections)
  b=$(statistic bytesIn)
  if [ "$title" = "first chapter" ]; then
    judge "$title: data connections" "${n:-99}" "<=" 4
    judge "$title: bytes" "${b:-99999999}" "<=" 1500000
  else
    tell "$title: data connections" "${n:-?}" "$title: bytes" "${b:-?}"
  fi
  tell "$title: control connections" "$(statistic connections)"
  judge "$title: data connections in the server's log" "$(ftp_data_commands "$work/commands")" "==" "${n:--1}"
}

ftp_book() {
  local server order url data log chapter
  for order in text-first text-last; do
    "$BOOK" "$work/$order.epub" --large "$order"
    for server in VSFTPD PROFTPD; do
      eval "url=\${CARREL_FTP_${server}_URL}$order.epub data=\$CARREL_FTP_${server}_DATA log=\$CARREL_FTP_${server}_LOG"
      install -m 644 "$work/$order.epub" "$data/$order.epub"
      chapter=$("$CARREL" book ls --user "$CARREL_TEST_USER" "$url" | head -n 1 | cut -f 1)
      printf 'book on %s, %s, %s bytes\n' "${server,,}" "$order" "$(stat -c %s "$work/$order.epub")"
      ftp_look "sniff" "$log" "$CARREL" sniff --content --stats --user "$CARREL_TEST_USER" "$url"
      ftp_look "open" "$log" "$CARREL" book info --stats --user "$CARREL_TEST_USER" "$url"
      ftp_look "first chapter" "$log" "$CARREL" book cat --stats --user "$CARREL_TEST_USER" "$url" "$chapter"
      rm -f "$data/$order.epub"
    done
    rm -f "$work/$order.epub"
  done
}

# ---- RETR and STOR beside curl -----------------------------------------------------------------------------------

ftp_transfer() {
  head -c "$size" /dev/urandom >"$work/big"
  ftp_pair vsftpd "$CARREL_FTP_VSFTPD_URL" "$CARREL_FTP_VSFTPD_DATA"
  ftp_pair "proftpd over TLS" "$CARREL_FTPS_PROFTPD_URL" "$CARREL_FTP_PROFTPD_DATA" --cacert "$CARREL_TEST_CA"
  rm -f "$work/big"
}

ftp_pair() { # TITLE URL DATA TRUST... : down and up; the trust is in words that both tools understand, and means TLS
  local title=$1 url=$2 data=$3 place i
  shift 3
  place=ftp://${url#*://}
  local curl=(curl -sS --fail "$@" -u "$CARREL_TEST_USER:$CARREL_TEST_PASSWORD")
  [ $# = 0 ] || curl+=(--ssl-reqd)
  local carrel=("$CARREL" cp --quiet "$@" --user "$CARREL_TEST_USER")
  install -m 644 "$work/big" "$data/big"
  start_over curl carrel
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over curl carrel # the first pair warms up
    rm -f "$work/got"; timed "$work/curl" "${curl[@]}" -o "$work/got" "${place}big"
    rm -f "$work/got"; timed "$work/carrel" "${carrel[@]}" "${url}big" "$work/got"
  done
  cmp "$work/big" "$work/got"
  ftp_compare "RETR of $(( size >> 20 )) MiB from $title"
  rm -f "$work/got" "$data/big"
  emptied "$data/ups"
  start_over curl carrel
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over curl carrel
    rm -f "$data/ups/up"; timed "$work/curl" "${curl[@]}" -T "$work/big" "${place}ups/up"
    rm -f "$data/ups/up"; timed "$work/carrel" "${carrel[@]}" "$work/big" "${url}ups/up"
  done
  cmp "$work/big" "$data/ups/up"
  ftp_compare "STOR of $(( size >> 20 )) MiB to $title"
  rm -rf "$data/ups"
}

ftp_compare() { # TITLE
  beside_curl "$1"
  judge "speed, times curl's" "$(ratio "$(median "$work/curl" 1)" "$(median "$work/carrel" 1)")" ">=" 0.95
  judge "peak memory, MiB" "$(( $(largest "$work/carrel" 3) / 1024 ))" "<=" 64
}

# ---- listing a folder beside rclone ------------------------------------------------------------------------------

# ProFTPD greets whoever comes right after another session 0.2 s later, which is no client's doing.
ftp_timed() { # as timed
  sleep 1.5
  timed "$@"
}

# rclone lsf rather than lsl, which asks servers without MLSD for the time of each file in turn.
ftp_listing() {
  local server url data command i
  for server in VSFTPD PROFTPD; do
    eval "url=\$CARREL_FTP_${server}_URL data=\$CARREL_FTP_${server}_DATA"
    command=LIST
    [ "$server" = VSFTPD ] || command=MLSD
    mkdir "$data/many"
    seq -f "$data/many/a file with a name number %06g.text" 10000 | tr '\n' '\0' | xargs -0 touch
    ftp_rclone_for "$url"
    start_over peer carrel curl
    for i in $(seq 0 "$runs"); do
      [ "$i" = 1 ] && start_over peer carrel curl # the first ones warm up
      ftp_timed "$work/curl" curl -sS --fail -u "$CARREL_TEST_USER:$CARREL_TEST_PASSWORD" -X "$command" "${url}many/" >"$work/curl.out"
      ftp_timed "$work/peer" rclone lsf :ftp:many >"$work/rclone.out"
      ftp_timed "$work/carrel" "$CARREL" ls -l --user "$CARREL_TEST_USER" "${url}many" >"$work/carrel.out"
    done
    [ "$(wc -l <"$work/carrel.out")" = 10000 ] && [ "$(wc -l <"$work/rclone.out")" = 10000 ] \
      || { echo "run.sh: a listing is not whole" >&2; exit 1; }
    beside "10,000 entries of ${server,,}, ls -l" "rclone lsf" "<=" 0.7
    # Nobody is faster than the server.
    tell "seconds for curl to get $command, and to do nothing with it" "$(median "$work/curl" 1)"
    rm -rf "$data/many"
  done
}

# ---- small files over a long way ---------------------------------------------------------------------------------

# The ends of the link go to $near and $far, the address of the far one to $address.
ftp_link() { # [BYTES OF A PACKET]
  : >"$work/link"
  python3 "$here/delay_link.py" 10 "$@" >"$work/link" &
  relay=$!
  until [ -s "$work/link" ]; do
    kill -0 "$relay" 2>/dev/null || { relay=; return 1; }
    sleep 0.1
  done
  read -r near far address <"$work/link"
}

# Runs one client on one empty folder, and counts the control connections that it logs in with.
ftp_send() { # NAME CMD...
  local name=$1 before
  shift
  emptied "$data/small"
  before=$(ftp_logins)
  timed "$work/$name" nsenter --net="$near" "$@"
  printf '%s\n' $(( $(ftp_logins) - before )) >>"$work/$name.logins"
  [ "$(find "$data/small" -name 'file-*' -size 8 | wc -l)" = 1000 ] || { echo "run.sh: $name: files are missing" >&2; exit 1; }
}

# The first form is that of vsftpd.
ftp_logins() { grep -cE 'OK LOGIN|PASS \(hidden\).*230' "$log" || true; }

ftp_many_sent() { # SERVER
  local url data log host port i name
  eval "url=\$CARREL_FTP_$1_URL data=\$CARREL_FTP_$1_DATA log=\$CARREL_FTP_$1_LOG"
  read -r host port < <(ftp_place "$url")
  ftp_rclone_for "$url"
  # lftp keeps files of its own in the home folder.
  export LFTP_PASSWORD=$CARREL_TEST_PASSWORD LFTP_HOME=$work/lftp.home
  printf 'set %s\n' "cmd:fail-exit yes" "net:max-retries 1" "net:timeout 60" "ftp:ssl-allow no" >"$work/lftp.script"
  printf 'open --env-password -u %s -p %s %s\nmirror -R --parallel=8 %s small\n' "$CARREL_TEST_USER" "$port" "$host" "$work/small" \
    >>"$work/lftp.script"
  for name in lftp published inplace rclone; do start_over "$name" "$name.logins"; done
  for i in $(seq "$runs"); do
    ftp_send lftp lftp --norc -f "$work/lftp.script"
    ftp_send published "$CARREL" cp -r --quiet --transfers 8 --allow-clear-password --user "$CARREL_TEST_USER" "$work/small/." "${url}small"
    ftp_send inplace "$CARREL" cp -r --quiet --transfers 8 --in-place --allow-clear-password --user "$CARREL_TEST_USER" "$work/small/." "${url}small"
  done
  # For comparison, not to be measured by. It complains of every file where it cannot set times.
  ftp_send rclone rclone copy --transfers 8 --checkers 8 --log-file "$work/rclone.log" "$work/small" :ftp:small
  rm -rf "$data/small"
  printf '1,000 files of 4 KiB to %s, 20 ms, 8 connections: ' "${1,,}"
  printf 'lftp %s s, carrel published %s s, in place %s s, medians of %s; rclone %s s, once\n' \
    "$(median "$work/lftp" 1)" "$(median "$work/published" 1)" "$(median "$work/inplace" 1)" "$runs" "$(median "$work/rclone" 1)"
  judge "lftp: connections" "$(largest "$work/lftp.logins" 1)" "==" 8
  judge "published: connections" "$(largest "$work/published.logins" 1)" "<=" 8
  judge "in place: connections" "$(largest "$work/inplace.logins" 1)" "<=" 8
  judge "published: rate, times lftp's" "$(ratio "$(median "$work/lftp" 1)" "$(median "$work/published" 1)")" ">=" 0.8
  judge "in place: rate, times lftp's" "$(ratio "$(median "$work/lftp" 1)" "$(median "$work/inplace" 1)")" ">=" 1.2
}

ftp_small() {
  local near far address
  if ! ftp_link; then
    echo "ftp-small: skipped: this machine does not let us make network namespaces and TUN devices"
    return 0
  fi
  small_files
  mkdir -m 755 "$work/far"
  export CARREL_SERVERS_ROOT=$work/far CARREL_SERVERS_ADDRESS=$address
  serve vsftpd proftpd
  ftp_many_sent VSFTPD
  ftp_many_sent PROFTPD
  kill "$relay"
  relay=
}
