package remittances_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestApply(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	whole, part, nothing := b.claim("A-1"), b.claim("B-1"), b.claim("C-1")
	f := b.file(b.payment(paid("a-1", "P1", 0), paid("B-1", "P2", 2500), denied("C-1", "P3"), paid("OTHER", "P4", 0)))
	j := b.receiveFile(f)
	id := billing.ERAID(j.Subject)
	if _, err := b.service.Get(t.Context(), b.scope, id); billing.CodeOf(err) != billing.CodeNotFound {
		t.Errorf("before it is read: %v", err)
	}
	before := b.clock.Now().Add(-time.Microsecond)
	r := b.apply(j)
	if got, want := counts(r), "3/4 aaa- done"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if r.State != remit.NeedsReview || !r.Balanced || r.Payer.PayerID != "CHTEST" || r.PayerName != "MOLAR TEST PAYER" || r.OfficeID.IsZero() ||
		r.Payment.Method != "ACH" || r.Payment.Total != 15000+12500+15000 || r.ReceivedAt.Before(before) || r.More || r.File.Name != f.Name {
		t.Errorf("%+v", r.ERA)
	}
	for id, want := range map[billing.ClaimID]string{whole: "paid paid 150.00", part: "paid paid 125.00", nothing: "denied denied 0.00"} {
		if got := b.stands(id); got != want {
			t.Errorf("the claim is %s, want %s", got, want)
		}
	}
	if c, l := b.get(part), b.ledger(part); c.PayerClaimNumber != "P2" || len(l) != 1 || l[0].ERA.ID != id || l[0].Ordinal != 2 ||
		c.Standing.PatientResponsibility != 2500 || c.History[len(c.History)-1].File != f.Name {
		t.Errorf("%+v", c)
	}
	if b.events(whole) != "claim.paid" || b.events(nothing) != "claim.denied" || b.events(id) != "era.received" {
		t.Errorf("events %s, %s, %s", b.events(whole), b.events(nothing), b.events(id))
	}
	var data struct {
		Matched   int `json:"matched_count"`
		Unmatched int `json:"unmatched_count"`
		File      struct {
			Name    string `json:"name"`
			Control string `json:"interchange_control_number"`
		} `json:"file"`
	}
	if b.last(id, &data); data.Matched != 3 || data.Unmatched != 1 {
		t.Errorf("era.received has %+v", data)
	}
	if b.last(whole, &data); data.File.Name != f.Name || data.File.Control == "" {
		t.Errorf("claim.paid has the file %+v", data.File)
	}
	if e, content, err := b.service.File(t.Context(), b.scope, id); err != nil || !bytes.Equal(content, f.Content) || e.ID != id {
		t.Errorf("the file: %d bytes, %v", len(content), err)
	}
	if b.pending(j) {
		t.Error("the job is left")
	}
	again := b.apply(j) // a redelivered message
	if x, y := asJSON(t, r), asJSON(t, again); x != y {
		t.Errorf("applied again: %s, was %s", y, x)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestMatching matches our claims by their numbers.
func TestMatching(t *testing.T) {
	t.Parallel()
	other := func(c *claim.Claim) {
		c.Payer = directory.PayerSummary{ID: billing.PayerID{1}, PayerID: "X", Name: "Other"}
	}
	for name, c := range map[string]struct {
		ours  func(*claim.Claim)
		says  []string // control number, payer's number, original
		want  string
		stays bool // the claim's state
	}{
		"the control number":            {nil, []string{"A-1", "P9"}, "1/1 a done", false},
		"in another case":               {nil, []string{"a-1", ""}, "1/1 a done", false},
		"the submitted number":          {func(c *claim.Claim) { c.SubmittedNumber = "SHORT1" }, []string{"short1", ""}, "1/1 a done", false},
		"of another payer's claim":      {other, []string{"A-1", ""}, "1/1 a done", false},
		"the payer's number":            {payerNumber("P1"), []string{"LOST", "P1"}, "1/1 a done", false},
		"the number that it had before": {payerNumber("P1"), []string{"", "P2", "P1"}, "1/1 a done", false},
		"another payer's number":        {func(c *claim.Claim) { other(c); c.PayerClaimNumber = "P1" }, []string{"LOST", "P1"}, "0/1 - done", true},
		"the payer's number, of another patient and charge": {func(c *claim.Claim) {
			c.PayerClaimNumber, c.Subscriber.LastName, c.Lines[0].Fee = "P1", "Other", 1
		}, []string{"LOST", "P1"}, "1/1 r done", true},
		"the payer's number, the name, another charge": {
			func(c *claim.Claim) { c.PayerClaimNumber, c.Lines[0].Fee = "P1", 1 }, []string{"LOST", "P1"}, "1/1 a done", false,
		},
		"the payer's number, the charge, another name": {
			func(c *claim.Claim) { c.PayerClaimNumber, c.Subscriber.LastName = "P1", "Other" }, []string{"LOST", "P1"}, "1/1 a done", false,
		},
		"no number of ours":    {payerNumber("P1"), []string{"LOST", "P2"}, "0/1 - done", true},
		"no numbers at all":    {nil, []string{"", ""}, "0/1 - done", true},
		"submitted":            {inState(claim.Submitted), []string{"A-1", ""}, "1/1 a done", false},
		"denied":               {inState(claim.Denied), []string{"A-1", ""}, "1/1 a done", false},
		"reconciled":           {inState(claim.Reconciled), []string{"A-1", ""}, "1/1 a done", true},
		"a draft, sent before": {inState(claim.Draft), []string{"A-1", ""}, "1/1 a done", true},
		"queued, in no batch":  {inState(claim.Queued), []string{"A-1", ""}, "1/1 a done", true},
		"never sent":           {func(c *claim.Claim) { c.State, c.SentAt = claim.Validated, time.Time{} }, []string{"A-1", ""}, "0/1 - done", true},
		"rejected":             {inState(claim.Rejected), []string{"A-1", ""}, "1/1 a done", false},
		"voided":               {inState(claim.Voided), []string{"A-1", ""}, "1/1 a done", true},
		"a predetermination":   {predetermination, []string{"A-1", ""}, "1/1 r done", true},
		"a void":               {func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid }, []string{"A-1", ""}, "0/1 - done", true},
		"another patient":      {func(c *claim.Claim) { c.Subscriber.LastName, c.Subscriber.MemberID = "Other", "M2" }, []string{"A-1", ""}, "1/1 a done", false},
		"another patient and charge": {func(c *claim.Claim) {
			c.Subscriber.LastName, c.Subscriber.MemberID, c.Lines[0].Fee = "Other", "M2", 1
		}, []string{"A-1", ""}, "1/1 r done", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			parent := b.claim("PARENT")
			id := b.claim("A-1", func(ours *claim.Claim) {
				if c.ours != nil {
					c.ours(ours)
				}
				if ours.Frequency == claim.FrequencyVoid {
					ours.ParentID = parent
				}
			})
			was := b.get(id).State
			p := paid(c.says[0], c.says[1], 0)
			if len(c.says) > 2 {
				p.References = append(p.References, ref("F8", c.says[2]))
			}
			r := b.remit(p)
			if got := counts(r); got != c.want {
				t.Fatalf("%s, want %s", got, c.want)
			}
			applied := strings.HasPrefix(c.want, "1/1 a")
			if got, l := b.get(id), b.ledger(id); applied != (len(l) == 1) || r.MatchedCount == 1 && r.Claims[0].ClaimID != id || c.stays && got.State != was {
				t.Errorf("the claim is %s with %d payments", got.State, len(l))
			}
			if events := b.events(id); (events == "claim.paid") != applied {
				t.Errorf("events %q", events)
			}
		})
	}
}

