package claims_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

func encode(t *testing.T, b *claims.Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := claims.Encode(&out, b); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func on(y, m, d int) billing.Date { return billing.Date{Year: y, Month: time.Month(m), Day: d} }

func batch(all ...claims.Claim) claims.Batch {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return claims.Batch{
		Interchange: x12.Interchange{Sender: "molar", Receiver: "chtest", Created: at, Control: 907, Test: true},
		Group:       x12.Group{Sender: "molar", Receiver: "chtest", Created: at, Control: 31},
		Control:     "0007", Reference: "fil_01", CreatedAt: at,
		Submitter: claims.Submitter{Name: "Molar", ID: "MOLAR", Contact: "Billing desk", Phone: "+1 (555) 010-0199", Email: "edi@example.org"},
		Receiver:  claims.Receiver{Name: "Sandbox Clearinghouse", ID: "CH01"},
		Claims:    all,
	}
}

func office() claims.BillingProvider {
	return claims.BillingProvider{
		Name: "Bright Smiles, P.C.", NPI: "1234567893", TaxID: "12-3456789", Phone: "555-010-0100",
		Address: claims.Address{Line1: "1 Main St", Line2: "Suite 2", City: "Tulsa", State: "OK", ZIP: "74101-0001"},
	}
}

// filling is a claim about the subscriber.
func filling() claims.Claim {
	return claims.Claim{
		Billing: office(), PatientControlNumber: "PCN-1", PlaceOfService: "11", Frequency: claims.FrequencyOriginal,
		Subscriber: claims.Subscriber{
			FirstName: "Zoë", LastName: "Núñez*~:^", DateOfBirth: on(1980, 1, 2), MemberID: "W123", GroupNumber: "G-100", Gender: claims.GenderFemale,
			Address: claims.Address{Line1: "5 Elm St", City: "Tulsa", State: "OK", ZIP: "74103"},
		},
		Payer:     claims.Payer{PayerID: "CHTEST", Name: "Molar Test Payer"},
		Rendering: claims.Provider{FirstName: "Ada", LastName: "Molina", NPI: "1467560003", Taxonomy: "1223G0001X"},
		Lines: []claims.Line{
			{Procedure: "D1110", ServiceDate: on(2026, 3, 2), Fee: 95_00, Quantity: 1},
			{Procedure: "D2392", ServiceDate: on(2026, 3, 3), Fee: 210_50, Quantity: 1, Teeth: []claims.Tooth{{Number: "14", Surfaces: []string{"M", "O"}}}},
		},
	}
}

// crown is a claim about a dependent with all that a claim can have.
func crown() claims.Claim {
	c := filling()
	c.PatientControlNumber, c.PlaceOfService, c.PriorAuthorization = "pcn-2", "22", "auth 77"
	c.Patient = &claims.Patient{FirstName: "偉", LastName: "張", DateOfBirth: on(2009, 5, 6), Relationship: claims.RelationChild, Gender: claims.GenderMale}
	c.Accident = &claims.Accident{Cause: claims.CauseAuto, Date: on(2026, 2, 1), State: "OK"}
	c.Note = "Tooth fractured in the accident; the old crown could not be kept. Temporary placed at the first visit, final crown seated two weeks later."
	c.PayTo = claims.Address{Line1: "PO Box 9", City: "Tulsa", State: "OK", ZIP: "741019000"}
	c.Attachments = []claims.Attachment{
		{ReportType: "RB", Number: "MLR000000012", Note: "MLR000000012 Pre-op periapical of tooth 3"},
		{ReportType: "P6", Number: "MLR000000013"},
	}
	c.Lines = []claims.Line{
		{Procedure: "D2740", ServiceDate: on(2026, 3, 2), Fee: 1_200_00, Quantity: 1, Teeth: []claims.Tooth{{Number: "3"}}, Prosthesis: claims.ProsthesisReplacement, PriorPlacement: on(2015, 6, 1)},
		{Procedure: "D2740", ServiceDate: on(2026, 3, 2), Fee: 1_200_00, Quantity: 1, Teeth: []claims.Tooth{{Number: "4"}}},
		{Procedure: "D4341", ServiceDate: on(2026, 3, 2), Fee: 180_05, Quantity: 2, OralCavity: []string{"10", "20"}},
	}
	return c
}

func predetermination() claims.Claim {
	c := filling()
	c.Predetermination, c.PatientControlNumber = true, "PRE-1"
	c.Lines = []claims.Line{{Procedure: "D5110", Fee: 1_800_00, Quantity: 1, OralCavity: []string{"01"}}}
	return c
}

func replacement() claims.Claim {
	c := filling()
	c.Frequency, c.PayerClaimNumber = claims.FrequencyReplacement, "PAYER-55"
	return c
}

func void() claims.Claim {
	c := filling()
	c.Frequency, c.PayerClaimNumber, c.PatientControlNumber = claims.FrequencyVoid, "PAYER-55", "VOID-1"
	c.Billing.Name = "Other Office"
	return c
}

func TestEncodeGolden(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]claims.Batch{
		"filling.edi":          batch(filling()),
		"crown.edi":            batch(crown()),
		"predetermination.edi": batch(predetermination()),
		"batch.edi":            batch(replacement(), crown(), filling(), void(), predetermination()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := encode(t, &b)
			x12test.Golden(t, name, x12test.Lines(got))
			if _, err := checkDecode(t, got); err != nil {
				t.Error(err)
			}
		})
	}
}
