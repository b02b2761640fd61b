package sandboxnet_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/networktest"
	"github.com/molar-billing/molar/ports/porttest"
)

// clock stands still.
var asked = time.Date(2026, 3, 15, 10, 20, 30, 450_000_000, time.UTC)

// request returns an inquiry for a member ID. Change alters it unless nil.
func request(memberID string, change func(*eligibility.Inquiry)) []byte {
	q := &eligibility.Inquiry{
		Interchange: x12.Interchange{Sender: "MOLAR", Receiver: "CHTEST", Created: asked, Control: 42, Test: true},
		Group:       x12.Group{Sender: "MOLAR", Receiver: "CHTEST", Created: asked, Control: 42},
		Reference:   "TRACE-1", CreatedAt: asked,
		Payer:    eligibility.Party{Name: eligibility.Name{Entity: "PR", Kind: "2", Last: "Molar Test Payer", IDQualifier: "PI", ID: "CHTEST"}},
		Provider: eligibility.Party{Name: eligibility.Name{Entity: "1P", Kind: "2", Last: "Bright Smiles", IDQualifier: "XX", ID: "1234567893"}},
		Subscriber: eligibility.Party{
			Name:      eligibility.Name{Entity: "IL", Kind: "1", Last: "Roe", First: "Jane", IDQualifier: "MI", ID: memberID},
			BirthDate: billing.Date{Year: 1985, Month: 4, Day: 12},
			Traces:    []eligibility.Trace{{Type: "1", Number: "TRACE-1", Originator: "9123456789"}},
			Dates:     []eligibility.Date{eligibility.On("291", billing.Date{Year: 2026, Month: 3, Day: 20})},
		},
		Queries: []eligibility.Query{{ServiceTypes: []string{"35"}}},
	}
	if change != nil {
		change(q)
	}
	return eligibility.EncodeInquiry(q)
}

// withDependent makes a child the patient.
func withDependent(q *eligibility.Inquiry) {
	q.Dependent = &eligibility.Party{
		Name:      eligibility.Name{Entity: "03", Kind: "1", Last: "Roe", First: "Kim"},
		BirthDate: billing.Date{Year: 2016, Month: 5, Day: 6}, Insured: "N", Relationship: "19",
		Traces: q.Subscriber.Traces, Dates: q.Subscriber.Dates,
	}
	q.Subscriber.Traces, q.Subscriber.Dates = nil, nil
}

// asking asks for the procedures beside all dental benefits.
func asking(codes ...string) func(*eligibility.Inquiry) {
	return func(q *eligibility.Inquiry) {
		for _, c := range codes {
			q.Queries = append(q.Queries, eligibility.Query{Procedure: eligibility.Procedure{Qualifier: "AD", Code: c}})
		}
	}
}

// only asks only for one procedure.
func only(code string) func(*eligibility.Inquiry) {
	return func(q *eligibility.Inquiry) {
		q.Queries = nil
		asking(code)(q)
	}
}

func inquire(t *testing.T, b []byte) ([]byte, error) {
	t.Helper()
	return sandboxnet.NewEligibility(porttest.At(asked, 0)).Inquire(t.Context(), b)
}

// ask returns the decoded reply.
func ask(t *testing.T, memberID string, change func(*eligibility.Inquiry)) *eligibility.Reply {
	t.Helper()
	b, err := inquire(t, request(memberID, change))
	if err != nil {
		t.Fatalf("inquire: %v", err)
	}
	r, err := eligibility.Decode(b)
	if err != nil {
		t.Fatalf("decode: %v\n%s", err, b)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings: %v\n%s", r.Warnings, b)
	}
	return r
}

