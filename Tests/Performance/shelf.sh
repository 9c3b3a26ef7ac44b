# Sourced by run.sh: a shelf of 10,000 books on a WebDAV server with a round trip of 20 ms. BOOKS=1000 takes fewer.

shelf() {
  local count=${BOOKS:-10000} books=$CARREL_TEST_APACHE_DATA/shelf folder=$work/shelf port url n b h seconds changed folders
  mkdir -p "$books"
  CARREL=$CARREL python3 "$here/shelf.py" make "$books" "$count"
  chmod -R a+rX "$books"
  folders=$(find "$books" -type d | wc -l)
  python3 "$here/delay_relay.py" "$(sed 's#^.*:\([0-9]*\)/.*$#\1#' <<<"$CARREL_TEST_APACHE_OPEN_URL")" 10 >"$work/port" &
  relay=$!
  until [ -s "$work/port" ]; do sleep 0.1; done
  port=$(cat "$work/port")
  url=dav://127.0.0.1:$port/open/shelf

  looked n b seconds
  printf 'a shelf of %s books, 20 ms away: first look %s s, %s requests, %s bytes\n' "$count" "$seconds" "$n" "$b"
  judge "first look: requests a book" "$(ratio "$n" "$count")" "<=" 3
  judge "first look: bytes a book" $(( b / count )) "<=" 120000
  judge "first look: books a second" "$(ratio "$count" "$seconds")" ">=" 40
  judge "first look: peak memory, MiB" "$(( $(largest "$work/looked" 3) / 1024 ))" "<=" 128

  looked n b seconds
  printf 'nothing changed: %s s, %s requests (%s folders), %s bytes\n' "$seconds" "$n" "$folders" "$b"
  judge "nothing changed: requests beyond one for each folder" $(( n - folders )) "<=" 2

  changed=$(( count / 100 ))
  CARREL=$CARREL python3 "$here/shelf.py" change "$books" "$changed" "$count"
  chmod -R a+rX "$books"
  looked n b seconds
  printf '%s changed: %s s, %s requests\n' "$changed" "$seconds" "$n"
  judge "changed ones: requests for each beyond the listing" "$(ratio $(( n - folders )) "$changed")" "<=" 3.1
  judge "changed ones: found" "$(grep -c '^changed' "$work/lines")" "==" "$changed"

  looked n b seconds --covers
  printf 'covers: %s s, %s requests, %s bytes\n' "$seconds" "$n" "$b"
  judge "covers a second" "$(ratio "$count" "$seconds")" ">=" 10
  judge "covers: peak memory, MiB" "$(( $(largest "$work/looked" 3) / 1024 ))" "<=" 128
  kill "$relay"; wait "$relay" 2>/dev/null || true
  relay=
  rm -rf "$books" "$folder"
}

# One look at the storage: sets the variables named REQUESTS BYTES SECONDS to what the server saw and how long it took.
looked() { # REQUESTS BYTES SECONDS OPTION...
  local requests=$1 bytes=$2 time=$3 seen_requests seen_bytes
  shift 3
  start_over looked
  read -r seen_requests seen_bytes _ < <(served look "$@")
  printf -v "$requests" %s "$seen_requests"
  printf -v "$bytes" %s "$seen_bytes"
  printf -v "$time" %s "$(median "$work/looked" 1)"
}

look() { timed "$work/looked" "$CARREL" shelf scan --folder "$folder" "$@" "$url" >"$work/lines" 2>"$work/look.log"; }
