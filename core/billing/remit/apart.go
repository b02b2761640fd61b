package remit

import (
	"slices"
	"strings"
)

// The codes that say why a payer allows less than its contract has for the billed procedure. They
// are those of reasons.tsv whose words say so.
//
//nolint:gochecknoglobals // constant tables
var (
	maximumReasons   = []string{"35", "119", "149"}
	maximumRemarks   = []string{"N587"}
	frequencyReasons = []string{"151", "198", "222", "273", "B14"}
	frequencyRemarks = []string{
		"M86", "M90", "N113", "N117", "N357", "N362", "N411", "N412", "N413", "N414", "N415", "N416", "N417", "N435", "N640",
	}
	substituteReasons = []string{"169"}
	substituteRemarks = []string{"M15", "N2", "N22", "N449"}
	networkReasons    = []string{"38", "147", "242", "279", "B7"}
	networkRemarks    = []string{"M115"}
	discountReasons   = []string{"24", "44", "103", "131", "281"}
)

// has reports whether the line has an adjustment for one of the reasons, or one of the remarks.
func (l *Line) has(reasons, remarks []string) bool {
	return slices.ContainsFunc(l.Adjustments, func(a Adjustment) bool { return a.Amount != 0 && slices.Contains(reasons, strings.ToUpper(a.Reason)) }) ||
		slices.ContainsFunc(l.Remarks, func(code string) bool { return slices.Contains(remarks, strings.ToUpper(code)) })
}

// MaximumReached reports whether a maximum of the plan limits what the line is paid.
func (l *Line) MaximumReached() bool { return l.has(maximumReasons, maximumRemarks) }

// TooFrequent reports whether a limit of the number or the frequency does.
func (l *Line) TooFrequent() bool { return l.has(frequencyReasons, frequencyRemarks) }

// Substituted reports whether the payer decides another procedure than the one that was billed.
func (l *Line) Substituted() bool {
	return l.has(substituteReasons, substituteRemarks) || l.SubmittedCode != "" && !strings.EqualFold(l.SubmittedCode, l.ProcedureCode)
}

// SettledBefore reports whether the payer says that an earlier one settled a part of the line.
func (l *Line) SettledBefore() bool {
	return slices.ContainsFunc(l.Adjustments, func(a Adjustment) bool { return a.Amount != 0 && a.SettledBefore() })
}

// OutOfNetwork reports whether the payer counts the practice as out of its network: it says so, or
// leaves to the patient what a contract would take off.
func (l *Line) OutOfNetwork() bool {
	left := func(a Adjustment) bool {
		r, _ := findReason("reason", a.Reason)
		return a.Group == "PR" && a.Amount != 0 && r.class == "contractual"
	}
	return l.has(networkReasons, networkRemarks) || slices.ContainsFunc(l.Adjustments, left)
}

// OtherDiscount reports whether the payer takes off something else than its fee schedule does.
func (l *Line) OtherDiscount() bool { return l.has(discountReasons, nil) }
