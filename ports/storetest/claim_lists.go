package storetest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

func (b *scoped) listClaims(f billing.ClaimFilter, p billing.Page) []*billing.Claim {
	b.t.Helper()
	var page []*billing.Claim
	for _, c := range read(b, func(ctx context.Context, tx ports.Tx) ([]*billing.ClaimRecord, error) {
		return tx.Claims.List(ctx, f, p)
	}) {
		page = append(page, c.Claim)
	}
	return page
}

func claimAt(c *billing.Claim) billing.Position { return billing.Position{Time: c.CreatedAt, ID: c.ID} }

// testListClaims walks the list while claims are added in front. Two of them
// are created in each microsecond.
func testListClaims(b *scoped) {
	var want []*billing.Claim
	for n := range 23 {
		c := b.claim(n / 2)
		c.Findings, c.History = []billing.Finding{{Code: "c"}}, []billing.ClaimMove{{State: c.State}}
		c.SentAt = b.now.Add(time.Duration(23-n) * time.Second)
		b.insertClaims(c)
		c.History = nil
		want = append(want, c)
	}
	newestFirst(want, claimAt)
	for name, f := range map[string]billing.ClaimFilter{
		"all": {Kind: billing.KindClaim}, "of any kind": {}, "sent": {Kind: billing.KindClaim, SentFrom: b.now, SentTo: b.now.Add(time.Hour)},
	} {
		added := 100
		got := walk(5, func(p billing.Page) []*billing.Claim { return b.listClaims(f, p) }, claimAt, func() {
			added++
			b.insertClaims(b.claim(added))
		})
		equal(b.t, name, got[len(got)-len(want):], want)
	}
}

// testClaimFilters finds one claim of several by each filter.
func testClaimFilters(b *scoped) {
	t := b.t
	wanted, other, estimate, void := b.claim(1000), b.claim(0), b.claim(0), b.claim(0)
	wanted.State, wanted.SentAt, wanted.PatientControlNumber = billing.ClaimSubmitted, b.now.Add(time.Hour), "Abc-9"
	wanted.PatientID, wanted.BatchID = id[billing.PatientID](), id[billing.FileID]()
	wanted.Lines = []billing.ClaimLine{{ProcedureCode: "D0120", ServiceDate: billing.Date{Year: 2026, Month: 7, Day: 9}}}
	july := func(n int) billing.Date { return billing.Date{Year: 2026, Month: 7, Day: n} }
	states := []billing.ClaimState{billing.ClaimDenied, billing.ClaimSubmitted}
	other.SentAt = b.now.Add(2 * time.Hour)
	estimate.Kind = billing.KindPredetermination
	void.Frequency, void.ParentID, void.SentAt = billing.FrequencyVoid, other.ID, wanted.SentAt
	b.insertClaims(wanted, other, estimate, void)
	at := wanted.CreatedAt
	for name, f := range map[string]billing.ClaimFilter{
		"state":              {States: []billing.ClaimState{billing.ClaimSubmitted}},
		"office":             {OfficeID: wanted.OfficeID},
		"payer":              {PayerID: wanted.Payer.ID},
		"created after":      {CreatedAfter: at},
		"created between":    {CreatedAfter: at, CreatedBefore: at.Add(time.Microsecond)},
		"sent between":       {SentFrom: wanted.SentAt, SentTo: wanted.SentAt.Add(time.Microsecond)},
		"sent before":        {SentTo: other.SentAt},
		"sent, and state":    {SentFrom: wanted.SentAt, States: []billing.ClaimState{billing.ClaimSubmitted}},
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
		"control number":     {ControlNumber: "aBC-9"},
		"all that it is":     {States: []billing.ClaimState{billing.ClaimSubmitted}, OfficeID: wanted.OfficeID, PayerID: wanted.Payer.ID, CreatedAfter: at, SentFrom: wanted.SentAt},
		"sent, next of none": {SentFrom: wanted.SentAt, SentTo: wanted.SentAt.Add(time.Second), OfficeID: wanted.OfficeID},
	} {
		f.Kind = billing.KindClaim
		equal(t, name, b.listClaims(f, billing.Page{Limit: 10}), []*billing.Claim{wanted})
		counts := b.countClaims(f)
		equal(t, name+", counted", counts[billing.ClaimSubmitted], billing.ClaimCount{Count: 1})
		equal(t, name+", in another state", counts[billing.ClaimDenied], billing.ClaimCount{})
		if f.Single() {
			f.Kind = ""
			equal(t, name+" of any kind", b.listClaims(f, billing.Page{Limit: 10}), []*billing.Claim{wanted})
		}
		f.CreatedBefore = b.now.Add(-time.Hour)
		equal(t, name+", long ago", len(b.listClaims(f, billing.Page{Limit: 10})), 0)
	}
	equal(t, "predeterminations", b.listClaims(billing.ClaimFilter{Kind: billing.KindPredetermination}, billing.Page{Limit: 10}), []*billing.Claim{estimate})
	equal(t, "sent", len(b.listClaims(billing.ClaimFilter{Kind: billing.KindClaim, SentFrom: b.now}, billing.Page{Limit: 10})), 2)
	equal(t, "after the only one", len(b.listClaims(billing.ClaimFilter{Kind: billing.KindClaim, SentFrom: wanted.SentAt, SentTo: other.SentAt},
		billing.Page{Limit: 10, After: new(claimAt(wanted))})), 0)
	equal(t, "another number", len(b.listClaims(billing.ClaimFilter{ControlNumber: strings.ToUpper("abc-")}, billing.Page{Limit: 10})), 0)
}

