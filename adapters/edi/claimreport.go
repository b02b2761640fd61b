package edi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// maxReasons is the maximum number of reasons in a report on a claim. Each has at most
// 264 characters of text (STC12).
const maxReasons = 20

// claimReports returns the claim reports of a 277 in the order of the file. Reports
// on single claims come first. Reports on all claims of a provider or file follow,
// and do not override them.
func claimReports(r *acknowledgements.Report) (all []clearing.ClaimReport) {
	for i := range r.Sources {
		s := reporter{report: r, source: &r.Sources[i]}
		s.side = s.source.Side()
		if s.side == "" { // another party may report for the payer; in a 277CA, an intermediary
			if s.side = acknowledgements.SidePayer; r.Kind == acknowledgements.KindAcknowledgement {
				s.side = acknowledgements.SideClearinghouse
			}
		}
		for k := range s.source.Receivers {
			all = append(all, s.receiver(&s.source.Receivers[k])...)
		}
	}
	return all
}

// reporter is a payer or clearinghouse that reports on claims.
type reporter struct {
	report *acknowledgements.Report
	source *acknowledgements.Source
	side   acknowledgements.Side
}

func (s *reporter) receiver(r *acknowledgements.Receiver) (all []clearing.ClaimReport) {
	batch := ""
	if s.report.Kind == acknowledgements.KindAcknowledgement { // in other kinds, the trace belongs to an inquiry
		batch = padded(r.Trace)
	}
	for i := range r.Providers {
		p := &r.Providers[i]
		about := s.about(batch)
		about.ProviderNPI, about.ProviderTaxID = idsOf(p)
		for k := range p.Claims {
			if c, ok := s.claim(&p.Claims[k], about); ok {
				all = append(all, c)
			}
		}
		all = append(all, s.level(&p.Level, about)...)
	}
	if whole := s.level(&r.Level, s.about(batch)); len(whole) > 0 {
		return append(all, whole...)
	}
	return append(all, s.level(&s.source.Level, s.about(batch))...)
}

// about returns an empty report on claims of the batch.
func (s *reporter) about(batch string) clearing.ClaimReport {
	r := clearing.ClaimReport{Side: clearing.SideClearinghouse, Batch: batch}
	if s.side == acknowledgements.SidePayer {
		r.Side = clearing.SidePayer
	}
	if s.source.Side() == acknowledgements.SidePayer {
		r.PayerID = clip(strings.ToUpper(s.source.Name.ID))
	}
	return r
}

// level returns the report on a rejected level, or nil. The rejection applies to all
// claims of the batch that the level names.
func (s *reporter) level(l *acknowledgements.Level, r clearing.ClaimReport) []clearing.ClaimReport {
	if r.Batch == "" || l.Outcome(s.side) != acknowledgements.OutcomeRejected {
		return nil
	}
	s.judge(&r, l.Statuses, nil, acknowledgements.OutcomeRejected)
	for _, status := range l.Statuses {
		if r.Effective.Before(status.Effective) {
			r.Effective = status.Effective
		}
	}
	return []clearing.ClaimReport{r}
}

// claim returns the report on a single claim, or false if no number identifies it.
// Without our control number the report must not name the batch, because it would
// then apply to every claim of the batch.
func (s *reporter) claim(c *acknowledgements.Claim, r clearing.ClaimReport) (clearing.ClaimReport, bool) {
	r.ControlNumber, r.PayerClaimNumber, r.Effective = clip(c.ControlNumber), clip(c.PayerClaimNumber), c.Effective()
	if r.ControlNumber == "" {
		r.Batch = ""
	}
	r.PatientFirstName, r.PatientLastName = c.Patient.First, c.Patient.Last
	for i := range c.Statuses {
		r.Charge = cmp.Or(r.Charge, c.Statuses[i].Charge)
	}
	s.judge(&r, c.Statuses, c.Lines, c.Outcome(s.side))
	if q, ok := c.Request(); ok {
		r.Request = &clearing.Information{Reference: clip(q.Reference), Requested: q.Requested, Due: q.Due}
		if r.ControlNumber+r.PayerClaimNumber == "" { // by the guide TRN02 numbers the claim; some payers number the request
			r.PayerClaimNumber = clip(q.PayerClaimNumber)
		}
	}
	return r, r.ControlNumber+r.PayerClaimNumber != ""
}

