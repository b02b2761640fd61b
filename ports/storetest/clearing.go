package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

func claimIDs(all []*claim.Claim) (ids []billing.ClaimID) {
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

// inOrder returns the IDs of claims in ascending order.
func inOrder(all ...*claim.Claim) []billing.ClaimID {
	ids := claimIDs(all)
	slices.SortFunc(ids, func(a, b billing.ClaimID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// clearing returns the IDs of the claims that fn locks.
func (b *scoped) clearing(fn func(ctx context.Context, tx ports.Clearing) ([]*claim.Claim, error)) (ids []billing.ClaimID) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		all, err := fn(ctx, tx.Clearing)
		ids = claimIDs(all)
		return err
	})
	return ids
}

func (b *scoped) match(control, payer []string) []billing.ClaimID {
	b.t.Helper()
	return b.clearing(func(ctx context.Context, c ports.Clearing) ([]*claim.Claim, error) {
		return c.Match(ctx, control, payer)
	})
}

// testMatch finds claims by the numbers in files.
func testMatch(b *scoped) {
	t := b.t
	one, two, three, void, bare := b.claim(0), b.claim(1), b.claim(2), b.claim(3), b.claim(4)
	one.PatientControlNumber, one.PayerClaimNumber = "Abc-1", "P-1"
	two.PatientControlNumber, two.PayerClaimNumber = "abc-2", "P-2"
	three.PayerClaimNumber, three.SubmittedNumber = "P-2", "SHORT3"
	void.Frequency, void.ParentID, void.PayerClaimNumber = claim.FrequencyVoid, one.ID, "P-1"
	b.insertClaims(three, two, one, void, bare)
	equal(t, "by control number", b.match([]string{"ABC-1", "nothing"}, nil), inOrder(one))
	equal(t, "by submitted number", b.match([]string{"short3"}, nil), inOrder(three))
	equal(t, "by the payer's number", b.match(nil, []string{"P-2"}), inOrder(two, three))
	equal(t, "with its void", b.match(nil, []string{"P-1", ""}), inOrder(one, void))
	equal(t, "by either", b.match([]string{"abc-2", "aBC-2", "ABC-1"}, []string{"P-2", "x"}), inOrder(one, two, three))
	equal(t, "by the payer's number in another case", len(b.match(nil, []string{"p-1"})), 0)
	equal(t, "by nothing", len(b.match(nil, nil))+len(b.match([]string{""}, []string{""})), 0)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Clearing.Match(ctx, []string{"abc-1"}, nil)
		equal(t, "a claim that matches", all, []*claim.Claim{one})
		return err
	})
}

// testMatchRace locks the same claims in several transactions, which name the
// numbers in different orders, and counts in each claim.
func testMatchRace(b *scoped) {
	var numbers []string
	for n := range 20 {
		c := b.claim(n)
		c.Note = ""
		numbers = append(numbers, c.PatientControlNumber)
		b.insertClaims(c)
	}
	b.race(times(6, func(n int) error {
		mine := slices.Clone(numbers)
		if n%2 == 1 {
			slices.Reverse(mine)
		}
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			all, err := tx.Clearing.Match(ctx, mine, nil)
			for _, c := range all {
				c.Note += "x"
				err = errors.Join(err, tx.Claims.Save(ctx, c))
			}
			return err
		})
	})...)
	for _, c := range b.listClaims(claim.Filter{Kind: claim.KindClaim}, billing.Page{Limit: 100}) {
		equal(b.t, "counted", c.Note, "xxxxxx")
	}
}

