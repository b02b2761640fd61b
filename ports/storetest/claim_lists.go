package storetest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports"
)

func (b *scoped) listClaims(f claim.Filter, p billing.Page) []*claim.Claim {
	b.t.Helper()
	var page []*claim.Claim
	for _, c := range read(b, func(ctx context.Context, tx ports.Tx) ([]*claim.Record, error) {
		return tx.Claims.List(ctx, f, p)
	}) {
		page = append(page, c.Claim)
	}
	return page
}

func claimAt(c *claim.Claim) billing.Position { return billing.Position{Time: c.CreatedAt, ID: c.ID} }

// testListClaims walks the list while claims are added in front. Two of them
// are created in each microsecond.
func testListClaims(b *scoped) {
	var want []*claim.Claim
	for n := range 23 {
		c := b.claim(n / 2)
		c.Findings, c.History = []claim.Finding{{Code: "c"}}, []claim.Move{{State: c.State}}
		c.SentAt = b.now.Add(time.Duration(23-n) * time.Second)
		b.insertClaims(c)
		c.History = nil
		want = append(want, c)
	}
	newestFirst(want, claimAt)
	for name, f := range map[string]claim.Filter{
		"all": {Kind: claim.KindClaim}, "of any kind": {}, "sent": {Kind: claim.KindClaim, SentFrom: b.now, SentTo: b.now.Add(time.Hour)},
	} {
		added := 100
		got := walk(5, func(p billing.Page) []*claim.Claim { return b.listClaims(f, p) }, claimAt, func() {
			added++
			b.insertClaims(b.claim(added))
		})
		equal(b.t, name, got[len(got)-len(want):], want)
	}
	slices.Reverse(want)
	for name, f := range map[string]claim.Filter{
		"oldest first": {Kind: claim.KindClaim}, "oldest first, sent": {Kind: claim.KindClaim, SentFrom: b.now, SentTo: b.now.Add(time.Hour)},
		"oldest first, states": {Kind: claim.KindClaim, States: []claim.State{claim.Draft, want[0].State}},
	} {
		got := walk(5, func(p billing.Page) []*claim.Claim {
			p.Oldest = true
			return b.listClaims(f, p)
		}, claimAt, func() {})
		equal(b.t, name, got[:len(want)], want)
	}
}

