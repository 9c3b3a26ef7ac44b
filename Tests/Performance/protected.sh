# Sourced by run.sh: books that Readium LCP protects, beside openssl for the speed and beside the same book without protection for requests.

protected() {
  local made=$work/protected unlocked chapter i n b h plain_n plain_b
  mkdir "$made"
  python3 "$here/protected.py" "$made" "$top/Tests/Fixtures/LCP/LCPVectors.swift" $(( size >> 21 ))
  unlocked=(--lcp-root "$made/root.pem" --passphrase-file "$made/passphrase")
  export XDG_STATE_HOME=$work/state

  start_over openssl carrel
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over openssl carrel # the first pair warms up
    timed "$work/openssl" openssl enc -d -aes-256-cbc -nopad -K "$(cat "$made/key")" -iv "$(cat "$made/iv")" -in "$made/sound.bin" >/dev/null
    timed "$work/carrel" "$CARREL" book cat "$made/sound.lcpa" sound.mp3 "${unlocked[@]}" >/dev/null
  done
  printf '%s bytes decrypted: openssl %s s, carrel %s s, medians of %s\n' "$(stat -c %s "$made/sound.bin")" \
    "$(median "$work/openssl" 1)" "$(median "$work/carrel" 1)" "$runs"
  judge "speed, times openssl's" "$(ratio "$(median "$work/openssl" 1)" "$(median "$work/carrel" 1)")" ">=" 0.7
  judge "peak memory, MiB" "$(( $(largest "$work/carrel" 3) / 1024 ))" "<=" 64

  install -m 644 "$made/book.epub" "$made/plain.epub" "$made/scans.lcpdf" "$CARREL_TEST_APACHE_DATA/"
  chapter=c3.xhtml
  read -r plain_n plain_b h < <(served "$CARREL" book cat "$CARREL_TEST_APACHE_OPEN_URL/plain.epub" "$chapter")
  read -r n b h < <(served "$CARREL" book cat "$CARREL_TEST_APACHE_OPEN_URL/book.epub" "$chapter" "${unlocked[@]}")
  printf 'a chapter of a book of %s bytes: %s requests and %s bytes, without protection %s and %s\n' \
    "$(stat -c %s "$made/book.epub")" "$n" "$b" "$plain_n" "$plain_b"
  judge "chapter: further requests" $(( n - plain_n )) "<=" 1
  judge "chapter: HEADs" "$h" "<=" 0
  read -r plain_n plain_b h < <(served "$CARREL" book info "$CARREL_TEST_APACHE_OPEN_URL/plain.epub")
  read -r n b h < <(served "$CARREL" book info "$CARREL_TEST_APACHE_OPEN_URL/book.epub" "${unlocked[@]}")
  printf 'opening it: %s requests and %s bytes, without protection %s and %s\n' "$n" "$b" "$plain_n" "$plain_b"
  judge "open: further requests" $(( n - plain_n )) "<=" 1
  judge "open: further bytes" $(( b - plain_b )) "<=" 24576

  start_over carrel
  timed "$work/carrel" "$CARREL" book text "$CARREL_TEST_APACHE_OPEN_URL/scans.lcpdf" --from 'scans.pdf#page=150' --to 'scans.pdf#page=151' \
    "${unlocked[@]}" >"$work/page"
  printf 'page 150 of a PDF of %s bytes: %s\n' "$(stat -c %s "$made/scans.lcpdf")" "$(tr '\n' ' ' <"$work/page")"
  read -r n b h < <(served "$CARREL" book text "$CARREL_TEST_APACHE_OPEN_URL/scans.lcpdf" --from 'scans.pdf#page=150' --to 'scans.pdf#page=151' "${unlocked[@]}")
  printf '%s requests, %s bytes\n' "$n" "$b"
  judge "page of a PDF: peak memory, MiB" "$(( $(largest "$work/carrel" 3) / 1024 ))" "<=" 64
  judge "page of a PDF: bytes" "$b" "<=" 4194304
  rm -rf "$made" "$CARREL_TEST_APACHE_DATA"/{book.epub,plain.epub,scans.lcpdf}
}
