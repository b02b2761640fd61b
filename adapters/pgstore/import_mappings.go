package pgstore

import (
	"context"

	"github.com/molar-billing/molar/core/billing/directory"
)

type importMappings struct{ *tx }

func importMappingFields(m *directory.ImportMapping) []field {
	return []field{
		{"kind", &m.Kind},
		{"columns", document{&m.Columns, "[]"}},
		{"payers", document{&m.Payers, "[]"}},
		{"updated_at", instant{&m.UpdatedAt}},
	}
}

// Get reads the mapping of a kind.
func (r importMappings) Get(ctx context.Context, kind directory.ImportKind) (*directory.ImportMapping, error) {
	found, err := read(ctx, r.tx, "get an import mapping", importMappingFields, `
SELECT `+columnsOf(importMappingFields(&directory.ImportMapping{}))+`
FROM import_mappings
WHERE org_id = $1 AND mode = $2 AND kind = $3`, r.scope.Org, r.scope.Mode, kind)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return &directory.ImportMapping{Kind: kind}, nil
	}
	return found[0], nil
}

// Put stores a mapping in place of the one for its kind.
func (r importMappings) Put(ctx context.Context, m *directory.ImportMapping) error {
	row, err := rowOf(importMappingFields(m))
	if err != nil {
		return err
	}
	return r.fetch(ctx, "put an import mapping", &r.xid, `
INSERT INTO import_mappings (org_id, mode, kind, columns, payers, updated_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (org_id, mode, kind) DO UPDATE SET (columns, payers, updated_at) = (excluded.columns, excluded.payers, excluded.updated_at)
RETURNING pg_current_xact_id()::text AS xid`, r.scope.Org, r.scope.Mode, m.Kind, row["columns"], row["payers"], row["updated_at"])
}
