package remittance_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

// full has a value in every field, as a payer's program would fill them.
func full() remittance.Remittance {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	day := func(month, day int) billing.Date { return billing.Date{Year: 2026, Month: time.Month(month), Day: day} }
	r := remittance.Remittance{
		Payment: remittance.Payment{
			Interchange: x12.Interchange{Sender: "CHTEST", Receiver: "MOLAR", Created: at, Control: 907, Test: true},
			Group:       x12.Group{Sender: "CHTEST", Receiver: "MOLAR", Created: at, Control: 907},
			Handling:    "I", CreditDebit: "C", Method: "ACH", Date: day(3, 6),
			Trace: remittance.Trace{Number: "EFT-907", Originator: "1512345678", Division: "DENTAL"}, Produced: day(3, 4),
			References: []remittance.Reference{{Qualifier: "EV", Value: "MOLAR"}},
			Payer: remittance.Party{
				Name: "MOLAR TEST PAYER", IDQualifier: "XV", ID: "CHTEST",
				Address:    remittance.Address{Line1: "1 MAIN ST", Line2: "FLOOR 2", City: "TULSA", State: "OK", ZIP: "741010001"},
				References: []remittance.Reference{{Qualifier: "2U", Value: "CHTEST"}},
				Contacts: []remittance.Contact{{Function: "BL", Name: "HELP", Numbers: []remittance.Number{
					{Qualifier: "TE", Value: "8005550100"}, {Qualifier: "EX", Value: "12"}, {Qualifier: "EM", Value: "HELP@EXAMPLE.ORG"},
				}}},
			},
			Payee: remittance.Party{
				Name: "BRIGHT SMILES, P.C.", IDQualifier: "XX", ID: "1234567893",
				References: []remittance.Reference{{Qualifier: "TJ", Value: "123456789"}},
			},
			Adjustments: []remittance.ProviderAdjustment{
				{Provider: "1234567893", Period: day(12, 31), Reason: "WO", Reference: "PCN-3", Amount: 12_50},
				{Provider: "1234567893", Period: day(12, 31), Reason: "L6", Reference: "PCN-4", Amount: -1_05},
			},
		},
		Claims: []remittance.Claim{{
			ControlNumber: "PCN-1", Status: "1", FilingCode: "12", PayerControlNumber: "N0001", PlaceOfService: "11", Frequency: "1",
			Names: []remittance.Name{
				{Entity: "QC", Kind: "1", Last: "DOE", First: "KIM", Middle: "Q", Suffix: "JR", IDQualifier: "MI", ID: "W1"},
				{Entity: "IL", Kind: "1", Last: "DOE", First: "JANE", IDQualifier: "MI", ID: "W0"},
				{Entity: "74", Kind: "1", Last: "DOUGH", IDQualifier: "C", ID: "W2"},
				{Entity: "82", Kind: "1", Last: "ROE", First: "RICHARD", IDQualifier: "XX", ID: "1234567893"},
			},
			Adjustments: []remittance.Adjustment{{Group: "CO", Reason: "131", Amount: 5_00}},
			Amounts:     []remittance.Amount{{Qualifier: "AU", Amount: 255_00}, {Qualifier: "F5", Amount: 10_00}},
			Dates:       []remittance.Date{{Qualifier: "232", Day: day(2, 20)}, {Qualifier: "233", Day: day(2, 21)}, {Qualifier: "050", Day: day(2, 28)}},
			References:  []remittance.Reference{{Qualifier: "1L", Value: "G-100"}},
			Contacts:    []remittance.Contact{{Function: "CX", Name: "CLAIMS", Numbers: []remittance.Number{{Qualifier: "TE", Value: "8005550101"}}}},
			Outpatient:  []string{"", "", "MA01", "", "MA130"},
			Services: []remittance.Service{
				{
					Procedure: remittance.Procedure{Qualifier: "AD", Code: "D2140", Modifiers: []string{"F1", "LT"}, Description: "AMALGAM"},
					Submitted: remittance.Procedure{Qualifier: "AD", Code: "D2391"}, Charge: 200_00, Units: "1", SubmittedUnits: "1",
					Dates: []remittance.Date{{Qualifier: "472", Day: day(2, 20)}},
					Adjustments: []remittance.Adjustment{
						{Group: "CO", Reason: "45", Amount: 30_00}, {Group: "PR", Reason: "1", Amount: 25_00}, {Group: "PR", Reason: "2", Amount: 29_01, Quantity: "1"},
					},
					References: []remittance.Reference{{Qualifier: "6R", Value: "1"}}, Amounts: []remittance.Amount{{Qualifier: "B6", Amount: 170_00}},
					Remarks: []remittance.Remark{{Qualifier: "HE", Code: "N381"}},
				},
				{
					Procedure: remittance.Procedure{Qualifier: "AD", Code: "D0120"}, Charge: 60_00, Units: "1",
					Dates:       []remittance.Date{{Qualifier: "150", Day: day(2, 20)}, {Qualifier: "151", Day: day(2, 21)}},
					Adjustments: []remittance.Adjustment{{Group: "OA", Reason: "23", Amount: -1_00}},
					References:  []remittance.Reference{{Qualifier: "6R", Value: "2"}},
				},
			},
		}},
	}
	r.Settle()
	return r
}