// TestPayerNumberOfTwo takes, of two claims with the payer's number, the one that the remittance
// describes, whichever was made first.
func TestPayerNumberOfTwo(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]func(*claim.Claim){
		"another last name":  func(c *claim.Claim) { c.Subscriber.LastName = "Other" },
		"another first name": func(c *claim.Claim) { c.Subscriber.FirstName = "Other" },
		"another charge":     func(c *claim.Claim) { c.Lines[0].Fee = 1 },
		"another day":        func(c *claim.Claim) { c.Lines[0].ServiceDate = c.Lines[0].ServiceDate.AddDays(7) },
		"an estimate":        predetermination,
	} {
		for first := range 2 {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newFixture(t)
				ids := map[string]billing.ClaimID{}
				for i := range 2 {
					if i == first {
						ids["other"] = b.claim("A-1", payerNumber("P1"), other)
					} else {
						ids["ours"] = b.claim("A-2", payerNumber("P1"))
					}
				}
				p := paid("LOST", "P1", 0)
				p.Services[0].Dates = []remittance.Date{{Qualifier: "472", Day: billing.Date{Year: 2026, Month: 1, Day: 5}}}
				if r := b.remit(p); counts(r) != "1/1 a done" || r.Claims[0].ClaimID != ids["ours"] {
					t.Errorf("%s, for the other claim: %v", counts(r), r.Claims[0].ClaimID == ids["other"])
				}
			})
		}
	}
}

