# Sourced by run.sh: books over HTTP, beside nginx and a plain server in Python with the same files unpacked, and 200 readers of 20 books that are on
# a WebDAV server with a round trip of 20 ms.

serving() {
  if ! command -v wrk >/dev/null; then echo "serving: skipped: there is no wrk to measure with (Debian's package wrk)"; return; fi
  local made=$work/serving bytes name kind i book sound nginx python peers=() n b h chapter n0 b0
  mkdir "$made"
  python3 "$here/serving.py" books "$made" $(( size >> 21 )) 20
  bytes=$(stat -c %s "$made/unpacked/sound.mp3")
  cp -r "$made/unpacked" "$CARREL_TEST_NGINX_DATA/serving"
  chmod -R a+rX "$CARREL_TEST_NGINX_DATA/serving"
  export XDG_STATE_HOME=$made/state
  served_books "$made/book.epub" "$made/sound.audiobook"
  book=${serving_urls[0]} sound=${serving_urls[1]}
  nginx=${CARREL_TEST_NGINX_PLAIN_URL}serving/
  (cd "$made/unpacked" && exec python3 -u -m http.server --bind 127.0.0.1 0 >"$made/python" 2>/dev/null) &
  peers+=($!)
  until grep -q port "$made/python"; do sleep 0.1; done
  python=http://127.0.0.1:$(sed 's/.* port \([0-9]*\) .*/\1/' "$made/python")/
  start_over nginx carrel python nginx-ranges carrel-ranges
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over nginx carrel python nginx-ranges carrel-ranges
    rate "$nginx" 0 >>"$work/nginx"; rate "$book" 0 >>"$work/carrel"; rate "$python" 0 >>"$work/python"
    rate "$nginx" 1 >>"$work/nginx-ranges"; rate "$sound" 1 >>"$work/carrel-ranges"
  done
  printf 'chapters a second: nginx %s, carrel %s, Python %s; ranges of 1 MiB, MB/s: nginx %s, carrel %s; medians of %s\n' "$(median "$work/nginx" 1)" \
    "$(median "$work/carrel" 1)" "$(median "$work/python" 1)" "$(median "$work/nginx-ranges" 2)" "$(median "$work/carrel-ranges" 2)" "$runs"
  judge "chapters a second, times nginx's" "$(ratio "$(median "$work/carrel" 1)" "$(median "$work/nginx" 1)")" ">=" 0.15
  judge "chapters a second, times Python's" "$(ratio "$(median "$work/carrel" 1)" "$(median "$work/python" 1)")" ">=" 1.5
  judge "ranges, MB/s, times nginx's" "$(ratio "$(median "$work/carrel-ranges" 2)" "$(median "$work/nginx-ranges" 2)")" ">=" 0.3
  kill "${peers[@]}" "$serving_pid"; wait "${peers[@]}" "$serving_pid" 2>/dev/null || true

  serving_far
  rm -rf "$made" "$CARREL_TEST_NGINX_DATA/serving" "$CARREL_TEST_APACHE_DATA/serving"
}

# Books on the storage: requests for what a browser asks for until the first chapter is there, and 200 readers.
serving_far() {
  local port near readers p50 p99 peak count path
  mkdir -p "$CARREL_TEST_APACHE_DATA/serving"
  install -m 644 "$made"/many/*.epub "$CARREL_TEST_APACHE_DATA/serving/"
  python3 "$here/delay_relay.py" "$(sed 's#^.*:\([0-9]*\)/.*$#\1#' <<<"$CARREL_TEST_APACHE_OPEN_URL")" 10 >"$work/port" &
  relay=$!
  until [ -s "$work/port" ]; do sleep 0.1; done
  port=$(cat "$work/port")
  served_books "dav://127.0.0.1:$port/open/serving/1.epub"
  read -r n b h < <(served first_chapter "${serving_urls[0]}")
  printf "a browser's first requests: %s to the storage, %s bytes\n" "$n" "$b"
  judge "to the first chapter: requests to the storage" "$n" "<=" 6
  kill "$serving_pid"; wait "$serving_pid" 2>/dev/null || true

  local locations=()
  for i in $(seq 20); do locations+=("dav://127.0.0.1:$port/open/serving/$i.epub"); done
  served_books "${locations[@]}"
  read -r count p50 p99 peak < <(python3 "$here/serving.py" read "$made" "$serving_pid" "${serving_urls[@]}")
  printf '200 readers of 20 books, 20 ms away: %s chapters, all as they were put in; %s s half of them, %s s 99 of 100\n' "$count" "$p50" "$p99"
  judge "99 of 100 chapters: seconds" "$p99" "<=" 2
  judge "peak memory, MiB" "$peak" "<=" 256
  kill "$serving_pid" "$relay"; wait "$serving_pid" "$relay" 2>/dev/null || true
  relay=
}

# What a browser asks for: the page, its files, the manifest, the positions, and a chapter in its frame. The first one is among what opening reads.
first_chapter() { # URL
  local path
  for path in "" $(curl -sS --fail "$1" | grep -o '~carrel/[a-z]*\.[a-z]*' | sort -u) manifest.json '~readium/positions' 'c40.xhtml?~frame'; do
    curl -sS --fail --globoff -o /dev/null "$1$path"
  done
}

# Starts the server; serving_pid and serving_urls say where.
served_books() { # LOCATION...
  "$CARREL" book serve "$@" >"$work/served" 2>"$work/served.log" &
  serving_pid=$!
  until [ "$(wc -l <"$work/served")" = $# ]; do
    kill -0 "$serving_pid" 2>/dev/null || { cat "$work/served.log" >&2; return 1; }
    sleep 0.1
  done
  mapfile -t serving_urls <"$work/served"
}

# Requests a second, and MB a second, of four connections for two seconds.
rate() { # URL RANGES
  local path=/${1#*://*/}
  BASE=$path BYTES=$bytes RANGES=$2 wrk -t1 -c4 -d2s -s "$here/serving.lua" "${1%"$path"}" >"$work/wrk"
  if grep -q 'Non-2xx\|Socket errors' "$work/wrk"; then cat "$work/wrk" >&2; return 1; fi
  awk '/Requests\/sec/ { r = $2 } /Transfer\/sec/ { t = $2; if (t ~ /GB/) t *= 1000; else if (t ~ /KB/) t /= 1000 } END { print r + 0, t + 0 }' "$work/wrk"
}
