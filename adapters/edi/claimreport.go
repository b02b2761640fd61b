package edi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/billing"
)

// maxTexts is the maximum number of payer messages (STC12) in a report on a claim.
// A message has at most 264 characters.
const maxTexts = 5

// claimReports returns the claim reports of a 277 in the order of the file. Reports
// on single claims come first. Reports on all claims of a provider or file follow,
// and do not override them.
func claimReports(r *acknowledgements.Report) (all []billing.ClaimReport) {
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

func (s *reporter) receiver(r *acknowledgements.Receiver) (all []billing.ClaimReport) {
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
func (s *reporter) about(batch string) billing.ClaimReport {
	r := billing.ClaimReport{Side: billing.SideClearinghouse, Batch: batch}
	if s.side == acknowledgements.SidePayer {
		r.Side = billing.SidePayer
	}
	if s.source.Side() == acknowledgements.SidePayer {
		r.PayerID = clip(strings.ToUpper(s.source.Name.ID))
	}
	return r
}

// level returns the report on a rejected level, or nil. The rejection applies to all
// claims of the batch that the level names.
func (s *reporter) level(l *acknowledgements.Level, r billing.ClaimReport) []billing.ClaimReport {
	if r.Batch == "" || l.Outcome(s.side) != acknowledgements.OutcomeRejected {
		return nil
	}
	s.judge(&r, l.Statuses, acknowledgements.OutcomeRejected)
	for _, status := range l.Statuses {
		if r.Effective.Before(status.Effective) {
			r.Effective = status.Effective
		}
	}
	return []billing.ClaimReport{r}
}

// claim returns the report on a single claim, or false if no number identifies it.
// Without our control number the report must not name the batch, because it would
// then apply to every claim of the batch.
func (s *reporter) claim(c *acknowledgements.Claim, r billing.ClaimReport) (billing.ClaimReport, bool) {
	r.ControlNumber, r.PayerClaimNumber, r.Effective = clip(c.ControlNumber), clip(c.PayerClaimNumber), c.Effective()
	if r.ControlNumber == "" {
		r.Batch = ""
	}
	r.PatientFirstName, r.PatientLastName = c.Patient.First, c.Patient.Last
	for i := range c.Statuses {
		r.Charge = cmp.Or(r.Charge, c.Statuses[i].Charge)
	}
	statuses := slices.Clone(c.Statuses)
	for i := range c.Lines {
		statuses = append(statuses, c.Lines[i].Statuses...)
	}
	s.judge(&r, statuses, c.Outcome(s.side))
	if q, ok := c.Request(); ok {
		r.Request = &billing.Information{Reference: clip(q.Reference), Requested: q.Requested, Due: q.Due}
		if r.ControlNumber+r.PayerClaimNumber == "" { // by the guide TRN02 numbers the claim; some payers number the request
			r.PayerClaimNumber = clip(q.PayerClaimNumber)
		}
	}
	return r, r.ControlNumber+r.PayerClaimNumber != ""
}

// judge sets the report's outcome. From the statuses with that outcome, it sets the
// first code and the payer's messages.
func (s *reporter) judge(r *billing.ClaimReport, statuses []acknowledgements.Status, outcome acknowledgements.Outcome) {
	r.Outcome = outcomeOf(outcome)
	var texts []string
	for i := range statuses {
		status := &statuses[i]
		if status.Outcome(s.side) != outcome {
			continue
		}
		if t := status.Text; t != "" && len(texts) < maxTexts && !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
		for _, c := range status.Codes {
			decides := acknowledgements.Classify(s.side, c.Category) == outcome
			if r.Status == (billing.ClaimStatus{}) && decides {
				r.Status = billing.ClaimStatus{Category: clip(c.Category), Code: clip(c.Status)}
			}
		}
	}
	if r.Status == (billing.ClaimStatus{}) { // only the action (STC03) has the outcome
		for i := range statuses {
			if codes := statuses[i].Codes; len(codes) > 0 {
				r.Status = billing.ClaimStatus{Category: clip(codes[0].Category), Code: clip(codes[0].Status)}
				break
			}
		}
	}
	r.Words = strings.Join(texts, "; ")
}

// outcomeOf converts an outcome. A failed inquiry has no outcome for the claim.
func outcomeOf(o acknowledgements.Outcome) billing.ReportOutcome {
	switch o {
	case acknowledgements.OutcomeAccepted:
		return billing.ReportAccepted
	case acknowledgements.OutcomeRejected:
		return billing.ReportRejected
	case acknowledgements.OutcomeNotFound:
		return billing.ReportNotFound
	case acknowledgements.OutcomePending:
		return billing.ReportPending
	case acknowledgements.OutcomeRequested:
		return billing.ReportRequested
	case acknowledgements.OutcomeFinalized:
		return billing.ReportFinalized
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
