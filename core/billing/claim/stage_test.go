package claim_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// TestStage has claims with the last of their causes, and the stage that steps follow.
func TestStage(t *testing.T) {
	t.Parallel()
	const none = scenario.Stage(-1)
	stands := &claim.Standing{}
	for name, test := range map[string]struct {
		state    claim.State
		last     claim.Trigger
		standing *claim.Standing
		change   func(c *claim.Claim)
		want     scenario.Stage
	}{
		"queued":                     {claim.Queued, claim.TriggerSubmit, nil, nil, none},
		"queued again":               {claim.Queued, claim.TriggerReplace, stands, nil, none},
		"being corrected":            {claim.Validated, claim.TriggerReject, nil, nil, none},
		"never sent":                 {claim.Submitted, claim.TriggerSend, nil, func(c *claim.Claim) { c.SentAt = time.Time{} }, none},
		"submitted":                  {claim.Submitted, claim.TriggerSend, nil, nil, scenario.Sent},
		"a replacement is submitted": {claim.Submitted, claim.TriggerSend, stands, nil, scenario.Sent},
		"forwarded":                  {claim.AcceptedClearinghouse, claim.TriggerClearinghouseAccept, nil, nil, scenario.Forwarded},
		"accepted":                   {claim.AcceptedPayer, claim.TriggerPayerAccept, nil, nil, scenario.Accepted},
		"rejected":                   {claim.Rejected, claim.TriggerReject, nil, nil, scenario.Over},
		"paid":                       {claim.Paid, claim.TriggerPay, stands, nil, scenario.Decided},
		"denied":                     {claim.Denied, claim.TriggerDeny, stands, nil, scenario.Decided},
		"reversed":                   {claim.AcceptedPayer, claim.TriggerReverse, nil, nil, scenario.Reversed},
		"reversed in part":           {claim.Paid, claim.TriggerReverse, stands, nil, scenario.Decided},
		"reconciled":                 {claim.Reconciled, claim.TriggerReconcile, stands, nil, scenario.Decided},
		"reconciled and reversed":    {claim.Reconciled, claim.TriggerReverse, nil, nil, scenario.Reversed},
		"voided":                     {claim.Voided, claim.TriggerVoided, nil, nil, scenario.Over},
		"an estimate":                {claim.Returned, claim.TriggerReturn, nil, func(c *claim.Claim) { c.Kind = claim.KindPredetermination }, scenario.Decided},
		"a void is submitted":        {claim.Submitted, claim.TriggerSend, nil, func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid }, scenario.Sent},
		"a void is accepted":         {claim.AcceptedPayer, claim.TriggerPayerAccept, nil, func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid }, scenario.Over},
	} {
		c := claim.Claim{Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal, Progress: claim.Progress{
			State: test.state, Standing: test.standing, SentAt: time.Unix(1, 0), BatchID: billing.FileID{1},
			History: []claim.Move{{Cause: claim.TriggerSend, File: "a.837"}, {Cause: claim.TriggerPay}, {Cause: test.last, File: "b.837"}, {Cause: claim.TriggerEdit}},
		}}
		if test.last != claim.TriggerReconcile {
			c.History[1].Cause = claim.TriggerEdit
		}
		if test.change != nil {
			test.change(&c)
		}
		at, sent := c.Stage()
		if sent != (test.want != none) || sent && at != test.want {
			t.Errorf("%s: %d, %t, want %d", name, at, sent, test.want)
		}
		wantFiles := 1
		if test.last == claim.TriggerSend {
			wantFiles = 2
		}
		if files := c.Files(); len(files) != wantFiles || files[0] != "a.837" {
			t.Errorf("%s: carried by %v", name, files)
		}
	}
}

// TestFollows has steps that suit one kind of claim only.
func TestFollows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind claim.Kind
		last claim.Trigger
		do   scenario.Action
		want bool
	}{
		{claim.KindClaim, claim.TriggerPayerAccept, scenario.Pay, true},
		{claim.KindClaim, claim.TriggerPayerAccept, scenario.Estimate, false},
		{claim.KindPredetermination, claim.TriggerPayerAccept, scenario.Estimate, true},
		{claim.KindPredetermination, claim.TriggerPayerAccept, scenario.Pay, true},
		{claim.KindClaim, claim.TriggerPay, scenario.Reverse, true},
		{claim.KindClaim, claim.TriggerPay, scenario.TakeBack, true},
		{claim.KindPredetermination, claim.TriggerReturn, scenario.Reverse, false},
		{claim.KindPredetermination, claim.TriggerReturn, scenario.TakeBack, false},
		{claim.KindClaim, claim.TriggerSend, scenario.Pay, false},
		{claim.KindClaim, claim.TriggerPay, scenario.Pay, false},
	} {
		c := claim.Claim{Kind: test.kind, Progress: claim.Progress{
			State: claim.Submitted, Standing: &claim.Standing{}, SentAt: time.Unix(1, 0), BatchID: billing.FileID{1}, History: []claim.Move{{Cause: test.last}},
		}}
		if got := c.Follows(&scenario.ClaimStep{Do: test.do, By: clearing.SidePayer}); got != test.want {
			t.Errorf("%s of a %s after %s: %t", test.do, test.kind, test.last, got)
		}
	}
}
