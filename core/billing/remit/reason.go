package remit

import (
	_ "embed" // the labels that ship with the service
	"strings"
	"sync"
)

//go:embed reasons.tsv
var shippedReasons string

// reasons holds the entries of the file by kind and code.
//
//nolint:gochecknoglobals // a constant table, read at first use
var reasons = sync.OnceValue(func() map[[2]string]reason {
	table := map[[2]string]reason{}
	for line := range strings.Lines(shippedReasons) {
		if !strings.HasPrefix(line, "#") {
			columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			table[[2]string{columns[0], columns[1]}] = reason{columns[2], columns[3]}
		}
	}
	return table
})

// reason is an entry of reasons.tsv. Its class is contractual for a discount
// agreed by contract or set by law, plan for the patient's share (1, 2 and 3),
// and not_paid for any other amount. A withhold (104, 245) is not_paid, because
// the payer may pay it later. Remarks, provider adjustments and the reasons 23 and
// 101 have no class.
type reason struct{ class, label string }

func findReason(kind, code string) (reason, bool) {
	r, ok := reasons()[[2]string{kind, strings.ToUpper(code)}]
	return r, ok
}

// ReasonLabel returns a few plain words for a claim adjustment reason code
// (CAS02). The words are the project's own: X12 licenses the official ones. An
// unknown code is its own label. Case does not matter; leading zeros do.
func ReasonLabel(code string) string { return labelOf("reason", code) }

// RemarkLabel returns a few plain words for a remittance advice remark code
// (LQ02, MOA or MIA), with the rules of ReasonLabel.
func RemarkLabel(code string) string { return labelOf("remark", code) }

// ProviderAdjustmentLabel returns a few plain words for the reason code of a provider
// adjustment (PLB03-1), with the rules of ReasonLabel.
func ProviderAdjustmentLabel(code string) string { return labelOf("provider", code) }

func labelOf(kind, code string) string {
	if r, ok := findReason(kind, code); ok {
		return r.label
	}
	return code
}

// Contractual reports whether the practice writes the amount off: the group is
// CO or PI, and the reason is a discount agreed by contract or set by law.
func (a Adjustment) Contractual() bool {
	r, _ := findReason("reason", a.Reason)
	return (a.Group == "CO" || a.Group == "PI") && r.class == "contractual"
}

// NotPaid reports whether the payer refuses the amount: the group is CO, PI or
// OA, and the adjustment is not contractual. Two amounts are no refusal: OA-23
// is what an earlier payer settled, and OA-101 is a predetermination's estimate.
// An unknown reason is a refusal.
func (a Adjustment) NotPaid() bool {
	switch a.Group {
	case "CO", "PI":
		return !a.Contractual()
	case "OA":
		return !a.SettledBefore() && !a.estimated()
	default:
		return false
	}
}

// Late reports whether the payer refuses the amount because a filing limit was missed.
func (a Adjustment) Late() bool { return a.Reason == "29" && a.NotPaid() }

// LateToPatient reports whether the payer leaves to the patient what it does not pay because a filing limit was
// missed. It is never the patient's; see acts.tsv.
func (a Adjustment) LateToPatient() bool { return a.Reason == "29" && a.OfPatient() }

// SettledBefore reports whether the amount is what an earlier payer settled.
func (a Adjustment) SettledBefore() bool { return a.Group == "OA" && a.Reason == "23" }
