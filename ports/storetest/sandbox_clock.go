package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// testSandboxClock stores a clock in each of its states, and reads what waits for it.
func testSandboxClock(b *scoped) {
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Orgs.Insert(ctx, &caller.Organization{ID: b.scope.Org, Name: "Practice", CreatedAt: b.now})
	})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.SandboxClock.Get(ctx)
		equal(b.t, "a clock that was never touched", c, &sandbox.Clock{})
		return err
	})
	at := b.now.AddDate(1, 0, 0)
	for _, want := range []sandbox.Clock{
		{Ahead: 200 * 24 * time.Hour},
		{Ahead: -time.Microsecond},
		{StandsAt: at},
		{StandsAt: at, Advance: &sandbox.Advance{Job: id[billing.JobID](), Target: at, ProgressedAt: b.now}},
		{StandsAt: at, Advance: &sandbox.Advance{Job: id[billing.JobID](), Key: "k", Until: sandbox.UntilIdle, Target: at, RunsOn: true, ProgressedAt: b.now}},
		{},
	} {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			if _, err := tx.SandboxClock.Lock(ctx); err != nil {
				return err
			}
			return tx.SandboxClock.Put(ctx, &want)
		})
		b.in(func(ctx context.Context, tx ports.Tx) error {
			got, err := tx.SandboxClock.Get(ctx)
			equal(b.t, "the clock", got, &want)
			if now, wall := tx.Clock.Now(), tx.Real.Now().Time; !now.Equal(want.Now(wall)) {
				b.t.Errorf("the time of %+v is %v at %v", want, now, wall)
			}
			return err
		})
	}
	work := func() (w sandbox.Work) {
		b.in(func(ctx context.Context, tx ports.Tx) (err error) {
			w, err = tx.SandboxClock.Work(ctx, []string{"sandbox"}, true)
			return err
		})
		return w
	}
	equal(b.t, "no work", work(), sandbox.Work{Jobs: map[string]int{}})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		for _, kind := range jobs.Kinds() {
			if kind != jobs.KindWebhook {
				if err := tx.Outbox.Stage(ctx, jobs.Job{Kind: kind, Scope: b.scope, Subject: id[billing.JobID]()}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	equal(b.t, "jobs", work().Jobs, map[string]int{"eligibility": 1, "batch_eligibility": 1, "claim_status": 1, "attachment_send": 1, "png_convert": 1, "thumbnail": 1, "era": 1, "posting": 1, "second_plan": 1, "enrollment": 1})
}
