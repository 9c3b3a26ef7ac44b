# The SFTP parts of run.sh, which reads this file: they use its functions and what it has prepared, and those of ftp.sh. All of them
# need root, as OpenSSH's server does. Every client logs in with the same key.

# What OpenSSH's own client has in common with a libssh2 without AES-GCM.
SFTP_CIPHER=(-o Ciphers=aes128-ctr -o MACs=hmac-sha2-256)

# What the clients need to know of a server, from the environment that servers.sh has printed. The ends of a link are there or not.
sftp_clients() { # URL KNOWN-HOSTS
  local host port
  read -r host port < <(ftp_place "${1/$CARREL_TEST_USER@/}")
  address=$host
  place=${1%/}
  folder=/${place#*://*/}
  across=(${near:+nsenter --net="$near"})
  sftp=("${across[@]}" sftp -q -F /dev/null -P "$port" -i "$CARREL_SSH_KEY_ED25519" -o IdentitiesOnly=yes -o IdentityAgent=none
    -o "UserKnownHostsFile=$2" -o GlobalKnownHostsFile=/dev/null -o StrictHostKeyChecking=yes -o BatchMode=yes)
  carrel=("${across[@]}" env -u CARREL_PASSWORD "$CARREL")
  access=(--identity "$CARREL_SSH_KEY_ED25519" --known-hosts "$2")
  # rclone has no shell to ask for checksums here, as the other two do not ask.
  export RCLONE_CONFIG=/dev/null RCLONE_SFTP_HOST=$host RCLONE_SFTP_PORT=$port RCLONE_SFTP_USER=$CARREL_TEST_USER
  export RCLONE_SFTP_KEY_FILE=$CARREL_SSH_KEY_ED25519 RCLONE_SFTP_KNOWN_HOSTS_FILE=$2 RCLONE_SFTP_SHELL_TYPE=none
  export RCLONE_SFTP_DISABLE_HASHCHECK=true
}

# Runs one client and adds "seconds cpu KiB" to the file of its name.
sftp_timed() { # NAME OPTION... : sftp with the commands on standard input
  local name=$1
  shift
  cat >"$work/batch"
  timed "$work/$name" "${sftp[@]}" "$@" -b "$work/batch" "$CARREL_TEST_USER@$address" >"$work/sftp.out"
}

sftp_title() { # TITLE NAME... : medians and the fastest of each
  local name line="$1:"
  shift
  for name in "$@"; do line+=" $name $(median "$work/$name" 1) s ($(median "$work/$name" 2) s CPU, fastest $(fastest "$work/$name" 1) s),"; done
  printf '%s medians of %s\n' "$line" "$runs"
}

# How often the faster of the peers' times holds Carrel's.
sftp_speed() { # TEXT LIMIT CARREL PEER...
  local text=$1 limit=$2 own name best=
  own=$(median "$work/$3" 1)
  shift 3
  for name in "$@"; do best=$(printf '%s\n' $best "$(median "$work/$name" 1)" | sort -n | head -n 1); done
  judge "$text" "$(ratio "$best" "$own")" ">=" "$limit"
}

sftp_memory() { # NAME
  judge "$1: peak memory, MiB" "$(( $(largest "$work/$1" 3) / 1024 ))" "<=" 64
}

same() { # FILE FILE
  cmp "$1" "$2" || { echo "run.sh: bytes are wrong" >&2; exit 1; }
}

# ---- one large file ------------------------------------------------------------------------------------------------

# The same connection by OpenSSH's ssh in place of libssh2.
sftp_program() {
  printf '{"connections":{"program":{"url":"%s/","settings":{"transport":"ssh"}}}}\n' "$place" >"$work/carrel.json"
  export CARREL_CONFIG=$work/carrel.json
}

sftp_bulk() {
  local i data=$CARREL_SFTP_OPENSSH_DATA near= address place folder across sftp carrel access
  sftp_clients "$CARREL_SFTP_OPENSSH" "$CARREL_SSH_KNOWN_HOSTS"
  sftp_program
  head -c "$size" /dev/urandom >"$work/big"
  install -m 644 "$work/big" "$data/big"
  local names=(sftp sftp-default libssh2 ssh)
  start_over "${names[@]}"
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over "${names[@]}" # the first round warms up
    rm -f "$work/got"; sftp_timed sftp "${SFTP_CIPHER[@]}" <<<"get $folder/big $work/got"
    rm -f "$work/got"; timed "$work/libssh2" "${carrel[@]}" cp --quiet "${access[@]}" "$place/big" "$work/got"
    same "$work/big" "$work/got"
    rm -f "$work/got"; sftp_timed sftp-default <<<"get $folder/big $work/got"
    rm -f "$work/got"; timed "$work/ssh" "${carrel[@]}" cp --quiet "${access[@]}" program:big "$work/got"
  done
  same "$work/big" "$work/got"
  sftp_title "$(( size >> 20 )) MiB down" "${names[@]}"
  sftp_speed "libssh2: speed, times sftp's with that cipher" 0.8 libssh2 sftp
  sftp_speed "ssh program: speed, times sftp's" 0.95 ssh sftp-default
  sftp_memory libssh2
  sftp_memory ssh
  rm -f "$work/got" "$data/big"

  emptied "$data/ups"
  start_over "${names[@]}"
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over "${names[@]}"
    rm -f "$data/ups/up"; sftp_timed sftp "${SFTP_CIPHER[@]}" <<<"put $work/big $folder/ups/up"
    rm -f "$data/ups/up"; timed "$work/libssh2" "${carrel[@]}" cp --quiet "${access[@]}" "$work/big" "$place/ups/up"
    same "$work/big" "$data/ups/up"
    rm -f "$data/ups/up"; sftp_timed sftp-default <<<"put $work/big $folder/ups/up"
    rm -f "$data/ups/up"; timed "$work/ssh" "${carrel[@]}" cp --quiet "${access[@]}" "$work/big" program:ups/up
  done
  same "$work/big" "$data/ups/up"
  sftp_title "$(( size >> 20 )) MiB up" "${names[@]}"
  sftp_speed "libssh2: speed, times sftp's with that cipher" 1.0 libssh2 sftp
  sftp_speed "ssh program: speed, times sftp's" 0.95 ssh sftp-default
  sftp_memory libssh2
  sftp_memory ssh
  rm -rf "$data/ups" "$work/big"
  unset CARREL_CONFIG
}

sftp_bulk_link() {
  local i half=$(( size / 2 ))
  head -c "$half" /dev/urandom >"$work/big"
  install -m 644 "$work/big" "$data/big"
  emptied "$data/ups"
  start_over sftp rclone carrel
  for i in $(seq "$runs"); do
    rm -f "$work/got"; sftp_timed sftp <<<"get $folder/big $work/got"
    rm -f "$work/got"; timed "$work/rclone" "${across[@]}" rclone copyto ":sftp:$folder/big" "$work/got"
    rm -f "$work/got"; timed "$work/carrel" "${carrel[@]}" cp --quiet "${access[@]}" "$place/big" "$work/got"
    same "$work/big" "$work/got"
  done
  sftp_title "$(( half >> 20 )) MiB down, 20 ms" sftp rclone carrel
  sftp_speed "speed, times the best peer's" 1.5 carrel sftp rclone
  sftp_memory carrel
  start_over sftp rclone carrel
  for i in $(seq "$runs"); do
    rm -f "$data/ups/up"; sftp_timed sftp <<<"put $work/big $folder/ups/up"
    rm -f "$data/ups/up"; timed "$work/rclone" "${across[@]}" rclone copyto "$work/big" ":sftp:$folder/ups/up"
    rm -f "$data/ups/up"; timed "$work/carrel" "${carrel[@]}" cp --quiet "${access[@]}" "$work/big" "$place/ups/up"
    same "$work/big" "$data/ups/up"
  done
  sftp_title "$(( half >> 20 )) MiB up, 20 ms" sftp rclone carrel
  sftp_speed "speed, times the best peer's" 2.0 carrel sftp rclone
  sftp_memory carrel
  rm -rf "$work/big" "$work/got" "$data/big" "$data/ups"
}

# ---- small files ---------------------------------------------------------------------------------------------------

all_there() { # FOLDER
  [ "$(find "$1" -name 'file-*' -size 8 | wc -l)" = 1000 ] || { echo "run.sh: files are missing in $1" >&2; exit 1; }
}

# Carrel gives each file a temporary name first, and then its own; its peers write into the file itself.
sftp_small_carrel() { # NAME OPTION...
  local name=$1
  shift
  emptied "$data/small"
  timed "$work/$name" "${carrel[@]}" cp -r --quiet "$@" "${access[@]}" "$work/small/." "$place/small"
  all_there "$data/small"
}

sftp_small() {
  local i data=$CARREL_SFTP_OPENSSH_DATA near= address place folder across sftp carrel access
  sftp_clients "$CARREL_SFTP_OPENSSH" "$CARREL_SSH_KNOWN_HOSTS"
  small_files
  start_over sftp rclone published inplace
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over sftp rclone published inplace
    emptied "$data/small"
    sftp_timed sftp <<<"put $work/small/* $folder/small/"
    all_there "$data/small"
    emptied "$data/small"
    timed "$work/rclone" rclone copy --transfers 16 --checkers 16 "$work/small" ":sftp:$folder/small"
    sftp_small_carrel published
    sftp_small_carrel inplace --in-place
  done
  sftp_title "1,000 files of 4 KiB up" sftp rclone published inplace
  sftp_speed "published: rate, times sftp's" 4 published sftp
  tell "in place: rate, times sftp's" "$(ratio "$(median "$work/sftp" 1)" "$(median "$work/inplace" 1)")"
  start_over sftp carrel
  for i in $(seq "$runs"); do
    emptied "$work/got"; sftp_timed sftp <<<"get $folder/small/* $work/got/"
    emptied "$work/got"; timed "$work/carrel" "${carrel[@]}" cp -r --quiet "${access[@]}" "$place/small" "$work/got"
    all_there "$work/got"
  done
  sftp_title "1,000 files of 4 KiB down" sftp carrel
  sftp_speed "rate, times sftp's" 4 carrel sftp
  rm -rf "$data/small" "$work/got"
}

sftp_small_link() {
  local i
  small_files
  start_over rclone published inplace
  for i in $(seq "$runs"); do
    emptied "$data/small"
    timed "$work/rclone" "${across[@]}" rclone copy --transfers 16 --checkers 16 "$work/small" ":sftp:$folder/small"
    all_there "$data/small"
    sftp_small_carrel published
    sftp_small_carrel inplace --in-place
  done
  sftp_title "1,000 files of 4 KiB up, 20 ms" rclone published inplace
  sftp_speed "published: rate, times rclone's with 16 transfers" 20 published rclone
  tell "in place: rate, times rclone's" "$(ratio "$(median "$work/rclone" 1)" "$(median "$work/inplace" 1)")"
  rm -rf "$data/small"
}

# ---- a large folder ------------------------------------------------------------------------------------------------

sftp_listing() {
  local i
  mkdir "$data/many"
  seq -f "$data/many/a file with a name number %06g.text" 10000 | tr '\n' '\0' | xargs -0 touch
  start_over sftp rclone carrel
  for i in $(seq "$runs"); do
    sftp_timed sftp <<<"ls -l $folder/many"
    timed "$work/rclone" "${across[@]}" rclone lsl --max-depth 1 ":sftp:$folder/many" >"$work/rclone.out"
    timed "$work/carrel" "${carrel[@]}" ls -l "${access[@]}" "$place/many" >"$work/carrel.out"
  done
  # sftp repeats each of its commands in front of its answer.
  [ "$(wc -l <"$work/carrel.out")" = 10000 ] && [ "$(wc -l <"$work/rclone.out")" = 10000 ] \
    && [ "$(grep -c 'a file with' "$work/sftp.out")" = 10000 ] || { echo "run.sh: a listing is not whole" >&2; exit 1; }
  sftp_title "10,000 entries, 20 ms, ls -l" sftp rclone carrel
  sftp_speed "speed, times the best peer's" 6 carrel sftp rclone
  sftp_memory carrel
  rm -rf "$data/many"
}

# ---- many requests -------------------------------------------------------------------------------------------------

thousand_files() {
  emptied "$data/requests"
  seq -f "$data/requests/file-%04g" 1000 | xargs touch
}

# Once for sftp, which takes most of a minute, as often as it is.
sftp_requests() {
  thousand_files
  sftp_stats
  sftp_removals
}

sftp_stats() {
  local i
  # A grep that ends at the first hit would break the pipe.
  if ! "$CARREL" stat --help | grep '<location.*\.\.\.' >/dev/null; then
    echo "stat of 1,000 files: not measured, because this build's stat takes one at a time  MISSED"
    status=1
    return 0
  fi
  start_over sftp carrel
  seq -f "ls -l $folder/requests/file-%04g" 1000 | sftp_timed sftp
  [ "$(grep -c '^-.*file-' "$work/sftp.out")" = 1000 ] || { echo "run.sh: sftp: items are missing" >&2; exit 1; }
  for i in $(seq "$runs"); do
    timed "$work/carrel" "${carrel[@]}" stat "${access[@]}" $(seq -f "$place/requests/file-%04g" 1000) >"$work/carrel.out"
    [ "$(wc -l <"$work/carrel.out")" = 1000 ] || { echo "run.sh: items are missing" >&2; exit 1; }
  done
  sftp_title "stat of 1,000 files, 20 ms" sftp carrel
  sftp_speed "rate, times sftp's" 50 carrel sftp
}

sftp_removals() {
  local i
  start_over sftp carrel whole
  seq -f "rm $folder/requests/file-%04g" 1000 | sftp_timed sftp
  all_gone "$data/requests"
  for i in $(seq "$runs"); do
    thousand_files
    timed "$work/carrel" "${carrel[@]}" rm --quiet "${access[@]}" $(seq -f "$place/requests/file-%04g" 1000)
    all_gone "$data/requests"
    thousand_files
    timed "$work/whole" "${carrel[@]}" rm -r --quiet "${access[@]}" "$place/requests"
    [ ! -e "$data/requests" ] || { echo "run.sh: the folder is still there" >&2; exit 1; }
  done
  sftp_title "removal of 1,000 files, 20 ms" sftp carrel whole
  sftp_speed "each by its name: rate, times sftp's" 50 carrel sftp
  sftp_speed "their folder, rm -r: rate, times sftp's" 50 whole sftp
}

all_gone() { # FOLDER
  [ -z "$(ls -A "$1")" ] || { echo "run.sh: files are left in $1" >&2; exit 1; }
}

# ---- a book --------------------------------------------------------------------------------------------------------

SFTP_ROUND_TRIP=100 # milliseconds

# Runs a command through a relay that makes every round trip long; milliseconds go to $elapsed, bytes that the server sent to $sent.
sftp_look() { # CMD...
  local i began
  : >"$work/looks"
  for i in 1 2 3; do
    began=$(date +%s%N)
    seen_sent "$@" || return
    printf '%s %s\n' "$(( ($(cat "$work/ended") - began) / 1000000 ))" "$sent" >>"$work/looks"
  done
  elapsed=$(median "$work/looks" 1)
  sent=$(largest "$work/looks" 2)
}

# The server writes how much it has sent on each connection when the connection ends.
seen_sent() { # CMD...
  rm -f "$work/ended"
  sent=$(seen "$CARREL_SFTP_OPENSSH_LOG" sh -c '"$@" && date +%s%N >"$0"' "$work/ended" "$@" \
    | awk '/^Transferred: sent / { sub(",", "", $3); n += $3 } END { print n + 0 }')
  [ -s "$work/ended" ]
}

# Round trips on the way to the end, whatever goes beside them: time over that of a stat, which has the same login and one of them.
sftp_round_trips() { # MILLISECONDS
  awk -v a="$1" -v b="$login" -v r="$SFTP_ROUND_TRIP" 'BEGIN { printf "%.0f", (a - b) / r + 1 }'
}

sftp_book() {
  local order url port login chapter elapsed sent data=$CARREL_SFTP_OPENSSH_DATA
  local near= address place folder across sftp carrel access
  port=$(sed -E 's#^.*:([0-9]+)/.*$#\1#' <<<"$CARREL_SFTP_OPENSSH")
  : >"$work/port"
  python3 "$here/delay_relay.py" "$port" $(( SFTP_ROUND_TRIP / 2 )) >"$work/port" &
  relay=$!
  until [ -s "$work/port" ]; do sleep 0.1; done
  # Its own port has the same host keys.
  sed "s/:$port /:$(cat "$work/port") /" "$CARREL_SSH_KNOWN_HOSTS" >"$work/known_hosts"
  sftp_clients "${CARREL_SFTP_OPENSSH/:$port\//:$(cat "$work/port")/}" "$work/known_hosts"
  for order in text-first text-last; do
    "$BOOK" "$data/$order.epub" --large "$order"
    chmod 644 "$data/$order.epub"
    url=$place/$order.epub
    chapter=$("${carrel[@]}" book ls "${access[@]}" "$url" | head -n 1 | cut -f 1)
    printf 'book, %s, %s bytes, round trips of %s ms after the login\n' "$order" "$(stat -c %s "$data/$order.epub")" "$SFTP_ROUND_TRIP"
    sftp_look "${carrel[@]}" stat "${access[@]}" "$url"
    login=$elapsed
    tell "stat: milliseconds, login and all" "$elapsed" "stat: bytes" "$sent"
    sftp_look "${carrel[@]}" sniff --content "${access[@]}" "$url"
    tell "sniff: round trips" "$(sftp_round_trips "$elapsed")" "sniff: bytes" "$sent"
    sftp_look "${carrel[@]}" book info "${access[@]}" "$url"
    tell "open: round trips" "$(sftp_round_trips "$elapsed")" "open: bytes" "$sent"
    sftp_look "${carrel[@]}" book cat "${access[@]}" "$url" "$chapter"
    judge "first chapter: round trips" "$(sftp_round_trips "$elapsed")" "<=" 5
    judge "first chapter: bytes" "$sent" "<=" 300000
    rm -f "$data/$order.epub"
  done
  kill "$relay"
  relay=
}

# ---- the far end of a link -----------------------------------------------------------------------------------------

# The named parts on a server of their own, over a link with a round trip of 20 ms.
sftp_over_link() { # BYTES-OF-A-PACKET PART...
  local near far address place folder across sftp carrel access data part packet=$1
  shift
  if ! ftp_link "$packet"; then
    echo "$*: skipped: this machine does not let us make network namespaces and TUN devices"
    return 0
  fi
  mkdir -m 755 "$work/far-sftp-$packet"
  export CARREL_SERVERS_ROOT=$work/far-sftp-$packet CARREL_SERVERS_ADDRESS=$address
  serve openssh
  data=$CARREL_SFTP_OPENSSH_DATA
  sftp_clients "$CARREL_SFTP_OPENSSH" "$CARREL_SSH_KNOWN_HOSTS"
  for part in "$@"; do "${part//-/_}"; done
  kill "$relay"
  relay=
  unset CARREL_SERVERS_ADDRESS
}
