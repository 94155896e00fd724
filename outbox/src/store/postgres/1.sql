-- The tables of the outbox, version 1. Run it in one transaction, as a role that may create a schema.
--
-- States are numbers: 0 queued, 1 sending, 2 taken, 3 confirmed, 4 refused, 5 unknown, 6 unconfirmed, 7 parked,
-- 8 dropped.

CREATE SCHEMA bdc_outbox;

-- `oldest` is the version of the oldest library that can still use the tables.
CREATE TABLE bdc_outbox.migrations (
    version integer PRIMARY KEY,
    oldest integer NOT NULL,
    migrated timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO bdc_outbox.migrations (version, oldest) VALUES (1, 1);

-- Most requests go from queued to sending, taken and confirmed with a whole batch, so this is made cheap: their rows
-- are not written again. What is queued is in `queue`; what has left is in the `numbers` of its batch, and has the
-- state, the time and the reason of its row in `sends`. In both cases `state` is 0 here. A request that takes another
-- way has its own. The view `requests` has the state of each.
CREATE TABLE bdc_outbox.records (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    record_id text COLLATE "C",
    request text NOT NULL,
    state smallint NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 8),
    reason text,
    added timestamptz NOT NULL DEFAULT statement_timestamp(),
    since timestamptz NOT NULL DEFAULT statement_timestamp(),
    attempts integer NOT NULL DEFAULT 0,
    resent integer NOT NULL DEFAULT 0,
    alone boolean NOT NULL DEFAULT false,
    checking bytea,
    check_at timestamptz,
    absent integer NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE UNIQUE INDEX key ON bdc_outbox.records (uid, record_id, operation) WHERE record_id IS NOT NULL AND state <> 8;
CREATE INDEX open ON bdc_outbox.records (uid, operation, number) WHERE state IN (5, 6);
CREATE INDEX state ON bdc_outbox.records (state, since) WHERE state <> 0;
CREATE INDEX due ON bdc_outbox.records (check_at) WHERE check_at IS NOT NULL;

-- Filled by a trigger, so that whoever adds a request needs nothing else. Rows are added and removed, never changed.
CREATE TABLE bdc_outbox.queue (
    uid text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    since timestamptz NOT NULL,
    PRIMARY KEY (uid, number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX oldest ON bdc_outbox.queue (since);

-- Batches, and pulls. `state` is 1, 2 or 3, or null once no request follows the batch any more. Whoever moves requests
-- that follow a batch has locked its row, which remains for as long as callbacks may arrive. A request that is queued
-- again is taken from `numbers`, so that it is in at most one of them. `last` is the highest number of all.
CREATE TABLE bdc_outbox.sends (
    id bytea PRIMARY KEY,
    uid text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    begun timestamptz NOT NULL,
    records integer NOT NULL,
    numbers bigint[] NOT NULL DEFAULT '{}',
    last bigint,
    state smallint CHECK (state BETWEEN 1 AND 3),
    since timestamptz NOT NULL,
    reason text
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX numbers ON bdc_outbox.sends (uid, last) WHERE last IS NOT NULL;
CREATE INDEX moving ON bdc_outbox.sends (state, since) WHERE state IS NOT NULL;
CREATE INDEX begun ON bdc_outbox.sends (begun) WHERE state IS NULL;

-- Batches of a business leave in the order of their numbers, save for what is sent again or was committed late, so that
-- the first batch that is looked at is nearly always the one.
CREATE FUNCTION bdc_outbox.batch_of(business text, request bigint) RETURNS SETOF bdc_outbox.sends
LANGUAGE sql STABLE AS $$
    SELECT * FROM bdc_outbox.sends WHERE uid = business COLLATE "C" AND last >= request AND request = ANY(numbers)
    ORDER BY last LIMIT 1
$$;

CREATE VIEW bdc_outbox.requests AS
    SELECT records.number, records.uid, records.operation, record_id, request,
        coalesce(batch.state, records.state) AS state,
        CASE WHEN batch.id IS NULL THEN records.reason ELSE batch.reason END AS reason, added,
        coalesce(batch.since, records.since) AS since,
        attempts + CASE WHEN batch.id IS NULL THEN 0 ELSE 1 END AS attempts, resent, absent, check_at
    FROM bdc_outbox.records
    LEFT JOIN bdc_outbox.queue ON records.state = 0 AND queue.uid = records.uid AND queue.number = records.number
    LEFT JOIN LATERAL bdc_outbox.batch_of(records.uid, records.number) AS batch
        ON records.state = 0 AND queue.number IS NULL;

-- The businesses that have something queued or under way. Workers add and remove them; whoever adds a request does not,
-- so that open transactions of one business do not wait for each other. `send` is the batch that is under way, and
-- belongs to one worker until `lease_until`.
CREATE TABLE bdc_outbox.lanes (
    uid text COLLATE "C" PRIMARY KEY,
    send bytea,
    lease_until timestamptz,
    not_before timestamptz NOT NULL DEFAULT 'epoch',
    served bigint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    CHECK ((send IS NULL) = (lease_until IS NULL))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX next ON bdc_outbox.lanes (served) WHERE send IS NULL;
CREATE INDEX leased ON bdc_outbox.lanes (send) WHERE send IS NOT NULL;
CREATE SEQUENCE bdc_outbox.turns;

CREATE TABLE bdc_outbox.pauses (
    scope text COLLATE "C" PRIMARY KEY,
    until timestamptz,
    reason text NOT NULL,
    since timestamptz NOT NULL
);

CREATE TABLE bdc_outbox.decisions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    number bigint NOT NULL REFERENCES bdc_outbox.records ON DELETE CASCADE,
    kind text NOT NULL,
    decided_by text NOT NULL,
    why text NOT NULL,
    at timestamptz NOT NULL,
    from_state smallint NOT NULL
);
CREATE INDEX decided ON bdc_outbox.decisions (number);

-- By how much the number of requests in a state has changed. It is never updated, so that nobody waits for a counter;
-- the sum is what there is. Triggers count what is added and removed, and whoever moves requests counts those.
CREATE TABLE bdc_outbox.tallies (state smallint NOT NULL, change bigint NOT NULL);

CREATE FUNCTION bdc_outbox.enqueue() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    WITH queued AS (
        INSERT INTO bdc_outbox.queue SELECT uid, number, since FROM added ORDER BY number RETURNING number
    )
    INSERT INTO bdc_outbox.tallies SELECT 0, count(*) FROM queued HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE TRIGGER added AFTER INSERT ON bdc_outbox.records REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION bdc_outbox.enqueue();

CREATE FUNCTION bdc_outbox.tally() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO bdc_outbox.tallies SELECT coalesce(batch.state, removed.state), -count(*)
    FROM removed LEFT JOIN LATERAL bdc_outbox.batch_of(removed.uid, removed.number) AS batch ON removed.state = 0
    GROUP BY 1;
    DELETE FROM bdc_outbox.queue USING removed
    WHERE removed.state = 0 AND queue.uid = removed.uid AND queue.number = removed.number;
    RETURN NULL;
END $$;
CREATE TRIGGER removed AFTER DELETE ON bdc_outbox.records REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION bdc_outbox.tally();

-- A request does not change. The statement that adds one tries to where the key is taken by another content.
CREATE FUNCTION bdc_outbox.differs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the outbox has another record with this id' USING ERRCODE = 'unique_violation';
END $$;
CREATE TRIGGER differs BEFORE UPDATE OF request ON bdc_outbox.records FOR EACH ROW
    WHEN (old.request <> new.request) EXECUTE FUNCTION bdc_outbox.differs();
