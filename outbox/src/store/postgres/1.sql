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
    send bytea,
    checking bytea,
    check_at timestamptz,
    absent integer NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE UNIQUE INDEX key ON bdc_outbox.records (uid, record_id, operation) WHERE record_id IS NOT NULL AND state <> 8;
CREATE INDEX queued ON bdc_outbox.records (uid, number) WHERE state = 0;
CREATE INDEX open ON bdc_outbox.records (uid, operation, number) WHERE state IN (1, 5, 6);
CREATE INDEX state ON bdc_outbox.records (state, since);
CREATE INDEX send ON bdc_outbox.records (send) WHERE send IS NOT NULL;
CREATE INDEX due ON bdc_outbox.records (check_at) WHERE check_at IS NOT NULL;

CREATE TABLE bdc_outbox.sends (
    id bytea PRIMARY KEY,
    uid text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    begun timestamptz NOT NULL,
    records integer NOT NULL
);
CREATE INDEX begun ON bdc_outbox.sends (begun);

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
-- the sum is what there is. What is queued is counted where it is, since whoever adds a request touches one table only.
CREATE TABLE bdc_outbox.tallies (state smallint NOT NULL, change bigint NOT NULL);

CREATE FUNCTION bdc_outbox.tally() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO bdc_outbox.tallies
        SELECT state, sum(change) FROM (
            SELECT state, -1 AS change FROM before UNION ALL SELECT state, 1 FROM after
        ) AS changes WHERE state <> 0 GROUP BY state HAVING sum(change) <> 0;
    ELSE
        INSERT INTO bdc_outbox.tallies SELECT state, -count(*) FROM before WHERE state <> 0 GROUP BY state;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER moved AFTER UPDATE ON bdc_outbox.records REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION bdc_outbox.tally();
CREATE TRIGGER removed AFTER DELETE ON bdc_outbox.records REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION bdc_outbox.tally();

-- A request does not change. The statement that adds one tries to where the key is taken by another content.
CREATE FUNCTION bdc_outbox.differs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the outbox has another record with this id' USING ERRCODE = 'unique_violation';
END $$;
CREATE TRIGGER differs BEFORE UPDATE OF request ON bdc_outbox.records FOR EACH ROW
    WHEN (old.request <> new.request) EXECUTE FUNCTION bdc_outbox.differs();
