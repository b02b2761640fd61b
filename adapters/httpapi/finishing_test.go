package httpapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports/porttest"
)

// paying is an 835 of the test payer. Each claim is its segments from CLP on.
func paying(trace string, total int, claims ...string) string {
	body := strings.Join(claims, "")
	head := fmt.Sprintf("BPR*I*%d*C*ACH************20260306~TRN*1*%s*1512345678~DTM*405*20260304~", total, trace) +
		"N1*PR*MOLAR TEST PAYER*XV*CHTEST~N3*1 MAIN ST~N4*TULSA*OK*741010001~PER*BL*HELP*TE*8005550100~N1*PE*MAIN STREET*XX*1234567893~LX*1~"
	return "ISA*00*          *00*          *ZZ*CHTEST         *ZZ*MOLAR          *260304*0506*^*00501*000000907*0*T*:~" +
		"GS*HP*CHTEST*MOLAR*20260304*050607*907*X*005010X221A1~ST*835*0001~" + head + body +
		fmt.Sprintf("SE*%d*0001~GE*1*907~IEA*1*000000907~", 2+strings.Count(head+body, "~"))
}

// crownPaid is the claim of an 835 that pays 800.00 of a crown of 1250.00.
func crownPaid(number string) string {
	return "CLP*" + number + "*1*1250*800*200*12*ICN-" + number + "*11*1~NM1*QC*1*EXAMPLE*SAM****MI*SANDBOX-PAID-ERA~" +
		"SVC*AD:D2740*1250*800**1~DTM*472*20260102~CAS*CO*45*250~CAS*PR*2*200~"
}

// sent is a claim that the payer has.
func (s *service) sent(t *testing.T) *claim.Claim {
	t.Helper()
	return s.claim(t, func(c *claim.Claim) { c.State, c.SentAt = claim.AcceptedPayer, time.Now() })
}

// remitted imports an 835, and waits until all of its claims have a status.
func (s *service) remitted(t *testing.T, key string, scope billing.Scope, file string) (path string) {
	t.Helper()
	made, err := s.remittances.Import(t.Context(), scope, "payment.835", []byte(file))
	if err != nil || len(made) != 1 {
		t.Fatal(made, err)
	}
	path = "/eras/" + made[0].ERA.ID.String()
	porttest.Await(t, "every claim has a status", func() bool {
		<-time.After(10 * time.Millisecond)
		a := s.do(t, call{path: path, key: key})
		if a.StatusCode != 200 {
			return false
		}
		sum := 0
		for _, n := range a.get(t, "progress").(anObject) {
			i, _ := strconv.Atoi(fmt.Sprint(n))
			sum += i
		}
		return strconv.Itoa(sum) == fmt.Sprint(a.get(t, "counts", "claims"))
	})
	return path
}

// progress checks how many claims of the remittance are applied, need review, are
// unmatched and are ignored.
func (s *service) progress(t *testing.T, era string, applied, review, unmatched, ignored int) {
	t.Helper()
	s.must(t, 200, call{path: era}).shows(t, "progress",
		fmt.Sprintf("map[applied:%d forwarded:0 ignored:%d needs_review:%d unmatched:%d]", applied, ignored, review, unmatched))
	listed := slices.Contains(s.walk(t, "/eras?needs_attention=true"), strings.TrimPrefix(era, "/eras/"))
	if unfinished := review+unmatched > 0; listed != unfinished {
		t.Errorf("it needs attention: %t, listed %t", unfinished, listed)
	}
	if finished := slices.Contains(s.walk(t, "/eras?needs_attention=false"), strings.TrimPrefix(era, "/eras/")); finished == listed {
		t.Errorf("in the list of those that need attention: %t, of the others: %t", listed, finished)
	}
}

// TestAClaimThatWasSentOn says in the task of a claim without a decision what its next step says: the payer sent it on,
// and is not asked again.
func TestAClaimThatWasSentOn(t *testing.T) {
	t.Parallel()
	s := startService(t)
	c := s.claim(t, func(c *claim.Claim) {
		c.State, c.SentAt, c.CreatedAt = claim.AcceptedPayer, time.Now(), time.Now().AddDate(0, 0, -31)
	})
	s.remitted(t, s.key, s.test, paying("EFT-8", 0, "CLP*"+c.PatientControlNumber+"*23*1250*0**12*ICN-8*11*1~NM1*QC*1*EXAMPLE*SAM****MI*SANDBOX-PAID-ERA~NM1*TT*2*SECOND PLAN*****PI*60054~"))
	s.must(t, 200, call{path: "/claims/" + c.ID.String()}).shows(t, "next_step", "The payer decided nothing: it sent the claim on to SECOND PLAN, whose remittance is the next to come.")
	s.must(t, 200, call{path: "/tasks?kind=no_decision"}).shows(t, "data.0.resource.id", c.ID.String(), "data.0.actions.0", "getClaim",
		"data.0.reason", "The payer decided nothing: it sent the claim on to SECOND PLAN, and no remittance of it has come. Call SECOND PLAN to learn when it decides.")
}

