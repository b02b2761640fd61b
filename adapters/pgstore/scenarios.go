package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/scenario"
)

type scenarios struct{ *tx }

// scenarioEnding is the ID of a scenario in its scope.
type scenarioEnding string

// UUID returns the row ID that the encrypted content is bound to.
func (e scenarioEnding) UUID() string { return "sandbox scenario " + string(e) }

const scenarioColumns = "org_id, mode, ending, operation, summary, dates, created_at"

type scenarioRow struct {
	Org       billing.OrgID      `db:"org_id"`
	Mode      billing.Mode       `db:"mode"`
	Ending    string             `db:"ending"`
	Operation scenario.Operation `db:"operation"`
	Summary   string             `db:"summary"`
	Dates     scenario.Dates     `db:"dates"`
	CreatedAt time.Time          `db:"created_at"`
	Content   []byte             `db:"content"`
}

// opened returns the scenario with its decrypted content, if it was read.
func (t *tx) opened(r scenarioRow) (o *scenario.Own, err error) {
	o = &scenario.Own{
		Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, Ending: r.Ending, Operation: r.Operation, Summary: r.Summary, Dates: r.Dates,
		CreatedAt: r.CreatedAt.UTC(),
	}
	if r.Content == nil {
		return o, nil
	}
	if o.Content, err = t.store.sealer.open(t.scope, scenarioEnding(r.Ending), r.Content); err != nil {
		return nil, fmt.Errorf("decrypt a scenario of the sandbox: %w", err)
	}
	return o, nil
}

func (r scenarios) sealed(o *scenario.Own) []byte {
	return r.store.sealer.seal(r.scope, scenarioEnding(o.Ending), o.Content)
}

// Insert stores a new scenario. It first waits for other inserts of the organization, and
// then counts its scenarios in a new statement.
func (r scenarios) Insert(ctx context.Context, o *scenario.Own) error {
	var locked sql.NullString
	if err := r.get(ctx, &locked, "SELECT pg_advisory_xact_lock(hashtextextended(format('sandbox scenarios %s', $1::uuid), 0))", r.scope.Org); err != nil {
		return fmt.Errorf("insert a scenario: %w", err)
	}
	r.evidence = evidence{
		"SELECT EXISTS (SELECT FROM sandbox_scenarios WHERE org_id = $1 AND mode = $2 AND ending = $3)", []any{r.scope.Org, r.scope.Mode, o.Ending},
	}
	n, err := r.exec(ctx, `
INSERT INTO sandbox_scenarios (`+scenarioColumns+`, content)
SELECT $1, $2, $3, $4, $5, $6, $7, $8
WHERE (SELECT count(*) FROM sandbox_scenarios WHERE org_id = $1 AND mode = $2) < $9
ON CONFLICT DO NOTHING`,
		r.scope.Org, r.scope.Mode, o.Ending, o.Operation, o.Summary, o.Dates, micro(o.CreatedAt), r.sealed(o), scenario.MaxOwn)
	switch {
	case err != nil:
		return fmt.Errorf("insert a scenario: %w", err)
	case n == 0:
		return &billing.Error{Code: billing.CodeConflict, Message: fmt.Sprintf(
			"The organization has a scenario with the ending %s, or has %d scenarios. Change or remove one.", o.Ending, scenario.MaxOwn)}
	}
	return nil
}

// Lock reads a scenario and keeps other transactions from writing it.
func (r scenarios) Lock(ctx context.Context, ending string) (*scenario.Own, error) {
	q := r.query(scenarioColumns+", content", "sandbox_scenarios")
	q.where("ending = %", ending)
	found, err := many(ctx, r.tx, "read a scenario", r.opened, q.text("FOR UPDATE"), q.args...)
	if err == nil && len(found) == 0 {
		err = &billing.Error{Code: billing.CodeNotFound, Message: "The organization has no scenario with this ending."}
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// Save stores the fields of a scenario that can change.
func (r scenarios) Save(ctx context.Context, o *scenario.Own) error {
	return r.later(ctx, scenarioEnding(o.Ending), `
UPDATE sandbox_scenarios
SET summary = $4, dates = $5, content = $6
WHERE org_id = $1 AND mode = $2 AND ending = $3`, r.scope.Org, r.scope.Mode, o.Ending, o.Summary, o.Dates, r.sealed(o))
}

// Delete removes a scenario.
func (r scenarios) Delete(ctx context.Context, ending string) error {
	return r.later(ctx, scenarioEnding(ending), "DELETE FROM sandbox_scenarios WHERE org_id = $1 AND mode = $2 AND ending = $3",
		r.scope.Org, r.scope.Mode, ending)
}

// List reads all scenarios, those for checks without their contents.
func (r scenarios) List(ctx context.Context) ([]*scenario.Own, error) {
	q := r.query(scenarioColumns+", CASE operation WHEN 'claim' THEN content END AS content", "sandbox_scenarios")
	return many(ctx, r.tx, "list scenarios", r.opened, q.text("ORDER BY ending"), q.args...)
}

// OwnScenario returns the scope's scenario for an operation with one of the endings: the
// longest that it has; nil if it has none.
func (s *Store) OwnScenario(ctx context.Context, scope billing.Scope, o scenario.Operation, endings []string) (own *scenario.Own, err error) {
	err = s.transact(ctx, session{role: roleApp, scope: scope}, true, func(ctx context.Context, t *tx) error {
		q := t.query(scenarioColumns+", content", "sandbox_scenarios")
		q.where("operation = % AND ending = ANY (%)", o, pq.Array(endings))
		found, err := many(ctx, t, "find a scenario", t.opened, q.text("ORDER BY length(ending) DESC\nLIMIT 1"), q.args...)
		if own = nil; len(found) > 0 {
			own = found[0]
		}
		return err
	})
	return own, err
}