// testQueued reads the oldest claims that wait. Two transactions never get the
// same ones.
func testQueued(b *scoped) {
	t := b.t
	one, two, three := b.queuedClaim(0), b.queuedClaim(1), b.queuedClaim(2)
	cut, sent := b.queuedClaim(3), b.claim(4)
	cut.BatchID, sent.State = id[billing.FileID](), claim.Submitted
	sent.BatchID = cut.BatchID
	b.insertClaims(one, two, three, cut, sent)
	payers := payersOf(one, two, three, cut, sent)
	queued := func(limit int) []billing.ClaimID {
		return b.clearing(func(ctx context.Context, c ports.Clearing) ([]*claim.Claim, error) {
			return c.Queued(ctx, payers, time.Time{}, limit)
		})
	}
	equal(t, "queued", queued(10), claimIDs([]*claim.Claim{one, two, three}))
	equal(t, "the oldest", queued(2), claimIDs([]*claim.Claim{one, two}))
	b.in(func(ctx context.Context, tx ports.Tx) error {
		mine, err := tx.Clearing.Queued(ctx, payers, time.Time{}, 1)
		if err != nil {
			return err
		}
		equal(t, "locked", claimIDs(mine), claimIDs([]*claim.Claim{one}))
		equal(t, "passed over", queued(10), claimIDs([]*claim.Claim{two, three}))
		return nil
	})
	equal(t, "for some payers", b.clearing(func(ctx context.Context, c ports.Clearing) ([]*claim.Claim, error) {
		return c.Queued(ctx, payersOf(three, cut, one), time.Time{}, 10)
	}), claimIDs([]*claim.Claim{one, three}))
	for until, want := range map[time.Time][]*claim.Claim{
		two.UpdatedAt: {one, two}, two.UpdatedAt.Add(-time.Microsecond): {one}, one.UpdatedAt.Add(-time.Hour): nil,
	} {
		equal(t, "queued until "+until.String(), b.clearing(func(ctx context.Context, c ports.Clearing) ([]*claim.Claim, error) {
			return c.Queued(ctx, payers, until, 10)
		}), claimIDs(want))
	}
	equal(t, "of a batch", b.clearing(func(ctx context.Context, c ports.Clearing) ([]*claim.Claim, error) {
		return c.OfBatch(ctx, cut.BatchID)
	}), inOrder(cut, sent))
	equal(t, "of an absent batch", len(b.clearing(func(ctx context.Context, c ports.Clearing) ([]*claim.Claim, error) {
		return c.OfBatch(ctx, id[billing.FileID]())
	})), 0)
}

// testHeld queues live claims. Those of an office that is not verified wait, and those
// for a payer that has not enrolled the office.
func testHeld(b *scoped) {
	t := b.t
	b.scope = b.others()[0]
	b.organization()
	verified := &directory.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: "Main", VerifiedAt: b.now, CreatedAt: b.now}
	unverified := &directory.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: "New", CreatedAt: b.now}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Offices.Insert(ctx, verified), tx.Offices.Insert(ctx, unverified))
	})
	var all, want []*claim.Claim
	for n, x := range []struct {
		office *directory.Office
		state  directory.EnrollmentState // empty for no record
		of     network.Transaction
	}{
		{verified, "", ""},
		{unverified, "", ""},
		{verified, directory.EnrollmentNotNeeded, network.Claims},
		{verified, directory.EnrollmentNeeded, network.Claims},
		{verified, directory.EnrollmentSubmitted, network.Claims},
		{verified, directory.EnrollmentActive, network.Claims},
		{verified, directory.EnrollmentRejected, network.Claims},
		{verified, directory.EnrollmentRejected, network.Eligibility},
	} {
		c := b.queuedClaim(n)
		c.OfficeID = x.office.ID
		e := network.Enrollment{
			ID: id[billing.EnrollmentID](), Scope: b.scope, OfficeID: c.OfficeID, Payer: c.Payer, Transaction: x.of, State: x.state,
			Date: billing.DateOf(b.now), CreatedAt: b.now, UpdatedAt: b.now,
		}
		if x.state != "" {
			b.put(e)
		}
		if x.of == network.Eligibility {
			e.State = "" // of another transaction
		}
		if all = append(all, c); claim.Held(x.office, e.State) == "" {
			want = append(want, c)
		}
	}
	b.insertClaims(all...)
	equal(t, "claims that go out", len(want), 4)
	equal(t, "queued", b.clearing(func(ctx context.Context, c ports.Clearing) ([]*claim.Claim, error) {
		return c.Queued(ctx, payersOf(all...), time.Time{}, 10)
	}), claimIDs(want))
}

