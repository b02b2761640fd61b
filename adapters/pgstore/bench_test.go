package pgstore_test

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// The benchmarks print their time, and its ratio to a bare transaction of the
// same statements with lib/pq in the same run: times alone do not compare
// across machines.

// BenchmarkInTx measures transactions that write: a job alone, a check, and a
// check with its event and a job.
func BenchmarkInTx(b *testing.B) {
	for name, write := range map[string]func(ctx context.Context, tx ports.Tx, c *billing.EligibilityCheck) error{
		"job": func(ctx context.Context, tx ports.Tx, _ *billing.EligibilityCheck) error {
			return tx.Outbox.Stage(ctx, job())
		},
		"check": func(ctx context.Context, tx ports.Tx, c *billing.EligibilityCheck) error {
			return tx.Checks.Insert(ctx, c)
		},
		"check with an event": func(ctx context.Context, tx ports.Tx, c *billing.EligibilityCheck) error {
			return errors.Join(tx.Checks.Insert(ctx, c), tx.Events.Append(ctx, event(c.ID)), tx.Outbox.Stage(ctx, job()))
		},
	} {
		b.Run(name, func(b *testing.B) {
			url := pgtest.URL(b)
			s, in := pgtest.Open(b, func(o *pgstore.Options) { o.URL = url }), scope()
			base := bare(b, admin(b, url), "INSERT INTO organizations (id, name, created_at) VALUES (gen_random_uuid(), $1, now())", "x")
			for b.Loop() {
				if err := s.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) error { return write(ctx, tx, check(in)) }); err != nil {
					b.Fatal(err)
				}
			}
			report(b, base)
		})
	}
}

func BenchmarkView(b *testing.B) {
	url := pgtest.URL(b)
	s := pgtest.Open(b, func(o *pgstore.Options) { o.URL = url })
	in := scope()
	c := check(in)
	if err := s.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, c) }); err != nil {
		b.Fatal(err)
	}
	base := bare(b, admin(b, url), "SELECT id FROM eligibility_checks WHERE id = $1", c.ID)
	for b.Loop() {
		if err := s.View(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Checks.Get(ctx, c.ID)
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	report(b, base)
}

func BenchmarkList(b *testing.B) {
	s := pgtest.Open(b)
	in := scope()
	for range 100 {
		if err := s.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, check(in)) }); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if err := s.View(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Checks.List(ctx, billing.CheckFilter{}, billing.Page{Limit: 25})
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// bare measures a transaction of one statement without the store.
func bare(b *testing.B, db *sql.DB, query string, args ...any) time.Duration {
	b.Helper()
	const n = 500
	var began time.Time
	for i := range n + 50 {
		if i == 50 {
			began = time.Now()
		}
		tx, err := db.BeginTx(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := tx.ExecContext(b.Context(), query, args...); err != nil {
			b.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(began) / n
}

func report(b *testing.B, base time.Duration) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(base), "x-bare")
}

// BenchmarkManyClaims changes 300 claims in one transaction, each with an
// event.
func BenchmarkManyClaims(b *testing.B) {
	const many = 300
	s := pgtest.Open(b)
	in := scope()
	var numbers []string
	if err := s.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) (err error) {
		for n := range many {
			c := claim()
			c.PatientControlNumber = "PCN-" + strconv.Itoa(n)
			numbers = append(numbers, c.PatientControlNumber)
			err = errors.Join(err, tx.Claims.Insert(ctx, c))
		}
		return err
	}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
			all, err := tx.Clearing.Match(ctx, numbers, nil)
			for _, c := range all {
				e := c.Event(billing.EventClaimStatusUpdated, billing.ClaimCause{At: time.Now()})
				err = errors.Join(err, tx.Claims.Save(ctx, c), tx.Events.Append(ctx, e))
			}
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*many), "us/claim")
}
