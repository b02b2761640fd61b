package sandboxnet_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/ports/porttest"
)

// rehearse asks about a member for whom the payer of an organization replies with the
// content, as ReadReply has kept it.
func rehearse(ctx context.Context, kept []byte, dates scenario.Dates, change func(*coverage.Inquiry)) (coverage.CheckResponse, []byte, error) {
	own := func(_ context.Context, _ billing.Scope, o scenario.Operation, endings []string) (*scenario.Own, error) {
		if o != scenario.Eligibility || !slices.Contains(endings, "-MINE") {
			return nil, nil // there is none
		}
		return &scenario.Own{Ending: "-MINE", Operation: o, Content: kept, Dates: dates}, nil
	}
	q := network.Inquiry{
		Scope: billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeTest}, CheckID: billing.CheckID{1}, CreatedAt: asked, Asked: asked, Clock: network.ClockAt(asked),
		Envelope: network.Envelope{Sender: network.End{Qualifier: "ZZ", ID: "MOLAR"}}, Payer: directory.PayerSummary{PayerID: "CHTEST", Name: "Molar Test Payer"},
		Inquiry: coverage.Inquiry{
			Subscriber:  coverage.Subscriber{FirstName: "Ann", LastName: "Nguyen", DateOfBirth: billing.Date{Year: 1990, Month: 2, Day: 3}, MemberID: "SANDBOX-MINE"},
			ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 20}, Office: coverage.InquiringOffice{Name: "Bright Smiles", NPI: "1234567893"},
		},
	}
	if change != nil {
		change(&q.Inquiry)
	}
	of := sandboxnet.Networks(edi.New().Over, porttest.At(asked, 0), nil, sandboxnet.Options{Own: own})[0]
	a, sent, err := of.Eligibility.Ask(ctx, q)
	if len(sent) == 0 {
		return a, nil, err
	}
	return a, sent[0].Reply, err
}

// foreign is a 271 with other delimiters about people of another practice.
func foreign() []byte {
	text := strings.Join([]string{
		"ISA|00|          |00|          |ZZ|DELTA          |ZZ|US             |260102|1000|^|00501|000000001|0|P|>",
		"GS|HB|DELTA|US|20260102|1000|1|X|005010X279A1", "ST|271|0001|005010X279A1", "BHT|0022|11|THEIRTRACE|20260102|1000",
		"HL|1||20|1", "NM1|PR|2|DELTA|||||PI|DELTA", "PER|IC|PROVIDER LINE|TE|8005550199",
		"HL|2|1|21|1", "NM1|1P|1|OTHERDOC|SUE||||XX|1112223334", "HL|3|2|22|1", "NM1|IL|1|STRANGE|OTTO||||MI|W777", "N3|9 HIDDEN LN", "N4|RENO|NV|89501",
		"DMG|D8|19500505|M", "HL|4|3|23|0", "TRN|2|THEIRTRACE|9999999999", "NM1|03|1|STRANGE|KIM", "REF|SY|999887777", "DMG|D8|20100606|F", "INS|N|19",
		"DTP|356|D8|20250101", "EB|1|IND|35||PREMIER", "REF|18|PLAN9", "REF|1W|W777", "EB|F|IND|35|||23|1500", "EB|F|IND|35|||29|900",
		"DTP|292|RD8|20260101-20261231", "MSG|CALL OTTO", "EB|L|IND|35", "LS|2120", "NM1|P3|1|CAREDOC|PAT", "N3|3 CARE ST", "PER|IC|PAT|TE|5550001", "LE|2120",
		"DTP|348|D8|99990101", "SE|36|0001", "GE|1|1", "IEA|1|000000001",
	}, "!\n")
	return []byte(text + "!\n")
}

