package claim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// arrivals are what files say of a claim, by name. Each reports whether it
// was applied.
func arrivals(b *books) map[string]func(c *claim.Claim) bool {
	cause := claim.Cause{At: evening, File: &clearing.FileRef{Name: "any.file"}}
	reported := func(side clearing.Side, outcome clearing.ReportOutcome) func(*claim.Claim) bool {
		return func(c *claim.Claim) bool {
			_, ok := c.Reported(report(side, outcome), cause)
			return ok
		}
	}
	remitted := func(r remit.Claim) func(*claim.Claim) bool {
		return func(*claim.Claim) bool {
			_, ok := b.post(r, cause)
			return ok
		}
	}
	return map[string]func(*claim.Claim) bool{
		"997 accepts":     func(*claim.Claim) bool { return false }, // that is the batch's alone
		"997 rejects":     func(c *claim.Claim) bool { _, ok := c.FileRejected(fileOf(c), nil, cause); return ok },
		"277 cleared":     reported(clearing.SideClearinghouse, clearing.ReportAccepted),
		"277 not cleared": reported(clearing.SideClearinghouse, clearing.ReportRejected),
		"277 accepted":    reported(clearing.SidePayer, clearing.ReportAccepted),
		"277 rejected":    reported(clearing.SidePayer, clearing.ReportRejected),
		"277 not found":   reported(clearing.SidePayer, clearing.ReportNotFound),
		"277 pending":     reported(clearing.SidePayer, clearing.ReportPending),
		"835 payment":     remitted(remit.Claim{StatusCode: "1", Charge: 100_00, Paid: 80_00}),
		"835 denial":      remitted(remit.Claim{StatusCode: "4", Charge: 100_00}),
		"835 reversal":    remitted(remit.Claim{StatusCode: "22", Charge: -100_00, Paid: -80_00}),
		"835 correction":  remitted(remit.Claim{StatusCode: "1", Charge: 100_00, Paid: 60_00}),
		"835 estimate": func(c *claim.Claim) bool {
			_, ok := c.Returned(remit.ClaimEstimate{Pay: 50_00}, cause)
			return ok
		},
	}
}

// permutations calls f with each order of the list.
func permutations(list []string, f func([]string)) {
	var place func(int)
	place = func(n int) {
		if n == len(list) {
			f(list)
			return
		}
		for i := n; i < len(list); i++ {
			list[n], list[i] = list[i], list[n]
			place(n + 1)
			list[n], list[i] = list[i], list[n]
		}
	}
	place(0)
}

// first returns the name that comes first in the order.
func first(order []string, names ...string) string {
	return order[slices.IndexFunc(order, func(s string) bool { return slices.Contains(names, s) })]
}

func always(s claim.State) func([]string) claim.State {
	return func([]string) claim.State { return s }
}

// Files come in any order, and each may come twice. Where the end depends on
// the order, it is for files that contradict each other.
func TestFilesInAnyOrder(t *testing.T) {
	t.Parallel()
	standing := func(order []string) claim.State {
		return map[string]claim.State{
			"277 rejected": claim.Paid, "277 not found": claim.NeedsAttention, "835 payment": claim.Paid,
		}[first(order, "277 rejected", "277 not found", "835 payment")]
	}
	for _, c := range []struct {
		files []string
		who   string // c a claim, p a predetermination, v a void
		ends  func(order []string) claim.State
	}{
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 pending", "835 payment"}, "c", always(claim.Paid)},
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 pending", "835 denial"}, "c", always(claim.Denied)},
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 pending"}, "c", always(claim.AcceptedPayer)},
		{[]string{"997 accepts", "277 cleared", "277 pending"}, "c", always(claim.AcceptedClearinghouse)},
		{[]string{"997 accepts", "277 cleared", "277 rejected", "277 pending"}, "c", always(claim.Rejected)},
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 rejected"}, "c", always(claim.Rejected)},
		{[]string{"997 accepts", "277 not cleared"}, "c", always(claim.Rejected)},
		{[]string{"997 accepts", "277 cleared", "277 not found"}, "c", always(claim.NeedsAttention)},
		{[]string{"997 rejects"}, "c", always(claim.Queued)},
		{[]string{"277 cleared", "277 rejected", "835 payment", "277 pending"}, "c", standing},
		{[]string{"277 accepted", "277 rejected", "277 not found", "835 payment"}, "c", standing},
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 pending", "835 estimate"}, "p", always(claim.Returned)},
		{[]string{"835 payment", "835 estimate", "277 accepted"}, "p", always(claim.Returned)},
		{[]string{"835 payment", "835 estimate", "277 accepted"}, "c", always(claim.Paid)},
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 pending", "835 payment"}, "v", always(claim.AcceptedPayer)},
		{[]string{"997 accepts", "277 cleared", "277 not found"}, "v", always(claim.Rejected)},
		{[]string{"277 accepted", "835 payment", "835 reversal", "835 correction"}, "c", always(claim.Paid)},
		{[]string{"277 accepted", "835 payment", "835 reversal"}, "c", always(claim.AcceptedPayer)}, // the reversal waits for the payment
	} {
		t.Run(c.who+" "+strings.Join(c.files, ", "), func(t *testing.T) {
			t.Parallel()
			permutations(c.files, func(order []string) { arrive(t, c.who, order, c.ends(order)) })
		})
	}
}

