package claims_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports"
)

// TestGet reads a claim with its attachments, the newest first.
func TestGet(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.does(b.make(b.good()))
	var want []billing.AttachmentID
	for n := range 3 {
		now := start().Add(time.Duration(n) * time.Minute)
		a := &attachment.Attachment{
			ID: billing.NewID[billing.AttachmentID](billing.RealAt(now)), Scope: b.scope, State: attachment.Open, Kind: attachment.Unsolicited,
			OfficeID: b.office.ID, Payer: c.Payer, ClaimID: c.ID, About: c.Subject(), CreatedAt: now, UpdatedAt: now,
		}
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Attachments.Insert(ctx, a) })
		want = append([]billing.AttachmentID{a.ID}, want...)
	}
	attached := func(c *claim.Record) (ids []billing.AttachmentID) {
		for _, a := range c.Attachments {
			ids = append(ids, a.ID)
		}
		return ids
	}
	if got := attached(b.get(c.ID)); !slices.Equal(got, want) {
		t.Errorf("attachments %v, want %v", got, want)
	}
	if got := attached(b.does(b.submit(c.ID))); !slices.Equal(got, want) { // a reply has them, too
		t.Errorf("attachments %v, want %v", got, want)
	}
	for name, of := range map[string]billing.Scope{
		"another mode": {Org: b.scope.Org, Mode: billing.ModeLive}, "another organization": newFixtureBeside(b).scope,
	} {
		if _, err := b.service.Get(t.Context(), of, c.ID); billing.CodeOf(err) != billing.CodeNotFound {
			t.Errorf("in %s: %v", name, err)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var want []string
	for n := range 5 {
		in := b.good()
		in.Draft, in.PatientControlNumber = n%2 == 1, new(fmt.Sprint("N-", n))
		in.Subscriber.MemberID = fmt.Sprint("PLAN-", n)
		want = append([]string{b.does(b.make(in)).PatientControlNumber}, want...)
	}
	b.does(b.make(b.asking()))
	beside := newFixtureBeside(b)
	beside.does(beside.make(beside.good()))
	list := func(f claim.Filter) (got []string) {
		for p := (billing.Page{Limit: 2}); ; {
			page, next, err := b.service.List(t.Context(), b.scope, f, p)
			if err != nil || len(page) > 2 {
				t.Fatal(len(page), err)
			}
			for _, c := range page {
				if c.OfficeName != "Main Street" || c.Provider.LastName != "Lee" {
					t.Errorf("office %q, provider %v", c.OfficeName, c.Provider)
				}
				got = append(got, c.PatientControlNumber)
			}
			if p.After = next; next == nil {
				return got
			}
		}
	}
	if got := list(claim.Filter{Kind: claim.KindClaim}); !slices.Equal(got, want) {
		t.Errorf("claims %v, want %v", got, want)
	}
	if got := list(claim.Filter{Kind: claim.KindClaim, States: []claim.State{claim.Draft}}); !slices.Equal(got, []string{"N-3", "N-1"}) {
		t.Errorf("drafts %v", got)
	}
	if got := list(claim.Filter{ControlNumber: "n-2"}); !slices.Equal(got, []string{"N-2"}) {
		t.Errorf("by control number %v", got)
	}
}
