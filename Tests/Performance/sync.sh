# Sourced by run.sh: two folders in step. The parts on servers need root.

sync_relay() { # PORT
  : >"$work/port"
  python3 "$here/delay_relay.py" "$1" 10 >"$work/port" &
  relay=$!
  until [ -s "$work/port" ]; do sleep 0.1; done
}

sync_relay_stop() { kill "$relay"; relay=; }

url_port() { sed -E 's#^[a-z]*://[^/]*:([0-9]+)(/.*)?$#\1#' <<<"$1"; }

# 10,000 files in 100 folders, of times far apart, on this machine and on the servers' disks.
sync_tree() { # FOLDER
  python3 - "$1" <<'END'
import os, sys
for folder in range(100):
    path = os.path.join(sys.argv[1], f"folder {folder:02}")
    os.makedirs(path)
    for number in range(100):
        name = os.path.join(path, f"file {number:02}.txt")
        with open(name, "w") as file:
            file.write(f"{folder} {number}\n" * (number % 7 + 1))
        os.utime(name, (1_500_000_000 + folder * 10_000 + number * 60,) * 2)
END
}

sync_is_idle() { # JSON
  python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(any(r[k] for k in ("created", "updated", "moved", "removed", "conflicts", "skipped", "failed", "postponed")))' "$1" \
    || { echo "run.sh: a sync of two equal trees did something: $(head -c 600 "$1")" >&2; exit 1; }
}

sync_unchanged() {
  local near= address place folder across sftp carrel access
  rm -rf "$disk/tree"
  sync_tree "$disk/tree"
  sync_relay "$(url_port "$CARREL_TEST_APACHE_URL")"
  cp -a "$disk/tree" "$CARREL_TEST_APACHE_DATA/tree"
  chmod -R a+rwX "$CARREL_TEST_APACHE_DATA/tree"
  sync_unchanged_on WebDAV "dav://$CARREL_TEST_USER@127.0.0.1:$(cat "$work/port")/dav/tree"
  rm -rf "$CARREL_TEST_APACHE_DATA/tree"
  sync_relay_stop

  local port
  port=$(url_port "$CARREL_SFTP_OPENSSH")
  sync_relay "$port"
  sed "s/:$port /:$(cat "$work/port") /" "$CARREL_SSH_KNOWN_HOSTS" >"$work/known_hosts"
  sftp_clients "${CARREL_SFTP_OPENSSH/:$port\//:$(cat "$work/port")/}" "$work/known_hosts"
  cp -a "$disk/tree" "$CARREL_SFTP_OPENSSH_DATA/tree"
  chmod -R a+rwX "$CARREL_SFTP_OPENSSH_DATA/tree"
  sync_unchanged_on SFTP "$place/tree" "${access[@]}"
  rm -rf "$CARREL_SFTP_OPENSSH_DATA/tree"
  sync_relay_stop
}

sync_unchanged_on() { # TITLE URL OPTION...
  local i title=$1 url=$2 state="$disk/$1.db"
  shift 2
  rm -f "$state"*
  "$CARREL" sync --json --state "$state" "$@" "$disk/tree" "$url" >"$work/sync.json"
  sync_is_idle "$work/sync.json"
  start_over sync ls
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over sync ls
    timed "$work/sync" "$CARREL" sync --json --state "$state" "$@" "$disk/tree" "$url" >"$work/sync.json"
    sync_is_idle "$work/sync.json"
    # As fast as this program lists, with several folders at once; ls -R keeps an order.
    timed "$work/ls" "$CARREL" find --json "$@" "$url" >"$work/ls.out"
    [ "$(grep -c '"file"' "$work/ls.out")" = 10000 ] || { echo "run.sh: a listing is not whole" >&2; exit 1; }
  done
  printf '10,000 files in step, %s, 20 ms: sync %s s, find %s s, medians of %s; fastest %s s and %s s\n' "$title" \
    "$(median "$work/sync" 1)" "$(median "$work/ls" 1)" "$runs" "$(fastest "$work/sync" 1)" "$(fastest "$work/ls" 1)"
  sync_requests "sync: requests" sync --json --state "$state" "$@" "$disk/tree" "$url"
  sync_requests "find: requests" find --json "$@" "$url"
  judge "time, times one recursive listing's" "$(ratio "$(median "$work/sync" 1)" "$(median "$work/ls" 1)")" "<=" 1.2
  judge "peak memory, MiB" "$(( $(largest "$work/sync" 3) / 1024 ))" "<=" 150
}

sync_requests() { # TITLE ARGUMENT... : once more, and what it asked for
  local title=$1
  shift
  "$CARREL" "$@" --stats >/dev/null 2>"$work/statistics" || { cat "$work/statistics" >&2; return 1; }
  tell "$title" "$(statistic requests)"
}

# 1,000 files of 4 KiB in ten folders.
sync_small() {
  local folder file
  rm -rf "$work/books"
  for folder in 0 1 2 3 4 5 6 7 8 9; do
    mkdir -p "$work/books/$folder"
    for file in $(seq -w 100); do head -c 4096 /dev/urandom >"$work/books/$folder/file-$file"; done
  done
}

