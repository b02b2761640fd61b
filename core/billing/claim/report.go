package billing

import (
	"slices"
	"strconv"
)

// triggerOf returns the trigger of the report and its event. Both are empty when
// the report changes nothing.
func triggerOf(r *ClaimReport) (ClaimTrigger, EventType) {
	switch {
	case r.Outcome == ReportAccepted && r.Side == SidePayer:
		return TriggerPayerAccept, EventClaimAccepted
	case r.Outcome == ReportAccepted:
		return TriggerClearinghouseAccept, EventClaimAccepted
	case r.Outcome == ReportRejected:
		return TriggerReject, EventClaimRejected
	case r.Outcome == ReportNotFound:
		return TriggerNotFound, EventClaimNeedsAttention
	case r.Side == SidePayer && r.Outcome != "":
		return TriggerStatus, EventClaimStatusUpdated
	default:
		return "", ""
	}
}

// reported returns the path of the field in the body of POST /claims that the reason
// concerns. It is empty if the reason names none.
func (c *Claim) reported(r *ReportReason) string {
	if r.Payer != "" && r.Payer != c.Turn() {
		return c.coverageField(r.Payer, r.Line)
	}
	if r.Line > 0 && r.Line <= len(c.Lines) {
		return "lines." + strconv.Itoa(r.Line-1)
	}
	switch r.Party {
	case PartyOffice:
		return "office_id"
	case PartyRendering:
		return "rendering_provider_id"
	case PartyPatient:
		if c.Patient != nil {
			return "patient"
		}
		return "subscriber"
	case PartySubscriber:
		return "subscriber"
	case PartyPayer:
		return "payer_id"
	}
	return ""
}

// coverageField returns the path of the payer's coverage, or of its decision about the
// line if it has one.
func (c *Claim) coverageField(s Sequence, line int) string {
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
func (c *Claim) findingsOf(r *ClaimReport) (found []Finding) {
	for i := range r.Reasons {
		found = append(found, c.findingOf(r, &r.Reasons[i]))
	}
	if len(found) == 0 {
		found = append(found, c.findingOf(r, &ReportReason{Status: r.Status}))
	}
	return found
}

func (c *Claim) findingOf(r *ClaimReport, why *ReportReason) Finding {
	who := "The clearinghouse"
	if r.Side == SidePayer {
		who = "The payer"
	}
	message, fix := who+" rejected the claim with status "+why.Status.String()+".", "Correct what the status names, then submit the claim again."
	if r.Outcome == ReportNotFound {
		message = who + " has no record of the claim (status " + why.Status.String() + ")."
		fix = "Check the payer and the subscriber, correct the claim, then submit it again."
	}
	if why.Words != "" {
		message += " Its message: " + why.Words
	}
	return Finding{Code: findingOfStatus + string(r.Outcome), Field: c.reported(why), Message: message, Fix: fix}
}