func TestGoldenResponses(t *testing.T) {
	t.Parallel()
	type question struct {
		member string
		change func(*eligibility.Inquiry)
	}
	questions := map[string]question{
		"active-full-asked":        {"SANDBOX-ACTIVE-FULL", asking("D2740", "D1110", "D2391", "D9999", "D2740", "nonsense")},
		"active-full-one":          {"SANDBOX-ACTIVE-FULL", only("D1206")},
		"active-full-implant":      {"SANDBOX-ACTIVE-FULL", only("D6010")},
		"active-full-dependent":    {"SANDBOX-ACTIVE-FULL", withDependent},
		"copay-one":                {"SANDBOX-COPAY", only("D2740")},
		"two-networks-one":         {"SANDBOX-TWO-NETWORKS", only("D2740")},
		"active-basic-one":         {"SANDBOX-ACTIVE-BASIC", only("D1110")},
		"active-used-up-asked":     {"SANDBOX-ACTIVE-USED-UP", asking("D2740", "D1206")},
		"active-used-up-one":       {"SANDBOX-ACTIVE-USED-UP", only("D9972")},
		"active-used-up-dependent": {"SANDBOX-ACTIVE-USED-UP", withDependent},
		"dependent-as-patient":     {"SANDBOX-DEPENDENT", withDependent},
		"dob-mismatch-dependent":   {"SANDBOX-DOB-MISMATCH", withDependent},
		"name-mismatch-dependent":  {"SANDBOX-NAME-MISMATCH", withDependent},
		"not-found-dependent":      {"SANDBOX-NOT-FOUND", withDependent},
	}
	for _, ending := range sandboxnet.Endings() {
		switch ending {
		case "-NETWORK-ERROR":
		case "-SLOW-":
			questions["slow"] = question{"SANDBOX-SLOW-0", nil}
		default:
			questions[strings.ToLower(strings.Trim(ending, "-"))] = question{"sandbox" + strings.ToLower(ending), nil}
		}
	}
	for name, q := range questions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := inquire(t, request(q.member, q.change))
			if err != nil {
				t.Fatal(err)
			}
			x12test.Golden(t, name+".edi", x12test.Lines(b))
			again, err := inquire(t, request(q.member, q.change))
			if err != nil || !bytes.Equal(b, again) {
				t.Errorf("the second reply differs: %v", err)
			}
		})
	}
}

// TestTable checks that the table has exactly the documented endings.
func TestTable(t *testing.T) {
	t.Parallel()
	want := strings.Fields(`-ACTIVE-FULL -ACTIVE-BASIC -ACTIVE-USED-UP -INACTIVE -UNKNOWN
		-OUT-OF-NETWORK -TWO-NETWORKS -COPAY -DIFFERENT -PLAN-YEAR -FREQUENCY-USED -WAITING-PERIOD -MISSING-TOOTH -DOWNGRADE -AGE-LIMIT
		-NOT-FOUND -DEPENDENT -DOB-MISMATCH -MEMBER-INVALID -MEMBER-DUPLICATE -NAME-MISMATCH -SERVICE-DATE
		-REQUEST-INVALID -NOT-ACCEPTED -PROVIDER-UNKNOWN -PROVIDER-INELIGIBLE -PATIENT-INELIGIBLE
		-PATIENT-DETAILS -REJECTED-OTHER -PAYER-DOWN -NETWORK-ERROR -GARBLED -SLOW-`)
	got := sandboxnet.Endings()
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("endings\n%v, want\n%v", got, want)
	}
}

