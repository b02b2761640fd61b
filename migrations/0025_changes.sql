-- +goose Up

-- What changed, for GET /stream. Transactions record a change only while a process
-- has a stream of the scope open: it renews the row of the scope in watches. The
-- changes of every transaction with an ID of at least since are complete.
CREATE TABLE watches (
    org_id     uuid NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    expires_at timestamptz NOT NULL,
    begun      xid8 NOT NULL DEFAULT pg_current_xact_id(),
    since      xid8, -- empty until a transaction after the first
    PRIMARY KEY (org_id, mode)
);

CREATE TABLE changes (
    org_id     uuid NOT NULL,
    mode       text NOT NULL,
    kind       text NOT NULL,
    id         uuid NOT NULL,
    xid        xid8 NOT NULL DEFAULT pg_current_xact_id(),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX changes_tail ON changes (org_id, mode, xid);
CREATE INDEX changes_created ON changes (created_at);

ALTER TABLE watches ENABLE ROW LEVEL SECURITY;
ALTER TABLE watches FORCE ROW LEVEL SECURITY;
ALTER TABLE changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE changes FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON watches FOR SELECT TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY scope ON changes FOR INSERT TO molar_app
    WITH CHECK (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY system ON watches TO molar_system USING (true);
CREATE POLICY system ON changes TO molar_system USING (true);
GRANT SELECT ON watches TO molar_app;
GRANT INSERT ON changes TO molar_app;
GRANT SELECT, INSERT, UPDATE (expires_at, since), DELETE ON watches TO molar_system;
GRANT SELECT, INSERT, DELETE ON changes TO molar_system;

-- record_change runs after the row is written, so the transaction has an ID before
-- the function looks for a watch. A watch that it does not find is committed later.
-- +goose StatementBegin
CREATE FUNCTION record_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, TG_ARGV[0], NEW.id
    FROM watches w
    WHERE w.org_id = NEW.org_id AND w.mode = NEW.mode;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION record_removal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, TG_ARGV[0], OLD.id
    FROM watches w
    WHERE w.org_id = OLD.org_id AND w.mode = OLD.mode;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER change AFTER INSERT OR UPDATE ON eligibility_checks FOR EACH ROW EXECUTE FUNCTION record_change('eligibility_check');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON claims FOR EACH ROW EXECUTE FUNCTION record_change('claim');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON attachments FOR EACH ROW EXECUTE FUNCTION record_change('attachment');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON payer_requests FOR EACH ROW EXECUTE FUNCTION record_change('payer_request');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON eras FOR EACH ROW
    WHEN (NEW.received_at IS NOT NULL) EXECUTE FUNCTION record_change('era');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON batches FOR EACH ROW EXECUTE FUNCTION record_change('batch');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON offices FOR EACH ROW EXECUTE FUNCTION record_change('office');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON providers FOR EACH ROW EXECUTE FUNCTION record_change('provider');
CREATE TRIGGER change AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION record_change('event');
CREATE TRIGGER change AFTER INSERT ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION record_change('webhook_endpoint');
-- Neither the lease of its lane nor the time of its last success counts.
CREATE TRIGGER changed AFTER UPDATE ON webhook_endpoints FOR EACH ROW
    WHEN ((OLD.url, OLD.description, OLD.event_types, OLD.status, OLD.failures, OLD.failing_since, OLD.circuit_until)
        IS DISTINCT FROM (NEW.url, NEW.description, NEW.event_types, NEW.status, NEW.failures, NEW.failing_since, NEW.circuit_until))
    EXECUTE FUNCTION record_change('webhook_endpoint');
CREATE TRIGGER removed AFTER DELETE ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION record_removal('webhook_endpoint');
CREATE TRIGGER failed AFTER UPDATE OF state ON webhook_deliveries FOR EACH ROW
    WHEN (NEW.state = 'failed' AND OLD.state <> 'failed') EXECUTE FUNCTION record_change('webhook_delivery');
