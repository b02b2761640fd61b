package httpapi

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// eraSummaryJSON is a remittance as it appears in lists.
type eraSummaryJSON struct {
	ID           billing.ERAID       `json:"id"`
	Object       string              `json:"object"`
	State        remit.State         `json:"state"`
	Payer        *payerJSON          `json:"payer"`
	PayerName    string              `json:"payer_name"`
	OfficeID     *billing.OfficeID   `json:"office_id"`
	Source       clearing.FileOrigin `json:"source"`
	Payment      eraPaymentJSON      `json:"payment"`
	Balanced     bool                `json:"balanced"`
	Counts       eraCountsJSON       `json:"counts"`
	Progress     eraProgressJSON     `json:"progress"`
	Warnings     []warningJSON       `json:"warnings"`
	ReceivedAt   string              `json:"received_at"`
	PostedAt     *string             `json:"posted_at"`
	PostedByRule *string             `json:"posted_by_rule"`

	Acknowledged *eraNoteJSON    `json:"acknowledged"`
	Correction   *correctionJSON `json:"correction"`
	Corrections  []billing.ERAID `json:"corrections"`
	ReplacedBy   *billing.ERAID  `json:"replaced_by"`
	Parts        []billing.ERAID `json:"parts"`
	Bank         bankJSON        `json:"bank"`
}

type eraPaymentJSON struct {
	Method                   string        `json:"method"`
	TraceNumber              string        `json:"trace_number"`
	Date                     *billing.Date `json:"date"`
	Total                    string        `json:"total"`
	ProviderAdjustmentsTotal string        `json:"provider_adjustments_total"`
}

type eraCountsJSON struct {
	Claims    int `json:"claims"`
	Matched   int `json:"matched"`
	Unmatched int `json:"unmatched"`
}

// eraProgressJSON counts the claims of a remittance by status.
type eraProgressJSON struct {
	Applied     int `json:"applied"`
	NeedsReview int `json:"needs_review"`
	Unmatched   int `json:"unmatched"`
	Ignored     int `json:"ignored"`
	Forwarded   int `json:"forwarded"`
}

type warningJSON struct {
	Code    remit.WarningCode `json:"code"`
	Message string            `json:"message"`
}

func warningShape(w remit.WarningCode) warningJSON { return warningJSON{w, w.Message()} }

func eraSummaryShape(e *remit.ERA) eraSummaryJSON {
	out := eraSummaryJSON{
		ID: e.ID, Object: "era", State: e.State, PayerName: e.PayerName, OfficeID: orNull(e.OfficeID), Source: e.Origin,
		Payment:  eraPaymentShape(e.Payment),
		Balanced: e.Balanced, Counts: eraCountsJSON{e.ClaimCount, e.MatchedCount, e.ClaimCount - e.MatchedCount},
		Progress: eraProgressJSON(e.Counted()), Warnings: mapped(e.Warnings, warningShape),
		ReceivedAt: event.Timestamp(e.ReceivedAt), PostedAt: timeOrNull(e.PostedAt),
		Acknowledged: eraNoteShape(e.Acknowledged), Correction: correctionShape(e), Corrections: listOf(e.Corrections), ReplacedBy: orNull(e.ReplacedBy),
		Parts: listOf(e.Parts), Bank: bankShape(e),
	}
	if e.Payer != (directory.PayerSummary{}) {
		out.Payer = new(payerJSON(e.Payer))
	}
	if e.Posting != nil {
		out.PostedByRule = orNull(e.Posting.Rule)
	}
	return out
}

func eraPaymentShape(p remit.Payment) eraPaymentJSON {
	return eraPaymentJSON{p.Method, p.TraceNumber, orNull(p.Date), p.Total.String(), p.ProviderAdjustmentsTotal.String()}
}

