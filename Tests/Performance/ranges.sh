# The part of run.sh about one large file in several ranges at once; it reads this file. It needs root, as ftp-small does.

# Without TLS: what is compared is how many streams there are.
ranges_connections() { # the places in a file, each with one stream and with several
  local kind url user
  for kind in http dav ftp; do
    case $kind in
      http) url=$CARREL_TEST_NGINX_PLAIN_URL user= ;;
      dav) url=$CARREL_TEST_APACHE_URL/ user=$CARREL_TEST_USER ;;
      ftp) url=$CARREL_FTP_VSFTPD_URL user=$CARREL_TEST_USER ;;
    esac
    printf '"one-%s": {"url": "%s"%s, "allowClearPassword": true, "maxRangesAtOnce": 1},\n' "$kind" "$url" "${user:+, \"user\": \"$user\"}"
    printf '"several-%s": {"url": "%s"%s, "allowClearPassword": true, "maxRangesAtOnce": 4},\n' "$kind" "$url" "${user:+, \"user\": \"$user\"}"
  done | sed '$ s/,$//' | { printf '{"connections": {\n'; cat; printf '}}\n'; } >"$work/ranges.json"
}

ranges_peer() { # KIND: aria2c or lftp with four streams
  local host port
  case $1 in
    http) timed "$work/peer" "${across[@]}" "${aria2c[@]}" "${CARREL_TEST_NGINX_PLAIN_URL}big" ;;
    dav)
      timed "$work/peer" "${across[@]}" "${aria2c[@]}" --http-auth-challenge=true --http-user="$CARREL_TEST_USER" \
        --http-passwd="$CARREL_TEST_PASSWORD" "http${CARREL_TEST_APACHE_URL#dav}/big"
      ;;
    ftp)
      read -r host port < <(ftp_place "$CARREL_FTP_VSFTPD_URL")
      printf 'set %s\n' "cmd:fail-exit yes" "net:max-retries 1" "net:timeout 60" "ftp:ssl-allow no" "xfer:clobber yes" >"$work/lftp.script"
      printf 'open --env-password -u %s -p %s %s\npget -n 4 big -o %s\n' "$CARREL_TEST_USER" "$port" "$host" "$work/got" >>"$work/lftp.script"
      LFTP_PASSWORD=$CARREL_TEST_PASSWORD LFTP_HOME=$work/lftp.home timed "$work/peer" "${across[@]}" lftp --norc -f "$work/lftp.script"
      ;;
  esac
}

ranges_times() { # KIND NAME...: alternating; one, several or peer
  local kind=$1 name i
  shift
  start_over "$@"
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over "$@" # the first round warms up
    for name in "$@"; do
      rm -f "$work/got"*
      if [ "$name" = peer ]; then ranges_peer "$kind" >"$work/peer.out" 2>&1 || { tail -n 3 "$work/peer.out" >&2; return 1; }
      else timed "$work/$name" "${across[@]}" env CARREL_CONFIG="$work/ranges.json" "$CARREL" cp --quiet "$name-$kind:big" "$work/got"; fi
      cmp "$work/big" "$work/got"
    done
  done
  rm -f "$work/got"*
}

ranges_line() { # TITLE NAME...
  local name line="$1:"
  shift
  for name in "$@"; do line+=" $name $(median "$work/$name" 1) s ($(median "$work/$name" 2) s CPU, fastest $(fastest "$work/$name" 1) s),"; done
  printf '%s medians of %s\n' "$line" "$runs"
}

ranges() {
  local near far address across aria2c data kind half=$(( size / 2 ))
  if ! command -v aria2c >/dev/null; then
    echo "ranges: skipped: there is no aria2c to compare with (Debian's package aria2)"
    return 0
  fi
  # With packets of the usual size it is the link's own process that large files would wait for.
  if ! ftp_link 65535; then
    echo "ranges: skipped: this machine does not let us make network namespaces and TUN devices"
    return 0
  fi
  mkdir -m 755 "$work/far-ranges"
  export CARREL_SERVERS_ROOT=$work/far-ranges CARREL_SERVERS_ADDRESS=$address
  serve apache nginx vsftpd
  ranges_connections
  aria2c=(aria2c --no-conf --quiet --allow-overwrite=true --file-allocation=none -x 4 -s 4 -k 1M -d "$work" -o got)
  head -c "$half" /dev/urandom >"$work/big"
  for data in "$CARREL_TEST_NGINX_DATA" "$CARREL_TEST_APACHE_DATA" "$CARREL_FTP_VSFTPD_DATA"; do
    install -m 644 "$work/big" "$data/big"
    # A file that is new is read over one data connection of FTP.
    touch -d "1 hour ago" "$data/big"
  done

  # Within the far end there is no way to go: a second stream brings nothing, and must cost nothing.
  across=(nsenter --net="$far")
  for kind in http dav ftp; do
    ranges_times "$kind" one several
    ranges_line "$(( half >> 20 )) MiB over $kind, no round trip" one several
    judge "several: time, times that of one" "$(ratio "$(median "$work/several" 1)" "$(median "$work/one" 1)")" "<=" 1.02
    judge "peak memory, MiB" "$(( $(largest "$work/several" 3) / 1024 ))" "<=" 64
  done

  # The window of a stream as the kernel makes it: large, and a stream may fill the link.
  across=(nsenter --net="$near")
  for kind in http dav ftp; do
    ranges_times "$kind" one several peer
    ranges_line "$(( half >> 20 )) MiB over $kind, 20 ms" one several peer
    judge "several: time, times that of one" "$(ratio "$(median "$work/several" 1)" "$(median "$work/one" 1)")" "<=" 1.02
    tell "several: speed, times the peer's with four" "$(ratio "$(median "$work/peer" 1)" "$(median "$work/several" 1)")"
  done

  # A small window: a stream brings a few hundred KiB in a round trip, however wide the link is.
  if ! "${across[@]}" sh -c 'echo "4096 131072 524288" >/proc/sys/net/ipv4/tcp_rmem' 2>/dev/null; then
    echo "ranges, small window: skipped: this machine does not let us set the window"
  else
    for kind in http dav ftp; do
      ranges_times "$kind" one several peer
      ranges_line "$(( half >> 20 )) MiB over $kind, 20 ms, small window" one several peer
      judge "several: speed, times that of one" "$(ratio "$(median "$work/one" 1)" "$(median "$work/several" 1)")" ">=" 1.5
      judge "several: speed, times the peer's with four" "$(ratio "$(median "$work/peer" 1)" "$(median "$work/several" 1)")" ">=" 0.8
      judge "peak memory, MiB" "$(( $(largest "$work/several" 3) / 1024 ))" "<=" 80
    done
  fi
  for data in "$CARREL_TEST_NGINX_DATA" "$CARREL_TEST_APACHE_DATA" "$CARREL_FTP_VSFTPD_DATA"; do rm -f "$data/big"; done
  rm -f "$work/big"
  kill "$relay"
  relay=
}
