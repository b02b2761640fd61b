package storetest

import (
	"context"
	"reflect"

	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
)

// testImportMappings stores a mapping twice and reads it, in one scope.
func testImportMappings(b *scoped) {
	t := b.t
	full := Filled[directory.ImportMapping](t)
	full.Kind, full.UpdatedAt = directory.ImportSchedule, b.now
	full.Columns = append(full.Columns, directory.MappedColumn{Name: unicode})
	get := func(in *scoped) (m *directory.ImportMapping) {
		t.Helper()
		if err := in.try(in.scope, func(ctx context.Context, tx ports.Tx) (err error) {
			m, err = tx.ImportMappings.Get(ctx, directory.ImportSchedule)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return m
	}
	put := func(m directory.ImportMapping) {
		t.Helper()
		if err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error { return tx.ImportMappings.Put(ctx, &m) }); err != nil {
			t.Fatal(err)
		}
	}
	none := &directory.ImportMapping{Kind: directory.ImportSchedule}
	if got := get(b); !reflect.DeepEqual(got, none) {
		t.Errorf("before the first: %+v", got)
	}
	put(directory.ImportMapping{Kind: directory.ImportSchedule, UpdatedAt: b.now.Add(-1e9)})
	put(full)
	if got := get(b); !reflect.DeepEqual(got, &full) {
		t.Errorf("stored\n%+v, read\n%+v", full, got)
	}
	if got := get(b.other()); !reflect.DeepEqual(got, none) {
		t.Errorf("another scope: %+v", got)
	}
}
