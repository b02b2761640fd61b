package acknowledgements_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

func on(m, d int) billing.Date { return billing.Date{Year: 2026, Month: time.Month(m), Day: d} }

func envelope() (x12.Interchange, x12.Group) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return x12.Interchange{Sender: "CHTEST", Receiver: "MOLAR", Created: at, Control: 55, Test: true},
		x12.Group{Sender: "CHTEST", Receiver: "MOLAR", Created: at, Control: 55}
}

// functional rejects one set of two, with a fault at every level.
func functional(standard acknowledgements.Standard) acknowledgements.Functional {
	i, g := envelope()
	f := acknowledgements.Functional{
		Interchange: i, Group: g, Standard: standard,
		Interchanges: []acknowledgements.InterchangeVerdict{{Control: "000000907", At: time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC), Code: "A", Note: "000"}},
		Groups: []acknowledgements.GroupVerdict{{
			FunctionalID: "HC", Control: "31", Version: "005010X224A2", Code: "P", Included: 2, Received: 2, Accepted: 1,
			Sets: []acknowledgements.SetVerdict{
				{ID: "837", Control: "0007", Version: "005010X224A2", Code: "A"},
				{
					ID: "837", Control: "0008", Version: "005010X224A2", Code: "R", Faults: []string{"4", "5"},
					Segments: []acknowledgements.SegmentFault{
						{ID: "CLM", Position: 22, Loop: "2300", Code: "8", Contexts: []acknowledgements.Context{{Name: "CLM01", Value: "PCN-1"}}, Elements: []acknowledgements.ElementFault{
							{Position: 5, Component: 3, Reference: "1325", Code: "7", Value: "5"},
							{Position: 2, Repetition: 2, Code: "I12"},
						}},
						{ID: "NM1", Position: 30, Code: "3"},
					},
				},
			},
		}},
	}
	if standard == acknowledgements.Standard997 { // which names no guides and no contexts
		group := &f.Groups[0]
		group.Version, group.Sets[0].Version, group.Sets[1].Version, group.Sets[1].Segments[0].Contexts = "", "", "", nil
	}
	return f
}

func status(action string, charge billing.Money, codes ...acknowledgements.Code) acknowledgements.Status {
	return acknowledgements.Status{Codes: codes, Effective: on(3, 5), Action: action, Charge: charge}
}

// claimAcknowledgement accepts one claim and rejects another.
func claimAcknowledgement(entity string) acknowledgements.Report {
	i, g := envelope()
	patient := acknowledgements.Name{Entity: "QC", Kind: "1", Last: "NUNEZ", First: "ZOE", IDQualifier: "MI", ID: "W123"}
	return acknowledgements.Report{
		Interchange: i, Group: g, Kind: acknowledgements.KindAcknowledgement, Control: "0001", Reference: "ACK1",
		CreatedAt: time.Date(2026, 3, 5, 1, 2, 3, 0, time.UTC),
		Sources: []acknowledgements.Source{{
			Level:    acknowledgements.Level{Name: acknowledgements.Name{Entity: entity, Kind: "2", Last: "MOLAR TEST PAYER", IDQualifier: "PI", ID: "CHTEST"}, Trace: "T1"},
			Received: on(3, 4), Processed: on(3, 5),
			Receivers: []acknowledgements.Receiver{{
				Level: acknowledgements.Level{
					Name: acknowledgements.Name{Entity: "41", Kind: "2", Last: "MOLAR", IDQualifier: "46", ID: "MOLAR"}, Trace: "FIL_01",
					Statuses: []acknowledgements.Status{status("WQ", 405_50, acknowledgements.Code{Category: "A1", Status: "19", Entity: "PR"})},
					Totals:   acknowledgements.Totals{Accepted: 1, Rejected: 1, AcceptedAmount: 305_50, RejectedAmount: 100_00},
				},
				Providers: []acknowledgements.Provider{{
					Level: acknowledgements.Level{
						Name:   acknowledgements.Name{Entity: "85", Kind: "2", Last: "BRIGHT SMILES", IDQualifier: "XX", ID: "1234567893"},
						Totals: acknowledgements.Totals{Accepted: 1, Rejected: 1},
					},
					TaxID: "123456789",
					Claims: []acknowledgements.Claim{
						{
							Patient: patient, ControlNumber: "PCN-1", PayerClaimNumber: "PAYER-55", ClearinghouseNumber: "CH-9",
							Statuses: []acknowledgements.Status{status("WQ", 305_50, acknowledgements.Code{Category: "A2", Status: "20", Entity: "PR"})},
							Service:  billing.DateSpan{From: on(3, 2), To: on(3, 3)},
						},
						{
							Patient: patient, ControlNumber: "PCN-2",
							Statuses: []acknowledgements.Status{
								{
									Codes:     []acknowledgements.Code{{Category: "A7", Status: "562", Entity: "85"}, {Category: "A7", Status: "164", Entity: "IL"}, {Category: "A3", Status: "21"}},
									Effective: on(3, 5), Action: "U", Charge: 100_00, Text: "MEMBER ID NOT ON FILE",
								},
								status("U", 100_00, acknowledgements.Code{Category: "A6", Status: "21"}),
							},
							Service: billing.DateSpan{From: on(3, 2), To: on(3, 2)},
							Lines: []acknowledgements.Line{{
								Qualifier: "AD", Procedure: "D1110", Charge: 100_00, Number: "1", Service: billing.DateSpan{From: on(3, 2), To: on(3, 2)},
								Statuses: []acknowledgements.Status{status("U", 0, acknowledgements.Code{Category: "A8", Status: "454"})},
							}},
						},
					},
				}},
			}},
		}},
	}
}

