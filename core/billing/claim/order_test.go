package billing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// arrivals are what files say of a claim, by name. Each reports whether it
// was applied.
func arrivals(b *books) map[string]func(c *billing.Claim) bool {
	cause := billing.ClaimCause{At: evening, File: &billing.FileRef{Name: "any.file"}}
	reported := func(side billing.Side, outcome billing.ReportOutcome) func(*billing.Claim) bool {
		return func(c *billing.Claim) bool {
			_, ok := c.Reported(report(side, outcome), cause)
			return ok
		}
	}
	remitted := func(r billing.RemittanceClaim) func(*billing.Claim) bool {
		return func(*billing.Claim) bool {
			_, ok := b.post(r, cause)
			return ok
		}
	}
	return map[string]func(*billing.Claim) bool{
		"997 accepts":     func(*billing.Claim) bool { return false }, // that is the batch's alone
		"997 rejects":     func(c *billing.Claim) bool { _, ok := c.FileRejected(fileOf(c), nil, cause); return ok },
		"277 cleared":     reported(billing.SideClearinghouse, billing.ReportAccepted),
		"277 not cleared": reported(billing.SideClearinghouse, billing.ReportRejected),
		"277 accepted":    reported(billing.SidePayer, billing.ReportAccepted),
		"277 rejected":    reported(billing.SidePayer, billing.ReportRejected),
		"277 not found":   reported(billing.SidePayer, billing.ReportNotFound),
		"277 pending":     reported(billing.SidePayer, billing.ReportPending),
		"835 payment":     remitted(billing.RemittanceClaim{StatusCode: "1", Charge: 100_00, Paid: 80_00}),
		"835 denial":      remitted(billing.RemittanceClaim{StatusCode: "4", Charge: 100_00}),
		"835 reversal":    remitted(billing.RemittanceClaim{StatusCode: "22", Charge: -100_00, Paid: -80_00}),
		"835 correction":  remitted(billing.RemittanceClaim{StatusCode: "1", Charge: 100_00, Paid: 60_00}),
		"835 estimate": func(c *billing.Claim) bool {
			_, ok := c.Returned(billing.ClaimEstimate{Pay: 50_00}, cause)
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

func always(s billing.ClaimState) func([]string) billing.ClaimState {
	return func([]string) billing.ClaimState { return s }
}

// Files come in any order, and each may come twice. Where the end depends on
// the order, it is for files that contradict each other.
func TestFilesInAnyOrder(t *testing.T) {
	t.Parallel()
	standing := func(order []string) billing.ClaimState {
		return map[string]billing.ClaimState{
			"277 rejected": billing.ClaimPaid, "277 not found": billing.ClaimNeedsAttention, "835 payment": billing.ClaimPaid,
		}[first(order, "277 rejected", "277 not found", "835 payment")]
	}
	for _, c := range []struct {
		files []string
		who   string // c a claim, p a predetermination, v a void
		ends  func(order []string) billing.ClaimState
	}{
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 pending", "835 payment"}, "c", always(billing.ClaimPaid)},
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 pending", "835 denial"}, "c", always(billing.ClaimDenied)},
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 pending"}, "c", always(billing.ClaimAcceptedPayer)},
		{[]string{"997 accepts", "277 cleared", "277 pending"}, "c", always(billing.ClaimAcceptedClearinghouse)},
		{[]string{"997 accepts", "277 cleared", "277 rejected", "277 pending"}, "c", always(billing.ClaimRejected)},
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 rejected"}, "c", always(billing.ClaimRejected)},
		{[]string{"997 accepts", "277 not cleared"}, "c", always(billing.ClaimRejected)},
		{[]string{"997 accepts", "277 cleared", "277 not found"}, "c", always(billing.ClaimNeedsAttention)},
		{[]string{"997 rejects"}, "c", always(billing.ClaimQueued)},
		{[]string{"277 cleared", "277 rejected", "835 payment", "277 pending"}, "c", standing},
		{[]string{"277 accepted", "277 rejected", "277 not found", "835 payment"}, "c", standing},
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 pending", "835 estimate"}, "p", always(billing.ClaimReturned)},
		{[]string{"835 payment", "835 estimate", "277 accepted"}, "p", always(billing.ClaimReturned)},
		{[]string{"835 payment", "835 estimate", "277 accepted"}, "c", always(billing.ClaimPaid)},
		{[]string{"997 accepts", "277 cleared", "277 accepted", "277 pending", "835 payment"}, "v", always(billing.ClaimAcceptedPayer)},
		{[]string{"997 accepts", "277 cleared", "277 not found"}, "v", always(billing.ClaimRejected)},
		{[]string{"277 accepted", "835 payment", "835 reversal", "835 correction"}, "c", always(billing.ClaimPaid)},
		{[]string{"277 accepted", "835 payment", "835 reversal"}, "c", always(billing.ClaimAcceptedPayer)}, // the reversal waits for the payment
	} {
		t.Run(c.who+" "+strings.Join(c.files, ", "), func(t *testing.T) {
			t.Parallel()
			permutations(c.files, func(order []string) { arrive(t, c.who, order, c.ends(order)) })
		})
	}
}

// arrive applies the files in the order, then all of them again but for
// remittances, which say something else each time, and follows the claim.
func arrive(t *testing.T, who string, order []string, ends billing.ClaimState) {
	t.Helper()
	rank := []billing.ClaimState{billing.ClaimQueued, billing.ClaimSubmitted, billing.ClaimAcceptedClearinghouse, billing.ClaimAcceptedPayer}
	c := claim()
	c.Kind, c.Frequency, c.State, c.BatchID = billing.KindClaim, billing.FrequencyOriginal, billing.ClaimSubmitted, billing.FileID{15: 4}
	c.SentAt = noon
	switch who {
	case "p":
		c.Kind = billing.KindPredetermination
	case "v":
		c.Frequency = billing.FrequencyVoid
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
	c := claim()
	c.Kind, c.Frequency, c.State, c.PayerClaimNumber = billing.KindClaim, billing.FrequencyOriginal, billing.ClaimAcceptedPayer, "PAYER-1"
	c.BatchID, c.SentAt, c.Standing, c.Findings = billing.FileID{15: 4}, noon, &billing.ClaimStanding{Paid: 1}, []billing.Finding{{Code: "x"}}
	v, e, err := record(c).Void(billing.ClaimID{15: 99}, "VOID-1", billing.RequestID{15: 9}, evening)
	if err != nil || e.Type != billing.EventClaimQueued || e.Resource != v.ID {
		t.Fatal(err, e.Type)
	}
	if v.State != billing.ClaimQueued || v.Frequency != billing.FrequencyVoid || v.ParentID != c.ID || v.PatientControlNumber != "VOID-1" ||
		v.PayerClaimNumber != "PAYER-1" || !v.BatchID.IsZero() || !v.SentAt.IsZero() || v.Standing != nil || v.Findings != nil || len(v.Lines) != 2 {
		t.Errorf("the void is %+v", v)
	}
	if c.State != billing.ClaimAcceptedPayer || c.PatientControlNumber != "PCN-1" || c.Standing == nil {
		t.Errorf("the claim is %+v", c)
	}
	books := books{Claim: c}
	if _, ok := books.post(billing.RemittanceClaim{StatusCode: "1", Paid: 5}, billing.ClaimCause{At: evening}); !ok {
		t.Error("a claim that is being voided takes no payment")
	}
	if e, ok := c.Voided(billing.ClaimCause{At: evening}); !ok || e.Type != billing.EventClaimVoided || c.State != billing.ClaimVoided {
		t.Errorf("voided %v, %s", ok, c.State)
	}
	if _, ok := books.post(billing.RemittanceClaim{StatusCode: "22", Paid: -5}, billing.ClaimCause{At: evening}); !ok || c.State != billing.ClaimVoided || c.Standing != nil {
		t.Errorf("after the payment of a voided claim is taken back: %v, %s, %+v", ok, c.State, c.Standing)
	}
}
