package pgstore

import (
	"context"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/task"
)

type notes struct{ *tx }

// noteRow is a note as it is stored: what people wrote is encrypted.
type noteRow struct {
	task.Note

	text, reason []byte
}

func noteFields(n *noteRow) []field {
	return scoped(&n.ID, &n.Scope, []field{
		{"resource", &n.Resource.Kind},
		{"resource_id", given{resourceID{&n.Resource.ID}}},
		{"created_at", instant{&n.At}},
		{"made_by", &n.By},
		{"content", &n.text},
		// Save writes these.
		{"struck_at", instant{&n.StruckAt}},
		{"struck_by", &n.StruckBy},
		{"struck_reason", &n.reason},
	})
}

// sealedNote encrypts what people wrote.
func (r notes) sealedNote(ctx context.Context, n *task.Note) *noteRow {
	row := &noteRow{Note: *n, text: r.seal(ctx, r.scope, n.ID, []byte(n.Text))}
	if n.StruckReason != "" {
		row.reason = r.seal(ctx, r.scope, n.ID, []byte(n.StruckReason))
	}
	return row
}

// opened decrypts what people wrote.
func (r notes) opened(ctx context.Context, rows []*noteRow) ([]*task.Note, error) {
	all := make([]*task.Note, len(rows))
	for i, row := range rows {
		text, err := r.unseal(ctx, r.scope, row.ID, row.text)
		if err == nil && row.reason != nil {
			var reason []byte
			reason, err = r.unseal(ctx, r.scope, row.ID, row.reason)
			row.StruckReason = string(reason)
		}
		if err != nil {
			return nil, fmt.Errorf("decrypt the note %s: %w", row.ID, err)
		}
		row.Text = string(text)
		all[i] = &row.Note
	}
	return all, nil
}

// Insert stores a new note.
func (r notes) Insert(ctx context.Context, n *task.Note) error {
	kinds := task.ResourceKinds()
	of := make([]any, len(kinds))
	for i, kind := range kinds {
		if n.Resource.Kind == kind {
			of[i] = billing.JobID(n.Resource.ID)
		}
	}
	return noteTable.insert(ctx, r.tx, r.sealedNote(ctx, n), of...)
}

// Lock reads a note and keeps other transactions from writing it.
func (r notes) Lock(ctx context.Context, id billing.NoteID) (*task.Note, error) {
	row, err := noteTable.get(ctx, r.tx, id, forUpdate)
	if err != nil {
		return nil, err
	}
	all, err := r.opened(ctx, []*noteRow{row})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Save stores that a note is struck.
func (r notes) Save(ctx context.Context, n *task.Note) error {
	return noteTable.save(ctx, r.tx, r.sealedNote(ctx, n))
}

func (r notes) filter(resource [16]byte) *query {
	q := noteTable.of(r.tx)
	if resource != [16]byte{} {
		q.where("resource_id = %", billing.JobID(resource))
	}
	return q
}

// List reads a page of notes.
func (r notes) List(ctx context.Context, resource [16]byte, p billing.Page) ([]*task.Note, error) {
	rows, err := noteTable.page(ctx, r.tx, r.filter(resource), p)
	if err != nil {
		return nil, err
	}
	return r.opened(ctx, rows)
}

// newest numbers the notes of each resource.
//
//nolint:gochecknoglobals // a constant, built from the columns
var newest = `
SELECT ` + noteTable.columns + `, of_resource
FROM (
	SELECT *, count(*) OVER (PARTITION BY resource_id) AS of_resource, row_number() OVER (PARTITION BY resource_id ORDER BY created_at DESC, id DESC) AS place
	FROM notes
	WHERE org_id = $1 AND mode = $2 AND resource_id = ANY ($3::uuid[]) AND struck_at IS NULL
) n
WHERE place <= $4
ORDER BY resource_id, place`

func (r notes) newest(resources [][16]byte) (string, []any) {
	ids := make([]billing.JobID, len(resources))
	for i, id := range resources {
		ids[i] = id
	}
	return newest, []any{r.scope.Org, r.scope.Mode, uuids(ids), task.NewestNotes}
}

// Newest reads the newest notes of resources in one statement.
func (r notes) Newest(ctx context.Context, resources [][16]byte) (map[[16]byte]task.Notes, error) {
	found := map[[16]byte]task.Notes{}
	if len(resources) == 0 {
		return found, nil
	}
	counts := map[[16]byte]int{}
	var row noteRow
	var n int
	var rows []*noteRow
	text, args := r.newest(resources)
	err := r.each(ctx, "read the newest notes", append(targets(noteFields(&row)), &n), func() {
		rows = append(rows, new(row))
		counts[row.Resource.ID] = n
		row = noteRow{}
	}, text, args...)
	if err != nil {
		return nil, err
	}
	all, err := r.opened(ctx, rows)
	for _, note := range all {
		of := note.Resource.ID
		found[of] = task.Notes{Newest: append(found[of].Newest, note), Count: counts[of]}
	}
	return found, err
}
