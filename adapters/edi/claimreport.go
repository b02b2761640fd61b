package edi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/billing"
)

// maxTexts bounds how many texts of a payer (STC12, 264 characters) are told of
// a claim.
const maxTexts = 5

// claimReports are what a 277 says of claims, in the order of the file. What it
// says of single claims comes before what it says of all claims of a provider or
// a file, which is no news for those then.
func claimReports(r *acknowledgements.Report) (all []billing.ClaimReport) {
	for i := range r.Sources {
		s := reporter{report: r, source: &r.Sources[i]}
		s.side = s.source.Side()
		if s.side == "" { // a guide lets others speak for a payer, and in a 277CA whoever is between
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

// reporter is who tells of claims.
type reporter struct {
	report *acknowledgements.Report
	source *acknowledgements.Source
	side   acknowledgements.Side
}

func (s *reporter) receiver(r *acknowledgements.Receiver) (all []billing.ClaimReport) {
	batch := ""
	if s.report.Kind == acknowledgements.KindAcknowledgement { // others have the number of an inquiry there
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

// about is a report on claims of the batch.
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

// level reports the rejection of a level with all its claims: of a batch that
// the level names, since nothing else tells which claims those are.
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

// claim reports on a single claim. It reports false when nothing tells which
// one that is. A claim without our number is no claim of the batch, lest it be
// taken for all of them.
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
		if r.ControlNumber+r.PayerClaimNumber == "" { // the guide means the claim's, some payers the request's
			r.PayerClaimNumber = clip(q.PayerClaimNumber)
		}
	}
	return r, r.ControlNumber+r.PayerClaimNumber != ""
}

// judge tells the outcome, the first code that says so, and the words of the
// statuses that do.
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
	if r.Status == (billing.ClaimStatus{}) { // the action (STC03) has decided
		for i := range statuses {
			if codes := statuses[i].Codes; len(codes) > 0 {
				r.Status = billing.ClaimStatus{Category: clip(codes[0].Category), Code: clip(codes[0].Status)}
				break
			}
		}
	}
	r.Words = strings.Join(texts, "; ")
}

// outcomeOf leaves out inquiries that failed, which says nothing of a claim.
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

// idsOf is whom claims are of: an NPI, a tax ID, or both.
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
