# Sourced by run.sh: a fleet of sync workers on PostgreSQL. PAIRS=500, a third of them on this machine, a third on WebDAV and a third on
# SFTP, whose servers have a round trip of 20 ms; ROWS=1000000 pairs for the claims.

fleet_query() { # SQL
  PGPASSWORD=$CARREL_TEST_POSTGRES_PASSWORD psql -X -A -t -q -F ' ' -v ON_ERROR_STOP=1 -d "$CARREL_TEST_POSTGRES_URL" <<<"$1"
}

fleet_carrel() { # ARGUMENT... : carrel fleet
  PGPASSWORD=$CARREL_TEST_POSTGRES_PASSWORD "$CARREL" fleet "$@" --database "$CARREL_TEST_POSTGRES_URL"
}

# ---- many pairs, and 1, 2 and 4 workers ----------------------------------------------------------------------

fleet() {
  local count=${PAIRS:-500} files=5 dav ssh port i number relays=()
  local folder=$disk/fleet data=$CARREL_TEST_APACHE_DATA/fleet
  fleet_relay "$(url_port "$CARREL_TEST_APACHE_URL")"; dav=$port
  fleet_relay "$(url_port "$CARREL_SFTP_OPENSSH")"; ssh=$port
  mkdir -m 777 "$folder" "$data" "$data/states" "$CARREL_SFTP_OPENSSH_DATA/fleet"
  install -d -m 700 "$work/credentials"
  printf '%s:%s\n' "$CARREL_TEST_USER" "$CARREL_TEST_PASSWORD" | install -m 600 /dev/stdin "$work/credentials/webdav"
  install -m 600 "$CARREL_SSH_KEY_ED25519" "$work/credentials/sftp"
  port=$(url_port "$CARREL_SFTP_OPENSSH")
  sed "s/:$port /:$ssh /" "$CARREL_SSH_KNOWN_HOSTS" >"$work/known_hosts"

  python3 "$here/fleet.py" make "$folder" "$count" >"$work/pairs" \
    "dav://$CARREL_TEST_USER@127.0.0.1:$dav/dav/fleet" "$(sed -E "s#:[0-9]+/#:$ssh/#" <<<"${CARREL_SFTP_OPENSSH%/}")/fleet"
  fleet_carrel init --quiet
  fleet_carrel add --quiet --from "$work/pairs"
  # The first run of each pair sends the trees, and the one after it has what was sent in its listings.
  fleet_work 4 >/dev/null
  start_over 1 2 4
  for i in $(seq 0 "$runs"); do
    [ "$i" = 1 ] && start_over 1 2 4 # the first round warms up
    for number in 1 2 4; do
      python3 "$here/fleet.py" change "$folder" "$count" "$files"
      fleet_work "$number" $(( count * files )) >>"$work/$number"
    done
  done
  printf '%s pairs, a third of them here, a third on WebDAV and a third on SFTP, 20 ms away, %s files changed in each:\n' "$count" "$files"
  for number in 1 2 4; do
    printf '  %s workers: %s s, %s pairs a minute, %s s CPU, medians of %s\n' "$number" "$(median "$work/$number" 1)" \
      "$(ratio $(( count * 60 )) "$(median "$work/$number" 1)")" "$(median "$work/$number" 2)" "$runs"
  done
  judge "2 workers: pairs a minute, times those of 1" "$(ratio "$(median "$work/1" 1)" "$(median "$work/2" 1)")" ">=" 1.8
  judge "4 workers: pairs a minute, times those of 1" "$(ratio "$(median "$work/1" 1)" "$(median "$work/4" 1)")" ">=" 3.2
  judge "a worker's peak memory, MiB" "$(( $(sort -n "$work/memory" | tail -n 1) / 1024 ))" "<=" 256
  for i in "${relays[@]}"; do end_child "$i"; done
  rm -rf "$folder" "$data" "$CARREL_SFTP_OPENSSH_DATA/fleet" "$work/credentials" "$work"/fleet-cache-*
}