// eraJSON is a whole remittance.
type eraJSON struct {
	eraSummaryJSON

	Claims              pageJSON[remittanceClaimJSON] `json:"claims"`
	ProviderAdjustments []providerAdjustmentJSON      `json:"provider_adjustments"`
	ForwardedBalance    *forwardedBalanceJSON         `json:"forwarded_balance"`
	Balance             balanceJSON                   `json:"balance"`
	Difference          *eraDifferenceJSON            `json:"difference"`
	FileName            string                        `json:"file_name"`
	Unapplied           unappliedJSON                 `json:"unapplied"`
	postingJSON
}

// unappliedJSON is money of a remittance that is on no claim.
type unappliedJSON struct {
	Ignored    unappliedSumJSON `json:"ignored"`
	Unfinished unappliedSumJSON `json:"unfinished"`
}

type unappliedSumJSON struct {
	Paid   string `json:"paid"`
	Claims int    `json:"claims"`
}

func unappliedShape(s remit.UnappliedSum) unappliedSumJSON {
	return unappliedSumJSON{s.Paid.String(), s.Claims}
}

// postingJSON is what the posting of a remittance did with its claims.
type postingJSON struct {
	PostedBy       *string              `json:"posted_by"`
	ReconcileState remit.ReconcileStage `json:"reconcile_state"`
	Reconciled     int                  `json:"reconciled"`
	LeftOutCount   int                  `json:"left_out_count"`
	LeftOut        []leftOutJSON        `json:"left_out"`
}

type leftOutJSON struct {
	ClaimID billing.ClaimID     `json:"claim_id"`
	Reason  remit.LeftOutReason `json:"reason"`
	Message string              `json:"message"`
}

func postingShape(e *remit.ERA) postingJSON {
	out := postingJSON{PostedBy: orNull(e.Poster()), ReconcileState: e.ReconcileStage(), LeftOut: []leftOutJSON{}}
	if p := e.Posting; p != nil {
		out.Reconciled, out.LeftOutCount = p.Reconciled, p.Left
		out.LeftOut = mapped(p.LeftOut, func(l remit.LeftOut) leftOutJSON { return leftOutJSON{l.Claim, l.Reason, l.Reason.Message()} })
	}
	return out
}

type providerAdjustmentJSON struct {
	ProviderID string           `json:"provider_id"`
	Reason     string           `json:"reason"`
	Label      string           `json:"label"`
	Reference  *string          `json:"reference"`
	ClaimID    *billing.ClaimID `json:"claim_id"`
	PeriodEnd  *billing.Date    `json:"period_end"`
	Amount     string           `json:"amount"`
}

// forwardedBalanceJSON is the account of the balances that a payer carries from one payment
// to another.
type forwardedBalanceJSON struct {
	Balance string          `json:"balance"`
	Entries []forwardedJSON `json:"entries"`
}

type forwardedJSON struct {
	ERAID       billing.ERAID `json:"era_id"`
	PaymentDate *billing.Date `json:"payment_date"`
	TraceNumber string        `json:"trace_number"`
	Reference   *string       `json:"reference"`
	Amount      string        `json:"amount"`
	Balance     string        `json:"balance"`
}

// providerAdjustmentsShape returns the adjustments, each with the claim that it names.
func providerAdjustmentsShape(r *remit.Record) []providerAdjustmentJSON {
	all := make([]providerAdjustmentJSON, len(r.ProviderAdjustments))
	for i, a := range r.ProviderAdjustments {
		all[i] = providerAdjustmentJSON{
			a.ProviderID, a.Reason, remit.ProviderAdjustmentLabel(a.Reason), orNull(a.Reference), nil, orNull(a.PeriodEnd), a.Amount.String(),
		}
		if i < len(r.About) {
			all[i].ClaimID = orNull(r.About[i])
		}
	}
	return all
}