func (b *scoped) countClaims(f billing.ClaimFilter) map[billing.ClaimState]billing.ClaimCount {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (map[billing.ClaimState]billing.ClaimCount, error) {
		return tx.Claims.Count(ctx, f)
	})
}

// testClaimStates walks a list of several states, and counts each.
func testClaimStates(b *scoped) {
	var want []*billing.Claim
	listed := []billing.ClaimState{billing.ClaimDraft, billing.ClaimPaid, billing.ClaimDenied}
	for n := range 24 {
		c := b.claim(n / 5)
		c.State = billing.ClaimStates()[n%12]
		b.insertClaims(c)
		if c.State == listed[0] || c.State == listed[1] || c.State == listed[2] {
			want = append(want, c)
		}
	}
	newestFirst(want, claimAt)
	f := billing.ClaimFilter{Kind: billing.KindClaim, States: listed}
	equal(b.t, "walked", walk(2, func(p billing.Page) []*billing.Claim { return b.listClaims(f, p) }, claimAt, func() {}), want)
	equal(b.t, "counted", b.countClaims(f), map[billing.ClaimState]billing.ClaimCount{listed[0]: {Count: 2}, listed[1]: {Count: 2}, listed[2]: {Count: 2}})
	all := b.countClaims(billing.ClaimFilter{Kind: billing.KindClaim})
	equal(b.t, "states", len(all), len(billing.ClaimStates()))
	equal(b.t, "none", all[billing.ClaimReturned], billing.ClaimCount{})
}

// testOpenClaims lists the claims of which an amount is open, and those that are overpaid,
// by the rules of the domain.
func testOpenClaims(b *scoped) {
	payer := b.payer()
	filters := map[string]billing.ClaimFilter{
		"open": {Open: true}, "overpaid": {Overpaid: true}, "open and paid": {Open: true, States: []billing.ClaimState{billing.ClaimPaid}},
		"open, paid or voided": {Open: true, States: []billing.ClaimState{billing.ClaimPaid, billing.ClaimVoided}},
		"overpaid, of a payer": {Overpaid: true, PayerID: payer.ID},
	}
	wanted := map[string][]*billing.Claim{}
	amounts := []billing.Money{0, 100, -100, 200}
	for n := range 64 {
		c := b.claim(n)
		c.Payer, c.Lines = payer, []billing.ClaimLine{{ProcedureCode: "D0120", Fee: 200}}
		c.State = []billing.ClaimState{billing.ClaimPaid, billing.ClaimReconciled, billing.ClaimVoided}[n%3]
		if c.Standing = nil; n%5 > 0 {
			c.Standing = &billing.ClaimStanding{Paid: amounts[n%4].Abs(), Contractual: amounts[n/4%4], PatientResponsibility: amounts[n%2]}
		}
		if c.Elsewhere, c.Accepted = amounts[n/8%4], nil; n%7 > 3 {
			c.Accepted = []billing.AcceptedOpen{{Lines: []billing.LineAmount{{Number: 1, Amount: amounts[n/2%4]}, {Amount: 50}}}, {Lines: []billing.LineAmount{{Amount: 50}}}}
		}
		switch n % 16 {
		case 7:
			voided := b.claim(n)
			voided.Kind = billing.KindPredetermination
			b.insertClaims(voided)
			c.Frequency, c.ParentID = billing.FrequencyVoid, voided.ID
		case 9:
			c.Kind, c.State = billing.KindPredetermination, billing.ClaimAcceptedPayer
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
		f.Kind = billing.KindClaim
		newestFirst(wanted[name], claimAt)
		equal(b.t, name, walk(3, func(p billing.Page) []*billing.Claim { return b.listClaims(f, p) }, claimAt, func() {}), wanted[name])
		counted := 0
		for _, n := range b.countClaims(f) {
			counted += n.Count
		}
		equal(b.t, name+", counted", counted, len(wanted[name]))
		equal(b.t, name+", some", len(wanted[name]) > 3, true)
	}
}

// testSimilar finds other claims for the same services.
func testSimilar(b *scoped) {
	t := b.t
	day := func(n int) billing.Date { return billing.Date{Year: 2026, Month: 5, Day: n} }
	patient := id[billing.PatientID]()
	wanted := b.claim(0)
	wanted.PatientID = patient
	others := []*billing.Claim{b.claim(1), b.claim(2), b.claim(3), b.claim(4), b.claim(5), b.claim(6), b.claim(7)}
	for _, c := range others[1:] {
		c.PatientID = patient
	}
	others[1].State, others[2].State, others[3].State = billing.ClaimDraft, billing.ClaimVoided, billing.ClaimRejected
	others[4].Frequency, others[4].ParentID = billing.FrequencyVoid, wanted.ID
	others[5].Kind = billing.KindPredetermination
	others[6].Lines = []billing.ClaimLine{{ProcedureCode: "D0120", ServiceDate: day(20)}}
	b.insertClaims(append([]*billing.Claim{wanted}, others...)...)
	similar := func(from, to int) []*billing.Claim {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*billing.Claim, error) {
			return tx.Claims.Similar(ctx, patient, billing.DateSpan{From: day(from), To: day(to)})
		})
	}
	for _, span := range [][2]int{{1, 2}, {2, 2}, {4, 4}, {4, 9}, {1, 9}} {
		equal(t, "similar", similar(span[0], span[1]), []*billing.Claim{wanted})
	}
	equal(t, "before", len(similar(1, 1)), 0)
	equal(t, "after", len(similar(5, 9)), 0)
}
