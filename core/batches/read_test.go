package batches_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports"
)

// TestRead reads batches page by page, alone and with their files, in their own
// organization only.
func TestRead(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var want []billing.FileID
	for n := range 3 {
		made := clearing.NewBatch(b.scope, sandboxnet.Name, int64(n+1), 1, billing.RealAt(b.clock.Now().Add(time.Duration(n)*time.Second)), b.clock.Now().Add(time.Duration(n)*time.Second))
		b.in(b.practice, func(ctx context.Context, tx ports.Tx) error {
			if kept, err := tx.Batches.Insert(ctx, made, []byte("ISA*"+made.File.Name)); err != nil || !kept {
				return fmt.Errorf("kept %t: %w", kept, err)
			}
			return nil
		})
		want = append([]billing.FileID{made.ID}, want...)
	}
	var got []billing.FileID
	for p := (billing.Page{Limit: 2}); ; {
		page, next, err := b.service.List(t.Context(), b.scope, p)
		if err != nil || len(page) > 2 {
			t.Fatal(len(page), err)
		}
		for _, x := range page {
			got = append(got, x.ID)
		}
		if p.After = next; next == nil {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("batches %v, want %v", got, want)
	}
	one, err := b.service.Get(t.Context(), b.scope, want[0])
	if err != nil || one.ID != want[0] || one.ClaimCount != 1 {
		t.Fatalf("%+v, %v", one, err)
	}
	file, content, err := b.service.File(t.Context(), b.scope, want[0])
	if err != nil || file.File.Name != one.File.Name || string(content) != "ISA*"+one.File.Name {
		t.Errorf("%+v with %q, %v", file, content, err)
	}
	other := b.newPractice("1679576722").scope
	if _, err := b.service.Get(t.Context(), other, want[0]); billing.CodeOf(err) != billing.CodeNotFound {
		t.Errorf("another organization's: %v", err)
	}
	if _, content, err := b.service.File(t.Context(), other, want[0]); billing.CodeOf(err) != billing.CodeNotFound || content != nil {
		t.Errorf("another organization's file: %q, %v", content, err)
	}
}
