package claimstatus_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/clearing"
)

func on(d int) billing.Date { return billing.Date{Year: 2026, Month: 3, Day: d} }

func ours() *claim.Claim {
	c := &claim.Claim{Kind: claim.KindClaim, PatientControlNumber: "PCN-1"}
	c.Lines = []claim.Line{{Fee: 200_00, ServiceDate: on(2)}, {Fee: 50_00, ServiceDate: on(3)}}
	c.PayerClaimNumber = "P-9"
	return c
}

func theirs(control, number string, charge billing.Money, first, last int) claimstatus.PayerClaim {
	return claimstatus.PayerClaim{
		ControlNumber: control, PayerClaimNumber: number, Charge: charge, Service: billing.DateSpan{From: on(first), To: on(last)},
		Statuses: []claimstatus.Status{{Codes: []claimstatus.Code{{Category: "A7", Status: "164"}}}},
		Report:   clearing.ClaimReport{Outcome: clearing.ReportRejected, Request: &clearing.Information{}},
	}
}

// TestMatch finds the payer's claim that is ours. Two that fit are nobody's.
func TestMatch(t *testing.T) {
	t.Parallel()
	same, other := theirs("", "", 250_00, 2, 3), theirs("PCN-2", "P-2", 250_00, 2, 3)
	for name, c := range map[string]struct {
		all  []claimstatus.PayerClaim
		by   claimstatus.Match
		rest int
	}{
		"our number":                           {[]claimstatus.PayerClaim{other, theirs("pcn-1", "P-1", 1, 9, 9)}, claimstatus.ByControlNumber, 1},
		"our number before the payer's":        {[]claimstatus.PayerClaim{theirs("", "P-9", 1, 9, 9), theirs("PCN-1", "P-1", 1, 9, 9)}, claimstatus.ByControlNumber, 1},
		"our number twice":                     {[]claimstatus.PayerClaim{theirs("PCN-1", "P-1", 1, 9, 9), theirs("PCN-1", "P-2", 1, 9, 9)}, "", 2},
		"our number twice, once with theirs":   {[]claimstatus.PayerClaim{theirs("PCN-1", "P-1", 1, 9, 9), theirs("PCN-1", "p-9", 1, 9, 9)}, claimstatus.ByControlNumber, 1},
		"the payer's number":                   {[]claimstatus.PayerClaim{other, theirs("", "P-9", 1, 9, 9)}, claimstatus.ByPayerClaimNumber, 1},
		"the payer's number twice":             {[]claimstatus.PayerClaim{theirs("", "P-9", 1, 9, 9), theirs("", "P-9", 250_00, 2, 3)}, "", 2},
		"charge and dates":                     {[]claimstatus.PayerClaim{other, same}, claimstatus.ByChargeAndDate, 1},
		"charge and the first date":            {[]claimstatus.PayerClaim{theirs("", "", 250_00, 2, 2)}, claimstatus.ByChargeAndDate, 0},
		"charge and dates twice":               {[]claimstatus.PayerClaim{same, same}, "", 2},
		"another charge":                       {[]claimstatus.PayerClaim{theirs("", "", 200_00, 2, 3)}, "", 1},
		"other dates":                          {[]claimstatus.PayerClaim{theirs("", "", 250_00, 1, 3)}, "", 1},
		"another control number, whose charge": {[]claimstatus.PayerClaim{other}, "", 1},
		"none":                                 {nil, "", 0},
	} {
		i := claimstatus.Inquiry{State: claimstatus.Pending}
		found, err := i.Complete(&claimstatus.Answer{Outcome: claimstatus.Found, Claims: c.all}, ours(), time.Now())
		if err != nil || i.Matches != c.by || i.Others != c.rest || (found == nil) != (c.by == "") {
			t.Errorf("%s: %q and %d others, %v; want %q and %d", name, i.Matches, i.Others, err, c.by, c.rest)
		}
		sure := c.by == claimstatus.ByControlNumber || c.by == claimstatus.ByPayerClaimNumber
		if (i.Rejection(found) != nil) != sure || (i.Request(found) != nil) != sure {
			t.Errorf("%s: it moves the claim, and should: %t", name, sure)
		}
		if _, err := i.Complete(&claimstatus.Answer{}, ours(), time.Now()); err == nil {
			t.Errorf("%s: completed twice", name)
		}
	}
}