// arrive applies the files in the order, then all of them again but for
// remittances, which say something else each time, and follows the claim.
func arrive(t *testing.T, who string, order []string, ends claim.State) {
	t.Helper()
	rank := []claim.State{claim.Queued, claim.Submitted, claim.AcceptedClearinghouse, claim.AcceptedPayer}
	c := newClaim()
	c.Kind, c.Frequency, c.State, c.BatchID = claim.KindClaim, claim.FrequencyOriginal, claim.Submitted, billing.FileID{15: 4}
	c.SentAt = noon
	switch who {
	case "p":
		c.Kind = claim.KindPredetermination
	case "v":
		c.Frequency = claim.FrequencyVoid
	}
	books := books{Claim: c}
	apply := arrivals(&books)
	again := slices.DeleteFunc(slices.Clone(order), func(name string) bool { return strings.HasPrefix(name, "835") })
	for _, name := range append(slices.Clone(order), again...) {
		before := c.State
		moved := apply[name](c)
		if !moved && c.State != before {
			t.Errorf("%v: %s moved the claim unsaid from %s to %s", order, name, before, c.State)
		}
		from, to := slices.Index(rank, before), slices.Index(rank, c.State)
		if to >= 0 && (from < 0 || to < from) && name != "997 rejects" && name != "835 reversal" {
			t.Errorf("%v: %s moved the claim back from %s to %s", order, name, before, c.State)
		}
		if s := c.Standing; s != nil && s.Paid < 0 {
			t.Errorf("%v: paid %s", order, s.Paid)
		}
	}
	if c.State != ends {
		t.Errorf("%v ends %s, want %s", order, c.State, ends)
	}
}

// A payer that takes the void takes the claim back, whatever it did to the
// claim meanwhile, unless the claim is settled.
func TestAVoidTakesItsClaimBack(t *testing.T) {
	t.Parallel()
	c := newClaim()
	c.Kind, c.Frequency, c.State, c.PayerClaimNumber = claim.KindClaim, claim.FrequencyOriginal, claim.AcceptedPayer, "PAYER-1"
	c.BatchID, c.SentAt, c.Standing, c.Findings = billing.FileID{15: 4}, noon, &claim.Standing{Paid: 1}, []claim.Finding{{Code: "x"}}
	v, e, err := record(c).Void(billing.ClaimID{15: 99}, "VOID-1", billing.RequestID{15: 9}, evening)
	if err != nil || e.Type != event.ClaimQueued || e.Resource != v.ID {
		t.Fatal(err, e.Type)
	}
	if v.State != claim.Queued || v.Frequency != claim.FrequencyVoid || v.ParentID != c.ID || v.PatientControlNumber != "VOID-1" ||
		v.PayerClaimNumber != "PAYER-1" || !v.BatchID.IsZero() || !v.SentAt.IsZero() || v.Standing != nil || v.Findings != nil || len(v.Lines) != 2 {
		t.Errorf("the void is %+v", v)
	}
	if c.State != claim.AcceptedPayer || c.PatientControlNumber != "PCN-1" || c.Standing == nil {
		t.Errorf("the claim is %+v", c)
	}
	books := books{Claim: c}
	if _, ok := books.post(remit.Claim{StatusCode: "1", Paid: 5}, claim.Cause{At: evening}); !ok {
		t.Error("a claim that is being voided takes no payment")
	}
	if e, ok := c.Voided(claim.Cause{At: evening}); !ok || e.Type != event.ClaimVoided || c.State != claim.Voided {
		t.Errorf("voided %v, %s", ok, c.State)
	}
	if _, ok := books.post(remit.Claim{StatusCode: "22", Paid: -5}, claim.Cause{At: evening}); !ok || c.State != claim.Voided || c.Standing != nil {
		t.Errorf("after the payment of a voided claim is taken back: %v, %s, %+v", ok, c.State, c.Standing)
	}
}

// The history of a reconciled claim says what was taken back, also when another payment
// stands after it.
func TestTheHistoryOfATakeBack(t *testing.T) {
	t.Parallel()
	c := newClaim()
	c.Kind, c.Frequency, c.State, c.SentAt = claim.KindClaim, claim.FrequencyOriginal, claim.Reconciled, noon
	books := books{Claim: c}
	for _, r := range []remit.Claim{
		{StatusCode: "1", Charge: 10, Paid: 5, PayerClaimNumber: "P1"},
		{StatusCode: "1", Charge: 20, Paid: 8, PayerClaimNumber: "P2"},
		{StatusCode: "22", Charge: -10, Paid: -5, PayerClaimNumber: "P1"},
	} {
		if _, ok := books.post(r, claim.Cause{At: evening}); !ok {
			t.Fatalf("%+v is not applied", r)
		}
	}
	if c.Standing == nil || c.Standing.Paid != 8 || c.History[len(c.History)-1].Cause != claim.TriggerReverse {
		t.Errorf("%+v, history %+v", c.Standing, c.History)
	}
	c.Unsettle(c.Ledger(books.entries[:2]), books.entries[2], claim.Cause{At: evening})
	if last := c.History[len(c.History)-1]; last.Cause != claim.TriggerPay {
		t.Errorf("a reversal that is taken back is %s", last.Cause)
	}
}
