extension FleetMigration {
    /// The functions that change pairs and limits, and show them.
    static let owners = FleetMigration(number: 4, sql: ownersText)

    private static let ownersText = """
        -- Changes of pairs and gates come one at a time, so that two of them cannot wait for each other.
        CREATE FUNCTION lock_pairs() RETURNS void
        LANGUAGE sql SET search_path FROM CURRENT AS $$
            SELECT pg_advisory_xact_lock(hashtext('carrel fleet pairs'), hashtext(current_schema()))
        $$;

        -- The pairs of a JSON array, as add gets them.
        CREATE FUNCTION given(pairs jsonb) RETURNS TABLE (
            name text, owner text, source text, destination text, source_credential text, destination_credential text,
            options text, every double precision, deadline double precision, priority integer, gates text[]
        ) LANGUAGE sql IMMUTABLE SET search_path FROM CURRENT AS $$
            SELECT * FROM jsonb_to_recordset(pairs) AS pair (
                name text, owner text, source text, destination text, source_credential text,
                destination_credential text, options text, every double precision, deadline double precision,
                priority integer, gates text[])
        $$;

        -- Adds pairs: a JSON array of objects with the names of given. They are due at once. With "replaces", a pair
        -- that exists gets the new settings; its state and its history stay unless a folder changed, and then a
        -- present run can no longer go on or publish. Without, it returns the names that exist already, and adds
        -- nothing if there are any.
        CREATE FUNCTION add(pairs jsonb, replaces boolean) RETURNS SETOF text
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        #variable_conflict use_column
        BEGIN
            PERFORM lock_pairs();
            IF NOT replaces THEN
                RETURN QUERY
                    SELECT pair.name FROM pair JOIN given(pairs) AS new ON new.name = pair.name ORDER BY pair.name;
                IF FOUND THEN RETURN; END IF;
            END IF;
            INSERT INTO gate (name)
            SELECT DISTINCT unnest(gates) AS name FROM given(pairs) ORDER BY name ON CONFLICT DO NOTHING;
            PERFORM take_turns(ARRAY(
                SELECT unnest(gates) FROM given(pairs)
                UNION SELECT unnest(lane.gates)
                FROM given(pairs) AS new JOIN pair ON pair.name = new.name JOIN lane ON lane.id = pair.lane));
            WITH made AS (
                INSERT INTO lane (priority, gates, owner)
                SELECT DISTINCT priority, gates, 'owner:' || owner FROM given(pairs)
                ON CONFLICT DO NOTHING RETURNING gates
            )
            UPDATE gate SET lanes = lanes + more
            FROM (SELECT unnest(gates) AS name, count(*) AS more FROM made GROUP BY 1) AS made
            WHERE gate.name = made.name;
            -- In the order in which renew locks them.
            UPDATE lease SET revoked = true FROM (
                SELECT lease.pair
                FROM lease JOIN pair ON pair.id = lease.pair JOIN given(pairs) AS new ON new.name = pair.name
                WHERE pair.source <> new.source OR pair.destination <> new.destination
                ORDER BY lease.pair FOR NO KEY UPDATE OF lease) AS moved
            WHERE lease.pair = moved.pair;
            WITH added AS (
                INSERT INTO pair AS old (
                    name, owner, lane, source, destination, source_credential, destination_credential, options,
                    every, deadline, priority)
                SELECT
                    new.name, new.owner, lane.id, source, destination, source_credential, destination_credential,
                    options::jsonb, every, deadline, new.priority
                FROM given(pairs) AS new JOIN lane ON lane.priority = new.priority AND lane.gates = new.gates
                ORDER BY new.name
                ON CONFLICT (name) DO UPDATE SET
                    owner = excluded.owner, lane = excluded.lane, source = excluded.source,
                    destination = excluded.destination, source_credential = excluded.source_credential,
                    destination_credential = excluded.destination_credential,
                    options = excluded.options, every = excluded.every, deadline = excluded.deadline,
                    priority = excluded.priority,
                    due = least(old.due, now() + make_interval(secs => excluded.every)),
                    state_name = CASE WHEN old.source = excluded.source
                        AND old.destination = excluded.destination THEN old.state_name END,
                    state_size = CASE WHEN old.source = excluded.source
                        AND old.destination = excluded.destination THEN old.state_size END,
                    state_checksum = CASE WHEN old.source = excluded.source
                        AND old.destination = excluded.destination THEN old.state_checksum END
                RETURNING lane, due
            )
            UPDATE lane SET due = least(lane.due, added.due),
                status = CASE status WHEN 'idle' THEN 'waiting' ELSE status END
            FROM (SELECT lane, min(due) AS due FROM added GROUP BY lane) AS added
            WHERE lane.id = added.lane AND (status = 'idle' OR lane.due > added.due);
            PERFORM ring();
        END
        $$;

        -- Removes a pair; a present run of it can no longer go on or publish. Returns false if there is none.
        CREATE FUNCTION remove(pair_name text) RETURNS boolean
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            pair_id bigint;
            lane_id bigint;
            lane_gates text[];
            names text[];
            held lease;
        BEGIN
            PERFORM lock_pairs();
            SELECT pair.id, lane.id, lane.gates INTO pair_id, lane_id, lane_gates
                FROM pair JOIN lane ON lane.id = pair.lane WHERE name = pair_name;
            IF NOT FOUND THEN RETURN false; END IF;
            -- A run that began in another lane has its gates; one that begins now has this lane's.
            SELECT lane_gates || coalesce(gates, '{}') INTO names
                FROM (SELECT) AS one LEFT JOIN lease ON pair = pair_id;
            PERFORM take_turns(names);
            SELECT * INTO held FROM lease WHERE pair = pair_id FOR UPDATE;
            IF held.pair IS NOT NULL THEN
                DELETE FROM lease WHERE pair = pair_id;
                UPDATE gate SET running = running - 1 WHERE name = ANY (held.gates);
            END IF;
            DELETE FROM pair WHERE id = pair_id;
            IF NOT EXISTS (SELECT FROM pair WHERE lane = lane_id) THEN
                DELETE FROM lane WHERE id = lane_id;
                UPDATE gate SET lanes = lanes - 1 WHERE name = ANY (lane_gates);
                DELETE FROM gate
                WHERE name = ANY (lane_gates) AND lanes = 0 AND running = 0 AND most IS NULL AND NOT paused;
            END IF;
            IF wake(names) THEN PERFORM ring(); END IF;
            RETURN true;
        END
        $$;

        -- Pauses a pair, or resumes it. A present run ends as usual. Returns false if there is no such pair.
        CREATE FUNCTION pause_pair(pair_name text, pauses boolean) RETURNS boolean
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            found_pair pair;
        BEGIN
            PERFORM lock_pairs();
            PERFORM take_turns((SELECT gates FROM lane JOIN pair ON pair.lane = lane.id WHERE name = pair_name));
            UPDATE pair SET paused = pauses WHERE name = pair_name RETURNING * INTO found_pair;
            IF NOT FOUND THEN RETURN false; END IF;
            IF NOT pauses AND NOT found_pair.running THEN
                PERFORM expect(found_pair.lane, found_pair.due);
                PERFORM ring();
            END IF;
            RETURN true;
        END
        $$;

        -- Makes a pair due now, or once more after its present run. Returns false if there is no such pair.
        CREATE FUNCTION run_now(pair_name text) RETURNS boolean
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            found_pair pair;
        BEGIN
            PERFORM lock_pairs();
            PERFORM take_turns((SELECT gates FROM lane JOIN pair ON pair.lane = lane.id WHERE name = pair_name));
            UPDATE pair SET due = least(due, now()), again = running WHERE name = pair_name
                RETURNING * INTO found_pair;
            IF NOT FOUND THEN RETURN false; END IF;
            IF NOT found_pair.running AND NOT found_pair.paused THEN
                PERFORM expect(found_pair.lane, found_pair.due);
                PERFORM ring();
            END IF;
            RETURN true;
        END
        $$;

        -- Pauses all pairs of a gate, or resumes them. Present runs end as usual.
        CREATE FUNCTION pause_gate(gate_name text, pauses boolean) RETURNS void
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            PERFORM lock_pairs();
            INSERT INTO gate (name) VALUES (gate_name) ON CONFLICT DO NOTHING;
            PERFORM take_turns(ARRAY[gate_name]);
            UPDATE gate SET paused = pauses WHERE name = gate_name;
            IF wake(ARRAY[gate_name]) THEN PERFORM ring(); END IF;
        END
        $$;

        -- Sets how many runs at once may pass a gate; null: the default.
        CREATE FUNCTION set_limit(gate_name text, new_most integer) RETURNS void
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            PERFORM lock_pairs();
            INSERT INTO gate (name) VALUES (gate_name) ON CONFLICT DO NOTHING;
            PERFORM take_turns(ARRAY[gate_name]);
            UPDATE gate SET most = new_most WHERE name = gate_name;
            IF wake(ARRAY[gate_name]) THEN PERFORM ring(); END IF;
        END
        $$;

        -- Sets the limit of all gates of a kind that have none: host_runs or owner_runs; null: no limit.
        CREATE FUNCTION set_default(limit_key text, new_most integer) RETURNS void
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            names text[];
        BEGIN
            PERFORM lock_pairs();
            -- A claim that parks a lane meanwhile may have seen the former value.
            PERFORM FROM turn ORDER BY name FOR UPDATE;
            UPDATE setting SET value = new_most WHERE key = limit_key;
            SELECT array_agg(DISTINCT parked_at) INTO names FROM lane WHERE status = 'parked';
            IF wake(names) THEN PERFORM ring(); END IF;
        END
        $$;

        -- Pairs as people see them.
        CREATE VIEW pair_status AS
        SELECT
            pair.id, pair.name, pair.owner, source, destination, source_credential, destination_credential,
            options::text AS options, every, deadline, pair.priority,
            CASE
                WHEN running THEN 'running'
                WHEN pair.due > now() OR paused THEN 'waiting'
                WHEN lane.status = 'parked' THEN 'parked'
                ELSE 'ready'
            END AS status,
            CASE WHEN NOT running AND NOT paused AND pair.due <= now() THEN lane.parked_at END AS parked_at,
            paused, pair.due, failures, pair.fence, lease.worker, runs, failed_runs, bytes, changes, last_start,
            last_end, last_success, last_outcome, last_error
        FROM pair JOIN lane ON lane.id = pair.lane LEFT JOIN lease ON lease.pair = pair.id;

        -- The pairs by name, behind one, of one owner or of all.
        CREATE FUNCTION list(of_owner text, after text, most integer) RETURNS SETOF pair_status
        LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
        BEGIN
            IF of_owner IS NULL THEN
                RETURN QUERY SELECT * FROM pair_status WHERE name > coalesce(after, '') ORDER BY name LIMIT most;
            ELSE
                RETURN QUERY SELECT * FROM pair_status WHERE owner = of_owner AND name > coalesce(after, '')
                    ORDER BY name LIMIT most;
            END IF;
        END
        $$;

        -- Counts for people and monitoring. Reads all pairs.
        CREATE FUNCTION summary() RETURNS TABLE (
            pairs bigint, waiting bigint, ready bigint, parked bigint, running bigint, paused bigint, failing bigint,
            runs bigint, failed_runs bigint, bytes bigint, changes bigint, oldest_ready double precision
        ) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
            SELECT
                count(*), count(*) FILTER (WHERE NOT running AND (pair.due > now() OR paused)),
                count(*) FILTER (WHERE NOT running AND NOT paused AND pair.due <= now() AND status <> 'parked'),
                count(*) FILTER (WHERE NOT running AND NOT paused AND pair.due <= now() AND status = 'parked'),
                count(*) FILTER (WHERE running), count(*) FILTER (WHERE paused),
                count(*) FILTER (WHERE failures > 0 OR last_outcome = 'refused'),
                coalesce(sum(runs), 0)::bigint, coalesce(sum(failed_runs), 0)::bigint,
                least(coalesce(sum(bytes), 0), 9000000000000000000)::bigint,
                least(coalesce(sum(changes), 0), 9000000000000000000)::bigint,
                extract(epoch FROM now() - min(pair.due) FILTER (
                    WHERE NOT running AND NOT paused AND pair.due <= now() AND status <> 'parked'))::double precision
            FROM pair JOIN lane ON lane.id = pair.lane
        $$;

        -- The gates whose name begins with "kind" and that have a limit, are closed or paused, failed last, or are in
        -- use; the fullest first.
        CREATE FUNCTION gates(kind text, most integer) RETURNS TABLE (
            name text, run_limit integer, running integer, failures integer, closed_for double precision,
            paused boolean
        ) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
            SELECT
                name, coalesce(gate.most, (
                    SELECT value FROM setting
                    WHERE key = CASE WHEN name LIKE 'owner:%' THEN 'owner_runs' ELSE 'host_runs' END)),
                running, failures,
                CASE WHEN closed_until > now() THEN extract(epoch FROM closed_until - now())::double precision END,
                paused
            FROM gate
            WHERE starts_with(name, kind)
                AND (gate.most IS NOT NULL OR running > 0 OR paused OR closed_until IS NOT NULL OR failures > 0)
            ORDER BY running DESC, name LIMIT gates.most
        $$;

        -- Sentences about what cannot be while no transaction is under way: for tests, and after a change by hand. A
        -- gate whose time has come has no room yet: promote opens it.
        CREATE FUNCTION faults() RETURNS SETOF text
        LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
            SELECT format('gate %s counts %s runs of %s', gate.name, running, found)
            FROM gate JOIN LATERAL (
                SELECT count(*) AS found FROM lease WHERE gate.name = ANY (gates)) AS leases ON found <> running
            UNION ALL
            SELECT format('gate %s has room, and lane %s is parked at it', gate.name, lane.id)
            FROM lane JOIN gate ON gate.name = parked_at AND gate_room(gate) > 0 AND closed_until IS NULL
            WHERE NOT EXISTS (
                SELECT FROM lane AS other WHERE other.status = 'ready' AND gate.name = ANY (other.gates))
            UNION ALL
            SELECT format('pair %s is %srunning, and has %s lease', pair.id,
                CASE WHEN running THEN '' ELSE 'not ' END, coalesce(lease.pair::text, 'no'))
            FROM pair LEFT JOIN lease ON lease.pair = pair.id WHERE running <> (lease.pair IS NOT NULL)
            UNION ALL
            SELECT format('pair %s is due before its lane', pair.id)
            FROM pair JOIN lane ON lane.id = pair.lane
            WHERE NOT running AND NOT paused
                AND (lane.status = 'idle' OR lane.status = 'waiting' AND pair.due < lane.due)
        $$;
        """
}
