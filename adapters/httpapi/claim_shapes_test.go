package httpapi

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	terms "github.com/molar-billing/molar/core/billing/contract"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports/porttest"
)

func day(year, month, d int) billing.Date {
	return billing.Date{Year: year, Month: time.Month(month), Day: d}
}

func draftClaim() *claim.Record {
	return &claim.Record{OfficeName: "Main <Street> & Co", Claim: &claim.Claim{
		ID:    idOf[billing.ClaimID](1),
		Scope: billing.Scope{Org: idOf[billing.OrgID](2), Mode: billing.ModeTest}, Kind: claim.KindClaim,
		Frequency: claim.FrequencyOriginal, PatientControlNumber: "VISIT-4711",
		RequestID: idOf[billing.RequestID](5), CreatedAt: shapeTime,
		Content: claim.Content{
			OfficeID: idOf[billing.OfficeID](3), PlaceOfService: "11",
			Payer:      directory.PayerSummary{ID: idOf[billing.PayerID](4), PayerID: "CHTEST", Name: "Molar Test Payer"},
			Subscriber: claim.Subscriber{Gender: claim.GenderUnknown},
		},
		Progress: claim.Progress{
			State: claim.Draft, UpdatedAt: shapeTime,
			History: []claim.Move{{State: claim.Draft, At: shapeTime, Cause: claim.TriggerDraft}},
		},
	}}
}

func fullClaim() *claim.Record {
	c := draftClaim()
	c.State, c.ParentID, c.PatientID = claim.Reconciled, billing.ClaimID{}, idOf[billing.PatientID](6)
	c.Frequency = claim.FrequencyReplacement
	c.ProviderID = idOf[billing.ProviderID](7)
	c.Provider = claim.ProviderSummary{ID: c.ProviderID, FirstName: "Ann", LastName: "Lee", NPI: "1245319599"}
	c.Subscriber = claim.Subscriber{
		FirstName: "Sam", LastName: "O'Example", DateOfBirth: day(1984, 2, 29), MemberID: "SANDBOX-PAID-ERA", GroupNumber: "1000",
		Gender: claim.GenderMale, Address: directory.Address{Line1: "2 Oak St", Line2: "Apt <3>", City: "Albany", State: "NY", ZIP: "122071234"},
	}
	c.Patient = &claim.Patient{
		FirstName: "Kim", LastName: "Example", DateOfBirth: day(2015, 6, 1), Relationship: coverage.RelationChild, Gender: claim.GenderFemale,
	}
	c.PriorAuthorization, c.Note = "PA-1", "Fell off a swing."
	c.Accident = &claim.Accident{Type: "auto", Date: day(2025, 12, 30), State: "NY"}
	c.Lines = []claim.Line{
		{
			ProcedureCode: "D2391", ServiceDate: day(2026, 1, 2), Fee: 18050, Quantity: 2, Tooth: "3", Surfaces: []string{"M", "O"},
			PriorPlacementDate: day(2020, 5, 6),
		},
		{ProcedureCode: "D4341", ServiceDate: day(2025, 12, 31), Fee: 1, Quantity: 1, OralCavity: []string{"10"}},
	}
	c.TenantReference, c.BatchID, c.SentAt, c.PayerClaimNumber = new("visit <4711>"), idOf[billing.FileID](8), shapeTime.Add(time.Minute), "ICN-1"
	c.Contract = terms.Contract{
		Terms:   []terms.Term{{Each: 9100, ScheduleID: idOf[billing.FeeScheduleID](21), ScheduleName: "Contract <2026>"}},
		Counted: []terms.Counted{{Number: 1, Allowed: 15000, Apart: terms.Maximum}},
	}
	c.ConvertedFrom, c.EstimateID = idOf[billing.ClaimID](9), idOf[billing.EstimateID](19)
	c.Findings = []claim.Finding{
		{Code: "tooth_required", Field: "lines.1.tooth", Message: "A tooth.", Fix: "Name it."},
		{Code: "status_rejected", Message: "The payer rejected the claim.", Fix: "Mend it."},
	}
	c.Ledger = c.Claim.Ledger(fullLedger())
	c.Standing, c.SettledAt = c.Ledger.Standing(), shapeTime
	c.Accepted = []claim.AcceptedOpen{{
		ID: idOf[billing.AcceptedID](17), As: claim.AcceptOther, Note: "A <gift>.", By: idOf[billing.UserID](18).String(), At: shapeTime.Add(time.Hour),
		Lines: []claim.LineAmount{{Number: 1, Amount: 50}, {Amount: 1}},
	}}
	c.ReconciledAt = shapeTime.Add(time.Hour)
	c.Shown = &coverage.ShownPlan{
		Check: idOf[billing.CheckID](22), Payer: directory.PayerSummary{ID: idOf[billing.PayerID](23), PayerID: "60054", Name: "Aetna <PPO>"}, On: day(2026, 1, 3), Since: shapeTime,
	}
	c.History = append(c.History,
		claim.Move{State: claim.Validated, At: shapeTime, Cause: "advice_ignored", By: idOf[billing.KeyID](15).String(), Note: "Sent <by> mail.", Advice: advice.XRayMissing},
		claim.Move{State: claim.AcceptedPayer, At: shapeTime.Add(2 * time.Minute), Cause: claim.TriggerPayerAccept, File: "1.277"},
		claim.Move{
			State: claim.Paid, At: shapeTime.Add(3 * time.Minute), Cause: claim.TriggerApply, File: "1.835",
			By: idOf[billing.KeyID](15).String(), Note: "The payer confirmed <it>.",
		})
	return c
}

