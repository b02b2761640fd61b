package edi_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/x12/statusrequest"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
)

// inquiry276 asks about a claim with services on two days.
func inquiry276() network.StatusInquiry {
	q := inquiry270()
	day := billing.Date{Year: 2026, Month: 3, Day: 2}
	return network.StatusInquiry{
		Scope: q.Scope, ID: billing.StatusInquiryID{1, 15: 7}, Attempt: "ABCDEFGH", CreatedAt: q.CreatedAt, Clock: network.ClockAt(q.CreatedAt), Envelope: q.Envelope,
		Payer: q.Payer, Office: q.Inquiry.Office,
		Claim: &claim.Claim{
			ID: billing.ClaimID{1}, Kind: claim.KindClaim, PatientControlNumber: "PCN-1",
			Content: claim.Content{
				Subscriber: claim.Subscriber{FirstName: "Zoë", LastName: "Núñez", DateOfBirth: billing.Date{Year: 1980, Month: 1, Day: 2}, MemberID: "W 123", Gender: claim.GenderFemale},
				Lines:      []claim.Line{{ProcedureCode: "D2392", ServiceDate: day, Fee: 210_50}, {ProcedureCode: "D1110", ServiceDate: day.AddDays(1), Fee: 95_00}},
			},
		},
	}
}

func TestStatusInquiryGolden(t *testing.T) {
	t.Parallel()
	alone, family := inquiry276(), inquiry276()
	family.Claim.Patient = &claim.Patient{FirstName: "Kim", LastName: "Núñez", DateOfBirth: billing.Date{Year: 2015, Month: 5, Day: 6}, Relationship: coverage.RelationChild}
	family.Office.NPI = ""
	if n := len(alone.Questions()); n != 2 {
		t.Errorf("%d questions, want two", n)
	}
	questions := family.Questions()
	for name, c := range map[string]struct {
		q network.StatusInquiry
		n int
	}{"subscriber": {alone, 0}, "wider": {alone, 1}, "dependent": {family, 0}, "as-subscriber": {family, len(questions) - 1}} {
		b, err := edi.New().StatusInquiry(c.q, c.q.Questions()[c.n], c.n)
		if err != nil {
			t.Fatal(err)
		}
		x12test.Golden(t, filepath.Join("276", name+".txt"), x12test.Lines(b))
		got, err := statusrequest.Decode(b)
		if err != nil || got.Claims[0].ControlNumber != "" || got.Claims[0].Charge != nil {
			t.Errorf("%s: asked with more than little: %v, %+v", name, err, got)
		}
	}
	long := inquiry276()
	long.Claim.Lines[1].ServiceDate = long.Claim.Lines[0].ServiceDate.AddDays(16)
	if got := long.Questions()[0].Service; got.To != got.From.AddDays(14) {
		t.Errorf("services over 17 days are asked with %v, want 7 days around the first", got)
	}
}

// response277 returns a 277 with the segments between the provider and the trailer.
func response277(segments ...string) []byte {
	all := []string{
		"ISA*00*          *00*          *ZZ*CHTEST         *ZZ*MOLAR          *260304*0506*^*00501*000000055*0*T*:", "GS*HN*CHTEST*MOLAR*20260304*050607*55*X*005010X212",
		"ST*277*0001*005010X212", "BHT*0010*08*R1*20260305*010203*DG", "HL*1**20*1", "NM1*PR*2*PAYER*****PI*CHTEST", "HL*2*1*21*1", "NM1*41*2*OFFICE*****46*MOLAR",
	}
	all = append(append(all, segments...), "SE*9*0001", "GE*1*55", "IEA*1*000000055")
	return []byte(strings.Join(all, "~") + "~")
}

const ofClaim = "HL*3*2*19*1~NM1*1P*2*OFFICE*****XX*1234567893~HL*4*3*22*0~NM1*IL*1*NUNEZ*ZOE****MI*W123~TRN*2*STI0408000000000000000000000700ABCDEFGH"