# Sets port to where the server at PORT is 20 ms away.
fleet_relay() { # PORT
  local file
  file=$(mktemp "$work/port.XXXXXX")
  python3 "$here/delay_relay.py" "$1" 10 >"$file" &
  relays+=("$!")
  children+=("$!")
  until [ -s "$file" ]; do sleep 0.1; done
  port=$(cat "$file")
}

# Makes all pairs due at once for so many workers, and waits until each has run. Prints seconds, by the database's clock, and the
# workers' CPU seconds. With CHANGES, that many must have been made.
fleet_work() { # WORKERS [CHANGES]
  local number pid pids=() since before begun seconds cpu=0 changes limit
  since=$(fleet_query 'SELECT extract(epoch FROM now())')
  for number in $(seq "$1"); do
    PGPASSWORD=$CARREL_TEST_POSTGRES_PASSWORD "$CARREL" fleet run --database "$CARREL_TEST_POSTGRES_URL" --json \
      --runs "${FLEET_RUNS:-2}" --lease 30 --cache "$work/fleet-cache-$number" --credentials "$work/credentials" \
      --known-hosts "$work/known_hosts" --states "dav://$CARREL_TEST_USER@127.0.0.1:$dav/dav/fleet/states" \
      >"$work/fleet-$number.out" 2>"$work/fleet-$number.log" &
    pids+=("$!")
    children+=("$!")
  done
  # They are ready when the database knows them; until then nothing is due, but for the pairs that never ran.
  limit=$(( SECONDS + 60 ))
  until [ "$(fleet_query "SELECT count(*) FROM carrel_fleet.worker WHERE extract(epoch FROM started) >= $since")" = "$1" ]; do
    [ "$SECONDS" -lt "$limit" ] || { echo "fleet: the workers did not begin" >&2; tail -n 3 "$work"/fleet-*.log >&2; return 1; }
    sleep 0.1
  done
  read -r before changes < <(fleet_query 'SELECT min(runs), sum(changes) FROM carrel_fleet.pair')
  begun=$(fleet_query 'SELECT extract(epoch FROM now()) FROM (SELECT count(carrel_fleet.run_now(name)) FROM carrel_fleet.pair) AS asked')
  limit=$(( SECONDS + 1800 ))
  until [ "$(fleet_query "SELECT count(*) FROM carrel_fleet.pair WHERE runs <= $before OR running OR due <= now()")" = 0 ]; do
    [ "$SECONDS" -lt "$limit" ] || { echo "fleet: the pairs take too long" >&2; tail -n 3 "$work"/fleet-*.log >&2; return 1; }
    sleep 0.2
  done
  number=$(fleet_query "SELECT name || ': ' || coalesce(last_error, last_outcome) FROM carrel_fleet.pair WHERE last_outcome <> 'success' LIMIT 3")
  [ -z "$number" ] || { printf 'fleet: a run failed: %s\n' "$number" >&2; return 1; }
  read -r seconds changes < <(fleet_query "SELECT round((extract(epoch FROM max(last_end)) - $begun)::numeric, 3), sum(changes) - $changes FROM carrel_fleet.pair")
  [ -z "${2:-}" ] || [ "$changes" = "$2" ] || { echo "fleet: $changes changes were made of $2" >&2; return 1; }
  for pid in "${pids[@]}"; do
    cpu=$(awk -v t="$cpu" -v h="$(getconf CLK_TCK)" '{ printf "%.2f", t + ($14 + $15) / h }' "/proc/$pid/stat")
    awk '/VmHWM/ { print $2 }' "/proc/$pid/status" >>"$work/memory"
  done
  for pid in "${pids[@]}"; do end_child "$pid"; done
  printf '%s %s\n' "$seconds" "$cpu"
}

# ---- a claim among a million pairs ---------------------------------------------------------------------------