// fullLedger is a payment, its reversal, and another payment.
func fullLedger() []*remit.LedgerEntry {
	entry := func(era byte, r remit.Claim) *remit.LedgerEntry {
		r.PayerClaimNumber, r.Date, r.Status, r.AppliedAt = "ICN-1", day(2026, 1, int(era)), remit.StatusApplied, shapeTime.Add(time.Duration(era)*time.Minute)
		return &remit.LedgerEntry{Claim: &r, ERA: remit.Source{
			ID: idOf[billing.ERAID](era), Payer: draftClaim().Payer, PayerName: "MOLAR <TEST> PAYER", TraceNumber: string('A' + rune(era)), Arrival: int64(era),
		}}
	}
	return []*remit.LedgerEntry{
		entry(10, remit.Claim{Ordinal: 1, StatusCode: "1", Charge: 18051, Paid: 10000, Adjustments: []remit.Adjustment{{Group: "PR", Reason: "3", Amount: 8051}}}),
		entry(11, remit.Claim{Ordinal: 1, StatusCode: "22", Charge: -18051, Paid: -10000, Adjustments: []remit.Adjustment{{Group: "PR", Reason: "3", Amount: -8051}}}),
		entry(12, remit.Claim{Ordinal: 3, StatusCode: "1", Charge: 18051, Paid: 12000, Lines: []remit.Line{
			{
				ProcedureCode: "D2391", Charge: 18050, Paid: 12000, Adjustments: []remit.Adjustment{
					{Group: "PR", Reason: "1", Amount: 1000},
					{Group: "PR", Reason: "2", Amount: 1500},
					{Group: "PR", Reason: "3", Amount: 400},
					{Group: "PR", Reason: "96", Amount: 100},
					{Group: "CO", Reason: "45", Amount: 3000, Quantity: "1"},
					{Group: "CO", Reason: "ZZ9", Amount: 50},
				},
			},
			{ProcedureCode: "D9999", Charge: 2, Adjustments: []remit.Adjustment{{Group: "OA", Reason: "18", Amount: 2}}},
		}}),
	}
}

func returnedClaim() *claim.Record {
	c := fullClaim()
	c.Kind, c.State, c.ConvertedFrom, c.ConvertedTo = claim.KindPredetermination, claim.Returned, billing.ClaimID{}, idOf[billing.ClaimID](13)
	c.Ledger, c.Standing, c.SettledAt, c.ReviewERA, c.Accepted = c.Claim.Ledger(nil), nil, time.Time{}, idOf[billing.ERAID](16), nil
	c.Patient, c.Accident, c.ReconciledAt = nil, nil, time.Time{}
	for i := range c.Lines {
		c.Lines[i].ServiceDate = billing.Date{}
	}
	c.Estimate = &remit.ClaimEstimate{
		ERAID: idOf[billing.ERAID](14), Allowed: new(billing.Money(10000)), Pay: 8000, Patient: 2000, ReturnedAt: shapeTime.Add(time.Hour),
		Lines: []remit.LineEstimate{{Number: 1, Allowed: new(billing.Money(10000)), Pay: 8000, Patient: 2000}, {Number: 2}},
	}
	return c
}

