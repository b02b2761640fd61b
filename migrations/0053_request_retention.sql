-- +goose Up

-- The services can delete an entry of the request log only after the retention that the
-- owner of the tables sets, as one of the audit. It was 30 days, whatever the owner set.
GRANT SELECT ON audit_retention TO molar_system;
DROP POLICY system_forgets ON requests;
CREATE POLICY system_forgets ON requests FOR DELETE TO molar_system
    USING (created_at < now() - (SELECT keep FROM audit_retention));
