package storetest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports"
)

// testNextSteps has a claim alone and in a list say the same next step, which is that of its first task
// that has come. The claim was made long before it came into its state, which only its history says.
func testNextSteps(b *scoped) {
	c := b.claim(0)
	c.State, c.CreatedAt = claim.Submitted, b.now.AddDate(0, 0, -3)
	sent := func(at time.Time) []claim.Move { return []claim.Move{{State: claim.Submitted, At: at}} }
	c.History = sent(b.now)
	b.insertClaims(c)
	says := func(what, want string) {
		b.t.Helper()
		b.in(func(ctx context.Context, tx ports.Tx) error {
			one, err1 := tx.Claims.Get(ctx, c.ID)
			list, err2 := tx.Claims.List(ctx, claim.Filter{Kind: claim.KindClaim}, billing.Page{Limit: 10})
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			if alone, listed := task.NextStep(one), task.NextStep(list[0]); alone != listed || !strings.HasPrefix(alone, want) {
				b.t.Errorf("%s: alone %q, in a list %q; want %q", what, alone, listed, want)
			}
			return nil
		})
	}
	const idle, late = "No action is needed: the clearinghouse will report", "The claim was not acknowledged for two days"
	save := func() {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Save(ctx, c) })
	}
	says("just sent", idle)
	c.History = sent(b.now.AddDate(0, 0, -2))
	save()
	says("sent two days ago", late)

	t := b.taskOf(c.ID)
	put := func(until time.Time, change bool) {
		t.SnoozedUntil, t.UntilChange = until, change
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Tasks.Save(ctx, t) })
	}
	put(b.now.AddDate(0, 0, 1), false)
	says("put off until tomorrow", idle)
	put(b.now.AddDate(0, 0, -1), false)
	says("put off until yesterday", late)
	put(time.Time{}, true)
	says("put off until the claim changes", idle)
	put(time.Time{}, false)
	c.State, c.History = claim.AcceptedPayer, append(c.History, claim.Move{State: claim.AcceptedPayer, At: b.now})
	save()
	says("acknowledged", "No action is needed: the payer will decide")
}
