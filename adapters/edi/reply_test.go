package edi_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
)

// The loops that the 271s of these tests share.
const (
	payerLoop      = "HL*1**20*1~NM1*PR*2*SAMPLE DENTAL*****PI*60054"
	providerLoop   = "HL*2*1*21*1~NM1*1P*2*BRIGHT TEETH*****XX*1234567893"
	subscriberLoop = "HL*3*2*22*0~NM1*IL*1*ROE*JANE****MI*SANDBOX-1"
	dependentLoop  = "HL*4*3*23*0~NM1*03*1*ROE*PAT"
)

// message is a 271 of the segments, in envelopes.
func message(segments ...string) []byte {
	body := strings.Join(segments, "~")
	count := strings.Count(body, "~") + 4
	return []byte("ISA*00*          *00*          *ZZ*60054          *ZZ*MOLAR          *260615*1304*^*00501*000000001*0*T*:~" +
		"GS*HB*60054*MOLAR*20260615*1304*1*X*005010X279A1~ST*271*0001*005010X279A1~BHT*0022*11*X*20260615*1304~" +
		body + "~SE*" + strconv.Itoa(count) + "*0001~GE*1*1~IEA*1*000000001~")
}

// about is a 271 about the subscriber.
func about(segments ...string) []byte {
	return message(append([]string{payerLoop, providerLoop, subscriberLoop}, segments...)...)
}

func answer(t *testing.T, q network.Inquiry, replies ...[]byte) coverage.CheckResponse {
	t.Helper()
	a, err := edi.New().Answer(q, replies)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// benefits is what the segments say about the subscriber, to an inquiry for
// the procedures.
func benefits(t *testing.T, procedures []string, segments ...string) *coverage.Benefits {
	t.Helper()
	q := inquiry270()
	q.Inquiry.ProcedureCodes = procedures
	a := answer(t, q, about(segments...))
	if a.Outcome != coverage.OutcomeAnswered || a.Benefits == nil {
		t.Fatalf("outcome %s, rejection %+v", a.Outcome, a.Rejection)
	}
	return a.Benefits
}

func withPatient(q network.Inquiry) network.Inquiry {
	q.Inquiry.Patient = &coverage.Dependent{
		FirstName: "Pat", LastName: "Roe", DateOfBirth: billing.Date{Year: 2014, Month: 2, Day: 3}, Relationship: coverage.RelationChild,
	}
	return q
}