func forwardedBalanceShape(b *remit.ForwardedBalance) *forwardedBalanceJSON {
	if b == nil {
		return nil
	}
	return &forwardedBalanceJSON{b.Balance.String(), mapped(b.Entries, func(f remit.Forwarded) forwardedJSON {
		return forwardedJSON{f.ERA, orNull(f.Date), f.TraceNumber, orNull(f.Reference), f.Amount.String(), f.Balance.String()}
	})}
}

type balanceJSON struct {
	Payment  levelBalanceJSON     `json:"payment"`
	Claims   levelBalanceJSON     `json:"claims"`
	Lines    levelBalanceJSON     `json:"lines"`
	Findings []balanceFindingJSON `json:"findings"`
}

type levelBalanceJSON struct {
	Balanced bool   `json:"balanced"`
	Checked  int    `json:"checked"`
	Failed   int    `json:"failed"`
	Off      string `json:"off"`
}

type balanceFindingJSON struct {
	Level                string  `json:"level"`
	Claim                *int    `json:"claim"`
	PatientControlNumber *string `json:"patient_control_number"`
	Line                 *int    `json:"line"`
	Segment              int     `json:"segment"`
	Expected             *string `json:"expected"`
	Stated               *string `json:"stated"`
	Off                  *string `json:"off"`
	Explanation          string  `json:"explanation"`
}

// eraShape builds the JSON of a whole remittance. Next is the cursor of GET
// /eras/{id}/claims for the claims that follow.
func eraShape(r *remit.Record, next *string) eraJSON {
	b := r.Balance
	return eraJSON{
		eraSummaryJSON:      eraSummaryShape(r.ERA),
		Claims:              pageJSON[remittanceClaimJSON]{mapped(r.Claims, remittanceClaimShape), next},
		ProviderAdjustments: providerAdjustmentsShape(r), ForwardedBalance: forwardedBalanceShape(r.Forwarded),
		Balance: balanceJSON{
			levelBalanceShape(r.PaymentBalance()), levelBalanceShape(b.Claims), levelBalanceShape(b.Lines), mapped(r.PaymentFindings(), balanceFindingShape),
		},
		Difference: eraDifferenceShape(r.Difference),
		FileName:   r.File.Name, Unapplied: unappliedJSON{unappliedShape(r.Unapplied.Ignored), unappliedShape(r.Unapplied.Unfinished)},
		postingJSON: postingShape(r.ERA),
	}
}

func levelBalanceShape(l remit.LevelBalance) levelBalanceJSON {
	return levelBalanceJSON{l.Failed == 0, l.Checked, l.Failed, l.Off.String()}
}

func balanceFindingShape(f remit.BalanceFinding) balanceFindingJSON {
	out := balanceFindingJSON{
		Level: f.Level, Claim: orNull(f.Claim), PatientControlNumber: orNull(f.ControlNumber), Line: orNull(f.Line), Segment: f.Segment,
		Explanation: f.Explanation,
	}
	if !f.Unread {
		out.Expected, out.Stated, out.Off = money(&f.Expected), money(&f.Stated), money(&f.Off)
	}
	return out
}

// remittanceClaimJSON is what a remittance states about one claim.
type remittanceClaimJSON struct {
	Object                string                `json:"object"`
	Ordinal               int                   `json:"ordinal"`
	ClaimID               *billing.ClaimID      `json:"claim_id"`
	Status                remit.Status          `json:"status"`
	Applied               bool                  `json:"applied"`
	Review                *reviewJSON           `json:"review"`
	MatchedBy             *remit.MatchedBy      `json:"matched_by"`
	Warnings              []warningJSON         `json:"warnings"`
	PatientControlNumber  string                `json:"patient_control_number"`
	PayerClaimNumber      *string               `json:"payer_claim_number"`
	StatusCode            string                `json:"status_code"`
	Outcome               *remit.PaymentOutcome `json:"outcome"`
	Sequence              *billing.Sequence     `json:"sequence"`
	Charge                string                `json:"charge"`
	Paid                  string                `json:"paid"`
	Allowed               *string               `json:"allowed"`
	PatientResponsibility *string               `json:"patient_responsibility"`
	Contractual           string                `json:"contractual"`
	NotPaid               string                `json:"not_paid"`
	PatientName           nameJSON              `json:"patient_name"`
	MemberID              *string               `json:"member_id"`
	CorrectedPatient      *correctedPatientJSON `json:"corrected_patient"`
	CrossoverPayer        *crossoverPayerJSON   `json:"crossover_payer"`
	ServiceDates          serviceDatesJSON      `json:"service_dates"`
	Balanced              bool                  `json:"balanced"`
	Adjustments           []adjustmentJSON      `json:"adjustments"`
	Remarks               []string              `json:"remarks"`
	RemarkLabels          []remarkLabelJSON     `json:"remark_labels"`
	Lines                 []eraLineJSON         `json:"lines"`
}

