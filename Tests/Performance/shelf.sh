# Sourced by run.sh: a shelf of 10,000 books on a WebDAV server with a round trip of 20 ms. BOOKS=1000 takes fewer.

shelf() {
  local count=${BOOKS:-10000} books=$CARREL_TEST_APACHE_DATA/shelf folder=$work/shelf port url n b seconds changed folders
  mkdir -p "$books"
  CARREL=$CARREL python3 "$here/shelf.py" make "$books" "$count"
  chmod -R a+rX "$books"
  folders=$(find "$books" -type d | wc -l)
  python3 "$here/delay_relay.py" "$(sed 's#^.*:\([0-9]*\)/.*$#\1#' <<<"$CARREL_TEST_APACHE_OPEN_URL")" 10 >"$work/port" &
  relay=$!
  until [ -s "$work/port" ]; do sleep 0.1; done
  port=$(cat "$work/port")
  url=dav://127.0.0.1:$port/open/shelf

  shelf_of_a_tenth
  looked n b seconds
  printf 'a shelf of %s books, 20 ms away: first look %s s, %s requests, %s bytes\n' "$count" "$seconds" "$n" "$b"
  judge "first look: requests a book" "$(ratio "$n" "$count")" "<=" 3
  judge "first look: bytes a book" $(( b / count )) "<=" 120000
  judge "first look: books a second" "$(ratio "$count" "$seconds")" ">=" 40
  judge "first look: peak memory, MiB" "$(( $(largest "$work/looked" 3) / 1024 ))" "<=" 128
  judge "first look: peak memory, times that of a tenth" "$(ratio "$(largest "$work/looked" 3)" "$(largest "$work/tenth" 3)")" "<=" 1.5

  looked n b seconds
  printf 'nothing changed: %s s, %s requests (%s folders), %s bytes\n' "$seconds" "$n" "$folders" "$b"
  python3 "$here/shelf.py" requests "$work/requests"
  judge "nothing changed: requests beyond one for each folder" $(( n - folders )) "<=" 0

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
  shelf_served
  kill "$relay"; wait "$relay" 2>/dev/null || true
  relay=
  rm -rf "$books" "$folder"
}

# The first look at a shelf of a tenth of the books: its memory is what that of all of them is compared with.
shelf_of_a_tenth() {
  local all small=$books-tenth url=${url}-tenth folder=$folder-tenth n b seconds
  mapfile -t all < <(find "$books" -mindepth 1 -maxdepth 1 -type d | sort)
  mkdir "$small"
  cp -al "${all[@]:0:$(( (${#all[@]} + 9) / 10 ))}" "$small"
  chmod a+rx "$small"
  looked n b seconds
  cp "$work/looked" "$work/tenth"
  printf 'a shelf of %s books: first look %s s, %s requests, %s bytes, peak memory %s MiB\n' "$(find "$small" -type f | wc -l)" \
    "$seconds" "$n" "$b" "$(( $(largest "$work/tenth" 3) / 1024 ))"
  rm -rf "$small" "$folder"
}

