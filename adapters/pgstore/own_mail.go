package pgstore

import (
	"context"
	"fmt"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// ownMail is the part of the sandbox's mail that is an organization's own.
type ownMail struct{ *tx }

// batchOf is the name of the file that the message m is about.
const batchOf = `regexp_replace(m.name, '(-[a-z]+-[0-9]+)?\.[a-z0-9]+$', '.837')`

// waitingMail reads all that waits of the organization by its index, and the contents of few.
const waitingMail = `
SELECT name, content, due, given_until IS NOT NULL AS given
FROM sandbox_mail m
WHERE org_id = $1 AND mode = 'test' AND mode = $2 AND removed_at IS NULL AND network = $3 AND ` + batchOf + ` = ANY ($4::text[])
ORDER BY due, name
FOR UPDATE`

// Waiting locks and reads messages.
func (r ownMail) Waiting(ctx context.Context, network string, files []string) (all []scenario.Message, err error) {
	var m scenario.Message
	if err := r.each(ctx, "read messages of the sandbox", []any{&m.Name, &m.Content, instant{&m.Due}, &m.Given}, func() {
		all = append(all, m)
	}, waitingMail, r.scope.Org, r.scope.Mode, network, pq.StringArray(files)); err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Content, err = r.unseal(ctx, billing.Scope{Mode: billing.ModeTest}, mailName(all[i].Name), all[i].Content); err != nil {
			return nil, fmt.Errorf("decrypt a message of the sandbox: %w", err)
		}
	}
	return all, nil
}

func (r ownMail) sealed(ctx context.Context, m *scenario.Message) []byte {
	if m.Content == nil {
		return nil
	}
	return r.seal(ctx, billing.Scope{Mode: billing.ModeTest}, mailName(m.Name), m.Content)
}

// Put stores a message.
func (r ownMail) Put(ctx context.Context, network string, m scenario.Message) error {
	return r.later(ctx, mailName(m.Name), "INSERT INTO sandbox_mail (name, content, due, org_id, mode, network) VALUES ($1, $2, $3, $4, $5, $6)",
		m.Name, r.sealed(ctx, &m), micro(m.Due), r.scope.Org, r.scope.Mode, network)
}

// Change stores the contents of messages. The names of those that are removed are kept, so
// that a file of claims that is sent again does not bring them back.
func (r ownMail) Change(ctx context.Context, all []scenario.Message) error {
	for i := range all {
		if err := r.later(ctx, mailName(all[i].Name), "UPDATE sandbox_mail SET content = $2, removed_at = CASE WHEN $2::bytea IS NULL THEN now() END WHERE name = $1",
			all[i].Name, r.sealed(ctx, &all[i])); err != nil {
			return err
		}
	}
	return nil
}

// Note stores a note.
func (r ownMail) Note(ctx context.Context, n scenario.Note) error {
	if err := r.lockNotes(ctx); err != nil {
		return err
	}
	_, err := r.do(ctx, "store a note of the sandbox", "INSERT INTO sandbox_notes (key, noted_by, noted_at, org_id, mode, content) VALUES ($1, $2, now(), $3, $4, $5)",
		n.Key[:], n.By, r.scope.Org, r.scope.Mode, r.seal(ctx, billing.Scope{Mode: billing.ModeTest}, noteKey(n.Key), n.Content))
	return err
}