// testAwaiting finds the claims of an office and a payer that need attention for one
// reason, whatever else they have.
func testAwaiting(b *scoped) {
	t := b.t
	var want []*claim.Claim
	office, payer := id[billing.OfficeID](), id[billing.PayerID]()
	for n, x := range []struct {
		change func(c *claim.Claim)
		want   bool
	}{
		{func(*claim.Claim) {}, true},
		{func(c *claim.Claim) { c.Kind = claim.KindPredetermination }, true},
		{func(c *claim.Claim) { c.Findings = append([]claim.Finding{{Code: "b"}}, c.Findings...) }, true},
		{func(c *claim.Claim) { c.Findings = []claim.Finding{{Code: "aa", Message: "Code a", Fix: `"a"`}} }, false},
		{func(c *claim.Claim) { c.Findings = nil }, false},
		{func(c *claim.Claim) { c.State = claim.Draft }, false},
		{func(c *claim.Claim) { c.OfficeID = id[billing.OfficeID]() }, false},
		{func(c *claim.Claim) { c.Payer.ID = id[billing.PayerID]() }, false},
	} {
		c := b.claim(n)
		c.State, c.OfficeID, c.Payer.ID, c.Findings = claim.NeedsAttention, office, payer, []claim.Finding{{Code: "a"}}
		x.change(c)
		if b.insertClaims(c); x.want {
			want = append(want, c)
		}
	}
	awaiting := func(after billing.ClaimID, limit int) []billing.ClaimID {
		return b.clearing(func(ctx context.Context, c ports.Clearing) ([]*claim.Claim, error) {
			return c.Awaiting(ctx, "a", office, payer, after, limit)
		})
	}
	all := inOrder(want...)
	equal(t, "awaiting", awaiting(billing.ClaimID{}, 10), all)
	equal(t, "the first", awaiting(billing.ClaimID{}, 2), all[:2])
	equal(t, "the next", awaiting(all[1], 2), all[2:])
}

func payersOf(claims ...*claim.Claim) (payers []billing.PayerID) {
	for _, c := range claims {
		payers = append(payers, c.Payer.ID)
	}
	return payers
}

// testQueuedScopes finds the scopes in which claims wait, and the payers of
// those claims.
func testQueuedScopes(b *scoped) {
	t := b.t
	scopes := []billing.Scope{b.scope, newScope(), newScope(), newScope()}
	live := billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}
	known, other := id[billing.PayerID](), id[billing.PayerID]()
	want := map[billing.Scope][]billing.PayerID{}
	for i, in := range append(slices.Clone(scopes), live) {
		for n := range 3 {
			c := b.queuedClaim(n)
			c.Scope = in
			c.Payer.ID = known
			if i == 1 && n == 1 {
				c.Payer.ID = other
			}
			b.insertClaims(c)
		}
		want[in] = []billing.PayerID{known}
	}
	want[scopes[1]] = []billing.PayerID{known, other}
	drafts, cut := b.claim(0), b.queuedClaim(1)
	drafts.Scope, cut.Scope, cut.BatchID = newScope(), newScope(), id[billing.FileID]()
	b.insertClaims(drafts, cut)
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		got, err := tx.Routes.Queued(ctx, billing.ModeTest)
		alive, err2 := tx.Routes.Queued(ctx, billing.ModeLive)
		maps.Copy(got, alive)
		for _, payers := range []map[billing.Scope][]billing.PayerID{got, want} {
			for _, of := range payers {
				slices.SortFunc(of, func(x, y billing.PayerID) int { return strings.Compare(x.UUID(), y.UUID()) })
			}
		}
		equal(t, "scopes with queued claims, and their payers", got, want)
		return errors.Join(err, err2)
	})
}