// reviewJSON is the reason that a remittance claim was not applied.
type reviewJSON struct {
	Code    remit.ReviewCode `json:"code"`
	Message string           `json:"message"`
	Fix     string           `json:"fix"`
}

type correctedPatientJSON struct {
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	MemberID  *string `json:"member_id"`
}

type crossoverPayerJSON struct {
	Name    string  `json:"name"`
	PayerID *string `json:"payer_id"`
}

type remarkLabelJSON struct {
	Code  string `json:"code"`
	Label string `json:"label"`
}

func remarkLabelShape(code string) remarkLabelJSON {
	return remarkLabelJSON{code, remit.RemarkLabel(code)}
}

type adjustmentJSON struct {
	Group    string  `json:"group"`
	Reason   string  `json:"reason"`
	Amount   string  `json:"amount"`
	Quantity *string `json:"quantity"`
}

type eraLineJSON struct {
	LineNumber             *int             `json:"line_number"`
	ProcedureCode          string           `json:"procedure_code"`
	SubmittedProcedureCode *string          `json:"submitted_procedure_code"`
	ServiceDate            *billing.Date    `json:"service_date"`
	Charge                 string           `json:"charge"`
	Paid                   string           `json:"paid"`
	Allowed                *string          `json:"allowed"`
	Units                  *string          `json:"units"`
	Adjustments            []adjustmentJSON `json:"adjustments"`
	Remarks                []string         `json:"remarks"`
}

func remittanceClaimShape(c *remit.Claim) remittanceClaimJSON {
	status, review := c.Shown()
	shares := c.Shares()
	out := remittanceClaimJSON{
		Object: "era_claim", Ordinal: c.Ordinal, ClaimID: orNull(c.ClaimID), Status: status, Applied: status == remit.StatusApplied,
		MatchedBy: orNull(c.MatchedBy), Warnings: mapped(c.Warnings, warningShape), PatientControlNumber: c.ControlNumber,
		PayerClaimNumber: orNull(c.PayerClaimNumber), StatusCode: c.StatusCode, Sequence: orNull(c.Sequence),
		Charge: c.Charge.String(), Paid: c.Paid.String(), Allowed: money(c.Allowed), PatientResponsibility: money(c.PatientResponsibility),
		Contractual: shares.Contractual.String(), NotPaid: shares.NotPaid.String(),
		PatientName: nameJSON{c.PatientFirstName, c.PatientLastName}, MemberID: orNull(c.MemberID),
		ServiceDates: serviceDatesJSON{orNull(c.ServiceDates.From), orNull(c.ServiceDates.To)},
		Balanced:     c.Balanced, Adjustments: mapped(c.Adjustments, adjustmentShape), Remarks: listOf(c.Remarks),
		RemarkLabels: mapped(c.AllRemarks(), remarkLabelShape),
		Lines:        make([]eraLineJSON, len(c.Lines)),
	}
	if !c.Reverses() && !c.Forwards() {
		out.Outcome = orNull(c.Outcome())
	}
	if review != "" {
		out.Review = &reviewJSON{review, review.Message(), review.Fix()}
	}
	if p := c.CorrectedPatient; p != nil {
		out.CorrectedPatient = &correctedPatientJSON{orNull(p.FirstName), orNull(p.LastName), orNull(p.MemberID)}
	}
	if p := c.CrossoverPayer; p != nil {
		out.CrossoverPayer = &crossoverPayerJSON{p.Name, orNull(p.ID)}
	}
	for i := range c.Lines {
		out.Lines[i] = eraLineShape(&c.Lines[i])
		if i < len(c.LineNumbers) {
			out.Lines[i].LineNumber = orNull(c.LineNumbers[i])
		}
	}
	return out
}