func TestRejections(t *testing.T) {
	t.Parallel()
	for ending, want := range map[string]struct{ subscriber, dependent string }{
		"-NOT-FOUND":           {"2100C 75 C", "2100C 75 C"},
		"-DEPENDENT":           {"2100C 67 C", ""},
		"-DOB-MISMATCH":        {"2100C 71 C", "2100D 71 C"},
		"-MEMBER-INVALID":      {"2100C 72 C", "2100C 72 C"},
		"-MEMBER-DUPLICATE":    {"2100C 76 C", "2100C 76 C"},
		"-NAME-MISMATCH":       {"2100C 73 C", "2100D 65 C"},
		"-SERVICE-DATE":        {"2100C 62 C", "2100D 62 C"},
		"-REQUEST-INVALID":     {"2100C 33 C", "2100D 33 C"},
		"-NOT-ACCEPTED":        {"2100A 79 N", "2100A 79 N"},
		"-PROVIDER-UNKNOWN":    {"2100B 51 C", "2100B 51 C"},
		"-PROVIDER-INELIGIBLE": {"2100B 50 N", "2100B 50 N"},
		"-PATIENT-INELIGIBLE":  {"2100C 95 N", "2100D 95 N"},
		"-PATIENT-DETAILS":     {"2100C 15 C", "2100D 15 C"},
		"-REJECTED-OTHER":      {"2100C ZZ N", "2100D ZZ N"},
		"-PAYER-DOWN":          {"2100A 42 R", "2100A 42 R"},
		"-ACTIVE-FULL":         {"", ""},
		"-UNKNOWN":             {"", ""},
	} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			for change, want := range map[bool]string{false: want.subscriber, true: want.dependent} {
				alter := withDependent
				if !change {
					alter = nil
				}
				r := ask(t, "SANDBOX"+ending, alter)
				got := ""
				for _, a := range r.Rejections() {
					got += a.Loop + " " + a.Reason + " " + a.FollowUp
				}
				if got != want {
					t.Errorf("with a dependent %t: %q, want %q", change, got, want)
				}
				if p := r.Patient(); p != nil {
					if len(p.Traces) != 1 || p.Traces[0] != (eligibility.Trace{Type: "2", Number: "TRACE-1", Originator: "9123456789"}) {
						t.Errorf("traces %+v", p.Traces)
					}
					if want != "" && len(p.Benefits) > 0 {
						t.Error("a rejection has benefits")
					}
				}
				if r.Reference != "TRACE-1" || r.Interchange.Sender != "CHTEST" || r.Interchange.Receiver != "MOLAR" {
					t.Errorf("reference %s, interchange %+v", r.Reference, r.Interchange)
				}
			}
		})
	}
}

// What a payer asks for ends its rejection.
func TestARejectionEnds(t *testing.T) {
	t.Parallel()
	named := func(last string) func(*eligibility.Inquiry) {
		return func(q *eligibility.Inquiry) { q.Subscriber.Name.Last = last }
	}
	first := ask(t, "SANDBOX-NAME-MISMATCH", named("Roe"))
	on := first.Subscriber.Name.Last
	if len(first.Rejections()) != 1 || on == "ROE" {
		t.Fatalf("for Roe: %v, the name on file is %s", first.Rejections(), on)
	}
	grouped := func(q *eligibility.Inquiry) {
		q.Subscriber.References = []eligibility.Reference{{Qualifier: "6P", Value: "1000"}}
	}
	for member, change := range map[string]func(*eligibility.Inquiry){"SANDBOX-NAME-MISMATCH": named(on), "SANDBOX-PATIENT-DETAILS": grouped} {
		if r := ask(t, member, change); len(r.Rejections()) != 0 || len(r.Patient().Benefits) < 20 {
			t.Errorf("%s: %v", member, r.Rejections())
		}
	}
}

func TestLongestEndingWins(t *testing.T) {
	t.Parallel()
	for member, want := range map[string]string{
		"SANDBOX-PROVIDER-UNKNOWN": "51", // not -UNKNOWN
		"X-NOT-FOUND-ACTIVE-FULL":  "",
		"SANDBOX-SLOW-5-NOT-FOUND": "75",
		"SANDBOX-NOT-FOUND-SLOW-0": "",
		"W123":                     "",
		"SANDBOX-SLOW-1234":        "", // four digits: unknown, so at once
		"SANDBOX-SLOW-":            "",
		"SANDBOX-SLOW-X":           "",
	} {
		got := ""
		for _, a := range ask(t, member, nil).Rejections() {
			got += a.Reason
		}
		if got != want {
			t.Errorf("%s: rejected with %q, want %q", member, got, want)
		}
	}
}

