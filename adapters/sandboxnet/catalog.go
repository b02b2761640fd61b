package sandboxnet

import (
	"time"

	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// Catalog lists what the sandbox can be made to do, from the tables that it follows
// itself.
func Catalog(o Options) (all []scenario.Scenario) {
	for _, s := range scenarios {
		shown := scenario.Scenario{Ending: s.ending, Operation: scenario.Eligibility, Summary: s.summary, BuiltIn: true}
		step := scenario.Step{Event: event.EligibilityCompleted, What: s.summary}
		if s.ending == slowEnding {
			shown.Ending, shown.Example, step.After = slowEnding+"n", slowEnding+"2", 2*time.Second
		}
		shown.Follows = []scenario.Step{step}
		all = append(all, shown)
	}
	era := max(o.ERADelay, leastERADelay)
	for i := range claimScenarios {
		s := &claimScenarios[i]
		all = append(all, scenario.Scenario{
			Ending: s.ending, Operation: scenario.Claim, Summary: s.summary, Follows: s.follows(era), BuiltIn: true, Predetermination: s.estimates,
		})
	}
	return append(all,
		scenario.Scenario{
			Ending: narrativeFails, Operation: scenario.Attachment, Summary: "The network fails when the attachment is sent.", BuiltIn: true,
			Follows: []scenario.Step{{Awaits: scenario.Close, What: "Each attempt fails. The attachment stays open."}},
		},
		scenario.Scenario{
			Ending: narrativeSlowly + "n", Example: narrativeSlowly + "2", Operation: scenario.Attachment, BuiltIn: true,
			Summary: "The sending takes n seconds (one to three digits).",
			Follows: []scenario.Step{{Awaits: scenario.Close, After: 2 * time.Second, Event: event.AttachmentCompleted, What: "The network takes the attachment."}},
		},
	)
}

// follows returns what happens to a claim, the delay of remittances given.
func (s *claimScenario) follows(era time.Duration) (all []scenario.Step) {
	add := func(after time.Duration, shown event.Type, what string) {
		all = append(all, scenario.Step{After: after, Event: shown, What: what})
	}
	remit := func(of []event.Type) {
		for i, shown := range of {
			add(map[bool]time.Duration{true: era}[i == 0], shown, remitted[shown])
		}
	}
	if s.rejectsFile {
		add(untilRead, event.ClaimQueued, "The clearinghouse rejects the file. The next batch has the claim again.")
		add(0, event.ClaimSubmitted, "The next batch is sent.")
	}
	add(untilForwarded, event.ClaimAccepted, "The clearinghouse accepts the claim and forwards it to the payer.")
	if s.rejected {
		add(untilAccepted-untilForwarded, event.ClaimRejected, "The payer rejects the claim.")
	} else {
		add(untilAccepted-untilForwarded, event.ClaimAccepted, "The payer accepts the claim.")
	}
	if s.asked {
		add(untilAsked, event.ClaimStatusUpdated, "The payer asks for a document.")
	}
	if s.decision != nil {
		remit(s.shows)
		remit(s.thenShows)
	}
	if s.takesBack {
		all = append(all, scenario.Step{Awaits: scenario.Void, After: untilAccepted, Event: event.ClaimVoided, What: "The payer accepts the void."})
		remit([]event.Type{event.ClaimPaymentReversed})
	}
	return all
}

// remitted says what a remittance does that an event shows.
//
//nolint:gochecknoglobals // a constant table
var remitted = map[event.Type]string{
	event.ClaimPaid:                "A remittance pays the claim.",
	event.ClaimDenied:              "A remittance denies the claim.",
	event.ClaimPaymentReversed:     "A remittance takes the payment back.",
	event.PredeterminationReturned: "A remittance returns the estimate.",
	event.ERAReceived:              "A remittance comes that changes no claim by itself.",
}