// request asks for a document about one claim.
func request() acknowledgements.Report {
	r := claimAcknowledgement("PR")
	r.Kind, r.Reference = acknowledgements.KindRequest, "REQ1"
	receiver := &r.Sources[0].Receivers[0]
	receiver.Statuses, receiver.Totals = nil, acknowledgements.Totals{}
	provider := &receiver.Providers[0]
	provider.Totals, provider.TaxID = acknowledgements.Totals{}, ""
	provider.Claims = []acknowledgements.Claim{{
		Patient: provider.Claims[0].Patient, ControlNumber: "PCN-1", PayerReference: "RFI-77", ClearinghouseNumber: "CH-9",
		Statuses: []acknowledgements.Status{
			{Codes: []acknowledgements.Code{{Category: "R4", Status: "18748-4", List: "LOI"}, {Category: "R4", Status: "57133-1", List: "LOI"}}, Effective: on(3, 5), Charge: 305_50},
			{Codes: []acknowledgements.Code{{Category: "R4", Status: "11506-3", List: "LOI"}}, Effective: on(3, 5), Text: "PRE-OPERATIVE RADIOGRAPH OF TOOTH 14"},
		},
		Service: billing.DateSpan{From: on(3, 2), To: on(3, 3)}, Due: on(4, 4),
		Lines: []acknowledgements.Line{{Qualifier: "AD", Procedure: "D2392", Charge: 210_50, Number: "2", Statuses: []acknowledgements.Status{
			{Codes: []acknowledgements.Code{{Category: "R12", Status: "287"}}},
		}}},
	}}
	return r
}

func TestEncodeFunctionalGolden(t *testing.T) {
	t.Parallel()
	for _, standard := range []acknowledgements.Standard{"999", "997"} {
		f := functional(standard)
		b := acknowledgements.EncodeFunctional(&f)
		x12test.Golden(t, string(standard)+".edi", x12test.Lines(b))
		if _, err := checkFunctional(t, b); err != nil {
			t.Error(err)
		}
	}
}

func TestEncodeReportGolden(t *testing.T) {
	t.Parallel()
	answer := claimAcknowledgement("PR")
	answer.Kind = acknowledgements.KindResponse
	answer.Sources[0].Receivers[0].Providers[0].Claims[0].Trace = "INQ-1"
	paid := claimAcknowledgement("PR")
	paid.Kind = acknowledgements.KindResponse
	provider := &paid.Sources[0].Receivers[0].Providers[0]
	provider.Claims = provider.Claims[:1]
	c := &provider.Claims[0]
	c.Trace, c.Subscriber = "INQ-1", acknowledgements.Name{Entity: "IL", Kind: "1", Last: "NUNEZ", First: "MARIA", IDQualifier: "MI", ID: "W123"}
	c.Statuses = []acknowledgements.Status{{
		Codes: []acknowledgements.Code{{Category: "F1", Status: "65"}}, Effective: on(3, 9), Charge: 305_50, Paid: new(billing.Money(244_40)),
		Decided: on(3, 8), PaymentDate: on(3, 9), Payment: "0012345",
	}}
	c.Lines = []acknowledgements.Line{{
		Qualifier: "AD", Procedure: "D2392", Charge: 305_50, Paid: new(billing.Money(244_40)), Number: "1",
		Statuses: []acknowledgements.Status{{Codes: []acknowledgements.Code{{Category: "F1", Status: "65"}}, Effective: on(3, 9)}},
	}}
	for name, r := range map[string]acknowledgements.Report{
		"277-paid.edi":    paid,
		"277ca-payer.edi": claimAcknowledgement("PR"), "277ca-clearinghouse.edi": claimAcknowledgement("AY"),
		"277-request.edi": request(), "277-answer.edi": answer,
	} {
		b := acknowledgements.EncodeReport(&r)
		x12test.Golden(t, name, x12test.Lines(b))
		if _, err := checkReports(t, b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