// TestPayerNumberOfSeveral gives to none what fits several claims with the payer's number equally.
func TestPayerNumberOfSeveral(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		control     string
		all, second func(*claim.Claim)
		want        string
		review      remit.ReviewCode
	}{
		"equal claims":                  {"LOST", nil, nil, "0/1 - done", remit.ReviewSeveralClaims},
		"one is named":                  {"A-1", nil, nil, "1/1 a done", ""},
		"one was not sent":              {"LOST", nil, func(c *claim.Claim) { c.SentAt = time.Time{} }, "1/1 a done", ""},
		"only their number shows them":  {"LOST", stranger, nil, "0/1 - done", remit.ReviewSeveralClaims},
		"only the number shows the one": {"LOST", stranger, unnumbered, "1/1 r done", remit.ReviewPayerNumberOnly},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			nothing := func(*claim.Claim) {}
			if test.all == nil {
				test.all = nothing
			}
			if test.second == nil {
				test.second = nothing
			}
			b.claim("A-1", payerNumber("P1"), test.all)
			b.claim("A-2", payerNumber("P1"), test.all, test.second)
			r := b.remit(paid(test.control, "P1", 0))
			if got := r.Claims[0].Review; counts(r) != test.want || got != test.review {
				t.Errorf("%s, %q", counts(r), got)
			}
		})
	}
}

func unnumbered(c *claim.Claim) { c.PayerClaimNumber = "" }

// stranger has another patient and another charge than the remittances of this file.
func stranger(c *claim.Claim) { c.Subscriber.LastName, c.Lines[0].Fee = "Other", 1 }