// TestOwnRepliesHaveNoStrangers stores a 271 and asks about other people.
func TestOwnRepliesHaveNoStrangers(t *testing.T) {
	t.Parallel()
	kept, messages, err := sandboxnet.ReadReply(foreign())
	if err != nil || !slices.Equal(messages, []string{"CALL OTTO"}) {
		t.Fatal(messages, err)
	}
	for dates, want := range map[scenario.Dates]struct{ begin, year string }{
		scenario.Move: {"2025-03-14", "DTP*292*RD8*20260314-20270313~"}, // 72 days later
		scenario.Keep: {"2025-01-01", "DTP*292*RD8*20260101-20261231~"},
	} {
		a, reply, err := rehearse(t.Context(), kept, dates, nil)
		if err != nil || a.Outcome != coverage.OutcomeAnswered || a.Benefits.Status != coverage.Active {
			t.Fatalf("%v, %+v\n%s", err, a, x12test.Lines(reply))
		}
		b := a.Benefits
		if b.Plan.Name != "PREMIER" || b.CoverageEffectiveDate.String() != want.begin || len(b.Maximums) != 1 || *b.Maximums[0].Remaining != 900_00 {
			t.Errorf("%s: %+v", dates, b)
		}
		for _, stored := range [][]byte{kept, reply} {
			rest := bytes.ReplaceAll(stored, []byte("CALL OTTO"), nil)
			for _, word := range []string{"STRANGE", "OTTO", "KIM", "W777", "HIDDEN", "RENO", "19500505", "20100606", "999887777", "OTHERDOC", "1112223334", "CAREDOC", "PAT~", "5550001", "THEIRTRACE"} {
				if bytes.Contains(rest, []byte(word)) {
					t.Errorf("%s: it has %s:\n%s", dates, word, x12test.Lines(stored))
				}
			}
		}
		for _, own := range []string{"NM1*IL*1*NGUYEN*ANN****MI*SANDBOX-MINE~", "DMG*D8*19900203", "INS*Y*18~", "REF*18*PLAN9~", "DTP*348*D8*99990101~", "NM1*P3*2*BRIGHT SMILES*****XX*1234567893~", want.year} {
			if !bytes.Contains(reply, []byte(own)) {
				t.Errorf("%s: it lacks %s:\n%s", dates, own, x12test.Lines(reply))
			}
		}
	}
	child := func(q *coverage.Inquiry) {
		q.Patient = &coverage.Dependent{FirstName: "Bo", LastName: "Nguyen", DateOfBirth: billing.Date{Year: 2015, Month: 1, Day: 2}, Relationship: coverage.RelationChild}
	}
	if a, reply, err := rehearse(t.Context(), kept, scenario.Move, child); err != nil || a.Benefits == nil || !bytes.Contains(reply, []byte("NM1*03*1*NGUYEN*BO~")) || !bytes.Contains(reply, []byte("INS*N*19~")) {
		t.Errorf("for a child: %v\n%s", err, x12test.Lines(reply))
	}
}

// TestLongerEndingWins chooses between the endings of the sandbox and of an organization.
func TestLongerEndingWins(t *testing.T) {
	t.Parallel()
	kept, _, err := sandboxnet.ReadReply(foreign())
	if err != nil {
		t.Fatal(err)
	}
	for member, plan := range map[string]string{"x-mine": "PREMIER", "SANDBOX-NOT-MINE": "PREMIER", "SANDBOX-MINE-ACTIVE-FULL": "SANDBOX DENTAL PPO", "MINE": "SANDBOX DENTAL PPO"} {
		a, _, err := rehearse(t.Context(), kept, scenario.Move, func(q *coverage.Inquiry) { q.Subscriber.MemberID = member })
		if err != nil || a.Benefits == nil || a.Benefits.Plan.Name != plan {
			t.Errorf("%s: %v, %+v", member, err, a.Benefits)
		}
	}
}

// usable stores the bytes as a scenario and asks about a subscriber and a dependent.
// Bytes that are no 271 are the caller's fault, with the position.
func usable(t *testing.T, content []byte) bool {
	t.Helper()
	kept, _, err := sandboxnet.ReadReply(content)
	if err != nil {
		e, ok := errors.AsType[*billing.Error](err)
		if !ok || e.Code != billing.CodeInvalidRequest || len(e.Faults) != 1 || e.Faults[0].Field != "x12" {
			t.Errorf("refused with %v", err)
		}
		return false
	}
	for _, change := range []func(*coverage.Inquiry){nil, func(q *coverage.Inquiry) {
		q.Patient = &coverage.Dependent{FirstName: "Bo", LastName: "Nguyen", DateOfBirth: billing.Date{Year: 2015, Month: 1, Day: 2}, Relationship: coverage.RelationChild}
	}} {
		if _, reply, err := rehearse(t.Context(), kept, scenario.Move, change); err != nil {
			t.Errorf("no answer: %v\n%s", err, x12test.Lines(reply))
		}
	}
	return true
}

// TestCorpusAsScenarios makes a scenario of every public 271, and of 300 that are broken.
func TestCorpusAsScenarios(t *testing.T) {
	t.Parallel()
	seeds := [][]byte{foreign()}
	for _, file := range x12test.Corpus(t, "271/*") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !usable(t, b) {
			t.Errorf("%s is refused", file)
		}
		seeds = append(seeds, b)
	}
	r := rand.New(rand.NewPCG(271, 300))
	refused := 0
	for n := range 300 {
		b := slices.Clone(seeds[n%len(seeds)])
		for range 1 + r.IntN(4) {
			at := r.IntN(len(b))
			switch r.IntN(3) {
			case 0:
				b[at] = byte(r.IntN(256))
			case 1:
				b = b[:max(at, 1)]
			default:
				end := min(at+r.IntN(60), len(b))
				b = slices.Concat(b[:at], b[end:], b[at:end])
			}
		}
		if !usable(t, b) {
			refused++
		}
	}
	if refused < 50 || refused > 290 {
		t.Errorf("%d of 300 are refused", refused)
	}
}

func FuzzReadReply(f *testing.F) {
	f.Add(foreign())
	for _, b := range x12test.Samples(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		usable(t, b)
	})
}
