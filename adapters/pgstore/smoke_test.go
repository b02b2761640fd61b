package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

func TestSmoke(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	if err := s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	org := billing.NewID[billing.OrgID](now)
	if err := s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Orgs.Insert(ctx, &billing.Organization{ID: org, Name: "x", CreatedAt: now})
	}); err != nil {
		t.Fatal(err)
	}
}