// judge sets the report's outcome and its first status. If the outcome stops the claim,
// it also sets the reasons: each code with that outcome, on the claim or on a line.
func (s *reporter) judge(r *clearing.ClaimReport, statuses []acknowledgements.Status, lines []acknowledgements.Line, outcome acknowledgements.Outcome) {
	r.Outcome = outcomeOf(outcome)
	whole := s.reasons(statuses, 0, outcome)
	var ofLines []clearing.ReportReason
	for i := range lines {
		number, _ := strconv.Atoi(lines[i].Number)
		ofLines = append(ofLines, s.reasons(lines[i].Statuses, number, outcome)...)
	}
	if all := slices.Concat(whole, ofLines); len(all) > 0 {
		r.Status = all[0].Status
	}
	if outcome != acknowledgements.OutcomeRejected && outcome != acknowledgements.OutcomeNotFound {
		return
	}
	for _, why := range placed(whole, ofLines) {
		if len(r.Reasons) < maxReasons {
			r.Reasons = add(r.Reasons, why)
		}
	}
}

// missingOrInvalid is the status code of missing or invalid information. Other codes
// beside it say which.
const missingOrInvalid = "21"

// reasons returns the codes with the outcome. If only the action (STC03) of a status has
// the outcome, it returns the first code.
func (s *reporter) reasons(statuses []acknowledgements.Status, line int, outcome acknowledgements.Outcome) (all []clearing.ReportReason) {
	for i := range statuses {
		status := &statuses[i]
		if status.Outcome(s.side) != outcome {
			continue
		}
		codes := slices.DeleteFunc(slices.Clone(status.Codes), func(c acknowledgements.Code) bool {
			return acknowledgements.Classify(s.side, c.Category) != outcome
		})
		if specific := slices.DeleteFunc(slices.Clone(codes), func(c acknowledgements.Code) bool { return c.Status == missingOrInvalid }); len(specific) > 0 {
			codes = specific
		} else if len(codes) == 0 {
			codes = status.Codes[:min(1, len(status.Codes))]
		}
		for _, c := range codes {
			why := clearing.ReportReason{Status: clearing.ClaimStatus{Category: clip(c.Category), Code: clip(c.Status)}, Line: line, Words: status.Text}
			why.Party, why.Payer = partyOf(c.Entity)
			all = append(all, why)
		}
	}
	return all
}

// placed returns the reasons of a claim and its lines. By the guide a line's status has
// no text: it gets the text of the claim's status with the same code, and stands in its
// place.
func placed(whole, ofLines []clearing.ReportReason) []clearing.ReportReason {
	stated := map[clearing.ReportReason]string{} // the text of a reason without line and text
	for _, why := range whole {
		text := why.Words
		if why.Words = ""; stated[why] == "" {
			stated[why] = text
		}
	}
	for i := range ofLines {
		why := ofLines[i]
		why.Line, why.Words = 0, ""
		ofLines[i].Words = cmp.Or(ofLines[i].Words, stated[why])
		whole = slices.DeleteFunc(whole, func(w clearing.ReportReason) bool {
			w.Words = ""
			return w == why
		})
	}
	return append(whole, ofLines...)
}

// partyOf returns the party that an entity code (STC01-3) names, and the sequence of a
// payer.
func partyOf(entity string) (clearing.ClaimParty, billing.Sequence) {
	switch entity {
	case "85", "87", "1P": // 87: pay-to provider
		return clearing.PartyOffice, ""
	case "82":
		return clearing.PartyRendering, ""
	case "IL":
		return clearing.PartySubscriber, ""
	case "QC", "03": // 03: dependent
		return clearing.PartyPatient, ""
	case "PR":
		return clearing.PartyPayer, ""
	case "PRP":
		return clearing.PartyPayer, billing.SequencePrimary
	case "SEP":
		return clearing.PartyPayer, billing.SequenceSecondary
	case "TTP":
		return clearing.PartyPayer, billing.SequenceTertiary
	}
	return "", ""
}

// outcomeOf converts an outcome. A failed inquiry has no outcome for the claim.
func outcomeOf(o acknowledgements.Outcome) clearing.ReportOutcome {
	switch o {
	case acknowledgements.OutcomeAccepted:
		return clearing.ReportAccepted
	case acknowledgements.OutcomeRejected:
		return clearing.ReportRejected
	case acknowledgements.OutcomeNotFound:
		return clearing.ReportNotFound
	case acknowledgements.OutcomePending:
		return clearing.ReportPending
	case acknowledgements.OutcomeRequested:
		return clearing.ReportRequested
	case acknowledgements.OutcomeFinalized:
		return clearing.ReportFinalized
	case acknowledgements.OutcomeFailed:
	}
	return ""
}

// idsOf returns the billing provider's NPI and tax ID. Either may be empty.
func idsOf(p *acknowledgements.Provider) (npi, taxID string) {
	taxID = keep(p.TaxID, isDigit)
	switch p.Name.IDQualifier {
	case "XX":
		npi = p.Name.ID
	case "FI", "24", "34": // 24 and 34: employer's and social security numbers
		if taxID == "" {
			taxID = keep(p.Name.ID, isDigit)
		}
	}
	return clip(npi), clip(taxID)
}