// People finish every remittance claim: they match, apply, ignore and
// unapply, before and after posting.
func TestPeopleFinishRemittances(t *testing.T) {
	t.Parallel()
	s := startService(t)
	paid, lost, unsent := s.sent(t), s.sent(t), s.claim(t, nil)
	off := s.claim(t, func(c *claim.Claim) {
		c.State, c.SentAt, c.CreatedAt = claim.AcceptedPayer, time.Now(), time.Now().AddDate(0, 0, -31)
	})
	era := s.remitted(t, s.key, s.test, paying("EFT-1", 3200,
		crownPaid(paid.PatientControlNumber), crownPaid("UNKNOWN"), strings.Replace(crownPaid(off.PatientControlNumber), "CAS*CO*45*250~", "", 1),
		crownPaid(unsent.PatientControlNumber)))
	s.progress(t, era, 1, 1, 2, 0)
	first := s.must(t, 200, call{path: era + "/claims"})
	first.shows(t,
		"data.0.status", "applied", "data.0.review", nil, "data.0.matched_by", "control_number", "data.0.contractual", "250.00", "data.0.lines.0.line_number", 1,
		"data.1.status", "unmatched", "data.1.review.code", "no_claim", "data.1.matched_by", nil,
		"data.2.status", "needs_review", "data.2.review.code", "unbalanced", "data.2.claim_id", off.ID, "data.2.applied", false,
		"data.3.status", "unmatched", "data.3.review.code", "claim_not_sent", "data.3.review.fix", some{})
	s.must(t, 200, call{path: "/claims/" + off.ID.String()}).shows(t, "next_step", "A remittance for this claim needs review: "+strings.TrimPrefix(era, "/eras/")+".")

	s.must(t, 200, call{path: "/tasks?kind=no_decision"}).shows(t, "data.0.resource.id", off.ID.String(), "data.0.actions.0", "getClaim",
		"data.0.reason", "A remittance of the claim has come and needs review: finish "+strings.TrimPrefix(era, "/eras/")+" before you ask the payer.")

	early := s.do(t, call{method: "POST", path: era + "/post"})
	wantStatus(t, early, 409, billing.CodeConflict)
	if !strings.Contains(early.body, "3 unfinished claims") {
		t.Errorf("posted early %s", early.body)
	}
	s.apply(t, era+"/claims/3/apply", off)
	s.match(t, era+"/claims/2/match", lost, unsent)
	ignore := call{path: era + "/claims/4/ignore", body: `{"note":"Sent on paper."}`}
	ignored := s.must(t, 200, ignore)
	ignored.shows(t, "status", "ignored", "review", nil, "claim_id", nil, "applied", false)
	if again := s.must(t, 200, ignore); again.body != ignored.body || again.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("ignored again %v %s", again.Header, again.body)
	}
	s.progress(t, era, 3, 0, 0, 1)
	s.unapply(t, era, off)

	wantStatus(t, s.do(t, call{path: era + "/post", body: `{"accept_unfinished":false}`}), 409, billing.CodeConflict)
	s.must(t, 200, call{path: era + "/post", body: `{"accept_unfinished":true}`}).shows(t, "state", "posted", "progress.needs_review", 1)
	s.must(t, 200, call{method: "POST", path: era + "/claims/3/apply"}).shows(t, "status", "applied")
	s.progress(t, era, 3, 0, 0, 1)
	if got, want := s.types(t, off.ID), "[claim.paid claim.payment_reversed claim.paid]"; got != want {
		t.Errorf("events %s, want %s", got, want)
	}
}

// types lists the types of a resource's events, the oldest first.
func (s *service) types(t *testing.T, id billing.ClaimID) string {
	t.Helper()
	var all []any
	for _, e := range s.must(t, 200, call{path: "/events?resource_id=" + id.String()}).get(t, "data").([]any) {
		all = append(all, e.(anObject)["type"])
	}
	slices.Reverse(all)
	return fmt.Sprint(all)
}

