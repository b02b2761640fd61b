package edi

import (
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing/coverage"
)

// TestRules proves that each rule says what callers know: a reason of the contract, a
// person or party, and a place that is read.
func TestRules(t *testing.T) {
	t.Parallel()
	parties := []coverage.About{
		"", coverage.AboutSubscriber, coverage.AboutPatient, coverage.AboutProvider, coverage.AboutRequest, coverage.AboutClearinghouse,
		coverage.AboutPayer,
	}
	for _, r := range rules() {
		if !slices.Contains(coverage.ReasonCodes(), r.code) || !slices.Contains(parties, r.about) ||
			!slices.Contains([]where{anywhere, whereAlone, whereMember, wherePayer}, r.where) || r.message == "" || r.fix == "" {
			t.Errorf("the rule of %v is %+v", r.codes, r)
		}
	}
	if r := ruleFor("no such code", loopPayer, true); r.code != coverage.ReasonPayerRejectedOther {
		t.Errorf("another code has the rule %+v", r)
	}
}