sync_upload() {
  local near= address place folder across sftp carrel access port server
  sync_small
  # A quarter of a second each: of a few runs, one pause of the disk would decide.
  runs=$((runs * 10)) RCLONE_LOCATION=$disk/copy sync_upload_to "this machine" "$disk/copy" "$disk/copy"
  rclone_for "${CARREL_TEST_APACHE_URL/dav:/http:}"
  RCLONE_LOCATION=:webdav:sync sync_upload_to WebDAV "$CARREL_TEST_APACHE_DATA/sync" "$CARREL_TEST_APACHE_URL/sync" --user "$CARREL_TEST_USER"
  sync_relay "$(url_port "$CARREL_TEST_APACHE_URL")"
  rclone_for "http://127.0.0.1:$(cat "$work/port")/dav"
  RCLONE_LOCATION=:webdav:sync sync_upload_to "WebDAV, 20 ms" "$CARREL_TEST_APACHE_DATA/sync" \
    "dav://127.0.0.1:$(cat "$work/port")/dav/sync" --user "$CARREL_TEST_USER"
  sync_relay_stop
  for server in VSFTPD PROFTPD; do
    local url=CARREL_FTP_${server}_URL data=CARREL_FTP_${server}_DATA
    url=${!url} data=${!data}
    ftp_rclone_for "$url"
    RCLONE_LOCATION=:ftp:sync sync_upload_to "FTP, $server" "$data/sync" "${url%/}/sync" --user "$CARREL_TEST_USER"
  done
  sftp_clients "$CARREL_SFTP_OPENSSH" "$CARREL_SSH_KNOWN_HOSTS"
  RCLONE_LOCATION=":sftp:$folder/sync" sync_upload_to SFTP "$CARREL_SFTP_OPENSSH_DATA/sync" "$place/sync" "${access[@]}"
  port=$(url_port "$CARREL_SFTP_OPENSSH")
  sync_relay "$port"
  sed "s/:$port /:$(cat "$work/port") /" "$CARREL_SSH_KNOWN_HOSTS" >"$work/known_hosts"
  sftp_clients "${CARREL_SFTP_OPENSSH/:$port\//:$(cat "$work/port")/}" "$work/known_hosts"
  RCLONE_LOCATION=":sftp:$folder/sync" sync_upload_to "SFTP, 20 ms" "$CARREL_SFTP_OPENSSH_DATA/sync" "$place/sync" "${access[@]}"
  sync_relay_stop
  export AWS_ACCESS_KEY_ID=$CARREL_TEST_S3_KEY AWS_SECRET_ACCESS_KEY=$CARREL_TEST_S3_SECRET
  export RCLONE_S3_PROVIDER=Other RCLONE_S3_ENDPOINT=$CARREL_TEST_S3_URL RCLONE_S3_ENV_AUTH=true RCLONE_S3_NO_CHECK_BUCKET=true
  # rclone refuses to work with a bundle of certificates, also where it needs none.
  unset AWS_CA_BUNDLE
  RCLONE_LOCATION=":s3:$CARREL_TEST_S3_BUCKET/sync" sync_upload_to "S3, moto" "" "s3://$CARREL_TEST_S3_BUCKET/sync" --endpoint "$CARREL_TEST_S3_URL"
  unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
}

sync_emptied() { # FOLDER URL OPTION... : on the server's disk, where it has one
  # What one run has left for the disk is not the next one's to wait for.
  sync
  if [ -n "$1" ]; then
    # Set aside, not removed: ext4 without a journal gives freed inodes out again only minutes later, and searches past them for each new file.
    [ ! -e "$1" ] || mv "$1" "$1.$(date +%s%N)"
    mkdir -m 777 "$1"
    return
  fi
  # The first time there is nothing to be removed, and nothing to be listed.
  "$CARREL" rm -r --quiet "${@:3}" "$2" 2>/dev/null || true
  [ "$(sync_count "$@" 2>/dev/null)" = 0 ] || { echo "run.sh: files are left in $2" >&2; exit 1; }
}

sync_count() { # FOLDER URL OPTION...
  if [ -n "$1" ]; then find "$1" -name 'file-*' -size 8 | wc -l; else "$CARREL" ls -R "${@:3}" "$2" | grep -c 'file-' || true; fi
}

sync_arrived() { # FOLDER URL OPTION...
  local count
  count=$(sync_count "$@")
  [ "$count" = 1000 ] || { echo "run.sh: $count of 1,000 files arrived" >&2; exit 1; }
}

sync_upload_to() { # TITLE FOLDER URL OPTION... : beside rclone at $RCLONE_LOCATION, with 4 and with 16 transfers
  local i number title=$1
  shift
  start_over carrel rclone4 rclone16
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over carrel rclone4 rclone16
    for number in 4 16; do
      sync_emptied "$@"
      timed "$work/rclone$number" rclone sync --config /dev/null --log-file "$work/rclone.log" --transfers "$number" --checkers $(( number < 8 ? 8 : number )) "$work/books" "$RCLONE_LOCATION"
      sync_arrived "$@"
    done
    sync_emptied "$@"
    rm -f "$work"/first.db*
    timed "$work/carrel" "$CARREL" sync --quiet --state "$work/first.db" "${@:3}" "$work/books" "$2"
    sync_arrived "$@"
  done
  sftp_title "1,000 files of 4 KiB, first sync, $title" rclone4 rclone16 carrel
  sftp_speed "rate, times rclone sync's" 1.0 carrel rclone4 rclone16
}

sync_memory() {
  local bench shape case
  bench=$(dirname "$CARREL")/sync-memory-benchmark
  for shape in tree flat; do
    for case in equal upload changed; do
      TMPDIR=$disk "$bench" "$case" "$shape" | tee "$work/memory"
      while read -r mib; do judge "1,000,000 entries: peak memory, MiB" "$mib" "<=" 150; done < <(sed -n 's/.*peak \([0-9]*\) MiB/\1/p' "$work/memory" | tail -n 1)
    done
  done
}