// apply applies a remittance claim that does not balance.
func (s *service) apply(t *testing.T, path string, c *claim.Claim) {
	t.Helper()
	apply := call{path: path, body: `{"note":" The payer <confirmed> it. "}`, idem: "apply"}
	applied := s.must(t, 200, apply)
	applied.shows(t, "object", "era_claim", "status", "applied", "applied", true, "review", nil, "claim_id", c.ID, "sequence", "primary", "balanced", false)
	if again := s.must(t, 200, apply); again.body != applied.body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("with the same key %v %s", again.Header, again.body)
	}
	if again := s.must(t, 200, call{method: "POST", path: path}); again.body != applied.body {
		t.Errorf("with another key %s", again.body)
	}
	cl := s.must(t, 200, call{path: "/claims/" + c.ID.String()})
	cl.shows(t, "state", "paid", "payment.paid", "800.00", "payment.patient_responsibility", "200.00", "contractual", "0.00", "not_paid", "0.00",
		"adjudications.0.era_id", strings.Split(path, "/")[2], "adjudications.0.ordinal", 3, "adjudications.0.lines.0.coinsurance", "200.00",
		"adjudications.0.lines.0.adjustments.0.label", "Coinsurance")
	moves := cl.get(t, "history").([]any)
	last := moves[len(moves)-1].(anObject)
	if last["cause"] != "apply" || last["note"] != "The payer <confirmed> it." || !strings.HasPrefix(fmt.Sprint(last["by"]), "key_") || last["file"] != "payment.835" || len(moves) != 2 {
		t.Errorf("history %v", moves)
	}
	wantStatus(t, s.do(t, call{method: "POST", path: strings.Replace(path, "/3/", "/2/", 1)}), 409, billing.CodeConflict) // it matches no claim
}

// match matches a remittance claim by hand, after what does not work.
func (s *service) match(t *testing.T, path string, c, unsent *claim.Claim) {
	t.Helper()
	body := func(id string, lines ...anObject) string {
		return jsonOf(anObject{"claim_id": id, "lines": lines}, nil)
	}
	none := billing.NewID[billing.ClaimID](billing.RealAt(time.Now())).String()
	for name, x := range map[string]struct {
		body, fields string
		status       int
	}{
		"never sent":   {body(unsent.ID.String()), "", 409},
		"no claim":     {body(none), "claim_id not_found", 404},
		"malformed ID": {body("clm_1"), "claim_id format", 422},
		"nothing":      {"{}", "claim_id required", 422},
		"no number":    {`{"claim_id":"` + none + `","lines":[{"line_number":1}]}`, "lines.0.era_line required", 422},
		"odd lines": {
			body(c.ID.String(), anObject{"era_line": 0, "line_number": 1}, anObject{"era_line": 1, "line_number": -1}, anObject{"era_line": 1, "odd": 1}),
			"lines.2.odd unknown,lines.0.era_line range,lines.1.line_number range,lines.2.era_line conflict", 422,
		},
		"no such lines": {
			body(c.ID.String(), anObject{"era_line": 2, "line_number": 1}, anObject{"era_line": 1, "line_number": 2}),
			"lines.0.era_line range,lines.1.line_number range", 422,
		},
	} {
		a := s.do(t, call{path: path, body: x.body, bad: true})
		if fields := strings.Join(a.fields(t), ","); a.StatusCode != x.status || fields != x.fields {
			t.Errorf("%s: %d %s, want %d %s: %s", name, a.StatusCode, fields, x.status, x.fields, a.body)
		}
	}
	for _, ordinal := range []string{"0", "02", "5", "x", "-1", "+2", "9223372036854775808", "2147483648"} {
		wantStatus(t, s.do(t, call{path: strings.Replace(path, "/2/", "/"+ordinal+"/", 1), body: body(c.ID.String())}), 404, billing.CodeNotFound)
	}
	by := call{path: path, body: body(c.ID.String(), anObject{"era_line": 1, "line_number": nil})}
	matched := s.must(t, 200, by)
	matched.shows(t, "status", "applied", "matched_by", "user", "claim_id", c.ID, "lines.0.line_number", nil, "warnings.0.code", "line_unmatched")
	if again := s.must(t, 200, by); again.body != matched.body {
		t.Errorf("matched again %s", again.body)
	}
	wantStatus(t, s.do(t, call{path: path, body: body(s.sent(t).ID.String())}), 409, billing.CodeConflict) // to another claim
	wantStatus(t, s.do(t, call{path: strings.Replace(path, "/match", "/ignore", 1), body: "{}"}), 409, billing.CodeConflict)
	s.must(t, 200, call{path: "/claims/" + c.ID.String()}).shows(t, "state", "paid", "adjudications.0.lines.0.line_number", nil, "adjudications.0.cancelled_by", nil)
	if got := s.types(t, c.ID); got != "[claim.paid]" {
		t.Errorf("events %s", got)
	}
}