func TestEncodeGolden(t *testing.T) {
	t.Parallel()
	b := encode(t, []remittance.Remittance{full()})
	x12test.Golden(t, "full.edi", bytes.ReplaceAll(b, []byte("~"), []byte("~\n")))
}

// TestDecodeGolden compares what each sample says, in words.
func TestDecodeGolden(t *testing.T) {
	t.Parallel()
	for name, b := range x12test.Samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, warnings, err := readAll(bytes.NewReader(b))
			var out strings.Builder
			for i := range all {
				tell(&out, &all[i], b)
			}
			for _, w := range warnings {
				fmt.Fprintf(&out, "warning: segment %d, byte %d: %s\n", w.Segment, w.Offset, w.Reason)
			}
			if err != nil {
				fmt.Fprintf(&out, "error: %v\n", err)
			}
			x12test.Golden(t, strings.TrimSuffix(name, ".edi")+".txt", []byte(out.String()))
		})
	}
}

func tell(w *strings.Builder, r *remittance.Remittance, input []byte) {
	p := &r.Payment
	set := strings.TrimSpace(string(input[p.Span.Start:p.Span.End]))
	first, last := strings.Fields(set)[0], set[strings.LastIndex(set, "SE"):]
	fmt.Fprintf(w, "payment %s of interchange %d, %s, bytes %d to %d: %s ... %q\n", p.Control, p.Interchange.Control, p.Version, p.Span.Start, p.Span.End, first, last)
	fmt.Fprintf(w, "  %s %s %s %s on %q, trace %+v, produced %q, %v\n", p.Handling, p.Total, p.CreditDebit, p.Method, p.Date, p.Trace, p.Produced, p.References)
	fmt.Fprintf(w, "  payer %+v\n  payee %+v: NPI %q, tax ID %q\n", p.Payer, p.Payee, p.Payee.NPI(), p.Payee.TaxID())
	for i := range r.Claims {
		tellClaim(w, &r.Claims[i])
	}
	for _, a := range p.Adjustments {
		fmt.Fprintf(w, "  provider %s of %q: %s %q %s\n", a.Provider, a.Period, a.Reason, a.Reference, a.Amount)
	}
	b := &p.Balance
	fmt.Fprintf(w, "  balanced %v: payment %+v, claims %+v, lines %+v, unread %d\n", b.Holds(), b.Payment, b.Claims, b.Lines, b.Unread)
	for _, f := range b.Findings {
		fmt.Fprintf(w, "    segment %d, %s: %s\n", f.Segment, f.Level, f)
	}
}

func tellClaim(w *strings.Builder, c *remittance.Claim) {
	share := "not stated"
	if c.PatientResponsibility != nil {
		share = c.PatientResponsibility.String()
	}
	fmt.Fprintf(w, "  claim %d at segment %d, byte %d: %s status %s, charge %s, paid %s, patient %s, %s %s %s %s, balanced %v\n", c.Ordinal, c.Segment, c.Offset,
		c.ControlNumber, c.Status, c.Charge, c.Paid, share, c.FilingCode, c.PayerControlNumber, c.PlaceOfService, c.Frequency, c.Balanced())
	for _, n := range c.Names {
		fmt.Fprintf(w, "    name %+v\n", n)
	}
	fmt.Fprintf(w, "    %v %v %v %v %+v, remarks %v\n", c.Adjustments, c.Amounts, c.Dates, c.References, c.Contacts, c.Remarks())
	for _, s := range c.Services {
		fmt.Fprintf(w, "    line at segment %d: %+v for %+v, charge %s, paid %s, %s units of %s, on %q\n", s.Segment, s.Procedure, s.Submitted, s.Charge, s.Paid, s.Units, s.SubmittedUnits, s.Date())
		fmt.Fprintf(w, "      %v %v %v %v\n", s.Adjustments, s.Amounts, s.References, s.Remarks)
	}
}