# The same shelf over HTTP, and its feeds beside those of calibre's server, on the books of this machine.
shelf_served() {
  local pid address begin p50 p99 ours theirs peer
  begin=$EPOCHREALTIME
  shelf_server "$url"
  curl -sS --fail -o /dev/null "${address}opds/2.0/new"
  judge "started again: seconds to the first feed" "$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')" "<=" 1
  read -r p50 p99 < <(python3 "$here/shelf.py" search "$address" 200)
  printf '200 searches: half of them in %s ms, 99 of 100 in %s ms\n' "$p50" "$p99"
  judge "searches: half of them, ms" "$p50" "<=" 20
  judge "server: peak memory, MiB" "$(( $(awk '/VmHWM/ { print $2 }' "/proc/$pid/status") / 1024 ))" "<=" 128
  if command -v calibredb >/dev/null; then
    calibredb add --recurse --library-path "$work/calibre" "$books" >/dev/null 2>"$work/calibre.log"
    calibre-server --port 18080 --listen-on 127.0.0.1 --max-opds-items 50 "$work/calibre" >"$work/calibre.log" 2>&1 &
    peer=$!
    children+=("$peer")
    until curl -sf -o /dev/null http://127.0.0.1:18080/opds; do sleep 0.2; done
    read -r ours theirs < <(python3 "$here/shelf.py" feeds 20 "${address}opds/1.2/books" http://127.0.0.1:18080/opds/navcatalog/4f7469746c65)
    calibre_read http://127.0.0.1:18080/opds
    end_child "$peer"
    printf "a feed of 50 books of %s: calibre's server %s ms, carrel %s ms, medians of 20\n" "$count" "$theirs" "$ours"
    judge "feed: time, times calibre's" "$(ratio "$ours" "$theirs")" "<=" 0.5
  else
    echo "feed: skipped: there is no calibre (Tests/Servers/install.sh full)"
  fi
  shelf_away
  end_child "$pid"
}

# The catalogue of calibre's server, read by our client.
calibre_read() { # URL
  local title book
  "$CARREL" opds ls "$1/navcatalog/4f7469746c65" >"$work/calibre.books"
  judge "calibre's feed: books that opds ls shows" "$(grep -c $'\tepub\t' "$work/calibre.books")" "==" 50
  title=$(head -n 1 "$work/calibre.books" | cut -f 1)
  book=$(head -n 1 "$work/calibre.books" | cut -f 4)
  "$CARREL" opds search --title "$title" "$1" >"$work/calibre.found"
  judge "calibre's search: books of one title" "$(cut -f 1 "$work/calibre.found" | grep -c -F -x -- "$title")" "==" 1
  "$CARREL" opds get --overwrite "$book" "$work/calibre.epub" >/dev/null
  "$CARREL" book info "$work/calibre.epub" >"$work/calibre.info"
  "$CARREL" opds open "$book" >"$work/calibre.opened"
  judge "calibre's book: downloads with its title" "$(grep -c -F -x -- $'title\t'"$title" "$work/calibre.info")" "==" 1
  judge "calibre's book: lines that differ when opened there" \
    "$(diff "$work/calibre.info" "$work/calibre.opened" | grep -c '^[<>]')" "==" 0
}

# The storage's server stops and starts again while the shelf is followed. A look comes at least once a minute.
shelf_away() {
  local before during after said
  before=$(shelf_books)
  said=$(wc -l <"$work/served.log")
  bash "$top/Tests/Servers/servers.sh" down apache >&2
  if shelf_said "$said" . 180; then printf 'storage away: %s\n' "$(tail -n 1 "$work/served.log")"; fi
  during=$(shelf_books)
  bash "$top/Tests/Servers/servers.sh" up apache >&2
  shelf_said "$said" 'can be read again' 300 || true
  after=$(shelf_books)
  judge "storage away: sentences on its way out and back" "$(tail -n +$(( said + 1 )) "$work/served.log" | grep -c '^carrel: shelf serve ')" ">=" 2
  judge "storage away: books that are missing" $(( before - during )) "==" 0
  judge "storage back: books that are missing" $(( before - after )) "==" 0
  judge "storage back: books on the shelf" "$after" "==" "$count"
}

shelf_books() { curl -sS --fail "${address}metrics" | awk '$1 == "carrel_shelf_books" { print $2 }'; }

# Waits until the server has said so after its first LINES lines.
shelf_said() { # LINES PATTERN SECONDS
  local limit=$(( SECONDS + $3 ))
  until [ "$(tail -n +$(( $1 + 1 )) "$work/served.log" | grep -c "$2")" -gt 0 ]; do
    if ! kill -0 "$pid" 2>/dev/null || [ "$SECONDS" -ge "$limit" ]; then
      echo "shelf: the server has said nothing of its storage" >&2
      tail -n 3 "$work/served.log" >&2
      status=1
      return 1
    fi
    sleep 0.2
  done
}

# Starts the server; pid and address say where.
shelf_server() { # LOCATION
  "$CARREL" shelf serve --port 0 --folder "$folder" "$1" >"$work/served" 2>"$work/served.log" &
  pid=$!
  children+=("$pid")
  until [ -s "$work/served" ]; do
    kill -0 "$pid" 2>/dev/null || { cat "$work/served.log" >&2; return 1; }
    sleep 0.01
  done
  address=$(head -n 1 "$work/served")
}

# One look at the storage: sets the variables named REQUESTS BYTES SECONDS to what the server saw and how long it took. The lines of
# the server's log are in $work/requests.
looked() { # REQUESTS BYTES SECONDS OPTION...
  local requests=$1 bytes=$2 time=$3 seen_requests seen_bytes
  shift 3
  start_over looked
  seen "$CARREL_TEST_APACHE_LOG" look "$@" >"$work/requests"
  read -r seen_requests seen_bytes < <(awk -F'\t' '{ n++; b += $5 } END { print n + 0, b + 0 }' "$work/requests")
  printf -v "$requests" %s "$seen_requests"
  printf -v "$bytes" %s "$seen_bytes"
  printf -v "$time" %s "$(median "$work/looked" 1)"
}

look() { timed "$work/looked" "$CARREL" shelf scan --folder "$folder" "$@" "$url" >"$work/lines" 2>"$work/look.log"; }