func claimShapes(t *testing.T) map[string]shown {
	t.Helper()
	full, advised, out := fullClaim(), draftClaim(), map[string]shown{}
	advised.Lines = []claim.Line{{ProcedureCode: "D2740", Quantity: 1}}
	advised.Rules = []*advice.Rule{{ID: idOf[billing.AttachmentRuleID](22), Needs: []advice.Need{advice.XRay}, When: advice.Always, Note: "Denied <twice>."}}
	full.Attachments = []*attachment.Attachment{fullAttachment(t), openAttachment()}
	for name, r := range map[string]*claim.Record{
		"claim_advised": advised, "claim_draft": draftClaim(), "claim_full": full, "claim_predetermination": returnedClaim(),
	} {
		out[name], out[name+"_summary"] = shown{"Claim", claimShape(r)}, shown{"ClaimSummary", claimSummaryShape(r)}
	}
	return out
}

// A payment is shown in three states, and then only when one stands.
func TestClaimPaymentIsShown(t *testing.T) {
	t.Parallel()
	shown := map[claim.State]bool{claim.Paid: true, claim.Denied: true, claim.Reconciled: true}
	for _, state := range claim.States() {
		c := fullClaim()
		c.State = state
		if got := claimSummaryShape(c).Payment; (got != nil) != shown[state] {
			t.Errorf("%s: %v", state, got)
		}
		c.Standing = c.Claim.Ledger(fullLedger()[:2]).Standing()
		if got := claimSummaryShape(c).Payment; got != nil {
			t.Errorf("%s, all reversed: %v", state, got)
		}
		p := returnedClaim()
		p.State, p.Standing = state, fullClaim().Standing
		if got := claimSummaryShape(p); got.Payment != nil || got.Estimate == nil {
			t.Errorf("%s predetermination: %v, %v", state, got.Payment, got.Estimate)
		}
		inSchema(t, "ClaimSummary", claimSummaryShape(c))
	}
}

func fullERA() *remit.ERA {
	return &remit.ERA{
		ID: idOf[billing.ERAID](1), State: remit.Posted, Origin: clearing.FileFromImport, Payer: directory.PayerSummary{ID: idOf[billing.PayerID](4), PayerID: "CHTEST", Name: "Molar Test Payer"},
		PayerName: "MOLAR TEST PAYER", OfficeID: idOf[billing.OfficeID](3),
		Payment:             remit.Payment{Method: "ACH", TraceNumber: "12345", Date: day(2026, 1, 9), Total: 12345, ProviderAdjustmentsTotal: -100},
		ProviderAdjustments: []remit.ProviderAdjustment{{ProviderID: "1234567893", Reason: "WO", Reference: "REF & 1", PeriodEnd: day(2026, 12, 31), Amount: -100}, {Reason: "FB"}},
		Balance: remit.Balance{
			Payment: remit.LevelBalance{Checked: 1}, Claims: remit.LevelBalance{Checked: 2, Failed: 1, Off: 1}, Lines: remit.LevelBalance{Checked: 3},
			Findings: []remit.BalanceFinding{
				{Level: "claim", Claim: 2, ControlNumber: "VISIT-1", Segment: 40, Expected: 100, Stated: 101, Off: 1, Explanation: "One cent too much."},
				{Level: "line", Claim: 2, Line: 1, Segment: 44, Expected: 100, Stated: 99, Off: -1, Explanation: "One cent too little."},
				{Level: "payment", Expected: 1, Explanation: "Nothing."},
				{Level: "claim", Claim: 1, ControlNumber: "VISIT-2", Segment: 12, Unread: true, Explanation: "An amount cannot be read."},
			},
		},
		ClaimCount: 7, MatchedCount: 4, Progress: remit.Progress{Applied: 1, NeedsReview: 1, Unmatched: 2, Ignored: 2, Forwarded: 1},
		Warnings: []remit.WarningCode{remit.WarnEnvelopeCounts}, File: clearing.FileRef{Name: "2026 <1>.835"}, ReceivedAt: shapeTime, PostedAt: shapeTime.Add(time.Hour),
		Later: remit.Later{Posting: &remit.Posting{Rule: "exceptions"}},
	}
}

