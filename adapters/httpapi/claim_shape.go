package httpapi

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
)

// claimSummaryJSON is a claim as it appears in lists. Every field is present;
// fields without a value are null.
type claimSummaryJSON struct {
	ID                   billing.ClaimID      `json:"id"`
	Object               string               `json:"object"`
	Version              int                  `json:"version"`
	Kind                 claim.Kind           `json:"kind"`
	State                claim.State          `json:"state"`
	NextStep             string               `json:"next_step"`
	Frequency            claim.Frequency      `json:"frequency"`
	ParentID             *billing.ClaimID     `json:"parent_id"`
	PatientControlNumber string               `json:"patient_control_number"`
	Office               officeSummaryJSON    `json:"office"`
	Payer                payerJSON            `json:"payer"`
	Coverage             billing.Sequence     `json:"coverage"`
	RenderingProvider    *providerSummaryJSON `json:"rendering_provider"`
	PatientName          nameJSON             `json:"patient_name"`
	PatientID            *billing.PatientID   `json:"patient_id"`
	ServiceDates         serviceDatesJSON     `json:"service_dates"`
	Totals               totalsJSON           `json:"totals"`
	Payment              *claimPaymentJSON    `json:"payment"`
	Open                 *string              `json:"open"`
	Figures              *figuresJSON         `json:"figures"`
	PaymentChanged       bool                 `json:"payment_changed"`
	Estimate             *estimateJSON        `json:"estimate"`
	ConvertedFrom        *billing.ClaimID     `json:"converted_from"`
	ConvertedTo          *billing.ClaimID     `json:"converted_to"`
	SecondaryTo          *billing.ClaimID     `json:"secondary_to"`
	SecondaryClaimID     *billing.ClaimID     `json:"secondary_claim_id"`
	RequestID            *billing.RequestID   `json:"request_id"`
	CreatedAt            string               `json:"created_at"`
	UpdatedAt            string               `json:"updated_at"`
}

type officeSummaryJSON struct {
	ID   billing.OfficeID `json:"id"`
	Name string           `json:"name"`
}

type providerSummaryJSON struct {
	ID        billing.ProviderID `json:"id"`
	FirstName string             `json:"first_name"`
	LastName  string             `json:"last_name"`
	NPI       string             `json:"npi"`
}

type nameJSON struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
}

type serviceDatesJSON struct {
	First *billing.Date `json:"first"`
	Last  *billing.Date `json:"last"`
}

type totalsJSON struct {
	Charge string `json:"charge"`
	Lines  int    `json:"lines"`
}

type claimPaymentJSON struct {
	Outcome               remit.PaymentOutcome `json:"outcome"`
	ERAID                 billing.ERAID        `json:"era_id"`
	Paid                  string               `json:"paid"`
	Allowed               *string              `json:"allowed"`
	PatientResponsibility string               `json:"patient_responsibility"`
	PaymentDate           *billing.Date        `json:"payment_date"`
	ReconciledAt          *string              `json:"reconciled_at"`
}

type estimateJSON struct {
	ERAID      billing.ERAID      `json:"era_id"`
	Allowed    *string            `json:"allowed"`
	Pay        string             `json:"pay"`
	Patient    string             `json:"patient"`
	ReturnedAt string             `json:"returned_at"`
	Lines      []lineEstimateJSON `json:"lines"`
}

type lineEstimateJSON struct {
	LineNumber *int    `json:"line_number"`
	Allowed    *string `json:"allowed"`
	Pay        string  `json:"pay"`
	Patient    string  `json:"patient"`
}

func claimSummaryShape(c *claim.Record) claimSummaryJSON {
	span := c.ServiceDates()
	out := claimSummaryJSON{
		ID: c.ID, Object: "claim", Version: c.Edits.Version(), Kind: c.Kind, State: c.State, NextStep: task.NextStep(c), Frequency: c.Frequency,
		ParentID: orNull(c.ParentID), PatientControlNumber: c.PatientControlNumber,
		Office: officeSummaryJSON{c.OfficeID, c.OfficeName}, Payer: payerJSON(c.Payer), Coverage: c.Turn(),
		PatientName: nameJSON{c.Subscriber.FirstName, c.Subscriber.LastName}, PatientID: orNull(c.PatientID),
		ServiceDates: serviceDatesJSON{orNull(span.From), orNull(span.To)},
		Totals:       totalsJSON{c.Charge().String(), len(c.Lines)},
		Payment:      claimPaymentShape(c.Claim), Figures: figuresShape(c.Claim), PaymentChanged: c.PaymentChanged(), Estimate: estimateShape(c.Claim),
		ConvertedFrom: orNull(c.ConvertedFrom), ConvertedTo: orNull(c.ConvertedTo),
		SecondaryTo: orNull(c.SecondaryTo), SecondaryClaimID: orNull(c.SecondaryID), RequestID: orNull(c.RequestID),
		CreatedAt: event.Timestamp(c.CreatedAt), UpdatedAt: event.Timestamp(c.UpdatedAt),
	}
	if !c.Provider.ID.IsZero() {
		out.RenderingProvider = new(providerSummaryJSON(c.Provider))
	}
	if c.HasOpen() {
		out.Open = new(c.Open().String())
	}
	if p := c.Patient; p != nil {
		out.PatientName = nameJSON{p.FirstName, p.LastName}
	}
	return out
}