// unapply takes an application back, once the remittance is not posted any more.
func (s *service) unapply(t *testing.T, era string, c *claim.Claim) {
	t.Helper()
	path := era + "/claims/3/unapply"
	wantStatus(t, s.do(t, call{method: "POST", path: era + "/claims/4/unapply"}), 409, billing.CodeConflict) // it is not applied
	s.must(t, 200, call{method: "POST", path: era + "/post"}).shows(t, "state", "posted", "posted_at", some{})
	wantStatus(t, s.do(t, call{method: "POST", path: path}), 409, billing.CodeConflict)
	back := s.must(t, 200, call{path: era + "/unpost", body: `{"note":"The wrong deposit."}`})
	back.shows(t, "state", "needs_review", "posted_at", nil)
	if again := s.must(t, 200, call{method: "POST", path: era + "/unpost"}); again.body != back.body {
		t.Errorf("taken back again %s", again.body)
	}
	unapplied := s.must(t, 200, call{path: path, body: `{"note":"The wrong visit."}`})
	unapplied.shows(t, "status", "needs_review", "review.code", "unapplied", "applied", false, "claim_id", c.ID)
	if again := s.must(t, 200, call{method: "POST", path: path}); again.body != unapplied.body {
		t.Errorf("unapplied again %s", again.body)
	}
	s.must(t, 200, call{path: "/claims/" + c.ID.String()}).shows(t, "state", "accepted_payer", "payment", nil, "contractual", nil, "adjudications", "[]")
	s.progress(t, era, 2, 1, 0, 1)
	long := s.do(t, call{path: path, body: jsonOf(anObject{"note": strings.Repeat("é", 401)}, nil), bad: true})
	if long.StatusCode != 422 || fmt.Sprint(long.fields(t)) != "[note too_long]" {
		t.Errorf("a long note: %d %s", long.StatusCode, long.body)
	}
}

// A remittance is never matched to a claim of another mode.
func TestClaimsAreMatchedWithinTheirMode(t *testing.T) {
	t.Parallel()
	s := startService(t)
	c := s.sent(t)
	live := billing.Scope{Org: s.org, Mode: billing.ModeLive}
	era := s.remitted(t, s.live, live, paying("EFT-2", 800, crownPaid(c.PatientControlNumber)))
	s.must(t, 200, call{path: era + "/claims", key: s.live}).shows(t, "data.0.status", "unmatched", "data.0.review.code", "no_claim")
	a := s.do(t, call{path: era + "/claims/1/match", key: s.live, body: jsonOf(anObject{"claim_id": c.ID.String()}, nil)})
	if a.StatusCode != 404 || fmt.Sprint(a.fields(t)) != "[claim_id not_found]" {
		t.Errorf("matched %d %s", a.StatusCode, a.body)
	}
	s.must(t, 200, call{path: "/claims/" + c.ID.String()}).shows(t, "state", "accepted_payer", "adjudications", "[]")
}

