package edi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
)

func TestAnswerRefusesWhatIsNoUsableReply(t *testing.T) {
	t.Parallel()
	q := inquiry270()
	active := "EB*1*IND*35"
	for name, reply := range map[string][]byte{
		"nothing":            nil,
		"no X12":             []byte("<html>Service Unavailable</html>"),
		"cut":                about(active)[:80],
		"a 270":              mustInquiry(t, q),
		"no benefits at all": about(),
		"another's trace":    about("TRN*2*ELG01JZ000000000000000000009900*9MOLAR", active),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := edi.New().Answer(q, [][]byte{reply})
			if err == nil {
				t.Fatalf("answered %+v", a)
			}
			if strings.Contains(err.Error(), "ROE") || strings.Contains(err.Error(), "SANDBOX") {
				t.Errorf("the error names the patient: %v", err)
			}
		})
	}
	if _, err := edi.New().Answer(q, nil); err == nil {
		t.Error("no reply at all is an answer")
	}
}

func mustInquiry(t *testing.T, q network.Inquiry) []byte {
	t.Helper()
	b, err := edi.New().Inquiry(q, q.Questions()[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAnswerGoesByTheTrace(t *testing.T) {
	t.Parallel()
	for name, trace := range map[string]string{
		"ours":                        "TRN*2*ELG01JZ000000000000000000004200*1123456789",
		"ours in lower case":          "TRN*2*elg01jz000000000000000000004200*1123456789",
		"ours beside a clearinghouse": "TRN*2*9988*9CLEARHSE~TRN*2*ELG01JZ000000000000000000004200*1123456789",
		"the payer's own alone":       "TRN*1*778899*9PAYER",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := answer(t, inquiry270(), about(trace, "EB*1*IND*35"))
			equal(t, "outcome", a.Outcome, coverage.OutcomeAnswered)
		})
	}
}

func TestAnswerReadsTheLoopOfThePatient(t *testing.T) {
	t.Parallel()
	subscriber, dependent := "EB*6*IND*35", "EB*1*IND*35"
	both := message(payerLoop, providerLoop, subscriberLoop, subscriber, dependentLoop, dependent)
	equal(t, "dependent", answer(t, withPatient(inquiry270()), both).Benefits.Status, coverage.Active)
	equal(t, "subscriber", answer(t, inquiry270(), both).Benefits.Status, coverage.Inactive)

	own := about(dependent) // the payer has the dependent as a member
	equal(t, "member", answer(t, withPatient(inquiry270()), own).Benefits.Status, coverage.Active)

	notFound := message(payerLoop, providerLoop, subscriberLoop, subscriber, dependentLoop, "AAA*N**67*C")
	a := answer(t, withPatient(inquiry270()), notFound)
	equal(t, "outcome", a.Outcome, coverage.OutcomeRejected)
	equal(t, "reason", a.Rejection.Reasons[0].Code, coverage.ReasonMemberNotFound)
}

func TestAnswerMergesRepliesAboutProcedures(t *testing.T) {
	t.Parallel()
	q := inquiry270()
	q.Inquiry.DetailLevel, q.Inquiry.ProcedureCodes = coverage.DetailEnhanced, []string{"D1110", "D2740", "D4341", "D9944"}
	main := []string{"EB*1*IND*35**GOLD", "EB*F*IND*35***23*1500", "EB*A*IND*41*****0", "MSG*NO STUDENT LIMIT"}
	a := answer(t, q,
		about(main...),
		about(append(slices.Clone(main), "EB*A*IND******0*****AD:D1110")...), // everything once more
		about("EB*A*IND******.5*****AD:D2740", "EB*A*IND******.2*****AD:D0220"),
		about("AAA*N**55*C"),
		[]byte("garbled"),
	)
	equal(t, "outcome", a.Outcome, coverage.OutcomeAnswered)
	sameList(t, "maximums", amountLines(a.Benefits.Maximums), []string{"individual calendar_year 1500.00"})
	sameList(t, "payer_notes", a.Benefits.PayerNotes, nil)
	var codes []string
	for _, p := range a.Benefits.Procedures {
		codes = append(codes, p.Code+" "+procedureLine(p))
	}
	sameList(t, "procedures", codes, []string{
		"D1110 100 covered, covered_now", "D2740 50 covered, covered_now", "D0220 80 covered, covered_now",
	})
	for _, path := range []string{"procedures.D4341", "procedures.D9944"} {
		if !slices.Contains(a.Benefits.NotReturned, path) {
			t.Errorf("not_returned does not have %s", path)
		}
	}
}

func TestAnswerBoundsWhatItJoins(t *testing.T) {
	t.Parallel()
	rows := func(n int) []byte { return about(strings.TrimSuffix(strings.Repeat("EB*F*IND*35***23*100~", n), "~")) }
	if _, err := edi.New().Answer(inquiry270(), [][]byte{rows(2001)}); err == nil {
		t.Error("2001 benefits are answered")
	}
	a := answer(t, inquiry270(), rows(2000), rows(2000))
	sameList(t, "maximums", amountLines(a.Benefits.Maximums), []string{"individual calendar_year 100.00"})
}

func TestAnswerKeepsBenefitsBesideRejections(t *testing.T) {
	t.Parallel()
	b := benefits(t, nil, "EB*1*IND*35", "EB*D*IND*38", "AAA*N**70*C")
	equal(t, "status", b.Status, coverage.Active)
	if len(b.PayerNotes) != 1 || !strings.Contains(b.PayerNotes[0], "70") {
		t.Errorf("the notes do not name the rejected part: %q", b.PayerNotes)
	}
}

func TestAnswerIsUnknownWhenThePayerOnlyNamesAContact(t *testing.T) {
	t.Parallel()
	for name, segments := range map[string][]string{
		"contact":        {"EB*U*IND*35", "MSG*CALL THE PAYER"},
		"cannot process": {"EB*V*IND*35", "MSG*CALL THE PAYER"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := benefits(t, nil, segments...)
			equal(t, "status", b.Status, coverage.Unknown)
			sameList(t, "payer_notes", b.PayerNotes, []string{"CALL THE PAYER"})
		})
	}
	a := answer(t, inquiry270(), about("AAA*Y**42*R", "EB*P", "MSG*NO GUARANTEE"))
	equal(t, "a disclaimer answers nothing", a.Outcome, coverage.OutcomePayerUnavailable)
}

