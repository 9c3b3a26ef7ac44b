extension FleetMigration {
    /// Gates and lanes: what the functions of workers and owners share.
    static let gates = FleetMigration(number: 2, sql: gatesText)

    private static let gatesText = """
        -- Order of locks, the same everywhere: turns in byte order of their names, then leases, then pairs. A
        -- transaction that waits for a turn holds none behind it, and no lease or pair. claim and promote do not wait
        -- for turns, but for those of claim's first lane when told to. With the turns of all gates of a lane, its
        -- rows are free.

        -- How many more may pass a gate now.
        CREATE FUNCTION gate_room(gate) RETURNS integer
        LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
            SELECT CASE
                WHEN $1.paused OR $1.closed_until > now() THEN 0
                ELSE greatest(0, coalesce(
                    $1.most,
                    (SELECT value FROM setting
                        WHERE key = CASE WHEN $1.name LIKE 'owner:%' THEN 'owner_runs' ELSE 'host_runs' END),
                    2147483647) - $1.running)
            END
        $$;

        -- Waits for turns at gates.
        CREATE FUNCTION take_turns(names text[]) RETURNS void
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            PERFORM FROM turn WHERE name = ANY (names) ORDER BY name FOR UPDATE;
        END
        $$;

        -- Takes those of the turns that are free, without waiting.
        CREATE FUNCTION try_turns(names text[]) RETURNS text[]
        LANGUAGE sql SET search_path FROM CURRENT AS $$
            SELECT array_agg(name) FROM (SELECT name FROM turn
                WHERE name = ANY (names) FOR UPDATE SKIP LOCKED) AS free
        $$;

        -- Makes lanes that are parked at these gates ready, as many as there is room, but at most 8. Returns whether
        -- there were any. The caller has their turns. Called after each step that leaves a gate with room: every
        -- ready lane is looked at some day, claimed or parked elsewhere, and the step after that calls wake again. So
        -- while a gate has room and lanes are parked at it, another lane of this gate is ready.
        CREATE FUNCTION wake(names text[]) RETURNS boolean
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            parked text;
            woken boolean := false;
        BEGIN
            FOR parked IN
                SELECT name FROM unnest(names) AS name
                WHERE EXISTS (SELECT FROM lane WHERE status = 'parked' AND parked_at = name)
            LOOP
                UPDATE lane SET status = 'ready', parked_at = NULL
                WHERE id IN (
                    SELECT id FROM lane WHERE status = 'parked' AND parked_at = parked
                    ORDER BY priority DESC, rank, id
                    LIMIT (SELECT least(8, gate_room(gate)) FROM gate WHERE name = parked));
                woken := woken OR FOUND;
            END LOOP;
            RETURN woken;
        END
        $$;

        -- Tells the workers that there may be something to claim.
        CREATE FUNCTION ring() RETURNS void
        LANGUAGE sql SET search_path FROM CURRENT AS $$
            -- Not empty: that would mean that others may have been missed.
            SELECT pg_notify(current_schema(), 'ready')
        $$;

        -- The rank behind everything that the owner has in the queue, and not before what was claimed last. The
        -- caller has the owner's turn.
        CREATE FUNCTION next_rank(owner_gate text) RETURNS bigint
        LANGUAGE sql SET search_path FROM CURRENT AS $$
            UPDATE gate SET rank = greatest(rank, (SELECT last_value FROM virtual_time)) + 1
                WHERE name = owner_gate RETURNING rank
        $$;

        -- A pair of the lane is due then. The caller has the turns of its gates.
        CREATE FUNCTION expect(lane_id bigint, moment timestamptz) RETURNS void
        LANGUAGE sql SET search_path FROM CURRENT AS $$
            UPDATE lane SET due = least(due, moment), status = CASE status WHEN 'idle' THEN 'waiting' ELSE status END
            WHERE id = lane_id AND (status = 'idle' OR due > moment)
        $$;

        -- The lane's due and status from its pairs, after one left it. The caller has the turns of its gates.
        CREATE FUNCTION settle(lane_id bigint) RETURNS void
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            next timestamptz;
        BEGIN
            SELECT due INTO next FROM pair WHERE lane = lane_id AND NOT running AND NOT paused
                ORDER BY due, id LIMIT 1;
            IF next IS NULL THEN
                UPDATE lane SET status = 'idle', due = 'infinity' WHERE id = lane_id;
            ELSIF next <= now() THEN
                UPDATE lane SET status = 'ready', due = next, rank = next_rank(owner) WHERE id = lane_id;
            ELSE
                UPDATE lane SET status = 'waiting', due = next WHERE id = lane_id;
            END IF;
        END
        $$;
        """
}