// What a payer refuses is open until it is accepted to the cent; a reopened claim has it
// open again.
func TestOpenAmountsAreAccepted(t *testing.T) {
	t.Parallel()
	s := startService(t)
	c, other := s.sent(t), s.sent(t)
	path := "/claims/" + c.ID.String()
	refused := strings.NewReplacer("*1250*800*200*", "*1250*700*200*", "*1250*800**", "*1250*700**").Replace(crownPaid(c.PatientControlNumber)) + "CAS*OA*18*100~"
	s.remitted(t, s.key, s.test, paying("EFT-7", 1500, refused, crownPaid(other.PatientControlNumber)))
	s.must(t, 200, call{path: "/claims/" + other.ID.String()}).shows(t, "open", "0.00", "lines.0.open", "0.00", "accepted", "[]")
	open := s.must(t, 200, call{path: path})
	open.shows(t, "open", "100.00", "lines.0.open", "100.00", "state", "paid")
	if step := open.text(t, "next_step"); !strings.Contains(step, "100.00 is open") || strings.Contains(step, "reconcile") {
		t.Errorf("the next step is %q", step)
	}
	listed := func(want ...string) {
		t.Helper()
		if got := s.walk(t, "/claims?open=true&state=paid&state=reconciled"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("open are %v, want %v", got, want)
		}
	}
	listed(c.ID.String())
	accept := func(amount string) string {
		return `{"accept_open":{"as":"write_off","lines":[{"line_number":1,"amount":"` + amount + `"}],"note":"Billed twice."}}`
	}
	early := s.do(t, call{method: "POST", path: path + "/reconcile"})
	if wantStatus(t, early, 409, billing.CodeConflict); !strings.Contains(early.body, "100.00 of the claim is open") {
		t.Errorf("reconciled early %s", early.body)
	}
	less := s.do(t, call{path: path + "/reconcile", body: accept("99.00")})
	if less.StatusCode != 422 || fmt.Sprint(less.fields(t)) != "[accept_open.lines conflict]" || !strings.Contains(less.body, "but $100.00 is open") {
		t.Errorf("accepted less %d %s", less.StatusCode, less.body)
	}
	s.must(t, 200, call{path: path + "/reconcile", body: accept("100.00")}).shows(t, "state", "reconciled", "open", "0.00", "lines.0.open", "0.00",
		"accepted.0.as", "write_off", "accepted.0.lines.0.amount", "100.00", "accepted.0.note", "Billed twice.", "accepted.0.by", some{}, "accepted.0.id", some{})
	listed()
	s.must(t, 200, call{method: "POST", path: path + "/reopen"}).shows(t, "state", "paid", "open", "100.00", "accepted", "[]")
	listed(c.ID.String())
	if over := s.walk(t, "/claims?overpaid=true"); len(over) != 0 {
		t.Errorf("overpaid are %v", over)
	}
	late := s.sent(t)
	s.remitted(t, s.key, s.test, paying("EFT-8", 700, strings.NewReplacer(c.PatientControlNumber, late.PatientControlNumber, "CAS*OA*18*", "CAS*CO*29*").Replace(refused)))
	path = "/claims/" + late.ID.String()
	billed := s.do(t, call{path: path + "/reconcile", body: strings.Replace(accept("100.00"), "write_off", "bill_patient", 1)})
	if billed.StatusCode != 422 || fmt.Sprint(billed.fields(t)) != "[accept_open.as not_allowed]" || !strings.Contains(billed.body, "Send write_off.") {
		t.Errorf("a missed limit was billed to the patient: %d %s", billed.StatusCode, billed.body)
	}
	s.must(t, 200, call{path: path + "/reconcile", body: accept("100.00")}).shows(t, "state", "reconciled")
}

// A reconciled claim is opened again, with its payment.
func TestClaimsAreReopened(t *testing.T) {
	t.Parallel()
	s := startService(t)
	c := s.sent(t)
	path := "/claims/" + c.ID.String()
	wantStatus(t, s.do(t, call{method: "POST", path: path + "/reopen"}), 409, billing.CodeConflict)
	s.remitted(t, s.key, s.test, paying("EFT-3", 800, crownPaid(c.PatientControlNumber)))
	s.must(t, 200, call{method: "POST", path: path + "/reconcile"}).shows(t, "state", "reconciled", "contractual", "250.00", "adjudications.0.paid", "800.00")
	reopen := call{method: "POST", path: path + "/reopen", idem: "reopen"}
	opened := s.must(t, 200, reopen)
	opened.shows(t, "state", "paid", "payment.paid", "800.00", "payment.reconciled_at", nil, "adjudications.0.sequence", "primary")
	if again := s.must(t, 200, reopen); again.body != opened.body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("with the same key %v %s", again.Header, again.body)
	}
	wantStatus(t, s.do(t, call{method: "POST", path: path + "/reopen"}), 409, billing.CodeConflict)
	if got := s.types(t, c.ID); got != "[claim.paid]" {
		t.Errorf("events %s", got)
	}
}