// testClaimFilters finds one claim of several by each filter.
func testClaimFilters(b *scoped) {
	t := b.t
	wanted, other, estimate, void := b.claim(1000), b.claim(0), b.claim(0), b.claim(0)
	wanted.State, wanted.SentAt, wanted.PatientControlNumber = claim.Submitted, b.now.Add(time.Hour), "Abc-9"
	wanted.PatientID, wanted.BatchID, wanted.EstimateID = id[billing.PatientID](), id[billing.FileID](), id[billing.EstimateID]()
	wanted.ProviderID = id[billing.ProviderID]()
	wanted.Lines = []claim.Line{{ProcedureCode: "D0120", ServiceDate: billing.Date{Year: 2026, Month: 7, Day: 9}}}
	july := func(n int) billing.Date { return billing.Date{Year: 2026, Month: 7, Day: n} }
	states := []claim.State{claim.Denied, claim.Submitted}
	other.SentAt = b.now.Add(2 * time.Hour)
	estimate.Kind = claim.KindPredetermination
	void.Frequency, void.ParentID, void.SentAt = claim.FrequencyVoid, other.ID, wanted.SentAt
	b.insertClaims(wanted, other, estimate, void)
	at := wanted.CreatedAt
	for name, f := range map[string]claim.Filter{
		"state":              {States: []claim.State{claim.Submitted}},
		"office":             {OfficeID: wanted.OfficeID},
		"payer":              {PayerID: wanted.Payer.ID},
		"created after":      {CreatedAfter: at},
		"created between":    {CreatedAfter: at, CreatedBefore: at.Add(time.Microsecond)},
		"sent between":       {SentFrom: wanted.SentAt, SentTo: wanted.SentAt.Add(time.Microsecond)},
		"sent before":        {SentTo: other.SentAt},
		"sent, and state":    {SentFrom: wanted.SentAt, States: []claim.State{claim.Submitted}},
		"states":             {States: states},
		"office and states":  {States: states, OfficeID: wanted.OfficeID},
		"sent, and states":   {States: states, SentFrom: wanted.SentAt},
		"served":             {ServiceFrom: july(9), ServiceTo: july(9)},
		"served from":        {ServiceFrom: july(9)},
		"served to, in July": {ServiceTo: july(9), States: states},
		"served and sent":    {ServiceFrom: july(1), SentFrom: wanted.SentAt},
		"patient":            {PatientID: wanted.PatientID},
		"patient, served":    {PatientID: wanted.PatientID, ServiceFrom: july(9), States: states},
		"batch":              {BatchID: wanted.BatchID},
		"batch, sent":        {BatchID: wanted.BatchID, SentFrom: wanted.SentAt, ServiceTo: july(9)},
		"request":            {RequestID: wanted.RequestID},
		"estimate":           {EstimateID: wanted.EstimateID},
		"control number":     {ControlNumber: "aBC-9"},
		"provider":           {ProviderID: wanted.ProviderID},
		"provider, sent":     {ProviderID: wanted.ProviderID, Sent: new(true), SentFrom: wanted.SentAt, States: states, Last: true},
		"provider, patient":  {ProviderID: wanted.ProviderID, PatientID: wanted.PatientID, Decided: new(false), ServiceTo: july(9)},
		"all that it is":     {States: []claim.State{claim.Submitted}, OfficeID: wanted.OfficeID, PayerID: wanted.Payer.ID, CreatedAfter: at, SentFrom: wanted.SentAt},
		"sent, next of none": {SentFrom: wanted.SentAt, SentTo: wanted.SentAt.Add(time.Second), OfficeID: wanted.OfficeID},
	} {
		f.Kind = claim.KindClaim
		equal(t, name, b.listClaims(f, billing.Page{Limit: 10}), []*claim.Claim{wanted})
		counts := b.countClaims(f)
		equal(t, name+", counted", counts[claim.Submitted], claim.ClaimCount{Count: 1})
		equal(t, name+", in another state", counts[claim.Denied], claim.ClaimCount{})
		if f.Single() {
			f.Kind = ""
			equal(t, name+" of any kind", b.listClaims(f, billing.Page{Limit: 10}), []*claim.Claim{wanted})
		}
		f.CreatedBefore = b.now.Add(-time.Hour)
		equal(t, name+", long ago", len(b.listClaims(f, billing.Page{Limit: 10})), 0)
	}
	equal(t, "predeterminations", b.listClaims(claim.Filter{Kind: claim.KindPredetermination}, billing.Page{Limit: 10}), []*claim.Claim{estimate})
	equal(t, "sent", len(b.listClaims(claim.Filter{Kind: claim.KindClaim, SentFrom: b.now}, billing.Page{Limit: 10})), 2)
	equal(t, "after the only one", len(b.listClaims(claim.Filter{Kind: claim.KindClaim, SentFrom: wanted.SentAt, SentTo: other.SentAt},
		billing.Page{Limit: 10, After: new(claimAt(wanted))})), 0)
	equal(t, "another number", len(b.listClaims(claim.Filter{ControlNumber: strings.ToUpper("abc-")}, billing.Page{Limit: 10})), 0)
}

func (b *scoped) countClaims(f claim.Filter) map[claim.State]claim.ClaimCount {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (map[claim.State]claim.ClaimCount, error) {
		return tx.Claims.Count(ctx, f)
	})
}

// testClaimStates walks a list of several states, and counts each.
func testClaimStates(b *scoped) {
	var want []*claim.Claim
	listed := []claim.State{claim.Draft, claim.Paid, claim.Denied}
	for n := range 24 {
		c := b.claim(n / 5)
		c.State = claim.States()[n%12]
		b.insertClaims(c)
		if c.State == listed[0] || c.State == listed[1] || c.State == listed[2] {
			want = append(want, c)
		}
	}
	newestFirst(want, claimAt)
	f := claim.Filter{Kind: claim.KindClaim, States: listed}
	equal(b.t, "walked", walk(2, func(p billing.Page) []*claim.Claim { return b.listClaims(f, p) }, claimAt, func() {}), want)
	equal(b.t, "counted", b.countClaims(f), map[claim.State]claim.ClaimCount{listed[0]: {Count: 2}, listed[1]: {Count: 2}, listed[2]: {Count: 2}})
	all := b.countClaims(claim.Filter{Kind: claim.KindClaim})
	equal(b.t, "states", len(all), len(claim.States()))
	equal(b.t, "none", all[claim.Returned], claim.ClaimCount{})
}