// TestSeveralReports applies several remittance claims to one of our
// claims, within a commit and across commits.
func TestSeveralReports(t *testing.T) {
	t.Parallel()
	first, second := paid("A-1", "P1", 0), paid("A-1", "P2", 5000)
	estimate := estimated("D-1")
	for name, c := range map[string]struct {
		says   [][]saying // of one remittance each
		ours   func(*claim.Claim)
		counts string // of the last one
		stands string
		events string
	}{
		"a split claim":                     {[][]saying{{first, paid("A-1", "P2", 10000)}}, nil, "2/2 aa done", "paid paid 200.00", "claim.paid claim.paid"},
		"a reversal later":                  {[][]saying{{first}, {reversed(first)}}, nil, "1/1 a done", "accepted_payer", "claim.paid claim.payment_reversed"},
		"reversal and correction":           {[][]saying{{first}, {reversed(first), second}}, nil, "2/2 aa done", "paid paid 100.00", "claim.paid claim.payment_reversed claim.paid"},
		"all in one":                        {[][]saying{{first, reversed(first), second}}, nil, "3/3 aaa done", "paid paid 100.00", "claim.paid claim.payment_reversed claim.paid"},
		"the other way round":               {[][]saying{{reversed(first), first, second}}, nil, "3/3 aaa done", "paid paid 100.00", "claim.paid claim.payment_reversed claim.paid"},
		"a reversal twice":                  {[][]saying{{first, reversed(first), reversed(first)}}, nil, "2/3 aa- done", "accepted_payer", "claim.paid claim.payment_reversed"},
		"a reversal of nothing":             {[][]saying{{reversed(first)}}, nil, "0/1 - done", "accepted_payer", ""},
		"a reversal of another sum":         {[][]saying{{first}, {reversed(second)}}, nil, "0/1 - done", "paid paid 150.00", "claim.paid"},
		"a denial that is corrected":        {[][]saying{{denied("A-1", "P1")}, {reversed(denied("A-1", "P1")), second}}, nil, "2/2 aa done", "paid paid 100.00", "claim.denied claim.payment_reversed claim.paid"},
		"a denial after a payment":          {[][]saying{{first}, {denied("A-1", "P1")}}, nil, "1/1 a done", "denied denied 150.00", "claim.paid claim.denied"},
		"to a claim that is reconciled":     {[][]saying{{first}}, inState(claim.Reconciled), "1/1 a done", "reconciled paid 150.00", "claim.paid"},
		"taken back from a reconciled one":  {[][]saying{{first, reversed(first)}}, inState(claim.Reconciled), "2/2 aa done", "reconciled", "claim.paid claim.payment_reversed"},
		"an estimate for a claim":           {[][]saying{{withNumber(estimate, "A-1")}}, nil, "1/1 r done", "accepted_payer", ""},
		"an estimate":                       {[][]saying{{withNumber(estimate, "A-1")}}, predetermination, "1/1 a done", "returned", "predetermination.returned"},
		"estimates":                         {[][]saying{{withNumber(estimate, "A-1"), withNumber(estimate, "A-1")}}, predetermination, "2/2 aa done", "returned", "predetermination.returned predetermination.returned"},
		"a correction before its reversal":  {[][]saying{{first}, {first, reversed(first)}}, nil, "2/2 aa done", "paid paid 150.00", "claim.paid claim.payment_reversed claim.paid"},
		"the payer's number only, which is": {[][]saying{{first}, {withNumber(reversed(first), "LOST"), withNumber(second, "LOST TOO")}}, nil, "1/2 a- done", "accepted_payer", "claim.paid claim.payment_reversed"},
	} {
		for _, pieces := range []int{1, 300} {
			t.Run(name+"/"+map[int]string{1: "in pieces", 300: "at once"}[pieces], func(t *testing.T) {
				t.Parallel()
				b := newFixture(t)
				b.service.InPieces(pieces)
				if c.ours == nil {
					c.ours = func(*claim.Claim) {}
				}
				id := b.claim("A-1", c.ours)
				var got string
				for _, says := range c.says {
					r := b.remit(says...)
					got = counts(r)
					var data struct {
						Matched int `json:"matched_count"`
					}
					late := pieces == 1 && name == "the other way round" // the payment comes in a later chunk than its reversal
					if b.last(r.ID, &data); data.Matched != r.MatchedCount && !late {
						t.Errorf("era.received reports %d matched claims, of %d", data.Matched, r.MatchedCount)
					}
				}
				if got != c.counts {
					t.Errorf("%s, want %s", got, c.counts)
				}
				if got := b.stands(id); got != c.stands {
					t.Errorf("the claim is %s, want %s", got, c.stands)
				}
				if got := b.events(id); got != c.events {
					t.Errorf("events %s, want %s", got, c.events)
				}
			})
		}
	}
}

// TestTooMany leaves the rest of a file that repeats one claim without end to a
// person.
func TestTooMany(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.claim("A-1")
	var says []saying
	for n := range 203 {
		says = append(says, paid("A-1", fmt.Sprint("P-", n), 14950))
	}
	r := b.remit(says...)
	if r.Progress != (remit.Progress{Applied: 200, NeedsReview: 3}) || r.Unfinished() != 3 {
		t.Errorf("%+v", r.Progress)
	}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("D-1", predetermination)
	r := b.remit(estimated("D-1"))
	e := b.get(id).Estimate
	if e == nil || e.ERAID != r.ID || e.Pay != 10000 || e.Patient != 10000 || *e.Allowed != 20000 || e.ReturnedAt.IsZero() ||
		len(e.Lines) != 1 || e.Lines[0].Number != 1 || e.Lines[0].Pay != 10000 {
		t.Errorf("%+v", e)
	}
	if r.Payment.Total != 0 || !r.Balanced {
		t.Errorf("%+v", r.ERA)
	}
}

