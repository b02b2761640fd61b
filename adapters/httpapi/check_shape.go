package httpapi

import (
	"github.com/molar-billing/molar/core/billing"
)

// checkJSON is an eligibility check as the interface shows it: every field is
// there, null where it has nothing to say.
type checkJSON struct {
	ID              billing.CheckID    `json:"id"`
	Object          string             `json:"object"`
	OfficeID        billing.OfficeID   `json:"office_id"`
	PatientID       *billing.PatientID `json:"patient_id"`
	Payer           payerJSON          `json:"payer"`
	State           billing.CheckState `json:"state"`
	Outcome         *billing.Outcome   `json:"outcome"`
	Status          *string            `json:"status"`
	Billing         *usageJSON         `json:"billing"`
	Cache           cacheJSON          `json:"cache"`
	ParentID        *billing.CheckID   `json:"parent_id"`
	RequestID       *billing.RequestID `json:"request_id"`
	IdempotencyKey  *string            `json:"idempotency_key"`
	Source          *sourceJSON        `json:"source"`
	TenantReference *string            `json:"tenant_reference"`
	CreatedAt       string             `json:"created_at"`
	Request         inquiryJSON        `json:"request"`
	Rejection       *rejectionJSON     `json:"rejection"`
	benefitsJSON
}

type usageJSON struct {
	Charged bool                `json:"charged"`
	State   billing.UsageState  `json:"state"`
	Reason  billing.UsageReason `json:"reason"`
	Label   string              `json:"label"`
}

type cacheJSON struct {
	State    string           `json:"state"`
	SourceID *billing.CheckID `json:"source_id"`
}

type sourceJSON struct {
	Network     string `json:"network"`
	LatencyMS   *int   `json:"latency_ms"`
	CompletedAt string `json:"completed_at"`
}

type inquiryJSON struct {
	Subscriber     subscriberJSON      `json:"subscriber"`
	Patient        *dependentJSON      `json:"patient"`
	ServiceDate    billing.Date        `json:"service_date"`
	ProcedureCodes []string            `json:"procedure_codes"`
	DetailLevel    billing.DetailLevel `json:"detail_level"`
	OfficeNPI      string              `json:"office_npi"`
}

type subscriberJSON struct {
	FirstName   string       `json:"first_name"`
	LastName    string       `json:"last_name"`
	DateOfBirth billing.Date `json:"date_of_birth"`
	MemberID    string       `json:"member_id"`
	GroupNumber *string      `json:"group_number"`
}

type dependentJSON struct {
	FirstName    string               `json:"first_name"`
	LastName     string               `json:"last_name"`
	DateOfBirth  billing.Date         `json:"date_of_birth"`
	Relationship billing.Relationship `json:"relationship"`
}

type rejectionJSON struct {
	Kind      billing.RejectionKind `json:"kind"`
	PayerCode string                `json:"payer_code"`
	Reasons   []reasonJSON          `json:"reasons"`
}

type reasonJSON struct {
	Code           billing.ReasonCode `json:"code"`
	About          billing.About      `json:"about"`
	Field          *string            `json:"field"`
	Message        string             `json:"message"`
	Fix            string             `json:"fix"`
	SuggestedValue string             `json:"suggested_value,omitempty"`
}

// benefitsJSON is all null unless the payer answered.
type benefitsJSON struct {
	CoverageEffectiveDate   *billing.Date          `json:"coverage_effective_date"`
	CoverageTerminationDate *billing.Date          `json:"coverage_termination_date"`
	Plan                    *planJSON              `json:"plan"`
	NetworkStatus           *billing.NetworkStatus `json:"network_status"`
	Maximums                []amountJSON           `json:"maximums"`
	Deductibles             []amountJSON           `json:"deductibles"`
	Coverage                []coverageJSON         `json:"coverage"`
	Procedures              []procedureJSON        `json:"procedures"`
	PlanRules               *planRulesJSON         `json:"plan_rules"`
	PayerNotes              []string               `json:"payer_notes"`
	NotReturned             []string               `json:"not_returned"`
}

type planJSON struct {
	Name          *string `json:"name"`
	Type          *string `json:"type"`
	GroupNumber   *string `json:"group_number"`
	BenefitPeriod *string `json:"benefit_period"`
}

type amountJSON struct {
	Level     billing.BenefitLevel  `json:"level"`
	Period    billing.BenefitPeriod `json:"period"`
	Amount    *string               `json:"amount"`
	Used      *string               `json:"used"`
	Remaining *string               `json:"remaining"`
	AppliesTo *string               `json:"applies_to"`
}

type coverageJSON struct {
	Category    billing.Category `json:"category"`
	PercentPaid *float64         `json:"percent_paid"`
	Covered     *bool            `json:"covered"`
	Frequency   *frequencyJSON   `json:"frequency"`
	Notes       []string         `json:"notes"`
}

type frequencyJSON struct {
	Count  *int    `json:"count"`
	Period *string `json:"period"`
	Scope  *string `json:"scope"`
}

type procedureJSON struct {
	Code             string                   `json:"code"`
	Description      *string                  `json:"description"`
	PercentPaid      *float64                 `json:"percent_paid"`
	Covered          *bool                    `json:"covered"`
	Frequency        *frequencyJSON           `json:"frequency"`
	MaxAge           *int                     `json:"max_age"`
	LastServiceDate  *billing.Date            `json:"last_service_date"`
	NextEligibleDate *billing.Date            `json:"next_eligible_date"`
	Status           *billing.ProcedureStatus `json:"status"`
	Note             *string                  `json:"note"`
}