func FuzzAnswer(f *testing.F) {
	for _, segments := range []string{
		"EB*1*IND*35**GOLD~DTP*346*RD8*20260101-20261231~EB*C*IND*35***23*50~EB*C*IND*35***29*20~EB*A*IND*41*****0",
		"EB*F*IND*41**********AD:D1110~HSD*VS*2***22~DTP*304*D8*20260302~MSG*WAITING PERIOD 6 MONTHS",
		"EB*A*IND******.5*S7*18*Y*Y*AD:D1351~EB*F*IND*****S8*6~HSD*FL*1***34*6",
		"AAA*N**75*C", "AAA*Y**42*R~EB*U", "INS*N*19~EB*6",
		"HL*4*3*23*0~NM1*03*1*ROE*PAT~AAA*N**67*C",
	} {
		f.Add(about(segments))
	}
	f.Add([]byte("ISA"))
	f.Fuzz(func(t *testing.T, reply []byte) {
		for _, q := range []network.Inquiry{inquiry270(), withPatient(inquiry270())} {
			q.Inquiry.ProcedureCodes, q.Inquiry.DetailLevel = []string{"D1110", "D1351"}, coverage.DetailEnhanced
			a, err := edi.New().Answer(q, [][]byte{reply, reply})
			if err == nil {
				consistent(t, a)
			}
		}
	})
}

// consistent checks what holds for every answer.
func consistent(t *testing.T, a coverage.CheckResponse) {
	t.Helper()
	answered := a.Outcome == coverage.OutcomeAnswered
	if answered != (a.Benefits != nil) || answered != (a.Rejection == nil) {
		t.Fatalf("outcome %s with benefits %t and rejection %t", a.Outcome, a.Benefits != nil, a.Rejection != nil)
	}
	if !answered {
		unavailable := a.Rejection.Kind == coverage.RejectionPayerUnavailable
		if unavailable != (a.Outcome == coverage.OutcomePayerUnavailable) || len(a.Rejection.Reasons) == 0 {
			t.Fatalf("outcome %s with %+v", a.Outcome, a.Rejection)
		}
		return
	}
	b := a.Benefits
	stated := map[string]bool{"maximums": len(b.Maximums) > 0, "deductibles": len(b.Deductibles) > 0}
	for _, c := range coverage.Categories() {
		stated["coverage."+string(c)] = false
	}
	for _, c := range b.Coverage {
		stated["coverage."+string(c.Category)] = true
		if c.PercentPaid != nil && (*c.PercentPaid < 0 || *c.PercentPaid > 100) {
			t.Fatalf("%s pays %v percent", c.Category, *c.PercentPaid)
		}
	}
	for _, p := range b.Procedures {
		stated["procedures."+p.Code] = true
		if !coverage.ValidProcedureCode(p.Code) || p.MaxAge != nil && *p.MaxAge < 0 {
			t.Fatalf("procedure %+v", p)
		}
	}
	for path, is := range stated {
		if is == slices.Contains(b.NotReturned, path) {
			t.Fatalf("%s is stated: %t, not returned: %q", path, is, b.NotReturned)
		}
	}
	for _, m := range slices.Concat(b.Maximums, b.Deductibles) {
		if m.Amount == nil && m.Used == nil && m.Remaining == nil || m.Period == "" || m.Level == "" {
			t.Fatalf("an empty amount: %+v", m)
		}
	}
}