// TestEstimateOfNothing answers predeterminations as if they were claims. Without a payment
// it is an estimate that covers nothing, with its reasons; a payment needs a person.
func TestEstimateOfNothing(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	processed := denied("D-2", "P2")
	processed.Status = "1"
	pays := paid("D-3", "P3", 2500)
	ids := []billing.ClaimID{b.claim("D-1", predetermination), b.claim("D-2", predetermination), b.claim("D-3", predetermination)}
	r := b.remit(denied("D-1", "P1"), processed, pays)
	if got := counts(r); got != "3/3 aar done" || r.Claims[2].Review != remit.ReviewKindDiffers {
		t.Errorf("%s, %s", got, r.Claims[2].Review)
	}
	for _, id := range ids[:2] {
		c := b.get(id)
		e := c.Estimate
		if c.State != claim.Returned || e == nil || e.Pay != 0 || e.Patient != 0 || *e.Allowed != 0 || b.events(id) != "predetermination.returned" {
			t.Errorf("%s, %+v, %s", c.State, e, b.events(id))
			continue
		}
		if l := b.ledger(id); len(l) != 1 || l[0].Lines[0].Adjustments[0].Reason != "96" || !strings.HasPrefix(c.NextStep(), "The payer would pay nothing: ") {
			t.Errorf("%+v, %s", l, c.NextStep())
		}
	}
	if c := b.get(ids[2]); c.State != claim.AcceptedPayer || c.Estimate != nil {
		t.Errorf("a payment: %s, %+v", c.State, c.Estimate)
	}
	b.decided(decision{does: claim.TriggerUnapply, era: r.ID, ordinal: 1})
	if c := b.get(ids[0]); c.State != claim.AcceptedPayer || c.Estimate != nil {
		t.Errorf("unapplied: %s, %+v", c.State, c.Estimate)
	}
}

// TestUnbalanced applies the claims that add up in a remittance that does not.
func TestUnbalanced(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	good, line, c := b.claim("A-1"), b.claim("B-1"), b.claim("C-1")
	p := b.payment(paid("A-1", "P1", 0), paid("B-1", "P2", 0), paid("C-1", "P3", 0))
	p.Claims[1].Services[0].Paid += 100
	p.Claims[2].Paid -= 100
	p.Total += 7
	r := b.apply(b.receiveFile(b.file(p)))
	if got, want := counts(r), "3/3 arr done"; got != want || r.Balanced {
		t.Errorf("%s, balanced %t, want %s", got, r.Balanced, want)
	}
	if r.Balance.Payment.Failed != 1 || r.Balance.Lines.Failed != 1 || r.Balance.Claims.Failed == 0 || len(r.Balance.Findings) < 3 {
		t.Errorf("balance %+v", r.Balance)
	}
	if b.stands(good) != "paid paid 150.00" || b.stands(line) != "accepted_payer" || b.stands(c) != "accepted_payer" {
		t.Errorf("claims %s, %s, %s", b.stands(good), b.stands(line), b.stands(c))
	}
	if b.events(line)+b.events(c) != "" {
		t.Error("events of claims that do not add up")
	}

	off := b.claim("D-1")
	whole := b.payment(paid("D-1", "P4", 0))
	whole.Total++
	if r := b.apply(b.receiveFile(b.file(whole))); counts(r) != "1/1 a done" || r.Balanced || b.stands(off) != "paid paid 150.00" {
		t.Errorf("a total that is off: %s, %t", counts(r), r.Balanced)
	}
}

// TestOrder receives a payment, its reversal and the correction, and runs their
// jobs in every order.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		b := newFixture(t)
		id := b.claim("A-1")
		first, second := paid("A-1", "P1", 0), paid("A-1", "P2", 5000)
		all := []jobs.Job{b.receive(first), b.receive(reversed(first)), b.receive(second)}
		for _, n := range order {
			if r := b.apply(all[n]); counts(r) != "1/1 a done" {
				t.Errorf("in the order %v the remittance %d: %s", order, n, counts(r))
			}
		}
		if got := b.stands(id); got != "paid paid 100.00" {
			t.Errorf("in the order %v the claim is %s", order, got)
		}
		if got := b.events(id); got != "claim.paid claim.payment_reversed claim.paid" {
			t.Errorf("in the order %v the events are %s", order, got)
		}
		if due := b.due(); len(due) != 0 {
			t.Errorf("%d jobs are left", len(due))
		}
	}
}