// eraLineShape returns a line without the number of the claim's line.
func eraLineShape(l *remit.Line) eraLineJSON {
	return eraLineJSON{
		ProcedureCode: l.ProcedureCode, SubmittedProcedureCode: orNull(l.SubmittedCode),
		ServiceDate: orNull(l.ServiceDate), Charge: l.Charge.String(), Paid: l.Paid.String(), Allowed: money(l.Allowed),
		Units: orNull(l.Units), Adjustments: mapped(l.Adjustments, adjustmentShape), Remarks: listOf(l.Remarks),
	}
}

func adjustmentShape(a remit.Adjustment) adjustmentJSON {
	return adjustmentJSON{a.Group, a.Reason, a.Amount.String(), orNull(a.Quantity)}
}

type batchJSON struct {
	ID               billing.FileID                 `json:"id"`
	Object           string                         `json:"object"`
	Name             string                         `json:"name"`
	State            clearing.BatchState            `json:"state"`
	Result           *clearing.BatchResult          `json:"result"`
	ClaimCount       int                            `json:"claim_count"`
	Interchange      *string                        `json:"interchange_control_number"`
	Group            *string                        `json:"group_control_number"`
	Transaction      *string                        `json:"transaction_control_number"`
	Acknowledgement  *fileNameJSON                  `json:"acknowledgement"`
	Acknowledgements []acknowledgementJSON          `json:"acknowledgements"`
	CreatedAt        string                         `json:"created_at"`
	SentAt           *string                        `json:"sent_at"`
	AcknowledgedAt   *string                        `json:"acknowledged_at"`
	Overdue          []clearing.AcknowledgementKind `json:"overdue"`
	UnknownSince     *string                        `json:"unknown_since"`
	DelayedSince     *string                        `json:"delayed_since"`
}

type acknowledgementJSON struct {
	Number     int                          `json:"n"`
	Kind       clearing.AcknowledgementKind `json:"kind"`
	Name       string                       `json:"name"`
	ReceivedAt string                       `json:"received_at"`
}

type fileNameJSON struct {
	Name string `json:"name"`
}

func batchShape(b *clearing.Batch) batchJSON {
	n := b.File.ControlNumbers
	out := batchJSON{
		ID: b.ID, Object: "batch", Name: b.File.Name, State: b.State, Result: orNull(b.Result), ClaimCount: b.ClaimCount,
		Interchange: orNull(n.Interchange), Group: orNull(n.Group), Transaction: orNull(n.Transaction),
		Acknowledgements: mapped(b.Acknowledgements, func(a clearing.BatchAcknowledgement) acknowledgementJSON {
			return acknowledgementJSON{a.Number, a.Kind, a.Name, event.Timestamp(a.ReceivedAt)}
		}),
		CreatedAt: event.Timestamp(b.CreatedAt), SentAt: timeOrNull(b.SentAt), AcknowledgedAt: timeOrNull(b.AcknowledgedAt),
		Overdue: append([]clearing.AcknowledgementKind{}, b.Overdue...), UnknownSince: timeOrNull(b.UnknownSince), DelayedSince: timeOrNull(b.DelayedSince),
	}
	if b.Acknowledgement != "" {
		out.Acknowledgement = &fileNameJSON{b.Acknowledgement}
	}
	return out
}
