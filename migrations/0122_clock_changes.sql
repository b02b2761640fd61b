-- +goose Up

-- GET /stream shows that the clock of an organization was set, was moved, or began or ended
-- an advance or a reset, whose end removes its row. The clock has no ID, so the change has its
-- organization's.
-- +goose StatementBegin
CREATE FUNCTION record_clock_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, 'sandbox_clock', w.org_id
    FROM watches w
    WHERE w.org_id = COALESCE(NEW.org_id, OLD.org_id) AND w.mode = 'test';
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER change AFTER UPDATE ON sandbox_clocks FOR EACH ROW
    WHEN ((OLD.ahead, OLD.stands_at, OLD.advance_job, OLD.reset_job) IS DISTINCT FROM (NEW.ahead, NEW.stands_at, NEW.advance_job, NEW.reset_job))
    EXECUTE FUNCTION record_clock_change();
CREATE TRIGGER removed AFTER DELETE ON sandbox_clocks FOR EACH ROW EXECUTE FUNCTION record_clock_change();