func remittanceClaims() []*remit.Claim {
	return []*remit.Claim{
		{
			Ordinal: 1, ControlNumber: "visit-4711", PayerClaimNumber: "ICN-1", StatusCode: "1",
			Charge: 18050, Paid: 12000, Allowed: new(billing.Money(15000)), PatientResponsibility: new(billing.Money(3000)),
			PatientFirstName: "KIM", PatientLastName: "EXAMPLE", ServiceDates: billing.DateSpan{From: day(2026, 1, 1), To: day(2026, 1, 2)}, Balanced: true,
			Adjustments: []remit.Adjustment{{Group: "CO", Reason: "45", Amount: 3050, Quantity: "1"}}, Remarks: []string{"MA01"},
			CorrectedPatient: &remit.CorrectedPatient{FirstName: "KIMBERLY", MemberID: "W-2"}, CrossoverPayer: &remit.CrossoverPayer{Name: "OTHER & CO", ID: "60054"},
			ClaimProgress: remit.ClaimProgress{
				Status: remit.StatusApplied, ClaimID: idOf[billing.ClaimID](1), MatchedBy: remit.MatchedByUser, Sequence: billing.SequenceSecondary,
				Warnings: []remit.WarningCode{remit.WarnLineUnmatched, remit.WarnProcedureUnknown}, LineNumbers: []int{1, 0}, AppliedAt: shapeTime,
			},
			Lines: []remit.Line{{
				ProcedureCode: "D2391", SubmittedCode: "D2392", ServiceDate: day(2026, 1, 2), Charge: 18050, Paid: 12000,
				Allowed: new(billing.Money(15000)), Units: "1", Adjustments: []remit.Adjustment{{Group: "PR", Reason: "2", Amount: 3000}}, Remarks: []string{"ZZ99", "MA01"},
			}, {ProcedureCode: "D0120", Adjustments: []remit.Adjustment{{Group: "OA", Reason: "18", Amount: 100}}}},
		},
		{Ordinal: 2, ControlNumber: "?", StatusCode: "22", Paid: -1, ClaimProgress: remit.ClaimProgress{
			Status: remit.StatusUnmatched, Review: remit.ReviewNoPayment,
		}},
		{Ordinal: 3, StatusCode: "1", ClaimProgress: remit.ClaimProgress{
			Status: remit.StatusNeedsReview, ClaimID: idOf[billing.ClaimID](2), MatchedBy: remit.MatchedByPayerNumber, Review: remit.ReviewUnapplied,
		}, Lines: []remit.Line{{}}},
		{Ordinal: 4, StatusCode: "4", ClaimProgress: remit.ClaimProgress{Status: remit.StatusPending}},
		{Ordinal: 5, StatusCode: "23", CrossoverPayer: &remit.CrossoverPayer{Name: "OTHER"}, ClaimProgress: remit.ClaimProgress{Status: remit.StatusForwarded}},
		{Ordinal: 6, StatusCode: "3", ClaimProgress: remit.ClaimProgress{Status: remit.StatusIgnored, Review: remit.ReviewNoClaim}},
	}
}

