package claim

import (
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
)

// triggerOf returns the trigger of the report and its event. Both are empty when
// the report changes nothing.
func triggerOf(r *clearing.ClaimReport) (Trigger, event.Type) {
	switch {
	case r.Outcome == clearing.ReportAccepted && r.Side == clearing.SidePayer:
		return TriggerPayerAccept, event.ClaimAccepted
	case r.Outcome == clearing.ReportAccepted:
		return triggerClearinghouseAccept, event.ClaimAccepted
	case r.Outcome == clearing.ReportRejected:
		return triggerReject, event.ClaimRejected
	case r.Outcome == clearing.ReportNotFound:
		return triggerNotFound, event.ClaimNeedsAttention
	case r.Side == clearing.SidePayer && r.Outcome != "":
		return triggerStatus, event.ClaimStatusUpdated
	default:
		return "", ""
	}
}

// statusMemberID is the status of a member ID, which only a subscriber has.
const statusMemberID = "164"

// reported returns the path of the field in the body of POST /claims that the reason
// concerns. It is empty if the reason names none.
func (c *Claim) reported(r *clearing.ReportReason) string {
	if r.Payer != "" && r.Payer != c.Turn() {
		return c.coverageField(r.Payer, r.Line)
	}
	if r.Line > 0 && r.Line <= len(c.Lines) {
		return "lines." + strconv.Itoa(r.Line-1)
	}
	if r.Status.Code == statusMemberID && (r.Party == "" || r.Party == clearing.PartySubscriber) {
		return "subscriber.member_id"
	}
	switch r.Party {
	case clearing.PartyOffice:
		return "office_id"
	case clearing.PartyRendering:
		return "rendering_provider_id"
	case clearing.PartyPatient:
		if c.Patient != nil {
			return "patient"
		}
		return "subscriber"
	case clearing.PartySubscriber:
		return "subscriber"
	case clearing.PartyPayer:
		return "payer_id"
	}
	return ""
}

// coverageField returns the path of the payer's coverage, or of its decision about the
// line if it has one.
func (c *Claim) coverageField(s billing.Sequence, line int) string {
	at := slices.IndexFunc(c.OtherCoverage, func(o OtherCoverage) bool { return o.Sequence == s })
	if at < 0 {
		return "other_coverage"
	}
	field := "other_coverage." + strconv.Itoa(at)
	if a := c.OtherCoverage[at].Adjudication; a != nil {
		if n := slices.IndexFunc(a.Lines, func(l CoverageLine) bool { return l.LineNumber == line }); n >= 0 {
			return field + ".adjudication.lines." + strconv.Itoa(n)
		}
	}
	return field
}

// findingsOf returns the findings for a claim that was rejected or not found, one for
// each reason.
func (c *Claim) findingsOf(r *clearing.ClaimReport) (found []Finding) {
	for i := range r.Reasons {
		found = append(found, c.findingOf(r, &r.Reasons[i]))
	}
	if len(found) == 0 {
		found = append(found, c.findingOf(r, &clearing.ReportReason{Status: r.Status}))
	}
	return found
}

func (c *Claim) findingOf(r *clearing.ClaimReport, why *clearing.ReportReason) Finding {
	who := "The clearinghouse"
	if r.Side == clearing.SidePayer {
		who = "The payer"
	}
	message, fix := who+" rejected the claim", "Correct what the status names, then submit the claim again."
	if r.Outcome == clearing.ReportNotFound {
		message, fix = who+" has no record of the claim", "Check the payer and the subscriber, correct the claim, then submit it again."
	}
	if words := why.Status.Words(); words != "" {
		message += ": " + words
	}
	message += " (status " + why.Status.String() + ")."
	if why.Words != "" {
		message += " Its message: " + strings.TrimSuffix(why.Words, ".") + "."
	}
	return Finding{Code: findingOfStatus + string(r.Outcome), Field: c.reported(why), Message: message, Fix: fix}
}