// testOpenClaims lists the claims of which an amount is open, and those that are overpaid,
// by the rules of the domain.
func testOpenClaims(b *scoped) {
	payer := b.payer()
	filters := map[string]claim.Filter{
		"open": {Open: true}, "overpaid": {Overpaid: true}, "open and paid": {Open: true, States: []claim.State{claim.Paid}},
		"open, paid or voided": {Open: true, States: []claim.State{claim.Paid, claim.Voided}},
		"overpaid, of a payer": {Overpaid: true, PayerID: payer.ID},
	}
	wanted := map[string][]*claim.Claim{}
	amounts := []billing.Money{0, 100, -100, 200}
	for n := range 64 {
		c := b.claim(n)
		c.Payer, c.Lines = payer, []claim.Line{{ProcedureCode: "D0120", Fee: 200}}
		c.State = []claim.State{claim.Paid, claim.Reconciled, claim.Voided}[n%3]
		if c.Standing = nil; n%5 > 0 {
			c.Standing = &claim.Standing{Paid: amounts[n%4].Abs(), Contractual: amounts[n/4%4], PatientResponsibility: amounts[n%2]}
		}
		if c.Elsewhere, c.Accepted = amounts[n/8%4], nil; n%7 > 3 {
			c.Accepted = []claim.AcceptedOpen{{Lines: []claim.LineAmount{{Number: 1, Amount: amounts[n/2%4]}, {Amount: 50}}}, {Lines: []claim.LineAmount{{Amount: 50}}}}
		}
		switch n % 16 {
		case 7:
			voided := b.claim(n)
			voided.Kind = claim.KindPredetermination
			b.insertClaims(voided)
			c.Frequency, c.ParentID = claim.FrequencyVoid, voided.ID
		case 9:
			c.Kind, c.State = claim.KindPredetermination, claim.AcceptedPayer
		}
		b.insertClaims(c)
		c.Findings, c.History = nil, nil
		for name, f := range filters {
			open := c.HasOpen() && c.Open() != 0 && (!f.Overpaid || c.Overpaid() > 0)
			if open && (len(f.States) == 0 || slices.Contains(f.States, c.State)) {
				wanted[name] = append(wanted[name], c)
			}
		}
	}
	for name, f := range filters {
		f.Kind = claim.KindClaim
		newestFirst(wanted[name], claimAt)
		equal(b.t, name, walk(3, func(p billing.Page) []*claim.Claim { return b.listClaims(f, p) }, claimAt, func() {}), wanted[name])
		counted := 0
		for _, n := range b.countClaims(f) {
			counted += n.Count
		}
		equal(b.t, name+", counted", counted, len(wanted[name]))
		equal(b.t, name+", some", len(wanted[name]) > 3, true)
	}
}

// testChangedPayments lists the claims whose payment changed, by the rule of the domain.
func testChangedPayments(b *scoped) {
	var want []*claim.Claim
	for n := range 96 {
		c := b.claim(n)
		c.State, c.SettledAt, c.ReconciledAt = claim.States()[n%12], time.Time{}, b.now
		if n/12%2 > 0 {
			c.SettledAt = b.now.Add(time.Duration(n%5-2) * time.Microsecond)
		}
		if c.Standing = nil; n/24%2 > 0 {
			c.Standing = &claim.Standing{Paid: 100}
		}
		if c.Frequency = claim.FrequencyOriginal; n > 72 && c.State == claim.AcceptedPayer {
			c.Kind, c.ReconciledAt = claim.KindPredetermination, time.Time{}
		}
		b.insertClaims(c)
		if c.Findings, c.History = nil, nil; c.PaymentChanged() {
			want = append(want, c)
		}
	}
	newestFirst(want, claimAt)
	f := claim.Filter{Kind: claim.KindClaim, Changed: true}
	equal(b.t, "changed", walk(2, func(p billing.Page) []*claim.Claim { return b.listClaims(f, p) }, claimAt, func() {}), want)
	counts := b.countClaims(f)
	equal(b.t, "changed, counted", counts[claim.Reconciled].Count+counts[claim.AcceptedPayer].Count, len(want))
	equal(b.t, "changed, both kinds", counts[claim.Reconciled].Count > 0 && counts[claim.AcceptedPayer].Count > 0, true)
}

