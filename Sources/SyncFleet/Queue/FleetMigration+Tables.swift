extension FleetMigration {
    /// The tables.
    static let tables = FleetMigration(number: 1, sql: tablesText)

    private static let tablesText = """
        -- Who may run at once, and what is closed: one row for each owner ('owner:NAME') and each host ('host:NAME').
        -- A transaction that changes a gate, or a lane, holds the gate's turn, or those of all gates of the lane.
        CREATE TABLE gate (
            name text COLLATE "C" PRIMARY KEY,
            -- Runs at once; null: the default in "setting".
            most integer CHECK (most >= 0),
            running integer NOT NULL DEFAULT 0 CHECK (running >= 0),
            -- Lanes that pass this gate.
            lanes integer NOT NULL DEFAULT 0,
            failures integer NOT NULL DEFAULT 0,
            closed_until timestamptz,
            paused boolean NOT NULL DEFAULT false,
            -- Owners: the rank given last.
            rank bigint NOT NULL DEFAULT 0
        ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02);
        CREATE INDEX gate_closed ON gate (closed_until) WHERE closed_until IS NOT NULL;

        -- The rows to lock for a turn at a gate. They are never updated: SKIP LOCKED may wait for a row that others
        -- update, since it follows the row to its newest version.
        CREATE TABLE turn (
            name text COLLATE "C" PRIMARY KEY REFERENCES gate ON DELETE CASCADE
        ) WITH (fillfactor = 80);

        CREATE FUNCTION add_turn() RETURNS trigger
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            INSERT INTO turn VALUES (new.name);
            RETURN NULL;
        END
        $$;
        CREATE TRIGGER gate_turn AFTER INSERT ON gate FOR EACH ROW EXECUTE FUNCTION add_turn();

        -- Pairs of one priority with the same gates: a queue. A lane waits, becomes ready and is parked as a whole,
        -- so a full host costs one row for all the pairs of an owner on it.
        CREATE TABLE lane (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            priority integer NOT NULL,
            -- In byte order, the order in which they are locked.
            gates text[] NOT NULL,
            owner text COLLATE "C" NOT NULL REFERENCES gate,
            -- idle: no pair to run; waiting: until "due"; ready: has a rank; parked: at a gate without room.
            status text NOT NULL DEFAULT 'idle' CHECK (status IN ('idle', 'waiting', 'ready', 'parked')),
            -- No pair of the lane that may run is due earlier.
            due timestamptz NOT NULL DEFAULT 'infinity',
            rank bigint NOT NULL DEFAULT 0,
            parked_at text COLLATE "C" CHECK ((parked_at IS NULL) = (status <> 'parked')),
            UNIQUE (priority, gates)
        ) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02);
        CREATE INDEX lane_ready ON lane (priority DESC, rank, id) WHERE status = 'ready';
        CREATE INDEX lane_waiting ON lane (due) WHERE status = 'waiting';
        CREATE INDEX lane_parked ON lane (parked_at, priority DESC, rank, id) WHERE status = 'parked';

        -- The virtual time of fair queueing: the highest rank claimed so far. A sequence, since its changes lock
        -- nothing.
        CREATE SEQUENCE virtual_time MINVALUE 0 START 0;

        CREATE TABLE pair (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text COLLATE "C" NOT NULL UNIQUE,
            owner text COLLATE "C" NOT NULL,
            lane bigint NOT NULL REFERENCES lane,
            source text NOT NULL,
            destination text NOT NULL,
            source_credential text,
            destination_credential text,
            options jsonb NOT NULL,
            every double precision NOT NULL CHECK (every >= 0),
            deadline double precision CHECK (deadline > 0),
            priority integer NOT NULL,
            paused boolean NOT NULL DEFAULT false,
            running boolean NOT NULL DEFAULT false,
            -- Asked to run while it ran.
            again boolean NOT NULL DEFAULT false,
            due timestamptz NOT NULL DEFAULT now(),
            fence bigint NOT NULL DEFAULT 0,
            -- The timeline of the database's log at the last claim. Another one: the database may be an older copy.
            timeline integer,
            failures integer NOT NULL DEFAULT 0,
            -- Leases lost in a row.
            lost integer NOT NULL DEFAULT 0,
            state_name text,
            state_size bigint,
            state_checksum text,
            -- Whether a run may have done what the state does not know of.
            unsettled boolean NOT NULL DEFAULT false,
            runs bigint NOT NULL DEFAULT 0,
            failed_runs bigint NOT NULL DEFAULT 0,
            bytes bigint NOT NULL DEFAULT 0,
            changes bigint NOT NULL DEFAULT 0,
            last_start timestamptz,
            last_end timestamptz,
            last_success timestamptz,
            last_outcome text,
            last_error text
        ) WITH (fillfactor = 80, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02);
        CREATE INDEX pair_queue ON pair (lane, running, paused, due, id);
        CREATE INDEX pair_owner ON pair (owner, name);

        CREATE TABLE lease (
            pair bigint PRIMARY KEY REFERENCES pair,
            fence bigint NOT NULL,
            worker text NOT NULL,
            beat bigint NOT NULL DEFAULT 0,
            gates text[] NOT NULL,
            -- The pair's folders have changed: the run may neither go on nor publish.
            revoked boolean NOT NULL DEFAULT false,
            -- What the pair's was before.
            unsettled boolean NOT NULL DEFAULT false,
            taken timestamptz NOT NULL DEFAULT now(),
            renewed timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0);

        CREATE TABLE worker (
            name text PRIMARY KEY,
            version text NOT NULL,
            running integer NOT NULL DEFAULT 0,
            stopping boolean NOT NULL DEFAULT false,
            started timestamptz NOT NULL DEFAULT now(),
            seen timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 50);

        -- host_runs and owner_runs: limits of gates that have none; null: no limit.
        CREATE TABLE setting (
            key text PRIMARY KEY,
            value integer
        );
        INSERT INTO setting VALUES ('host_runs', NULL), ('owner_runs', NULL);
        """
}
