package eligibility_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

func envelope() (x12.Interchange, x12.Group) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return x12.Interchange{Sender: "molar", Receiver: "chtest", Created: at, Control: 907, Test: true},
		x12.Group{Sender: "molar", Receiver: "chtest", Created: at, Control: 907}
}

func inquiry() eligibility.Inquiry {
	i, g := envelope()
	return eligibility.Inquiry{
		Interchange: i, Group: g, Reference: "elg_01", CreatedAt: time.Date(2026, 3, 4, 5, 6, 7, 89_123_456, time.UTC),
		Payer: eligibility.Party{Name: eligibility.Name{Entity: "PR", Kind: "2", Last: "Molar Test Payer", IDQualifier: "PI", ID: "CHTEST"}},
		Provider: eligibility.Party{
			Name: eligibility.Name{Entity: "1P", Kind: "2", Last: "Bright Smiles, P.C.", IDQualifier: "XX", ID: "1234567893"},
			Role: "BI", Taxonomy: "1223G0001X", References: []eligibility.Reference{{Qualifier: "TJ", Value: "123456789"}},
		},
		Subscriber: eligibility.Party{
			Name:       eligibility.Name{Entity: "IL", Kind: "1", Last: "Núñez*~:^", First: "Zoë", IDQualifier: "MI", ID: "sandbox-active-full"},
			BirthDate:  billing.Date{Year: 1980, Month: 1, Day: 2},
			References: []eligibility.Reference{{Qualifier: "6P", Value: "G-100"}},
			Traces:     []eligibility.Trace{{Type: "1", Number: "elg_01", Originator: "9000000000"}},
			Dates:      []eligibility.Date{eligibility.On("291", billing.Date{Year: 2026, Month: 3, Day: 4})},
		},
		Queries: []eligibility.Query{{ServiceTypes: []string{"35"}}},
	}
}

func dependentInquiry() eligibility.Inquiry {
	q := inquiry()
	q.Dependent = &eligibility.Party{
		Name:      eligibility.Name{Entity: "03", Kind: "1", Last: "張", First: "偉"},
		BirthDate: billing.Date{Year: 2015, Month: 5, Day: 6}, Gender: "F", Insured: "N", Relationship: "19",
		Traces: q.Subscriber.Traces, Dates: q.Subscriber.Dates,
	}
	q.Subscriber.Traces, q.Subscriber.Dates = nil, nil
	q.Queries = []eligibility.Query{{Procedure: eligibility.Procedure{Qualifier: "AD", Code: "D1110"}, Level: "IND"}}
	return q
}

func reply() eligibility.Reply {
	i, g := envelope()
	day := billing.Date{Year: 2026, Month: 3, Day: 4}
	return eligibility.Reply{
		Interchange: i, Group: g, Reference: "elg_01", CreatedAt: time.Date(2026, 3, 4, 5, 6, 8, 0, time.UTC),
		Source: &eligibility.Party{
			Name:     eligibility.Name{Entity: "PR", Kind: "2", Last: "Molar Test Payer", IDQualifier: "PI", ID: "CHTEST"},
			Contacts: []eligibility.Contact{{Function: "IC", Name: "Help", Numbers: []eligibility.Number{{Qualifier: "TE", Value: "8005550100"}, {Qualifier: "UR", Value: "example.org"}}}},
			Rejections: []eligibility.Rejection{
				{Loop: "2000A", Valid: "Y", Reason: "42", FollowUp: "R"},
				{Loop: "2100A", Valid: "Y", Reason: "80", FollowUp: "R"},
			},
		},
		Receiver: &eligibility.Party{
			Name:       eligibility.Name{Entity: "1P", Kind: "2", Last: "Bright Smiles", IDQualifier: "XX", ID: "1234567893"},
			Rejections: []eligibility.Rejection{{Loop: "2100B", Valid: "N", Reason: "43", FollowUp: "C"}},
		},
		Subscriber: &eligibility.Member{
			Party: eligibility.Party{
				Name:       eligibility.Name{Entity: "IL", Kind: "1", Last: "Nunez", First: "Zoe", Middle: "Q", Suffix: "JR", IDQualifier: "MI", ID: "W1"},
				Address:    eligibility.Address{Line1: "1 Main St", Line2: "Apt 2", City: "Tulsa", State: "OK", ZIP: "741010001"},
				BirthDate:  billing.Date{Year: 1980, Month: 1, Day: 2},
				Gender:     "F",
				Traces:     []eligibility.Trace{{Type: "2", Number: "elg_01", Originator: "9000000000"}},
				References: []eligibility.Reference{{Qualifier: "6P", Value: "G-100", Description: "Acme PPO"}, {Qualifier: "18", Value: "P7"}},
				Dates:      []eligibility.Date{{Qualifier: "346", Format: "RD8", Value: day.X12() + "-" + day.AddMonths(12).X12()}},
				Rejections: []eligibility.Rejection{{Loop: "2100C", Valid: "N", Reason: "72", FollowUp: "C"}},
			},
			Benefits: []eligibility.Benefit{{Code: "1", ServiceTypes: []string{"30", "35"}, Plan: "Acme PPO"}},
		},
		Dependent: &eligibility.Member{
			Party: eligibility.Party{
				Name:    eligibility.Name{Entity: "03", Kind: "1", Last: "Nunez", First: "Kim"},
				Insured: "N", Relationship: "19",
			},
			Benefits: []eligibility.Benefit{
				{Code: "A", Level: "IND", ServiceTypes: []string{"41"}, Percent: ".2", InNetwork: "Y", Messages: []string{"deductible: waived"}},
				{
					Code: "F", Level: "IND", Period: "29", Amount: "1250.00", QuantityQualifier: "S7", Quantity: "18", Authorization: "U",
					Procedure:   eligibility.Procedure{Qualifier: "AD", Code: "D1351", Modifiers: []string{"F1"}},
					Diagnoses:   []string{"1", "2"},
					Deliveries:  []eligibility.Delivery{{Quantifier: "VS", Quantity: "1", Period: "34", Periods: "36"}},
					References:  []eligibility.Reference{{Qualifier: "9F", Value: "R1"}},
					Dates:       []eligibility.Date{eligibility.On("304", day)},
					Rejections:  []eligibility.Rejection{{Loop: "2110D", Valid: "N", Reason: "60", FollowUp: "C"}},
					Information: []eligibility.Information{{Qualifier: "ZZ", Code: "11"}},
					Related:     []eligibility.Party{{Name: eligibility.Name{Entity: "PR", Kind: "2", Last: "Other Plan"}, Address: eligibility.Address{City: "Tulsa", State: "OK"}}},
				},
			},
		},
	}
}

func TestEncodeInquiryGolden(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]eligibility.Inquiry{"inquiry-subscriber.edi": inquiry(), "inquiry-dependent.edi": dependentInquiry()} {
		b := eligibility.EncodeInquiry(&q)
		x12test.Golden(t, name, x12test.Lines(b))
		checkInquiry(t, b)
	}
}

func TestEncodeGolden(t *testing.T) {
	t.Parallel()
	r := reply()
	b := eligibility.Encode(&r)
	x12test.Golden(t, "reply-full.edi", x12test.Lines(b))
	checkReply(t, b)
}