// claimPaymentShape returns the payment of a claim that the payer has decided,
// and null for any other. A claim that was replaced waits for a new decision.
func claimPaymentShape(c *claim.Claim) *claimPaymentJSON {
	decided := c.State == claim.Paid || c.State == claim.Denied || c.State == claim.Reconciled
	s := c.Standing
	if !decided || c.Kind == claim.KindPredetermination || s == nil {
		return nil
	}
	return &claimPaymentJSON{
		Outcome: s.Outcome, ERAID: s.ERAID, Paid: s.Paid.String(), Allowed: money(s.Allowed),
		PatientResponsibility: s.PatientResponsibility.String(), PaymentDate: orNull(s.PaymentDate),
		ReconciledAt: timeOrNull(c.ReconciledAt),
	}
}

func estimateShape(c *claim.Claim) *estimateJSON {
	e := c.Estimate
	if e == nil || c.Kind != claim.KindPredetermination {
		return nil
	}
	return &estimateJSON{
		ERAID: e.ERAID, Allowed: money(e.Allowed), Pay: e.Pay.String(), Patient: e.Patient.String(),
		ReturnedAt: event.Timestamp(e.ReturnedAt),
		Lines: mapped(e.Lines, func(l remit.LineEstimate) lineEstimateJSON {
			return lineEstimateJSON{orNull(l.Number), money(l.Allowed), l.Pay.String(), l.Patient.String()}
		}),
	}
}

// claimJSON is a whole claim: the summary, and the fields of the body of POST
// /claims in the same form, so that a client can send back what it read.
type claimJSON struct {
	claimSummaryJSON

	Subscriber         *claimSubscriberJSON `json:"subscriber"`
	Patient            *claimPatientJSON    `json:"patient"`
	OtherCoverage      []otherCoverageJSON  `json:"other_coverage"`
	PlaceOfService     string               `json:"place_of_service"`
	PriorAuthorization *string              `json:"prior_authorization"`
	Accident           *accidentJSON        `json:"accident"`
	Note               *string              `json:"note"`
	Lines              []claimLineJSON      `json:"lines"`
	Findings           []findingJSON        `json:"findings"`
	Advice             []adviceJSON         `json:"advice"`
	AdviceIgnored      []ignoredJSON        `json:"advice_ignored"`
	Attachments        []attachmentJSON     `json:"attachments"`
	Contractual        *string              `json:"contractual"`
	NotPaid            *string              `json:"not_paid"`
	Accepted           []acceptedJSON       `json:"accepted"`
	Adjudications      []adjudicationJSON   `json:"adjudications"`
	Contract           *claimContractJSON   `json:"contract"`
	Act                *remit.Act           `json:"act"`
	Deadlines          *claimDeadlinesJSON  `json:"deadlines"`
	AppealID           *billing.AppealID    `json:"appeal_id"`
	SecondPlan         *shownPlanJSON       `json:"second_plan"`
	History            []claimMoveJSON      `json:"history"`
	SubmitWhenReady    bool                 `json:"submit_when_ready"`
	Held               *heldJSON            `json:"held"`
	BatchID            *billing.FileID      `json:"batch_id"`
	SentAt             *string              `json:"sent_at"`
	PayerClaimNumber   *string              `json:"payer_claim_number"`
	TenantReference    *string              `json:"tenant_reference"`
	EstimateID         *billing.EstimateID  `json:"estimate_id"`

	claimDetailsJSON
}

type findingJSON struct {
	Code    string  `json:"code"`
	Field   *string `json:"field"`
	Message string  `json:"message"`
	Fix     string  `json:"fix"`
}