// testSimilar finds other claims for the same services.
func testSimilar(b *scoped) {
	t := b.t
	day := func(n int) billing.Date { return billing.Date{Year: 2026, Month: 5, Day: n} }
	patient := id[billing.PatientID]()
	wanted := b.claim(0)
	wanted.PatientID = patient
	others := []*claim.Claim{b.claim(1), b.claim(2), b.claim(3), b.claim(4), b.claim(5), b.claim(6), b.claim(7)}
	for _, c := range others[1:] {
		c.PatientID = patient
	}
	others[1].State, others[2].State, others[3].State = claim.Draft, claim.Voided, claim.Rejected
	others[4].Frequency, others[4].ParentID = claim.FrequencyVoid, wanted.ID
	others[5].Kind = claim.KindPredetermination
	others[6].Lines = []claim.Line{{ProcedureCode: "D0120", ServiceDate: day(20)}}
	b.insertClaims(append([]*claim.Claim{wanted}, others...)...)
	similar := func(from, to int) []*claim.Claim { // days from the first of the month
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*claim.Claim, error) {
			return tx.Claims.Similar(ctx, patient, billing.DateSpan{From: day(1).AddDays(from - 1), To: day(1).AddDays(to - 1)})
		})
	}
	for _, span := range [][2]int{{1, 2}, {2, 2}, {4, 4}, {4, 9}, {1, 9}} {
		equal(t, "similar", similar(span[0], span[1]), []*claim.Claim{wanted})
	}
	equal(t, "before", len(similar(1, 1)), 0)
	equal(t, "after", len(similar(5, 9)), 0)

	var later []*claim.Claim
	for n := range 100 {
		c := b.claim(10 + n)
		c.PatientID, c.Lines = patient, []claim.Line{{ProcedureCode: "D1110", ServiceDate: day(21).AddDays(n)}}
		later = append(later, c)
	}
	b.insertClaims(later...)
	equal(t, "the newest hundred", similar(1, 200), later)
}

// testClaimsSince finds the claims of a member that were sent after a check and are not decided,
// or whose figures changed after it.
func testClaimsSince(b *scoped) {
	answered := b.now
	before, after := answered.Add(-time.Hour), answered.Add(time.Hour)
	payer := b.payer()
	sent := func(n int, state claim.State, sentAt, settledAt time.Time) *claim.Claim {
		c := b.claim(n)
		c.Payer, c.Subscriber.MemberID = payer, "Since-1"
		c.State, c.SentAt, c.SettledAt = state, sentAt, settledAt
		return c
	}
	wanted := []*claim.Claim{
		sent(0, claim.Paid, before, answered), // sent before, and decided after
		sent(1, claim.Submitted, answered, time.Time{}), sent(2, claim.AcceptedPayer, after, time.Time{}), sent(3, claim.Voided, after.Add(time.Second), after),
	}
	others := []*claim.Claim{
		sent(4, claim.Submitted, before, time.Time{}), sent(5, claim.Paid, before, before), sent(6, claim.Rejected, after, time.Time{}),
		sent(7, claim.Submitted, after, time.Time{}), sent(8, claim.Submitted, after, time.Time{}), sent(9, claim.Submitted, after, time.Time{}), sent(10, claim.Submitted, after, time.Time{}),
	}
	others[3].Subscriber.MemberID, others[4].Payer, others[5].Kind = "Since-2", b.payer(), claim.KindPredetermination
	others[6].Frequency, others[6].ParentID = claim.FrequencyVoid, wanted[0].ID
	b.insertClaims(append(slices.Clone(wanted), others...)...)
	equal(b.t, "since", read(b, func(ctx context.Context, tx ports.Tx) ([]*claim.Claim, error) {
		return tx.Claims.Since(ctx, "SINCE-1", payer.ID, answered)
	}), wanted)
}