func eraShapes() map[string]shown {
	bare := &remit.ERA{ID: idOf[billing.ERAID](1), State: remit.NeedsReview, Origin: clearing.FileFromNetwork, ReceivedAt: shapeTime, Balanced: true, ClaimCount: 3}
	pending := clearing.NewBatch(billing.Scope{}, "sandbox", 1_000_000_042, 3, billing.RealAt(shapeTime), shapeTime)
	pending.ID = idOf[billing.FileID](1)
	done := *pending
	done.Sent(shapeTime.Add(time.Second))
	done.Acknowledge(clearing.BatchRejected, "1.997", shapeTime.Add(time.Minute))
	done.Acknowledgements = []clearing.BatchAcknowledgement{
		{Number: 1, Kind: clearing.Acknowledgement997, Name: "1.997", ReceivedAt: shapeTime},
		{Number: 2, Kind: clearing.Acknowledgement277CA, Name: "2 <x>.277", ReceivedAt: shapeTime.Add(time.Second)},
	}
	late, unknown := done, *pending
	late.State, late.Result, late.Acknowledgement, late.AcknowledgedAt, late.Acknowledgements = clearing.BatchSent, "", "", time.Time{}, nil
	late.Overdue = []clearing.AcknowledgementKind{clearing.Acknowledgement999, clearing.Acknowledgement277CA}
	unknown.Unknown(shapeTime.Add(time.Second))
	held := &quarantine.File{
		ID: idOf[billing.FileID](2), Origin: clearing.FileFromImport, Name: "2026.835", Reason: "The payment 12345 is to no office.", ReceivedAt: shapeTime,
		Payment: &quarantine.Payment{
			PayerName: "MOLAR TEST PAYER", PayeeName: "MAIN STREET", PayeeNPI: "1234567893", PayeeTaxID: "123456789", Payment: fullERA().Payment, ClaimCount: 7,
			Numbers: clearing.ControlNumbers{Interchange: "000000012", Group: "12", Transaction: "0001"},
		},
	}
	unread := &quarantine.File{ID: idOf[billing.FileID](3), Origin: clearing.FileFromNetwork, Name: "page", Reason: "The file cannot be read.", ReceivedAt: shapeTime}
	unnamed := *held
	unnamed.Payment = &quarantine.Payment{}
	imported := &remittances.ImportedFile{Name: "2026.835", Payments: []remittances.Imported{
		{ID: idOf[billing.ERAID](1), ERA: fullERA(), New: true}, {ID: idOf[billing.ERAID](1), ERA: bare}, {ERA: fullERA(), Quarantined: held},
	}}
	return map[string]shown{
		"era_import":          {"ERAImport", importShape(imported)},
		"quarantined":         {"QuarantinedFile", quarantinedShape(held)},
		"quarantined_unread":  {"QuarantinedFile", quarantinedShape(unread)},
		"quarantined_unnamed": {"QuarantinedFile", quarantinedShape(&unnamed)},
		"era_bare":            {"ERA", eraShape(&remit.Record{ERA: bare}, nil)},
		"era_bare_summary":    {"ERASummary", eraSummaryShape(bare)},
		"era_full":            {"ERA", eraShape(&remit.Record{ERA: fullERA(), Claims: remittanceClaims(), More: true}, new("next"))},
		"era_full_summary":    {"ERASummary", eraSummaryShape(fullERA())},
		"batch_pending":       {"Batch", batchShape(pending)},
		"batch_acknowledged":  {"Batch", batchShape(&done)},
		"batch_overdue":       {"Batch", batchShape(&late)},
		"batch_unknown":       {"Batch", batchShape(&unknown)},
	}
}

func directoryShapes(t *testing.T) map[string]shown {
	t.Helper()
	office := &directory.Office{
		ID: idOf[billing.OfficeID](1), Scope: billing.Scope{Mode: billing.ModeLive}, Name: "Main Street", NPI: "1234567893", TaxID: "123456789",
		Address: directory.Address{Line1: "1 Main St", City: "Albany", State: "NY", ZIP: "122070001"}, Phone: "5185550100",
		TimeZone: "America/New_York", CreatedAt: shapeTime, OfficeDetails: directory.OfficeDetails{
			Entity: directory.EntityPerson, FirstName: "Ana", LastName: "Diaz", Taxonomy: "1223G0001X", ContactName: "Billing desk",
			PayTo:           directory.Address{Line1: "P.O. Box 1", City: "Albany", State: "NY", ZIP: "122010001"},
			ProviderNumbers: []directory.ProviderNumber{{PayerID: "CHTEST", Number: "N-1"}, {PayerID: "60054", LocationNumber: "L-1"}},
		},
	}
	office.Pending = &directory.OfficeChange{Name: "Main Street Dental", PayTo: office.Address, By: "usr_1", At: shapeTime}
	bare := &directory.Office{ID: office.ID, Scope: office.Scope, Name: "Bare", NPI: office.NPI, TimeZone: "UTC", CreatedAt: shapeTime}
	provider := &directory.Provider{ID: idOf[billing.ProviderID](1), FirstName: "Ann", LastName: "Lee", NPI: "1245319599", Taxonomy: "1223G0001X", CreatedAt: shapeTime}
	patient := &directory.Patient{ID: idOf[billing.PatientID](1), FirstName: "Kim", LastName: "Example", DateOfBirth: day(2015, 6, 1), CreatedAt: shapeTime}
	payer, _ := porttest.Payers(t).Find("CHTEST")
	return map[string]shown{
		"directory_Office_0":   {"Office", officeShape(office)},
		"directory_Office_1":   {"Office", officeShape(bare)},
		"directory_Provider_0": {"Provider", providerShape(provider)},
		"directory_Patient_0":  {"Patient", patientShape(patient)},
		"directory_Payer_0":    {"Payer", payerEntryShape(payer)},
		"directory_Payer_1":    {"Payer", payerEntryShape(&directory.Payer{PayerSummary: payer.PayerSummary})},
	}
}