// shownPlanJSON is a plan that an active check shows.
type shownPlanJSON struct {
	EligibilityID billing.CheckID `json:"eligibility_id"`
	Payer         payerJSON       `json:"payer"`
	On            billing.Date    `json:"on"`
}

// acceptedJSON is an open amount that was accepted to reconcile the claim.
type acceptedJSON struct {
	ID    billing.AcceptedID `json:"id"`
	As    claim.AcceptAs     `json:"as"`
	Lines []lineAmountJSON   `json:"lines"`
	Note  *string            `json:"note"`
	By    string             `json:"by"`
	At    string             `json:"at"`
}

type lineAmountJSON struct {
	LineNumber *int   `json:"line_number"`
	Amount     string `json:"amount"`
}

type heldJSON struct {
	Reason *string       `json:"reason"`
	Until  *billing.Date `json:"until"`
	By     string        `json:"by"`
	At     string        `json:"at"`
}

type claimMoveJSON struct {
	State claim.State   `json:"state"`
	At    string        `json:"at"`
	Cause claim.Trigger `json:"cause"`
	File  *string       `json:"file"`
	By    *string       `json:"by"`
	Note  *string       `json:"note"`
}

// adjudicationJSON is a remittance claim that was applied to the claim.
type adjudicationJSON struct {
	ERAID                 billing.ERAID          `json:"era_id"`
	Ordinal               int                    `json:"ordinal"`
	PayerName             string                 `json:"payer_name"`
	Sequence              billing.Sequence       `json:"sequence"`
	StatusCode            string                 `json:"status_code"`
	StatusLabel           string                 `json:"status_label"`
	PayerClaimNumber      *string                `json:"payer_claim_number"`
	Charge                string                 `json:"charge"`
	Paid                  string                 `json:"paid"`
	Allowed               *string                `json:"allowed"`
	PatientResponsibility string                 `json:"patient_responsibility"`
	Contractual           string                 `json:"contractual"`
	NotPaid               string                 `json:"not_paid"`
	PaymentDate           *billing.Date          `json:"payment_date"`
	AppliedAt             string                 `json:"applied_at"`
	CancelledBy           *cancellationJSON      `json:"cancelled_by"`
	RemarkLabels          []remarkLabelJSON      `json:"remark_labels"`
	Lines                 []adjudicationLineJSON `json:"lines"`
}

// cancellationJSON names the reversal that takes an adjudication back.
type cancellationJSON struct {
	ERAID   billing.ERAID `json:"era_id"`
	Ordinal int           `json:"ordinal"`
}

type adjudicationLineJSON struct {
	LineNumber    *int                    `json:"line_number"`
	ProcedureCode string                  `json:"procedure_code"`
	Paid          string                  `json:"paid"`
	Allowed       *string                 `json:"allowed"`
	Deductible    string                  `json:"deductible"`
	Coinsurance   string                  `json:"coinsurance"`
	Copay         string                  `json:"copay"`
	OtherPatient  string                  `json:"other_patient"`
	Contractual   string                  `json:"contractual"`
	NotPaid       string                  `json:"not_paid"`
	Adjustments   []labeledAdjustmentJSON `json:"adjustments"`
	RemarkLabels  []remarkLabelJSON       `json:"remark_labels"`
}

type labeledAdjustmentJSON struct {
	Group  string    `json:"group"`
	Reason string    `json:"reason"`
	Amount string    `json:"amount"`
	Label  string    `json:"label"`
	Act    remit.Act `json:"act"`
}

func adjudicationsShape(l *claim.Ledger) []adjudicationJSON {
	if l == nil {
		return []adjudicationJSON{}
	}
	return mapped(l.Adjudications(), adjudicationShape)
}