func TestSlow(t *testing.T) {
	t.Parallel()
	b := request("SANDBOX-SLOW-90", nil)
	_, err := sandboxnet.NewEligibility(porttest.At(asked.Add(89*time.Second), 0)).Inquire(t.Context(), b)
	later, ok := errors.AsType[*billing.LaterError](err)
	if !ok || !later.Until.Equal(asked.Add(90*time.Second)) {
		t.Fatalf("before its time: %v", err)
	}
	slow, err := sandboxnet.NewEligibility(porttest.At(later.Until, 0)).Inquire(t.Context(), b)
	if err != nil {
		t.Fatalf("at its time: %v", err)
	}
	if r, err := eligibility.Decode(slow); err != nil || len(r.Patient().Benefits) < 20 || !r.CreatedAt.Equal(later.Until) {
		t.Errorf("the answer: %v", err)
	}
}

func TestEligibilityContract(t *testing.T) {
	t.Parallel()
	networktest.RunEligibility(t, func(*testing.T) networktest.EligibilityFixture {
		return networktest.EligibilityFixture{
			Network: edi.New().Over(sandboxnet.NewEligibility(&porttest.Clock{}).Inquire),
			Inquiry: network.Inquiry{
				Scope: billing.Scope{Mode: billing.ModeTest}, Envelope: network.Envelope{Sender: network.End{Qualifier: "ZZ", ID: "MOLAR"}},
				Payer: directory.PayerSummary{PayerID: "CHTEST", Name: "Molar Test Payer"},
				Inquiry: coverage.Inquiry{
					ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 20}, Office: coverage.InquiringOffice{Name: "Bright Smiles", NPI: "1234567893"},
				},
			},
			Answered: "-ACTIVE-FULL", Rejected: "-NOT-FOUND", Failing: "-NETWORK-ERROR", Garbled: "-GARBLED", Slow: "-SLOW-900",
		}
	})
}

func TestInquireContract(t *testing.T) {
	t.Parallel()
	networktest.RunInquire(t, func(*testing.T) (ports.Inquire, []byte) {
		return sandboxnet.NewEligibility(&porttest.Clock{}).Inquire, request("SANDBOX-ACTIVE-FULL", nil)
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	if _, err := inquire(t, request("SANDBOX-NETWORK-ERROR", nil)); err == nil {
		t.Error("the network did not fail")
	} else if _, later := errors.AsType[*billing.LaterError](err); later {
		t.Errorf("error %v", err)
	}
	b, err := inquire(t, request("SANDBOX-GARBLED", nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eligibility.Decode(b); err == nil {
		t.Error("garbled bytes are a 271")
	}
	if _, err := inquire(t, []byte("no 270")); err == nil {
		t.Error("a request that is not a 270 has a reply")
	} else if _, ok := errors.AsType[*x12.Error](err); !ok {
		t.Errorf("error %v has no position", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sandboxnet.NewEligibility(porttest.At(asked, 0)).Inquire(ctx, request("W1", nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller gave up: %v", err)
	}
}

func FuzzInquire(f *testing.F) {
	for _, change := range []func(*eligibility.Inquiry){nil, withDependent, asking("D1110", "D0001"), only("D9999")} {
		for _, ending := range sandboxnet.Endings() {
			f.Add(request("SANDBOX"+ending, change))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		reply, err := sandboxnet.NewEligibility(porttest.At(asked, 0)).Inquire(t.Context(), b)
		if err != nil || bytes.HasPrefix(reply, []byte("<html>")) {
			return
		}
		if _, err := eligibility.Decode(reply); err != nil {
			t.Fatalf("the reply is not a 271: %v\n%s", err, reply)
		}
	})
}