// The summary counts what the lists show: a payment that changed, what waits for a
// connection, and what is not sent. Its amounts add up.
func TestSummaryCountsWhatListsShow(t *testing.T) {
	t.Parallel()
	s := startService(t)
	c := s.sent(t)
	path := "/claims/" + c.ID.String()
	era := s.remitted(t, s.key, s.test, paying("EFT-9", 800, crownPaid(c.PatientControlNumber)))
	s.must(t, 200, call{method: "POST", path: path + "/reconcile"}).shows(t, "state", "reconciled", "payment_changed", false)
	counts := func(changed, toFinish string) response {
		t.Helper()
		if got := s.walk(t, "/claims?payment_changed=true"); strconv.Itoa(len(got)) != changed {
			t.Errorf("%v changed, want %s", got, changed)
		}
		sum := s.must(t, 200, call{path: "/summary"})
		sum.shows(t, "payment_changed.count", changed, "eras.needs_attention.count", toFinish, "overpaid.count", 0, "waiting", []any{})
		return sum
	}
	counts("0", "0").shows(t, "money.charged", "1250.00", "money.paid", "800.00", "money.written_off", "250.00", "money.patient_responsibility", "200.00", "money.outstanding", "0.00")
	s.must(t, 200, call{method: "POST", path: era + "/claims/1/unapply"})
	s.must(t, 200, call{path: path}).shows(t, "state", "reconciled", "payment_changed", true)
	counts("1", "1").shows(t, "money.outstanding", "1250.00", "money.written_off", "0.00")

	s.must(t, 200, call{method: "POST", path: path + "/reopen"})
	s.must(t, 200, call{method: "POST", path: era + "/claims/1/apply"})
	short := s.sent(t)
	s.remitted(t, s.key, s.test, paying("EFT-10", 800, "CLP*"+short.PatientControlNumber+"*1*1250*800**12*ICN10~CAS*CO*45*250**96*200~NM1*QC*1*DOE*JANE~DTM*232*20260105~"))
	s.must(t, 200, call{method: "POST", path: "/claims/" + short.ID.String() + "/reconcile", body: `{"accept_open":{"as":"bill_patient","lines":[{"amount":"200.00"}]}}`})
	s.must(t, 200, call{path: "/summary"}).shows(t, "money.charged", "2500.00", "money.paid", "1600.00", "money.written_off", "500.00",
		"money.patient_responsibility", "200.00", "money.billed_to_patient", "200.00", "money.outstanding", "0.00", "money.overpaid", "0.00", "money.paid_elsewhere", "0.00")

	live := s.claim(t, func(c *claim.Claim) { c.Scope.Mode, c.State = billing.ModeLive, claim.Queued })
	s.must(t, 200, call{path: "/summary", key: s.live}).shows(t, "waiting.0.payer_id", live.Payer.ID, "waiting.0.payer_name", live.Payer.Name,
		"waiting.0.reason", "no_clearinghouse", "waiting.0.claims.count", 1)
}

// With order=asc, a list begins with the oldest, and a cursor goes on in that order only.
func TestListsBeginWithTheOldest(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for range 3 {
		s.sent(t)
	}
	newest := s.walk(t, "/claims?state=accepted_payer&limit=1")
	oldest := s.walk(t, "/claims?state=accepted_payer&limit=1&order=asc")
	slices.Reverse(oldest)
	if len(newest) < 3 || !slices.Equal(newest, oldest) {
		t.Errorf("the newest first are %v, and the oldest %v", newest, oldest)
	}
	for _, list := range []string{"/claims?sort=created", "/claims?sort=service_date", "/claims?sort=charge", "/claims?sort=open", "/eras?sort=date", "/eras?sort=total"} {
		down := s.walk(t, list+"&limit=1")
		up := s.walk(t, list+"&limit=1&order=asc")
		slices.Reverse(up)
		if len(down) < 3 && strings.HasPrefix(list, "/claims") || !slices.Equal(down, up) {
			t.Errorf("%s: down %v, and up %v", list, down, up)
		}
		wantStatus(t, s.do(t, call{path: list + "x", bad: true}), 422, billing.CodeInvalidRequest)
	}
	next := s.must(t, 200, call{path: "/claims?limit=1&order=asc"}).text(t, "next_cursor")
	wantStatus(t, s.do(t, call{path: "/claims?limit=1&cursor=" + next}), 422, billing.CodeInvalidRequest)
	for _, list := range []string{"/claims", "/attachments", "/eras", "/quarantine"} {
		s.must(t, 200, call{path: list + "?order=desc"})
		wantStatus(t, s.do(t, call{path: list + "?order=up", bad: true}), 422, billing.CodeInvalidRequest)
	}
}