func adjudicationShape(a claim.Adjudication) adjudicationJSON {
	shares := a.Shares()
	out := adjudicationJSON{
		ERAID: a.ERA.ID, Ordinal: a.Ordinal, PayerName: a.ERA.PayerName, Sequence: a.Sequence, StatusCode: a.StatusCode,
		StatusLabel: a.StatusLabel(), PayerClaimNumber: orNull(a.PayerClaimNumber), Charge: a.Charge.String(), Paid: a.Paid.String(),
		Allowed: money(shares.Allowed), PatientResponsibility: shares.PatientResponsibility.String(),
		Contractual: shares.Contractual.String(), NotPaid: shares.NotPaid.String(),
		PaymentDate: orNull(a.Date), AppliedAt: event.Timestamp(a.AppliedAt), RemarkLabels: mapped(a.Remarks, remarkLabelShape),
		Lines: make([]adjudicationLineJSON, len(a.Lines)),
	}
	if by := a.CancelledBy; by != nil {
		out.CancelledBy = &cancellationJSON{by.ERA.ID, by.Ordinal}
	}
	for i := range a.Lines {
		l := &a.Lines[i]
		s := l.Shares()
		out.Lines[i] = adjudicationLineJSON{
			LineNumber: orNull(a.Numbers[i]), ProcedureCode: l.ProcedureCode, Paid: l.Paid.String(), Allowed: money(s.Allowed),
			Deductible: s.Deductible.String(), Coinsurance: s.Coinsurance.String(), Copay: s.Copay.String(), OtherPatient: s.OtherPatient.String(),
			Contractual: s.Contractual.String(), NotPaid: s.NotPaid.String(), Adjustments: mapped(l.Adjustments, labeledAdjustmentShape(slices.Concat(l.Remarks, a.Remarks))),
			RemarkLabels: mapped(l.Remarks, remarkLabelShape),
		}
	}
	return out
}

// labeledAdjustmentShape returns the shape of adjustments beside remarks.
func labeledAdjustmentShape(remarks []string) func(remit.Adjustment) labeledAdjustmentJSON {
	return func(a remit.Adjustment) labeledAdjustmentJSON {
		return labeledAdjustmentJSON{a.Group, a.Reason, a.Amount.String(), remit.ReasonLabel(a.Reason), a.Act(remarks)}
	}
}

func acceptedShape(a claim.AcceptedOpen) acceptedJSON {
	return acceptedJSON{a.ID, a.As, mapped(a.Lines, func(l claim.LineAmount) lineAmountJSON {
		return lineAmountJSON{orNull(l.Number), l.Amount.String()}
	}), orNull(a.Note), a.By, event.Timestamp(a.At)}
}

func claimShape(c *claim.Record) claimJSON {
	out := claimJSON{
		claimSummaryJSON: claimSummaryShape(c), Subscriber: claimSubscriberShape(c.Subscriber), Patient: claimPatientShape(c.Patient),
		OtherCoverage: mapped(c.OtherCoverage, otherCoverageShape), PlaceOfService: c.PlaceOfService,
		PriorAuthorization: orNull(c.PriorAuthorization), Note: orNull(c.Note), Lines: mapped(c.Lines, claimLineShape),
		Findings: mapped(c.Findings, func(f claim.Finding) findingJSON {
			return findingJSON{f.Code, orNull(f.Field), f.Message, f.Fix}
		}),
		Attachments: mapped(c.Attachments, attachmentShape),
		History: mapped(c.History, func(m claim.Move) claimMoveJSON {
			return claimMoveJSON{m.State, event.Timestamp(m.At), m.Cause, orNull(m.File), orNull(m.By), orNull(m.Note)}
		}),
		Accepted: mapped(c.Accepted, acceptedShape), Adjudications: adjudicationsShape(c.Ledger), Contract: claimContractShape(c.Contracted().Compare()),
		Deadlines: claimDeadlinesShape(c.Claim), AppealID: appealing(c.Claim),
		SubmitWhenReady: c.SubmitWhenReady, BatchID: orNull(c.BatchID), SentAt: timeOrNull(c.SentAt), PayerClaimNumber: orNull(c.PayerClaimNumber),
		TenantReference: c.TenantReference, EstimateID: orNull(c.EstimateID), claimDetailsJSON: claimDetailsShape(&c.Details),
	}
	open, ignored := c.Advice()
	out.Advice, out.AdviceIgnored = mapped(open, adviceShape), mapped(ignored, ignoredShape)
	if s := c.Standing; s != nil {
		out.Contractual, out.NotPaid, out.Act = money(&s.Contractual), money(&s.NotPaid), orNull(s.Act)
	}
	if p := c.Shown; p != nil {
		out.SecondPlan = &shownPlanJSON{p.Check, payerJSON(p.Payer), p.On}
	}
	if h := c.Held; h != nil && c.IsHeld() {
		out.Held = &heldJSON{orNull(h.Reason), orNull(h.Until), h.By, event.Timestamp(h.At)}
	}
	if c.HasOpen() {
		for i, open := range c.OpenLines() {
			out.Lines[i].Open = new(open.String())
		}
	}
	if a := c.Accident; a != nil {
		out.Accident = &accidentJSON{orNull(a.Type), orNull(a.Date), orNull(a.State)}
	}
	return out
}

// timeOrNull returns null for the zero time.
func timeOrNull(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	return new(event.Timestamp(at))
}
