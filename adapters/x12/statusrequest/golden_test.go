package statusrequest_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/statusrequest"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

func on(m, d int) billing.Date { return billing.Date{Year: 2026, Month: time.Month(m), Day: d} }

// little asks with as little as payers like.
func little() statusrequest.Inquiry {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return statusrequest.Inquiry{
		Interchange: x12.Interchange{Sender: "MOLAR", Receiver: "CHTEST", Created: at, Control: 907, Test: true},
		Group:       x12.Group{Sender: "MOLAR", Receiver: "CHTEST", Created: at, Control: 907},
		Reference:   "STI_01", CreatedAt: at,
		Payer:    statusrequest.Name{Entity: "PR", Kind: "2", Last: "Molar Test Payer", IDQualifier: "PI", ID: "CHTEST"},
		Receiver: statusrequest.Name{Entity: "41", Kind: "2", Last: "Bright Smiles, P.C.", IDQualifier: "46", ID: "MOLAR"},
		Provider: statusrequest.Name{Entity: "1P", Kind: "2", Last: "Bright Smiles, P.C.", IDQualifier: "XX", ID: "1234567893"},
		Subscriber: statusrequest.Person{
			Name:      statusrequest.Name{Entity: "IL", Kind: "1", Last: "Núñez*~:^", First: "Zoë", IDQualifier: "MI", ID: "W123"},
			BirthDate: on(1, 2), Gender: "F",
		},
		Claims: []statusrequest.Claim{{Trace: "STI0100", Service: billing.DateSpan{From: on(2, 23), To: on(3, 11)}}},
	}
}

// much asks about a dependent with everything that the guide has.
func much() statusrequest.Inquiry {
	q := little()
	q.Dependent = &statusrequest.Person{Name: statusrequest.Name{Entity: "QC", Kind: "1", Last: "張", First: "Kim"}, BirthDate: on(5, 6)}
	q.Claims = []statusrequest.Claim{{
		Trace: "STI0101", PayerClaimNumber: "PAYER-55", ControlNumber: "PCN-1", GroupNumber: "G-100", ClearinghouseTrace: "CH-9",
		Charge: new(billing.Money(305_50)), Service: billing.DateSpan{From: on(3, 2), To: on(3, 2)},
		Lines: []statusrequest.Line{
			{Qualifier: "AD", Procedure: "D2392", Charge: 210_50, Units: "1", Number: "1", Service: billing.DateSpan{From: on(3, 2), To: on(3, 2)}},
			{Qualifier: "AD", Procedure: "D1110", Charge: 95_00, Number: "2"},
		},
	}, {Trace: "STI0102", ControlNumber: "PCN-2"}}
	return q
}

func TestEncodeGolden(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]statusrequest.Inquiry{"276-little.edi": little(), "276-much.edi": much()} {
		b := statusrequest.Encode(&q)
		x12test.Golden(t, name, x12test.Lines(b))
		checkInquiry(t, b)
	}
}

// TestDecodeGivesBack reads what was written.
func TestDecodeGivesBack(t *testing.T) {
	t.Parallel()
	q := much()
	got, err := statusrequest.Decode(statusrequest.Encode(&q))
	if err != nil {
		t.Fatal(err)
	}
	c := got.Claims[0]
	if len(got.Claims) != 2 || c.ControlNumber != "PCN-1" || *c.Charge != 305_50 || c.Service.From != on(3, 2) || len(c.Lines) != 2 || c.Lines[0].Procedure != "D2392" {
		t.Errorf("%+v", c)
	}
	if got.Subscriber.Name.ID != "W123" || got.Subscriber.BirthDate != on(1, 2) || got.Patient().Name.First != "KIM" || got.Provider.ID != "1234567893" {
		t.Errorf("%+v", got)
	}
}

// TestSecondPatient refuses an inquiry about several patients.
func TestSecondPatient(t *testing.T) {
	t.Parallel()
	q := little()
	b := statusrequest.Encode(&q)
	for _, more := range []string{"HL*5*3*22*0~", "HL*5*2*19*1~", "HL*5*4*23~HL*6*4*23~", "HL*5*4*9~"} {
		at := len(b) - len("SE*14*0001~GE*1*907~IEA*1*000000907~")
		bad := append(append(append([]byte{}, b[:at]...), more...), b[at:]...)
		if _, err := statusrequest.Decode(bad); err == nil {
			t.Errorf("%s was read", more)
		} else {
			x12test.Refused(t, bad, err)
		}
	}
}
