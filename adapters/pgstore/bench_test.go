package pgstore_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// BenchmarkManyClaims changes 300 claims in one transaction, each with an
// event.
func BenchmarkManyClaims(b *testing.B) {
	const many = 300
	s := pgtest.Open(b)
	in := scope()
	var numbers []string
	porttest.In(b, s, in, func(ctx context.Context, tx ports.Tx) (err error) {
		for n := range many {
			c := newClaim()
			c.PatientControlNumber = "PCN-" + strconv.Itoa(n)
			numbers = append(numbers, c.PatientControlNumber)
			err = errors.Join(err, tx.Claims.Insert(ctx, c))
		}
		return err
	})
	for b.Loop() {
		porttest.In(b, s, in, func(ctx context.Context, tx ports.Tx) error {
			all, err := tx.Clearing.Match(ctx, numbers, nil)
			for _, c := range all {
				e := c.Event(event.ClaimStatusUpdated, claim.Cause{At: time.Now()})
				err = errors.Join(err, tx.Claims.Save(ctx, c), tx.Events.Append(ctx, e))
			}
			return err
		})
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*many), "us/claim")
}