type planRulesJSON struct {
	MissingToothClause     *string `json:"missing_tooth_clause"`
	WaitingPeriod          *string `json:"waiting_period"`
	PreAuthorization       *string `json:"pre_authorization"`
	CoordinationOfBenefits *string `json:"coordination_of_benefits"`
	MajorServicesPaidOn    *string `json:"major_services_paid_on"`
}

// checkShape is the one builder of checks.
func checkShape(c *billing.EligibilityCheck) checkJSON {
	q := c.Inquiry
	out := checkJSON{
		ID:              c.ID,
		Object:          "eligibility_check",
		OfficeID:        c.OfficeID,
		PatientID:       orNull(c.PatientID),
		Payer:           payerJSON(c.Payer),
		State:           c.State,
		Outcome:         orNull(c.Outcome),
		Cache:           cacheJSON{c.CacheState(), orNull(c.CacheSource)},
		ParentID:        orNull(c.ParentID),
		RequestID:       orNull(c.RequestID),
		IdempotencyKey:  orNull(c.IdempotencyKey),
		TenantReference: c.TenantReference,
		CreatedAt:       billing.Timestamp(c.CreatedAt),
		Request: inquiryJSON{
			Subscriber:     subscriberJSON(q.Subscriber),
			Patient:        (*dependentJSON)(q.Patient),
			ServiceDate:    q.ServiceDate,
			ProcedureCodes: listOf(q.ProcedureCodes),
			DetailLevel:    q.DetailLevel,
			OfficeNPI:      q.Office.NPI,
		},
	}
	if u := c.Usage(); u != nil {
		out.Billing = (*usageJSON)(u)
	}
	if c.State == billing.CheckCompleted {
		out.Source = &sourceJSON{c.Network, c.LatencyMS, billing.Timestamp(c.CompletedAt)}
	}
	if r := c.Rejection; r != nil {
		out.Rejection = &rejectionJSON{r.Kind, r.PayerCode, mapped(r.Reasons, reasonShape)}
	}
	if b := c.Benefits; b != nil {
		out.Status = orNull(string(b.Status))
		out.benefitsJSON = benefitsShape(b)
	}
	return out
}

func reasonShape(r billing.RejectionReason) reasonJSON {
	return reasonJSON{r.Code, r.About, orNull(r.Field), r.Message, r.Fix, r.SuggestedValue}
}

func benefitsShape(b *billing.Benefits) benefitsJSON {
	return benefitsJSON{
		CoverageEffectiveDate:   orNull(b.CoverageEffectiveDate),
		CoverageTerminationDate: orNull(b.CoverageTerminationDate),
		Plan: &planJSON{
			orNull(b.Plan.Name), orNull(b.Plan.Type), orNull(b.Plan.GroupNumber), orNull(b.Plan.BenefitPeriod),
		},
		NetworkStatus: orNull(b.NetworkStatus),
		Maximums:      mapped(b.Maximums, amountShape),
		Deductibles:   mapped(b.Deductibles, amountShape),
		Coverage:      mapped(b.Coverage, coverageShape),
		Procedures:    mapped(b.Procedures, procedureShape),
		PlanRules: &planRulesJSON{
			MissingToothClause:     orNull(b.PlanRules.MissingToothClause),
			WaitingPeriod:          orNull(b.PlanRules.WaitingPeriod),
			PreAuthorization:       orNull(b.PlanRules.PreAuthorization),
			CoordinationOfBenefits: orNull(b.PlanRules.CoordinationOfBenefits),
			MajorServicesPaidOn:    orNull(b.PlanRules.MajorServicesPaidOn),
		},
		PayerNotes:  listOf(b.PayerNotes),
		NotReturned: listOf(b.NotReturned),
	}
}

func amountShape(b billing.BenefitAmount) amountJSON {
	return amountJSON{b.Level, b.Period, money(b.Amount), money(b.Used), money(b.Remaining), orNull(b.AppliesTo)}
}

func coverageShape(c billing.CategoryCoverage) coverageJSON {
	return coverageJSON{c.Category, c.PercentPaid, c.Covered, frequencyShape(c.Frequency), listOf(c.Notes)}
}

func procedureShape(p billing.ProcedureBenefit) procedureJSON {
	return procedureJSON{
		Code:             p.Code,
		Description:      orNull(p.Description),
		PercentPaid:      p.PercentPaid,
		Covered:          p.Covered,
		Frequency:        frequencyShape(p.Frequency),
		MaxAge:           p.MaxAge,
		LastServiceDate:  orNull(p.LastServiceDate),
		NextEligibleDate: orNull(p.NextEligibleDate),
		Status:           orNull(p.Status),
		Note:             orNull(p.Note),
	}
}

func frequencyShape(f *billing.Frequency) *frequencyJSON {
	if f == nil {
		return nil
	}
	return &frequencyJSON{f.Count, orNull(f.Period), orNull(f.Scope)}
}

func money(m *billing.Money) *string {
	if m == nil {
		return nil
	}
	return new(m.String())
}

// mapped is an array, never null.
func mapped[T, J any](rows []T, shape func(T) J) []J {
	out := make([]J, len(rows))
	for i, row := range rows {
		out[i] = shape(row)
	}
	return out
}