fleet_claims() {
  local rows=${ROWS:-1000000} clients claimed programs log
  programs=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
  fleet_carrel init --quiet --schema carrel_claims
  # 20,000 owners, with 50 pairs each on one of 200 hosts; all are due.
  fleet_query "
    SET search_path = carrel_claims;
    INSERT INTO gate (name, lanes) SELECT 'owner:o' || n, 1 FROM generate_series(1, $rows / 50) AS n;
    INSERT INTO gate (name, lanes) SELECT 'host:h' || n || '.example:443', $rows / 50 / 200 FROM generate_series(0, 199) AS n;
    INSERT INTO lane (priority, gates, owner, status, due)
    SELECT 0, ARRAY['host:h' || n % 200 || '.example:443', 'owner:o' || n], 'owner:o' || n, 'waiting', now() - interval '1 hour'
    FROM generate_series(1, $rows / 50) AS n;
    INSERT INTO pair (name, owner, lane, source, destination, options, every, priority, due)
    SELECT 'pair ' || n || ' of ' || lane.id, substr(lane.owner, 7), lane.id, 'file:///photos/' || n,
        'davs://' || substr(lane.gates[1], 6) || '/photos/' || n, '{}', 3600, 0, now() - random() * interval '1 hour'
    FROM lane, generate_series(1, 50) AS n;
    ANALYZE gate; ANALYZE lane; ANALYZE pair;"
  until [ "$(fleet_query 'SELECT carrel_claims.promote(1000)')" = 0 ]; do :; done
  fleet_query 'VACUUM ANALYZE carrel_claims.pair; VACUUM ANALYZE carrel_claims.lane; VACUUM ANALYZE carrel_claims.gate'
  echo "SELECT * FROM carrel_claims.claim('bench', 1, true);" >"$work/claim.sql"
  printf 'claims among %s pairs, one after the other, and by four workers at once:\n' "$(fleet_query 'SELECT count(*) FROM carrel_claims.pair')"
  fleet_query "SELECT '  ' || relname || ': ' || pg_size_pretty(pg_table_size(oid)) || ', its indexes ' || pg_size_pretty(pg_indexes_size(oid))
    FROM pg_class WHERE relnamespace = 'carrel_claims'::regnamespace AND relkind = 'r' AND relname IN ('pair', 'lane', 'gate', 'turn')
    ORDER BY relname"
  log=$(fleet_query 'SELECT pg_current_wal_insert_lsn()')
  for clients in 1 4; do
    (
      cd "$work"
      rm -f claims.*
      PGPASSWORD=$CARREL_TEST_POSTGRES_PASSWORD "$programs/pgbench" -n -l --log-prefix claims -f claim.sql -c "$clients" -j "$clients" \
        -t $(( 1000 / clients )) "$CARREL_TEST_POSTGRES_URL" >pgbench.out 2>&1 || { cat pgbench.out >&2; exit 1; }
      cat claims.* | awk '{ printf "%.3f\n", $3 / 1000 }' >"claim-$clients"
    )
    printf '  %s at once: half of them in %s ms, 99 of 100 in %s ms\n' "$clients" "$(fleet_share "$work/claim-$clients" 50)" \
      "$(fleet_share "$work/claim-$clients" 99)"
  done
  claimed=$(fleet_query 'SELECT count(*) FROM carrel_claims.lease')
  printf '  %s bytes of the log (WAL) for each\n' "$(fleet_query "SELECT round((pg_current_wal_insert_lsn() - '$log') / $claimed)")"
  judge "claims: half of them, ms" "$(fleet_share "$work/claim-1" 50)" "<=" 5
  judge "claims that got a pair, of 2000" "$claimed" "==" 2000
  fleet_plan
  fleet_query 'DROP SCHEMA carrel_claims CASCADE' 2>/dev/null
}

fleet_share() { sort -n "$1" | awk -v p="$2" '{ v[NR] = $1 } END { print v[int((NR * p + 99) / 100)] }'; } # FILE PERCENT

# What the server did for one claim, statement by statement.
fleet_plan() {
  printf 'the plan of a claim:\n'
  PGPASSWORD=$CARREL_TEST_POSTGRES_PASSWORD psql -X -q -v ON_ERROR_STOP=1 -d "$CARREL_TEST_POSTGRES_URL" 2>&1 >/dev/null <<'END' | sed 's/^/  /'
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0;
SET auto_explain.log_nested_statements = on;
SET auto_explain.log_analyze = on;
SET auto_explain.log_timing = off;
SET auto_explain.log_buffers = on;
SET client_min_messages = log;
SELECT * FROM carrel_claims.claim('plan', 1, true);
END
}
