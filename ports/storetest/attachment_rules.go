package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/ports"
)

// testAttachmentRules stores, changes, lists and deletes rules, and reads them beside an office
// and with the claims that they are about.
func testAttachmentRules(b *scoped) {
	t := b.t
	b.organization()
	rule := func(n int, payer directory.PayerSummary, needs ...advice.Need) *advice.Rule {
		r := Filled[advice.Rule](t)
		r.Scope, r.CreatedAt, r.UpdatedAt = b.scope, b.now.Add(time.Duration(n)*time.Hour), b.now
		r.Payer, r.Needs, r.When = payer, needs, advice.Always
		return &r
	}
	payer := b.payer()
	one, all := rule(0, payer, advice.XRay, advice.Narrative), rule(1, directory.PayerSummary{})
	all.Codes, all.Note, all.Edits = nil, "", billing.Edits{}
	strange := rule(2, directory.PayerSummary{ID: id[billing.PayerID](), PayerID: "1", Name: "Another"}, advice.Photo)
	write := func(rules ...*advice.Rule) {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			for _, r := range rules {
				if err := tx.AttachmentRules.Write(ctx, r); err != nil {
					return err
				}
			}
			return nil
		})
	}
	write(one, all, strange)
	one.When, one.Codes, one.UpdatedAt = advice.Initial, []string{"D2740"}, b.now.Add(time.Minute)
	write(one)
	list := func(payer billing.PayerID) []*advice.Rule {
		return walk(1, func(p billing.Page) []*advice.Rule {
			return read(b, func(ctx context.Context, tx ports.Tx) ([]*advice.Rule, error) {
				return tx.AttachmentRules.List(ctx, payer, p)
			})
		}, (*advice.Rule).Position, func() {})
	}
	equal(t, "rules", list(billing.PayerID{}), []*advice.Rule{strange, all, one})
	equal(t, "rules for a payer", list(payer.ID), []*advice.Rule{one})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		locked, err := tx.AttachmentRules.Lock(ctx, one.ID)
		equal(t, "a locked rule", locked, one)
		return err
	})
	equal(t, "a rule", read(b, func(ctx context.Context, tx ports.Tx) (*advice.Rule, error) {
		return tx.AttachmentRules.Get(ctx, all.ID)
	}), all)

	short := func(rules ...*advice.Rule) (out []*advice.Rule) {
		for _, r := range rules {
			out = append(out, &advice.Rule{ID: r.ID, Payer: directory.PayerSummary{ID: r.Payer.ID}, Codes: append([]string{}, r.Codes...), Needs: append([]advice.Need{}, r.Needs...), When: r.When, Note: r.Note})
		}
		return out
	}
	c := b.claim(0)
	c.Payer, c.State = payer, claim.Validated
	sent := b.claim(1)
	sent.Payer, sent.State = payer, claim.Submitted
	b.insertClaims(c, sent)
	with := func(id billing.ClaimID) []*advice.Rule {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*advice.Rule, error) {
			r, err := tx.Claims.Get(ctx, id)
			if err != nil {
				return nil, err
			}
			return r.Rules, nil
		})
	}
	equal(t, "the rules of a claim", with(c.ID), short(one, all))
	equal(t, "the rules of a claim that was sent", len(with(sent.ID)), 0)

	office := &directory.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: unicode, CreatedAt: b.now}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Offices.Insert(ctx, office) })
	b.in(func(ctx context.Context, tx ports.Tx) error {
		want, err := tx.Offices.Get(ctx, office.ID)
		if err != nil {
			return err
		}
		got, err := tx.AttachmentRules.WithOffice(ctx, office.ID, payer.ID)
		equal(t, "the office, and what its claims follow", got, &ports.Followed{Office: want, Rules: short(one, all, strange)})
		return err
	})
	terms := limit.Terms{Filing: limit.Term{Days: 365, Stated: "page 12"}}
	b.insertFees(b.feeSchedule(0, func(*fee.Schedule) {}))
	b.in(func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.PayerLimits.Put(ctx, &limit.OfPayer{ID: id[billing.JobID](), Scope: b.scope, Payer: payer, Terms: terms, CreatedAt: b.now, UpdatedAt: b.now})
		return err
	})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.AttachmentRules.WithOffice(ctx, office.ID, payer.ID)
		equal(t, "with limits and schedules", got, &ports.Followed{Office: got.Office, Rules: got.Rules, Limits: terms, Schedules: true})
		if err == nil {
			got, err = tx.AttachmentRules.WithOffice(ctx, office.ID, id[billing.PayerID]())
			equal(t, "for another payer", got.Limits, limit.Terms{})
		}
		return err
	})

	b.elsewhere(func(ctx context.Context, tx ports.Tx, mode billing.Mode) error {
		_, err := tx.AttachmentRules.Get(ctx, one.ID)
		all, failed := tx.AttachmentRules.List(ctx, billing.PayerID{}, billing.Page{Limit: 10})
		_, beside := tx.AttachmentRules.WithOffice(ctx, office.ID, payer.ID)
		if deleted := tx.AttachmentRules.Delete(ctx, one.ID); !billing.IsNotFound(err) || !billing.IsNotFound(beside) || !billing.IsNotFound(deleted) || len(all) > 0 {
			t.Errorf("%s sees another scope's rules: %v, %v", mode, all, err)
		}
		return failed
	})
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.AttachmentRules.Delete(ctx, one.ID) })
	b.absent("a deleted rule",
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.AttachmentRules.Get(ctx, one.ID) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.AttachmentRules.Lock(ctx, one.ID) },
		func(ctx context.Context, tx ports.Tx) (any, error) {
			return nil, tx.AttachmentRules.Delete(ctx, one.ID)
		})
	equal(t, "the rules that are left", with(c.ID), short(all))
}