// TestStatusAnswer reads what payers say, and what it means for the inquiry.
func TestStatusAnswer(t *testing.T) {
	t.Parallel()
	q := inquiry276()
	trace := "TRN*2*" + strings.ToUpper(strings.ReplaceAll(q.ID.String(), "_", "")) + "00ABCDEFGH"
	head := strings.Split(strings.Replace(ofClaim, "TRN*2*STI0408000000000000000000000700ABCDEFGH", trace, 1), "~")
	about := func(more ...string) []byte { return response277(append(append([]string{}, head...), more...)...) }
	for name, c := range map[string]struct {
		reply   []byte
		outcome claimstatus.Outcome
		report  clearing.ReportOutcome
		words   string
	}{
		"paid":               {about("STC*F1:65*20260309**305.5*244.4*20260308**20260309*0012345", "REF*1K*P-1", "REF*EJ*PCN-1"), claimstatus.Found, clearing.ReportFinalized, "Decided with a payment: paid"},
		"pending":            {about("STC*P1:20*20260309"), claimstatus.Found, clearing.ReportPending, "In process: accepted for processing"},
		"rejected":           {about("STC*A7:164:IL*20260309", "REF*EJ*PCN-1"), claimstatus.Found, clearing.ReportRejected, "Rejected because information is not valid: invalid member ID (subscriber)"},
		"requested":          {about("STC*R4:297*20260309", "REF*1K*P-1"), claimstatus.Found, clearing.ReportRequested, "The payer asks for documents: medical notes"},
		"not loaded":         {about("STC*A4:35*20260309"), claimstatus.NotFound, "", "Not found among the payer's claims: claim not found"},
		"not found":          {about("STC*D0:35*20260309"), claimstatus.NotFound, "", "The search was not successful: claim not found"},
		"patient unknown":    {about("STC*D0:97:QC*20260309"), claimstatus.Refused, "", "The search was not successful: no eligibility found for the patient (patient)"},
		"provider unknown":   {response277("HL*3*2*19*0", "NM1*1P*2*OFFICE*****XX*1234567893", "TRN*1*0", "STC*E0:24:85*20260309"), claimstatus.Refused, "", "The inquiry has a fault: not approved to send claims electronically (billing provider)"},
		"D0 of the provider": {response277("HL*3*2*19*0", "NM1*1P*2*OFFICE*****XX*1234567893", "TRN*1*0", "STC*D0:26:1P*20260309"), claimstatus.Refused, "", "The search was not successful: not found (provider)"},
		"system down":        {response277("TRN*2*X", "STC*E1:484*20260309"), claimstatus.Unavailable, "", "The payer's system cannot respond now: the payer's system is down"},
		"unknown codes":      {about("STC*Z9:9999*20260309"), claimstatus.Found, "", "Status Z9:9999"},
		"lines alone":        {about("SVC*AD:D2392*210.5*168.4", "STC*F1:65*20260309", "REF*FJ*1"), claimstatus.Found, clearing.ReportFinalized, "Decided with a payment: paid"},
	} {
		a, err := edi.New().StatusAnswer(q, c.reply)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		said := a.Search
		if len(a.Claims) > 0 {
			said = a.Claims[0].Statuses
			if got := a.Claims[0].Report.Outcome; got != c.report {
				t.Errorf("%s: the report is %q, want %q", name, got, c.report)
			}
		}
		if a.Outcome != c.outcome || len(said) == 0 || said[0].Codes[0].Words() != c.words {
			t.Errorf("%s: %s %+v, want %s %q", name, a.Outcome, said, c.outcome, c.words)
		}
	}
	a, err := edi.New().StatusAnswer(q, about("STC*F1:65*20260309**305.5*244.4*20260308**20260309*0012345", "SVC*AD:D2392*210.5*168.4", "STC*F1:65*20260309", "REF*FJ*1"))
	if err != nil {
		t.Fatal(err)
	}
	whole, line := a.Claims[0].Statuses[0], a.Claims[0].Statuses[1]
	if *whole.Charge != 305_50 || *whole.Paid != 244_40 || whole.Payment != "0012345" || whole.Decided.Day != 8 || line.Line != 1 || line.Procedure != "D2392" || *line.Paid != 168_40 || *line.Charge != 210_50 {
		t.Errorf("%+v, %+v", whole, line)
	}

	foreign := response277(strings.Split(strings.Replace(ofClaim, "STI0408", "STI9999", 1)+"~STC*F1:65*20260309", "~")...)
	if _, err := edi.New().StatusAnswer(q, foreign); err == nil {
		t.Error("the answer to another inquiry is accepted")
	}
	q.Options.TraceByExchange = true
	if _, err := edi.New().StatusAnswer(q, foreign); err != nil {
		t.Errorf("any trace: %v", err)
	}
	if _, err := edi.New().StatusAnswer(q, []byte("hello")); err == nil {
		t.Error("a text is a response")
	}
}

// TestStatusWidens asks again while the payer finds nothing, and keeps every message.
func TestStatusWidens(t *testing.T) {
	t.Parallel()
	q := inquiry276()
	var asked []*statusrequest.Inquiry
	fails, finds := errors.New("down"), 9
	over := edi.New().StatusOver(func(_ context.Context, request []byte) ([]byte, error) {
		one, err := statusrequest.Decode(request)
		if err != nil {
			t.Fatal(err)
		}
		if asked = append(asked, one); len(asked) == 9 {
			return nil, fails
		}
		said := "STC*D0:35*20260309"
		if len(asked) == finds {
			said = "STC*P1:20*20260309"
		}
		return response277(strings.Split(ofClaim[:strings.LastIndex(ofClaim, "TRN")]+"TRN*2*"+one.Claims[0].Trace+"~"+said, "~")...), nil
	})
	ask := func(want claimstatus.Outcome, messages int) {
		t.Helper()
		a, sent, err := over.AskStatus(t.Context(), q)
		if err != nil || a.Outcome != want || len(sent) != messages {
			t.Errorf("%s in %d messages, %v; want %s in %d", a.Outcome, len(sent), err, want, messages)
		}
	}
	ask(claimstatus.NotFound, 2)
	if asked[0].Claims[0].Trace == asked[1].Claims[0].Trace || !asked[1].Claims[0].Service.From.Before(asked[0].Claims[0].Service.From) {
		t.Error("the second question is not wider")
	}
	asked, finds = nil, 2
	ask(claimstatus.Found, 2)
	asked, finds = nil, 1
	ask(claimstatus.Found, 1)
	q.Claim.Lines = nil
	if _, _, err := over.AskStatus(t.Context(), q); err == nil {
		t.Error("a claim without days was asked about")
	} else if _, unaskable := errors.AsType[*network.UnaskableError](err); !unaskable {
		t.Error(err)
	}
}