// TestMeanwhile changes claims between matching and applying.
func TestMeanwhile(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	void, number := b.claim("A-1"), b.claim("B-1", payerNumber("P2"))
	j := b.receive(paid("A-1", "P1", 0), paid("LOST", "P2", 0))
	s := b.process(&porttest.Fault{At: 1, How: porttest.Passes, Then: func() {
		if r := b.era(j); counts(r) != "2/2 pp applying" {
			t.Errorf("when it is read: %s", counts(r))
		}
		b.change(void, inState(claim.Voided))
		b.change(number, payerNumber("P9"))
	}})
	if err := s.Apply(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if r := b.era(j); counts(r) != "2/2 aa done" {
		t.Errorf("%s", counts(r))
	}
	if b.stands(void) != "voided paid 150.00" || b.stands(number) != "paid paid 150.00" || !strings.HasSuffix(b.events(number), "claim.paid") {
		t.Errorf("claims %s, %s", b.stands(void), b.stands(number))
	}
}

// networkFile returns a file of a network that has an ID of its own for CHTEST. Each
// payment in it is to a payee with one of the NPIs.
func (b *fixture) networkFile(payees ...string) clearing.IncomingFile {
	b.t.Helper()
	var payments []remittance.Remittance
	for _, npi := range payees {
		p := b.payment(paid("A-1", "P1", 0))
		p.Payer.ID, p.Payee.ID = "75177", npi
		payments = append(payments, p)
	}
	return b.file(payments...)
}

// ofNetwork returns the route of the network of networkFile.
func (b *fixture) ofNetwork(mode billing.Mode) *network.Route {
	payer, _ := b.payers.Find("CHTEST")
	return &network.Route{Mode: mode, PayerIDs: map[billing.PayerID]map[network.Transaction]string{payer.ID: {network.Claims: "75177"}}}
}

// TestPayerOfANetwork knows payers by the IDs that the network has for them.
func TestPayerOfANetwork(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	if r := b.apply(b.receiveBy(b.ofNetwork(b.scope.Mode), b.networkFile(ourNPI))); r.Payer.PayerID != "CHTEST" {
		t.Errorf("the payer is %+v", r.Payer)
	}
}

// TestPayerOfAQuarantinedPayment reads a payment that a person takes from the quarantine
// as one of the network on which it came.
func TestPayerOfAQuarantinedPayment(t *testing.T) {
	t.Parallel()
	t.Run("the operator's", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t)
		if _, err := b.service.Receive(t.Context(), b.ofNetwork(billing.ModeTest), b.networkFile(unknownNPI, theirNPI)); err != nil {
			t.Fatal(err)
		}
		for _, q := range b.quarantined() {
			report, err := b.service.ImportQuarantined(t.Context(), b.scope, q.ID)
			if err != nil || len(report) != 1 || report[0].ERA.Payer.PayerID != "CHTEST" {
				t.Errorf("%+v, %v", report, err)
			}
		}
		b.settle()
		if all := b.eras(b.scope); len(all) != 2 {
			t.Errorf("%d remittances", len(all))
		}
	})
	t.Run("an organization's", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t)
		b.scope = b.organization(billing.ModeLive, ourNPI, ourTaxID)
		office := b.office(b.scope, theirNPI, "")
		f := b.networkFile(unknownNPI)
		f.Scope = b.scope
		if _, err := b.service.Receive(t.Context(), b.ofNetwork(billing.ModeLive), f); err != nil {
			t.Fatal(err)
		}
		own, _, err := b.service.OwnQuarantine(t.Context(), b.scope, billing.Page{Limit: 10})
		if err != nil || len(own) != 1 {
			t.Fatalf("%d in quarantine, %v", len(own), err)
		}
		if _, err := b.assign(b.service, call("k"), own[0].ID, office); err != nil {
			t.Fatal(err)
		}
		b.settle()
		if all := b.eras(b.scope); len(all) != 1 || all[0].Payer.PayerID != "CHTEST" {
			t.Errorf("%d remittances, %+v", len(all), all)
		}
	})
}