// TestOnlyRejectionsMove has the outcomes of reports that move a claim.
func TestOnlyRejectionsMove(t *testing.T) {
	t.Parallel()
	for _, o := range []clearing.ReportOutcome{"", clearing.ReportAccepted, clearing.ReportRejected, clearing.ReportNotFound, clearing.ReportPending, clearing.ReportRequested, clearing.ReportFinalized} {
		p := theirs("PCN-1", "", 0, 2, 3)
		p.Report.Outcome = o
		i := claimstatus.Inquiry{Content: claimstatus.Content{Matches: claimstatus.ByControlNumber}}
		if moves := i.Rejection(&p) != nil; moves != (o == clearing.ReportRejected) {
			t.Errorf("%q moves the claim: %t", o, moves)
		}
	}
}

// TestAskable has every state of a claim.
func TestAskable(t *testing.T) {
	t.Parallel()
	want := map[claim.State]bool{
		claim.Submitted: true, claim.AcceptedClearinghouse: true, claim.AcceptedPayer: true, claim.Rejected: true, claim.Paid: true, claim.Denied: true, claim.Reconciled: true,
	}
	for _, s := range claim.States() {
		c := ours()
		c.State = s
		if err := claimstatus.Askable(c); (err == nil) != want[s] {
			t.Errorf("%s: %v", s, err)
		}
		for _, change := range []func(){
			func() { c.Kind = claim.KindPredetermination },
			func() { c.Kind, c.Frequency = claim.KindClaim, claim.FrequencyVoid },
			func() { c.Frequency, c.ErasedAt = claim.FrequencyOriginal, time.Now() },
		} {
			if change(); billing.CodeOf(claimstatus.Askable(c)) != billing.CodeConflict {
				t.Errorf("%s can be asked about", s)
			}
		}
	}
	c := ours()
	c.State, c.SentAt = claim.NeedsAttention, time.Now()
	if err := claimstatus.Askable(c); err == nil || !strings.Contains(err.Error(), "came back") {
		t.Error(err)
	}
}

// TestSame compares answers.
func TestSame(t *testing.T) {
	t.Parallel()
	answer := func(change func(*claimstatus.Status)) *claimstatus.Content {
		s := claimstatus.Status{Codes: []claimstatus.Code{{Category: "P1", Status: "20"}}, Effective: on(2), Charge: new(billing.Money(1))}
		change(&s)
		return &claimstatus.Content{Statuses: []claimstatus.Status{s}}
	}
	first := answer(func(*claimstatus.Status) {})
	for name, c := range map[string]struct {
		change func(*claimstatus.Status)
		same   bool
	}{
		"the same":       {func(*claimstatus.Status) {}, true},
		"of another day": {func(s *claimstatus.Status) { s.Effective = on(9) }, true},
		"another code":   {func(s *claimstatus.Status) { s.Codes[0].Status = "3" }, false},
		"an amount":      {func(s *claimstatus.Status) { s.Paid = new(billing.Money(0)) }, false},
		"a payment":      {func(s *claimstatus.Status) { s.Payment = "1" }, false},
	} {
		if got := first.Same(answer(c.change)); got != c.same {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestWordsFile(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("words.tsv")
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for line := range strings.Lines(string(file)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 3 || columns[2] == "" || strings.HasSuffix(columns[2], ".") {
			t.Fatalf("%q is not list, code and words", line)
		}
		if key := columns[0] + columns[1]; key == last {
			t.Errorf("%q stands twice", line)
		} else {
			last = key
		}
	}
	for code, want := range map[claimstatus.Code]string{
		{Category: "F1", Status: "65"}:                "Decided with a payment: paid",
		{Category: "P1"}:                              "In process",
		{Category: "p1", Status: "9999"}:              "In process: status 9999",
		{Category: "F9", Status: "0"}:                 "Decided",
		{Category: "A6", Status: "128", Entity: "85"}: "Rejected because information is missing: missing tax ID (billing provider)",
		{Category: "Z1", Status: "1", Entity: "QC"}:   "Status Z1:1:QC",
		{}: "Status ",
	} {
		if got := code.Words(); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// A claim that is paid and posted is asked about, too: the message does not say that its remittance is yet to come.
func TestMessageOfAPayment(t *testing.T) {
	t.Parallel()
	paid := billing.Money(20720)
	i := claimstatus.Inquiry{Outcome: claimstatus.Found, Content: claimstatus.Content{
		Matches:  claimstatus.ByControlNumber,
		Statuses: []claimstatus.Status{{Codes: []claimstatus.Code{{Category: "F1", Status: "65"}}, Paid: &paid}},
	}}
	if got, want := i.Message(), "The payer announces $207.20. Its remittance has the payment: wait for it if it has not come yet."; !strings.HasSuffix(got, want) {
		t.Errorf("%q does not end with %q", got, want)
	}
}
