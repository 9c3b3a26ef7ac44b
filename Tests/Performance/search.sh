# Sourced by run.sh: a whole book searched, beside xmllint, which takes the same chapters apart for their text.

search_tools() {
  command -v xmllint >/dev/null && return
  echo "run.sh: installing libxml2-utils, for xmllint" >&2
  local root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  "${root[@]}" apt-get update -qq >&2
  "${root[@]}" apt-get install -y -qq --no-install-recommends libxml2-utils >&2
}

# One processor for each: a search has threads, of which one works at a time.
search() {
  local bench corpus bytes cpu i chapters=$work/chapters
  bench=$(dirname "$CARREL")/search-benchmark
  search_tools
  cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
  corpus=${CARREL_CORPUS:-$top/../shared/corpus}
  if [ -d "$corpus/epub" ]; then export CARREL_CORPUS=$corpus; else unset CARREL_CORPUS; fi
  mkdir "$chapters"
  "$bench" make "$work/search.epub" 50 "$chapters"
  bytes=$(cat "$chapters"/* | wc -c)
  start_over peer carrel
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over peer carrel # the first pair warms up
    timed "$work/peer" taskset -c "$cpu" xmllint --html --noout --xpath 'string(/)' "$chapters"/* >/dev/null 2>"$work/xmllint.log"
    timed "$work/carrel" taskset -c "$cpu" "$bench" find "$work/search.epub" >"$work/found"
  done
  cat "$work/found"
  awk -v b="$bytes" -v p="$(median "$work/peer" 1)" -v c="$(median "$work/carrel" 1)" -v n="$runs" \
    'BEGIN { printf "search of %.0f MB of chapters: xmllint %s s (%.0f MB/s), carrel %s s (%.0f MB/s), medians of %d\n", b / 1e6, p, b / 1e6 / p, c, b / 1e6 / c, n }'
  judge "speed, times xmllint's" "$(ratio "$(median "$work/peer" 1)" "$(median "$work/carrel" 1)")" ">=" 0.5
  rm -rf "$chapters" "$work/search.epub"
  # A book of long chapters, and one whose list of files alone takes tens of MiB.
  large_book make-long
  judge "peak memory, MiB" "$(( $(largest "$work/carrel" 3) / 1024 ))" "<=" 64
  large_book make
  judge "peak memory with tens of thousands of files, MiB" "$(( $(largest "$work/carrel" 3) / 1024 ))" "<=" 112
}

large_book() { # WAY
  "$bench" "$1" "$work/large.epub" 300
  start_over carrel
  timed "$work/carrel" "$bench" find "$work/large.epub"
  printf 'search of a book with 300 MB of chapters, a file of %s bytes: %s s\n' "$(stat -c %s "$work/large.epub")" "$(median "$work/carrel" 1)"
  rm -f "$work/large.epub"
}
