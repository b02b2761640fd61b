package intake

import (
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/claim"
)

// ClaimRequest is a claim as a caller wrote it, the body of POST and PATCH;
// nothing is parsed yet. Nil is a value that was left out or null.
type ClaimRequest struct {
	Kind                 *string
	OfficeID             *string
	PayerID              *string
	RenderingProviderID  *string
	Subscriber           *ClaimSubscriberInput
	Patient              *ClaimPatientInput
	Coverage             *string
	OtherCoverage        []OtherCoverageInput
	PatientControlNumber *string
	PlaceOfService       *string
	PriorAuthorization   *string
	Accident             *AccidentInput
	Note                 *string
	Lines                []ClaimLineInput
	TenantReference      *string
	EstimateID           *string
	AdviceIgnored        *IgnoredInput // of a replacement; other claims say it when they are submitted
	Draft                bool
	Submit               bool
	Given                map[string]bool // the fields in the body, including null ones
	Faults               billing.Faults  // found when the body was decoded

	ClaimDetailsInput
}

// AccidentInput is an accident as a caller wrote it.
type AccidentInput struct{ Type, Date, State string }

// ConvertRequest names the services of a predetermination that are done, as a
// caller wrote them.
type ConvertRequest struct {
	Lines  []ConvertLineInput
	Faults billing.Faults // found when the body was decoded
}

// ConvertLineInput is the day on which a line was done, as a caller wrote it.
type ConvertLineInput struct {
	LineNumber  int
	ServiceDate string
}

// ClaimIDs are the IDs in a ClaimRequest. An ID that was left out, null or
// malformed is zero.
type ClaimIDs struct {
	Office   billing.OfficeID
	Provider billing.ProviderID
	Payer    string // pyr_ ID, payer ID or alias
}

// IDs reads the IDs in the request. Claim, Replacement and Change report their
// faults.
func (r ClaimRequest) IDs() (n ClaimIDs) {
	var reported billing.Faults // by Claim, Replacement and Change
	if r.PayerID != nil {
		n.Payer = strings.TrimSpace(*r.PayerID)
	}
	n.Office = optionalID[billing.OfficeID](&reported, "office_id", r.OfficeID, "office")
	n.Provider = optionalID[billing.ProviderID](&reported, "rendering_provider_id", r.RenderingProviderID, "provider")
	return n
}

// Claim validates the body of a POST and returns the requested claim, apart
// from its IDs, scope, office, payer and provider. PatientControlNumber is
// empty when the body has none. The payers of other coverages have the name or
// the payer ID of the body. The rules have not been applied to the claim yet.
func (r ClaimRequest) Claim() (claim.Claim, billing.Faults) {
	f := slices.Clone(r.Faults)
	r.draftOrSubmit(&f)
	r.advises(&f)
	c := claim.Claim{Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal}
	if r.Kind != nil {
		c.Kind = claim.Kind(*r.Kind)
	}
	if r.OfficeID == nil {
		f.Add("office_id", billing.FaultRequired, "A value is required.")
	}
	if r.PayerID == nil {
		f.Add("payer_id", billing.FaultRequired, "A value is required.")
	}
	p := claimParser{f: &f, whole: !r.Draft, kind: c.Kind, known: true}
	p.claim(&r, &c, func(string) bool { return true })
	return c, f
}

// Replacement validates the body of a POST that replaces the claim at the
// payer. It must keep the kind and the control number, and cannot be a draft.
// The faults include those of Claim. When c is nil, checks that depend on it
// are skipped.
func (r ClaimRequest) Replacement(c *claim.Claim) (claim.Content, billing.Faults) {
	if r.Draft {
		r.Faults = slices.Clone(r.Faults)
		r.Faults.Add("draft", billing.FaultNotAllowed, "A replacement is queued at once and cannot be a draft. Leave out draft.")
		r.Draft = false
	}
	ignored := r.AdviceIgnored
	r.AdviceIgnored = nil
	next, f := r.Claim()
	ignored.reasons(&f)
	if c != nil {
		r.mustKeep(&f, c, true)
	}
	return next.Content, f
}

