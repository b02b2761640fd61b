package pgstore

import (
	"context"
	"database/sql"
	"fmt"

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

// scenarioFields are the columns without the content.
func scenarioFields(o *scenario.Own) []field {
	return []field{
		{"org_id", &o.Scope.Org},
		{"mode", &o.Scope.Mode},
		{"ending", &o.Ending},
		{"operation", &o.Operation},
		{"summary", &o.Summary},
		{"dates", &o.Dates},
		{"created_at", instant{&o.CreatedAt}},
	}
}

// opened reads scenarios with their decrypted contents, as far as these were read.
func (t *tx) opened(ctx context.Context, what string, q *query, end string) ([]*scenario.Own, error) {
	all, err := read(ctx, t, what, func(o *scenario.Own) []field { return append(scenarioFields(o), field{"content", &o.Content}) }, q.text(end), q.args...)
	if err != nil {
		return nil, err
	}
	for _, o := range all {
		if o.Content == nil {
			continue
		}
		if o.Content, err = t.unseal(ctx, t.scope, scenarioEnding(o.Ending), o.Content); err != nil {
			return nil, fmt.Errorf("decrypt a scenario of the sandbox: %w", err)
		}
	}
	return all, nil
}

func (r scenarios) sealed(ctx context.Context, o *scenario.Own) []byte {
	return r.seal(ctx, r.scope, scenarioEnding(o.Ending), o.Content)
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
		r.scope.Org, r.scope.Mode, o.Ending, o.Operation, o.Summary, o.Dates, micro(o.CreatedAt), r.sealed(ctx, o), scenario.MaxOwn)
	switch {
	case err != nil:
		return fmt.Errorf("insert a scenario: %w", err)
	case n == 0:
		return &billing.Error{Code: billing.CodeConflict, Message: fmt.Sprintf(
			"The organization has a scenario with the ending %s, or has %d scenarios. Change or remove one.", o.Ending, scenario.MaxOwn)}
	}
	return nil
}

// Get reads a scenario.
func (r scenarios) Get(ctx context.Context, ending string) (*scenario.Own, error) {
	return r.one(ctx, ending, "")
}

// Lock reads a scenario and keeps other transactions from writing it.
func (r scenarios) Lock(ctx context.Context, ending string) (*scenario.Own, error) {
	return r.one(ctx, ending, forUpdate)
}

func (r scenarios) one(ctx context.Context, ending, end string) (*scenario.Own, error) {
	q := r.query(scenarioColumns+", content", "sandbox_scenarios")
	q.where("ending = %", ending)
	found, err := r.opened(ctx, "read a scenario", q, end)
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
WHERE org_id = $1 AND mode = $2 AND ending = $3`, r.scope.Org, r.scope.Mode, o.Ending, o.Summary, o.Dates, r.sealed(ctx, o))
}

// Delete removes a scenario.
func (r scenarios) Delete(ctx context.Context, ending string) error {
	return r.later(ctx, scenarioEnding(ending), "DELETE FROM sandbox_scenarios WHERE org_id = $1 AND mode = $2 AND ending = $3",
		r.scope.Org, r.scope.Mode, ending)
}

// List reads all scenarios, those for checks without their contents.
func (r scenarios) List(ctx context.Context) ([]*scenario.Own, error) {
	q := r.query(scenarioColumns+", CASE operation WHEN 'claim' THEN content END AS content", "sandbox_scenarios")
	return r.opened(ctx, "list scenarios", q, "ORDER BY ending")
}

// OwnScenario returns the scope's scenario for an operation with one of the endings: the
// longest that it has; nil if it has none.
func (s *Store) OwnScenario(ctx context.Context, scope billing.Scope, o scenario.Operation, endings []string) (own *scenario.Own, err error) {
	err = s.transact(ctx, session{role: roleApp, scope: scope}, true, func(ctx context.Context, t *tx) error {
		q := t.query(scenarioColumns+", content", "sandbox_scenarios")
		q.where("operation = % AND ending = ANY (%)", o, pq.Array(endings))
		found, err := t.opened(ctx, "find a scenario", q, "ORDER BY length(ending) DESC\nLIMIT 1")
		if own = nil; len(found) > 0 {
			own = found[0]
		}
		return err
	})
	return own, err
}
