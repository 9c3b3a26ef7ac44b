extension FleetMigration {
    /// The functions that workers call.
    static let workers = FleetMigration(number: 3, sql: workersText)

    private static let workersText = """
        -- Opens gates whose time has come and makes due lanes ready, the longest due first, at most "batch" of each.
        -- One at a time. Returns how many lanes became ready.
        CREATE FUNCTION promote(batch integer) RETURNS integer
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            opened text[];
            picked bigint[];
            owners text[];
            started bigint;
            total integer;
        BEGIN
            IF NOT pg_try_advisory_xact_lock(hashtext('carrel fleet promote'), hashtext(current_schema())) THEN
                RETURN 0;
            END IF;
            opened := try_turns(ARRAY(SELECT name FROM gate WHERE closed_until <= now()
                ORDER BY closed_until LIMIT batch));
            IF opened IS NOT NULL THEN
                UPDATE gate SET closed_until = NULL WHERE name = ANY (opened) AND closed_until <= now();
                IF wake(opened) THEN PERFORM ring(); END IF;
            END IF;
            SELECT array_agg(id), array_agg(DISTINCT owner) INTO picked, owners FROM (
                SELECT id, owner FROM lane WHERE status = 'waiting' AND due <= now()
                    ORDER BY due LIMIT batch) AS waiting;
            IF picked IS NULL THEN RETURN 0; END IF;
            -- The owner's turn is enough to make a waiting lane ready: all who change a lane have it.
            owners := try_turns(owners);
            SELECT last_value INTO started FROM virtual_time;
            WITH numbered AS (
                SELECT
                    lane.id, lane.owner, greatest(gate.rank, started)
                        + row_number() OVER (PARTITION BY lane.owner ORDER BY due, lane.id) AS rank
                FROM lane JOIN gate ON gate.name = lane.owner
                WHERE lane.id = ANY (picked) AND lane.owner = ANY (owners) AND status = 'waiting' AND due <= now()
            ), ready AS (
                UPDATE lane SET status = 'ready', rank = numbered.rank FROM numbered WHERE lane.id = numbered.id
                RETURNING lane.owner, lane.rank
            ), ranked AS (
                UPDATE gate SET rank = last.rank
                FROM (SELECT owner, max(rank) AS rank FROM ready GROUP BY owner) AS last
                WHERE gate.name = last.owner
            )
            SELECT count(*) INTO total FROM ready;
            IF total > 0 THEN PERFORM ring(); END IF;
            RETURN total;
        END
        $$;

        -- Rises when a replica becomes the primary server, which may lack the last claims and states (PostgreSQL 15
        -- manual, 26.3.5).
        CREATE FUNCTION timeline() RETURNS integer
        LANGUAGE sql SET search_path FROM CURRENT AS $$
            SELECT ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::integer
        $$;

        -- Takes up to "most" due pairs for a worker, of the highest priority first, then by rank. Looks at no more
        -- than most + 64 lanes. A lane at whose gates others have a turn is left out; with "waits" it waits for the
        -- turns of the first lane. A last row without a pair says that there may be more: some lanes were left out,
        -- or not all were looked at.
        CREATE FUNCTION claim(worker_name text, most integer, waits boolean)
        RETURNS TABLE (
            id bigint, fence bigint, name text, owner text, source text, destination text, source_credential text,
            destination_credential text, options text, every double precision, deadline double precision,
            priority integer, failures integer, state_name text, state_size bigint, state_checksum text,
            unsettled boolean, gates text[]
        ) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        #variable_conflict use_column
        DECLARE
            head lane;
            chosen lane;
            taken pair;
            full_gate text;
            skipped bigint[] := '{}';
            looks integer := 0;
            claimed integer := 0;
            line integer := timeline();
            is_older boolean;
        BEGIN
            IF waits THEN
                PERFORM take_turns((
                    SELECT l.gates FROM lane AS l WHERE l.status = 'ready'
                    ORDER BY l.priority DESC, l.rank, l.id LIMIT 1));
            END IF;
            WHILE claimed < most LOOP
                SELECT l.* INTO head FROM lane AS l WHERE l.status = 'ready' AND l.id <> ALL (skipped)
                ORDER BY l.priority DESC, l.rank, l.id LIMIT 1;
                EXIT WHEN NOT FOUND;
                looks := looks + 1;
                EXIT WHEN looks > most + 64;
                IF coalesce(cardinality(try_turns(head.gates)), 0) < cardinality(head.gates) THEN
                    skipped := skipped || head.id;
                    CONTINUE;
                END IF;
                -- Another claim may have taken from it meanwhile, and put it behind others.
                SELECT l.* INTO chosen FROM lane AS l
                WHERE l.id = head.id AND l.status = 'ready' AND l.rank = head.rank;
                CONTINUE WHEN NOT FOUND;
                SELECT min(g.name) INTO full_gate FROM gate AS g
                    WHERE g.name = ANY (chosen.gates) AND gate_room(g) = 0;
                IF full_gate IS NOT NULL THEN
                    UPDATE lane AS l SET status = 'parked', parked_at = full_gate WHERE l.id = chosen.id;
                    PERFORM wake(chosen.gates);
                    CONTINUE;
                END IF;
                SELECT p.* INTO taken FROM pair AS p
                WHERE p.lane = chosen.id AND NOT p.running AND NOT p.paused AND p.due <= now()
                ORDER BY p.due, p.id LIMIT 1;
                IF FOUND THEN
                    -- Far beyond the claims that an older copy of the database does not know of.
                    is_older := taken.timeline <> line;
                    taken.fence := taken.fence + CASE WHEN is_older THEN 1048576 ELSE 1 END;
                    taken.unsettled := taken.unsettled OR coalesce(is_older, false);
                    UPDATE pair AS p
                    SET running = true, again = false, fence = taken.fence, timeline = line, unsettled = true,
                        last_start = now()
                    WHERE p.id = taken.id;
                    INSERT INTO lease (pair, fence, worker, gates, unsettled)
                    VALUES (taken.id, taken.fence, worker_name, chosen.gates, taken.unsettled);
                    UPDATE gate AS g SET running = g.running + 1 WHERE g.name = ANY (chosen.gates);
                    PERFORM setval('virtual_time', greatest(chosen.rank, (SELECT last_value FROM virtual_time)));
                    claimed := claimed + 1;
                    RETURN QUERY SELECT
                        taken.id, taken.fence, taken.name, taken.owner, taken.source, taken.destination,
                        taken.source_credential, taken.destination_credential, taken.options::text, taken.every,
                        taken.deadline, taken.priority, taken.failures, taken.state_name, taken.state_size,
                        taken.state_checksum, taken.unsettled, chosen.gates;
                END IF;
                PERFORM settle(chosen.id);
                PERFORM wake(chosen.gates);
            END LOOP;
            IF skipped <> '{}' OR looks > most + 64 THEN id := NULL; RETURN NEXT; END IF;
        END
        $$;

        -- Counts one more beat of each of these leases that the worker still holds, and returns them.
        CREATE FUNCTION renew(worker_name text, pairs bigint[], fences bigint[])
        RETURNS TABLE (id bigint, fence bigint)
        LANGUAGE sql SET search_path FROM CURRENT AS $$
            UPDATE lease SET beat = beat + 1, renewed = now()
            FROM (
                SELECT lease.pair FROM lease JOIN unnest(pairs, fences) AS known (pair, fence) USING (pair, fence)
                WHERE worker = worker_name AND NOT revoked ORDER BY lease.pair FOR NO KEY UPDATE OF lease) AS held
            WHERE lease.pair = held.pair RETURNING lease.pair, lease.fence
        $$;

        -- Names a pair's new state while the lease with this fence is held, and returns the former state's name. No
        -- row: the lease is lost, and nothing has changed. After a lost lease, the pair stays unsettled for one more
        -- run: the lost worker may have ended a step meanwhile.
        CREATE FUNCTION publish(pair_id bigint, held_fence bigint, name text, size bigint, checksum text)
        RETURNS TABLE (former text) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            PERFORM FROM lease WHERE pair = pair_id AND fence = held_fence AND NOT revoked FOR NO KEY UPDATE;
            IF NOT FOUND THEN RETURN; END IF;
            SELECT state_name INTO former FROM pair WHERE id = pair_id FOR NO KEY UPDATE;
            UPDATE pair SET state_name = publish.name, state_size = size, state_checksum = checksum,
                unsettled = lost > 0
                WHERE id = pair_id;
            RETURN NEXT;
        END
        $$;

        -- Takes the turns that ending a lease needs, at the gates of the run and of the pair's lane, and locks the
        -- lease. Returns it; null if this lease has ended.
        CREATE FUNCTION lock_lease(pair_id bigint, held_fence bigint) RETURNS lease
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            held lease;
            names text[];
            lane_id bigint;
        BEGIN
            LOOP
                SELECT lease.gates || lane.gates, lane.id INTO names, lane_id
                FROM lease JOIN pair ON pair.id = lease.pair JOIN lane ON lane.id = pair.lane
                WHERE lease.pair = pair_id AND lease.fence = held_fence;
                IF NOT FOUND THEN RETURN NULL; END IF;
                PERFORM take_turns(names);
                -- Else the pair moved to another lane meanwhile. Moving needs the turns of both, so it cannot happen
                -- again.
                EXIT WHEN EXISTS (SELECT FROM pair WHERE id = pair_id AND lane = lane_id);
            END LOOP;
            SELECT * INTO held FROM lease WHERE pair = pair_id AND fence = held_fence FOR UPDATE;
            RETURN held;
        END
        $$;

        -- Ends a lease that lock_lease locked; the pair is due at "moment". Wakes lanes and workers.
        CREATE FUNCTION end_lease(held lease, moment timestamptz) RETURNS void
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            lane_id bigint;
            names text[];
        BEGIN
            DELETE FROM lease WHERE pair = held.pair;
            UPDATE gate SET running = running - 1 WHERE name = ANY (held.gates);
            UPDATE pair SET running = false, again = false, due = moment WHERE id = held.pair
                RETURNING lane INTO lane_id;
            PERFORM expect(lane_id, moment);
            IF wake(held.gates) OR moment < now() + interval '30 seconds' THEN PERFORM ring(); END IF;
        END
        $$;

        -- Ends a run; the pair is due after "delay" seconds, or now if it was asked to run again and did not fail. A
        -- gate to close has its failures in a row counted, and closes for gate_delay seconds, doubled for each
        -- failure before this one, up to an hour or gate_delay. Failures while it is closed count once. A success
        -- sets the failures of the pair and of all its gates to 0. "settled": whether the state knows all that the run
        -- did; null if it did nothing. Returns false, and changes nothing, if this lease has ended.
        CREATE FUNCTION release(
            pair_id bigint, held_fence bigint, outcome text, error text, delay double precision, moved bigint,
            changed bigint, closing text, gate_delay double precision, settled boolean
        ) RETURNS boolean
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            held lease := lock_lease(pair_id, held_fence);
            moment timestamptz := now() + make_interval(secs => delay);
            succeeds boolean := outcome = 'success';
            fails boolean := outcome IN ('failed', 'incomplete', 'deadline');
        BEGIN
            IF held.pair IS NULL THEN RETURN false; END IF;
            IF succeeds THEN
                UPDATE gate SET failures = 0 WHERE name = ANY (held.gates) AND failures > 0;
            ELSIF closing = ANY (held.gates) THEN
                UPDATE gate SET failures = failures + 1, closed_until = now() + make_interval(
                    secs => least(greatest(3600, gate_delay), gate_delay * 2.0 ^ least(failures, 60)))
                WHERE name = closing AND (closed_until IS NULL OR closed_until <= now());
            END IF;
            IF held.revoked OR NOT fails AND (SELECT again FROM pair WHERE id = pair_id) THEN moment := now(); END IF;
            UPDATE pair SET
                failures = CASE WHEN succeeds THEN 0 WHEN fails THEN failures + 1 ELSE failures END,
                lost = 0, runs = runs + 1, failed_runs = failed_runs + fails::integer,
                bytes = greatest(0, least(bytes::numeric + moved, 9000000000000000000))::bigint,
                changes = changes + changed, last_end = now(),
                unsettled = CASE
                    WHEN settled THEN lost > 0 WHEN settled IS NULL THEN held.unsettled ELSE unsettled END,
                last_success = CASE WHEN succeeds THEN now() ELSE last_success END,
                last_outcome = outcome, last_error = left(error, 1000)
            WHERE id = pair_id;
            PERFORM end_lease(held, moment);
            RETURN true;
        END
        $$;

        -- Takes back a lease that an observer saw unchanged for the whole lease time. The pair is due at once; if its
        -- leases were lost three times in a row, after 5 seconds, 10 and so on, up to an hour. Returns false if the
        -- lease has another beat.
        CREATE FUNCTION take_back(pair_id bigint, held_fence bigint, seen_beat bigint) RETURNS boolean
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            held lease;
            losses integer;
        BEGIN
            -- A live lease costs no locks.
            PERFORM FROM lease WHERE pair = pair_id AND fence = held_fence AND beat = seen_beat;
            IF NOT FOUND THEN RETURN false; END IF;
            held := lock_lease(pair_id, held_fence);
            IF held.pair IS NULL OR held.beat <> seen_beat THEN RETURN false; END IF;
            UPDATE pair SET lost = lost + 1, last_end = now(), last_outcome = 'lost' WHERE id = pair_id
                RETURNING lost INTO losses;
            PERFORM end_lease(held, now() + make_interval(
                secs => CASE WHEN losses < 3 THEN 0
                    ELSE least(3600, 5 * 2.0 ^ least(losses - 3, 20)) * (0.75 + random() / 4) END));
            RETURN true;
        END
        $$;

        -- Ends the worker's leases other than these, which it cannot know of: the answer to its claim was lost. Their
        -- pairs are due at once. Returns how many there were.
        CREATE FUNCTION give_up(worker_name text, pairs bigint[], fences bigint[]) RETURNS integer
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            unknown record;
            names text[];
            total integer := 0;
            held lease;
        BEGIN
            SELECT array_agg(name) INTO names FROM (
                SELECT unnest(lease.gates || lane.gates) AS name
                FROM lease JOIN pair ON pair.id = lease.pair JOIN lane ON lane.id = pair.lane
                WHERE worker = worker_name
                    AND (lease.pair, lease.fence) NOT IN (SELECT * FROM unnest(pairs, fences))) AS gates;
            IF names IS NULL THEN RETURN 0; END IF;
            -- All before the first lease.
            PERFORM take_turns(names);
            FOR unknown IN
                SELECT pair, fence FROM lease
                WHERE worker = worker_name AND gates <@ names
                    AND (pair, fence) NOT IN (SELECT * FROM unnest(pairs, fences))
                ORDER BY pair
            LOOP
                held := lock_lease(unknown.pair, unknown.fence);
                CONTINUE WHEN held.pair IS NULL;
                -- It stays unsettled: such a run may have begun, and lost its lease by its worker's clock.
                UPDATE pair SET last_end = now(), last_outcome = 'given back' WHERE id = held.pair;
                PERFORM end_lease(held, now());
                total := total + 1;
            END LOOP;
            RETURN total;
        END
        $$;

        -- Seconds until a lane is due or a gate opens; null: none will by itself.
        CREATE FUNCTION next_due() RETURNS double precision
        LANGUAGE sql SET search_path FROM CURRENT AS $$
            SELECT greatest(0, extract(epoch FROM moment - now()))::double precision
            FROM (SELECT least(
                (SELECT min(due) FROM lane WHERE status = 'waiting'),
                (SELECT min(closed_until) FROM gate)) AS moment) AS next
            WHERE moment IS NOT NULL
        $$;

        -- Enters a worker, for the summary. Forgets those that ended, and those that were not seen for a day.
        CREATE FUNCTION register_worker(worker_name text, program text) RETURNS void
        LANGUAGE sql SET search_path FROM CURRENT AS $$
            DELETE FROM worker WHERE name IN (
                SELECT name FROM worker
                WHERE seen < now() - CASE WHEN stopping AND running = 0 THEN interval '1 minute'
                    ELSE interval '1 day' END
                FOR UPDATE SKIP LOCKED);
            INSERT INTO worker (name, version) VALUES (worker_name, program)
            ON CONFLICT (name) DO UPDATE
            SET version = program, running = 0, stopping = false, started = now(), seen = now();
        $$;

        CREATE FUNCTION see_worker(worker_name text, runs integer, stops boolean) RETURNS void
        LANGUAGE sql SET search_path FROM CURRENT AS $$
            UPDATE worker SET running = runs, stopping = stops, seen = now() WHERE name = worker_name
        $$;
        """
}