// Ignored returns the reasons for which a replacement goes without what its payer wants to see, by the codes of the
// advice. Replacement reports their faults.
func (r ClaimRequest) Ignored() map[advice.Code]string {
	var reported billing.Faults
	return r.AdviceIgnored.reasons(&reported)
}

// advises refuses the reasons of a claim that is no replacement.
func (r ClaimRequest) advises(f *billing.Faults) {
	if r.AdviceIgnored != nil {
		f.Add("advice_ignored", billing.FaultNotAllowed, "Only a replacement says it here. Leave it out, and send it when you submit the claim.")
	}
}

// Change validates the body of a PATCH and returns the changed claim, apart
// from office, payer and provider, which IDs reads. A field in the body
// replaces the whole field; null clears it. The rules report fields that are
// then missing. When c is nil, ignore the claim; the faults are those that the
// body has for any claim.
func (r ClaimRequest) Change(c *claim.Claim) (claim.Claim, billing.Faults) {
	f := slices.Clone(r.Faults)
	r.draftOrSubmit(&f)
	r.advises(&f)
	for _, field := range []struct {
		name string
		null bool
	}{{"office_id", r.OfficeID == nil}, {"payer_id", r.PayerID == nil}} {
		if r.Given[field.name] && field.null {
			f.Add(field.name, billing.FaultRequired, "A claim must have a value here. Leave out the field to keep the present one.")
		}
	}
	var next claim.Claim
	if c != nil {
		next = *c
		r.mustKeep(&f, c, !c.SentAt.IsZero())
	}
	p := claimParser{f: &f, kind: next.Kind, known: c != nil}
	p.claim(&r, &next, func(field string) bool { return r.Given[field] })
	if c != nil && next.PatientControlNumber == "" {
		next.PatientControlNumber = c.PatientControlNumber
	}
	return next, f
}

func (r ClaimRequest) draftOrSubmit(f *billing.Faults) {
	if r.Draft && r.Submit {
		f.Add("submit", billing.FaultConflict, "A draft cannot be submitted. Leave out draft or submit.")
	}
}

// mustKeep adds a fault for a change of the kind, or of the control number of a
// claim that was sent. Payers and their files identify the claim by that
// number.
func (r ClaimRequest) mustKeep(f *billing.Faults, c *claim.Claim, sent bool) {
	if r.Kind != nil && claim.Kind(*r.Kind) != c.Kind {
		f.Add("kind", billing.FaultNotAllowed, "The kind of a claim cannot be changed. Leave out kind.")
	}
	if n := r.PatientControlNumber; sent && n != nil && *n != c.PatientControlNumber {
		f.Add("patient_control_number", billing.FaultNotAllowed, "The control number cannot be changed after the claim is sent. Leave it out.")
	}
}

// ServiceDates validates the request for the predetermination and returns the
// service dates by line number. When c is nil, checks that depend on it are
// skipped.
func (r ConvertRequest) ServiceDates(c *claim.Claim) (map[int]billing.Date, billing.Faults) {
	f := slices.Clone(r.Faults)
	days := map[int]billing.Date{}
	switch {
	case len(r.Lines) == 0:
		f.Add("lines", billing.FaultRequired, "Name at least one line whose service is done.")
	case len(r.Lines) > maxClaimLines:
		f.Add("lines", billing.FaultTooMany, "A claim may have at most 50 lines.")
		return days, f
	}
	for i, l := range r.Lines {
		at := "lines." + strconv.Itoa(i) + "."
		switch _, twice := days[l.LineNumber]; {
		case l.LineNumber < 1, c != nil && l.LineNumber > len(c.Lines):
			f.Add(at+"line_number", billing.FaultRange, "The predetermination has no line with this number. The first line is 1.")
		case twice:
			f.Add(at+"line_number", billing.FaultConflict, "Duplicate line. Name each line once.")
		}
		days[l.LineNumber] = day(&f, at+"service_date", l.ServiceDate)
	}
	return days, f
}
