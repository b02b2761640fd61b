package edi

import (
	"cmp"
	"slices"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

// claimWriter converts claims to their form in the files of a network.
type claimWriter struct {
	route   *network.Route
	options *network.Options
}

// claim converts a claim. It leaves out the IDs, statuses and times that an 837D does
// not carry.
func (w claimWriter) claim(o *claim.OutgoingClaim) claims.Claim {
	c := o.Claim
	out := claims.Claim{
		Billing: billingProvider(o.Office), PayTo: claims.Address(o.Office.PayTo),
		Subscriber: claims.Subscriber{
			FirstName: c.Subscriber.FirstName, MiddleName: c.Subscriber.MiddleName, LastName: c.Subscriber.LastName, Suffix: c.Subscriber.Suffix,
			MemberID: c.Subscriber.MemberID, GroupNumber: c.Subscriber.GroupNumber, GroupName: c.Subscriber.GroupName,
			DateOfBirth: c.Subscriber.DateOfBirth, Gender: genderCode(c.Subscriber.Gender), Address: claims.Address(c.Subscriber.Address),
		},
		Payer: claims.Payer{Name: c.Payer.Name, PayerID: w.route.PayerID(c.Payer, network.Claims)}, Coverage: coverageCode(c.Turn()),
		PatientControlNumber: w.options.SubmittedNumber(c), PlaceOfService: c.PlaceOfService,
		Predetermination: c.Kind == claim.KindPredetermination, MissingTeeth: c.MissingTeeth, TeethToExtract: c.TeethToExtract,
		PatientPaid: c.PatientPaid, PredeterminationNumber: c.PredeterminationNumber, ReferralNumber: c.ReferralNumber,
		PriorAuthorization: c.PriorAuthorization, Note: c.Note, Diagnoses: c.DiagnosisCodes,
		Lines: make([]claims.Line, len(c.Lines)),
	}
	terms(&out, c)
	if o.Payer != nil {
		out.FilingIndicator = o.Payer.FilingIndicator
	}
	out.FilingIndicator = w.options.Filing(c.Payer.PayerID, out.FilingIndicator)
	w.providers(&out, o)
	if p := c.Patient; p != nil {
		out.Patient = &claims.Patient{
			FirstName: p.FirstName, MiddleName: p.MiddleName, LastName: p.LastName, Suffix: p.Suffix,
			Relationship: relationshipCode(p.Relationship), DateOfBirth: p.DateOfBirth, Gender: genderCode(p.Gender), Address: claims.Address(p.Address),
		}
	}
	if a := c.Accident; a != nil {
		out.Accident = &claims.Accident{Cause: causeCode(a.Type), Date: a.Date, State: a.State}
	}
	if t := c.Orthodontics; t != nil {
		out.Orthodontics = &claims.Orthodontics{TotalMonths: t.TotalMonths, MonthsRemaining: t.MonthsRemaining, ApplianceDate: t.ApplianceDate}
	}
	if p := c.ReferringProvider; p != nil {
		out.Referring = claims.Provider{FirstName: p.FirstName, LastName: p.LastName, NPI: p.NPI}
	}
	if f := c.Facility; f != nil {
		out.Facility = claims.Facility{Name: f.Name, NPI: f.NPI, Address: claims.Address(f.Address)}
	}
	if c.Frequency != claim.FrequencyOriginal { // an original refers to no earlier claim
		out.PayerClaimNumber = c.PayerClaimNumber
	}
	for i := range c.Lines {
		out.Lines[i] = w.line(&out, o, &c.Lines[i])
	}
	w.dates(&out)
	if out.Patient != nil && w.options.SubscriberAddressAsPatient {
		withoutDetails(&out)
	}
	w.coordinate(&out, o)
	for _, a := range o.Attachments {
		if about, ok := outgoingAttachment(a); ok {
			out.Attachments = append(out.Attachments, about)
		}
	}
	return out
}

func billingProvider(o *directory.Office) claims.BillingProvider {
	return claims.BillingProvider{
		Name: o.Name, Person: o.Entity == directory.EntityPerson, FirstName: o.FirstName, LastName: o.LastName, NPI: o.NPI, TaxID: o.TaxID,
		Taxonomy: o.Taxonomy, Contact: o.ContactName, Phone: o.Phone, Address: claims.Address(o.Address),
	}
}

// providers adds the numbers of the billing provider, and the rendering provider.
func (w claimWriter) providers(out *claims.Claim, o *claim.OutgoingClaim) {
	payer := o.Claim.Payer.PayerID
	var own directory.ProviderNumber
	for _, n := range o.Office.ProviderNumbers {
		if n.PayerID == payer {
			own = n
		}
	}
	out.ProviderNumber = w.options.ProviderNumber(network.ReferencePayer, o.Office.NPI, payer, own.Number)
	out.ProviderLocation = w.options.ProviderNumber(network.ReferenceLocation, o.Office.NPI, payer, own.LocationNumber)
	out.Billing.License = w.options.ProviderNumber(network.ReferenceLicense, o.Office.NPI, payer, "")
	if p := o.Provider; p != nil {
		out.Billing.Taxonomy = w.taxonomy(o.Office, p)
	} else {
		out.Billing.Taxonomy = w.taxonomy(o.Office, &directory.Provider{})
	}
	if out.Rendering = w.provider(o.Provider, payer); w.options.RenderingIfOther && out.Rendering.NPI == o.Office.NPI {
		out.Rendering = claims.Provider{}
	}
}

// taxonomy returns the taxonomy of the billing provider.
func (w claimWriter) taxonomy(office *directory.Office, rendering *directory.Provider) string {
	switch use := w.options.Taxonomy; {
	case use == network.TaxonomyNever, use == network.TaxonomyIfRendering && office.NPI != rendering.NPI:
		return ""
	case use == network.TaxonomyOfOffice:
		return office.Taxonomy
	}
	return cmp.Or(office.Taxonomy, rendering.Taxonomy)
}

// provider returns the zero Provider for nil.
func (w claimWriter) provider(p *directory.Provider, payer string) claims.Provider {
	if p == nil {
		return claims.Provider{}
	}
	return claims.Provider{
		FirstName: p.FirstName, LastName: p.LastName, NPI: p.NPI, Taxonomy: p.Taxonomy,
		License:  w.options.ProviderNumber(network.ReferenceLicense, p.NPI, payer, ""),
		Number:   w.options.ProviderNumber(network.ReferencePayer, p.NPI, payer, ""),
		Location: w.options.ProviderNumber(network.ReferenceLocation, p.NPI, payer, ""),
	}
}

// dates moves the service date to the claim, if the network wants it there.
func (w claimWriter) dates(out *claims.Claim) {
	if !w.options.ClaimDate {
		return
	}
	out.ServiceDate = out.ServiceDates().From
	for i := range out.Lines {
		if l := &out.Lines[i]; w.options.LineDates == network.LineDatesDifferent && l.ServiceDate == out.ServiceDate {
			l.ServiceDate = billing.Date{}
		}
	}
}

// withoutDetails removes the address and the demographics of a subscriber who is not
// the patient. The patient keeps the subscriber's address.
func withoutDetails(out *claims.Claim) {
	s := &out.Subscriber
	if out.Patient.Address == (claims.Address{}) {
		out.Patient.Address = s.Address
	}
	s.Address, s.DateOfBirth, s.Gender = claims.Address{}, billing.Date{}, ""
}

// line converts a line. It states a provider only if it is not the claim's.
func (w claimWriter) line(c *claims.Claim, o *claim.OutgoingClaim, l *claim.Line) claims.Line {
	out := claims.Line{
		Procedure: l.ProcedureCode, Modifiers: l.Modifiers, Fee: l.Fee, PlaceOfService: l.PlaceOfService, OralCavity: l.OralCavity,
		Prosthesis: prosthesisCode(l), Quantity: l.Quantity, DiagnosisPointers: l.DiagnosisPointers,
		ServiceDate: l.ServiceDate, PriorPlacement: l.PriorPlacementDate,
	}
	if l.ProviderID != o.Claim.ProviderID {
		out.Rendering = w.provider(o.Providers[l.ProviderID], o.Claim.Payer.PayerID)
	}
	if w.options.RenderingIfOther && c.Rendering == (claims.Provider{}) && out.Rendering.NPI == o.Office.NPI {
		out.Rendering = claims.Provider{}
	}
	for _, tooth := range l.AllTeeth() {
		out.Teeth = append(out.Teeth, claims.Tooth{Number: tooth})
	}
	if len(out.Teeth) == 1 {
		out.Teeth[0].Surfaces = l.Surfaces
	}
	return out
}

// prosthesisCode returns SV305. A line with the date of a prior placement replaces
// it.
func prosthesisCode(l *claim.Line) string {
	switch {
	case l.Prosthesis == claim.ProsthesisReplacement || l.Prosthesis == "" && !l.PriorPlacementDate.IsZero():
		return claims.ProsthesisReplacement
	case l.Prosthesis == claim.ProsthesisInitial:
		return claims.ProsthesisInitial
	default:
		return ""
	}
}

// terms adds the codes that differ from those of an empty field: an original claim, whose
// benefits the plan pays to the office by its terms.
func terms(out *claims.Claim, c *claim.Claim) {
	if c.NotAccepted {
		out.Assignment = claims.AssignmentRefused
	}
	if c.PaysPatient {
		out.BenefitsAssigned = claims.BenefitsToPatient
	}
	if c.Release == claim.ReleaseInformed {
		out.Release = claims.ReleaseInformed
	}
	switch c.Frequency {
	case claim.FrequencyReplacement:
		out.Frequency = claims.FrequencyReplacement
	case claim.FrequencyVoid:
		out.Frequency = claims.FrequencyVoid
	case claim.FrequencyOriginal:
	}
}

func relationshipCode(r coverage.Relationship) string {
	switch r {
	case coverage.RelationSelf:
		return claims.RelationSelf
	case coverage.RelationSpouse:
		return claims.RelationSpouse
	case coverage.RelationChild:
		return claims.RelationChild
	case coverage.RelationOther:
	}
	return claims.RelationOther
}

func genderCode(g claim.Gender) string {
	switch g {
	case claim.GenderFemale:
		return claims.GenderFemale
	case claim.GenderMale:
		return claims.GenderMale
	case claim.GenderUnknown:
		return claims.GenderUnknown
	}
	return ""
}

func causeCode(accident string) string {
	switch accident {
	case "auto":
		return claims.CauseAuto
	case "employment":
		return claims.CauseEmployment
	default:
		return claims.CauseOther
	}
}

// outgoingAttachment returns the claim's reference to an attachment. It returns
// false if the attachment is open or is for a payer request: claims carry neither.
func outgoingAttachment(a *attachment.Attachment) (claims.Attachment, bool) {
	file := a.ClaimFile()
	if file == nil || a.Kind == attachment.Solicited {
		return claims.Attachment{}, false
	}
	return claims.Attachment{ReportType: reportType(a.Documents), Number: file.PWK, Note: file.NTE}, true
}

// The report types (data element 755) that cover several types of documents.
const (
	reportModels      = "DA"
	reportRadiographs = "RB"
	reportPerio       = "P6"
	reportEOB         = "EB"
)

// reports are the report types that the guide allows. Others, such as XP for photos,
// are refused.
//
//nolint:gochecknoglobals // a constant; Go has none of slice type
var reports = []string{"B4", reportModels, "DG", reportEOB, claims.ReportOther, reportPerio, reportRadiographs, "RR"}

// reportType returns the single code for all documents of an attachment. If their
// types differ, models have priority, then radiographs. A periodontal chart has
// priority over an explanation of benefits. Any other mix is ReportOther.
func reportType(documents []*attachment.Document) string {
	has := map[string]bool{}
	var last string
	for _, d := range documents {
		last = claims.ReportOther
		if t, known := attachment.FindDocumentType(d.Type); known && slices.Contains(reports, t.PWK01) {
			last = t.PWK01
		}
		has[last] = true
	}
	switch {
	case len(has) == 1:
		return last
	case has[reportModels]:
		return reportModels
	case has[reportRadiographs]:
		return reportRadiographs
	case len(has) == 2 && has[reportPerio] && has[reportEOB]:
		return reportPerio
	default:
		return claims.ReportOther
	}
}