// testUnsent finds since when live claims and batches wait to leave.
func testUnsent(b *scoped) {
	live := billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}
	at := func(n int) time.Time { return b.now.Add(time.Duration(n) * time.Hour) }
	unsent := func(what string, claims, batches time.Time) {
		b.t.Helper()
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			queued, cut, err := tx.Routes.Unsent(ctx, billing.ModeLive)
			equal(b.t, what+": claims", queued, claims)
			equal(b.t, what+": batches", cut, batches)
			return err
		})
	}
	office := &directory.Office{ID: id[billing.OfficeID](), Scope: live, Name: "Main", VerifiedAt: b.now, CreatedAt: b.now}
	unverified := &directory.Office{ID: id[billing.OfficeID](), Scope: live, Name: "New", CreatedAt: b.now}
	inLive := *b
	inLive.scope = live
	inLive.organization()
	inLive.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Offices.Insert(ctx, office), tx.Offices.Insert(ctx, unverified))
	})
	ofNew, notEnrolled := b.queuedClaim(6), b.queuedClaim(7)
	test, held, inBatch, draft, first, second := b.queuedClaim(0), b.queuedClaim(1), b.queuedClaim(2), b.claim(3), b.queuedClaim(4), b.queuedClaim(5)
	for n, c := range []*claim.Claim{test, held, inBatch, draft} {
		c.UpdatedAt = at(n)
	}
	for _, c := range []*claim.Claim{test, held, inBatch, draft, first, second, notEnrolled} {
		c.OfficeID = office.ID
	}
	ofNew.Scope, ofNew.OfficeID, notEnrolled.Scope = live, unverified.ID, live
	inLive.put(network.Enrollment{
		ID: id[billing.EnrollmentID](), Scope: live, OfficeID: office.ID, Payer: notEnrolled.Payer, Transaction: network.Claims,
		State: directory.EnrollmentSubmitted, Date: billing.DateOf(b.now), CreatedAt: b.now, UpdatedAt: b.now,
	})
	held.Scope, inBatch.Scope, draft.Scope, inBatch.BatchID = live, live, live, id[billing.FileID]()
	held.Held = &claim.HeldBack{Reason: "wait", At: b.now}
	of, unknown, sent, later, early := b.batch(0), b.batch(1), b.batch(2), b.batch(4), b.batch(3)
	for _, m := range []*clearing.Batch{unknown, sent, later, early} {
		m.Scope = live
	}
	b.insertClaims(test, held, inBatch, draft, ofNew, notEnrolled)
	b.insertBatches(of, unknown, sent)
	b.saveBatch(unknown, func(m *clearing.Batch) bool { return m.Delivering("", "t") && m.Unknown(b.now) })
	b.saveBatch(sent, func(m *clearing.Batch) bool { return m.Sent(b.now) })
	unsent("nothing of live mode", time.Time{}, time.Time{})
	first.Scope, first.UpdatedAt, second.Scope, second.UpdatedAt = newScope(), at(7), live, at(6)
	first.Scope.Mode = billing.ModeLive
	b.insertClaims(first, second)
	b.insertBatches(later, early)
	unsent("two of each", at(6), early.CreatedAt)
}

// testAttached reads the attachments that files of claims name.
func testAttached(b *scoped) {
	t := b.t
	one, two, other := b.claim(0), b.claim(1), b.claim(2)
	b.insertClaims(one, two, other)
	closed := func(n int, c *claim.Claim) *attachment.Attachment {
		a := b.attachment(n)
		a.ClaimID, a.State, a.ClosedAt, a.Number = c.ID, attachment.Closed, b.now, "N"+id[billing.JobID]().String()
		return a
	}
	first, second, third := closed(0, one), closed(1, two), closed(2, one)
	open, answer := b.attachment(3), closed(4, one)
	open.ClaimID = one.ID
	answer.Kind, answer.PayerRequestID = attachment.Solicited, id[billing.PayerRequestID]()
	b.insertAttachments(first, second, third, open, answer, closed(5, other))
	d := b.document(0)
	b.addDocument(first, d)
	first = b.getAttachment(first.ID)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Clearing.Attached(ctx, []billing.ClaimID{two.ID, one.ID})
		equal(t, "attached", got, []*attachment.Attachment{first, second, third})
		none, err2 := tx.Clearing.Attached(ctx, nil)
		equal(t, "attached to nothing", len(none), 0)
		return errors.Join(err, err2)
	})
}

// testKeep stores an acknowledgement once, also when two transactions store it
// at the same time.
func testKeep(b *scoped) {
	t := b.t
	f := clearing.IncomingFile{Name: "a.997", Content: []byte("ST*997~")}
	keep := func(f clearing.IncomingFile, fails bool) (fresh bool, err error) {
		err = b.try(b.scope, func(ctx context.Context, tx ports.Tx) (err error) {
			stored, err := tx.Acknowledgements.Keep(ctx, f, nil, b.now)
			if fresh = !stored.IsZero(); fails {
				err = errors.Join(err, errors.New("no"))
			}
			return err
		})
		return fresh, err
	}
	if fresh, err := keep(f, true); !fresh || err == nil {
		t.Errorf("a file that is not kept: %v, %v", fresh, err)
	}
	var kept int
	for range 2 {
		var fresh [4]bool
		b.race(times(len(fresh), func(n int) (err error) {
			fresh[n], err = keep(f, false)
			return err
		})...)
		for _, one := range fresh {
			if one {
				kept++
			}
		}
	}
	equal(t, "kept", kept, 1)
	f.Content = append(f.Content, '~')
	if fresh, err := keep(f, false); !fresh || err != nil {
		t.Errorf("other content under the name: %v, %v", fresh, err)
	}
	b.scope = newScope()
	if fresh, err := keep(f, false); !fresh || err != nil {
		t.Errorf("the same in another scope: %v, %v", fresh, err)
	}
}
