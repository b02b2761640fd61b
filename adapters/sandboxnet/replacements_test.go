package sandboxnet_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports/porttest"
)

// history is the files of one sender, an hour apart.
type history struct {
	remember memory
	files    int
	numbers  map[string]string // the payer's, by control number
}

func newHistory() *history { return &history{remember: remembering(), numbers: map[string]string{}} }

// send sends the claims and returns the remittances by the suffix of their
// names, in order. A claim with a payer's number is a replacement.
func (h *history) send(t *testing.T, all ...claims.Claim) []sandboxnet.MailFile {
	t.Helper()
	h.files++
	for i := range all {
		if n := h.numbers[all[i].PatientControlNumber]; n != "" {
			all[i].Frequency, all[i].PayerClaimNumber = claims.FrequencyReplacement, n
		}
	}
	name, content := numbered(t, h.files, all...)
	n := sandboxnet.NewClearinghouse(porttest.At(asked.Add(time.Duration(h.files)*time.Hour), 0), nil, sandboxnet.Options{})
	files, err := n.Replies(name, content, h.remember)
	if err != nil {
		t.Fatal(err)
	}
	again, err := n.Replies(name, content, h.remember)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(files) {
		t.Errorf("%s, sent again, is answered in another way: %v", name, err)
	}
	for _, f := range files {
		if strings.Contains(f.Name, "-payer-") {
			r := reported(t, f.Content)
			for _, c := range r.Claims() {
				if c.PayerClaimNumber != "" {
					h.numbers[c.ControlNumber] = c.PayerClaimNumber
				}
			}
		}
	}
	files = slices.DeleteFunc(files, func(f sandboxnet.MailFile) bool { return !strings.HasSuffix(f.Name, ".835") })
	slices.SortStableFunc(files, func(a, b sandboxnet.MailFile) int {
		return cmp.Or(a.Due.Compare(b.Due), strings.Compare(a.Name, b.Name))
	})
	return files
}

// said returns the content of remittances: status and payment of each claim,
// and the total.
func said(t *testing.T, files []sandboxnet.MailFile) string {
	t.Helper()
	var words []string
	for _, f := range files {
		p := paid(t, f.Content)
		for _, c := range p.Claims {
			words = append(words, c.Status+" "+c.Paid.String())
		}
		words = append(words, "= "+p.Total.String())
	}
	return strings.Join(words, ", ")
}

// charging changes the fee of a line. The payments of "-PAID-ERA" are 64
// percent of it.
func charging(number, ending string, fee billing.Money) claims.Claim {
	c := newClaim(number, ending, molarTest())
	c.Lines = c.Lines[:1]
	c.Lines[0].Fee = fee
	return c
}

// TestReplacements checks the remittances for a claim that is replaced, and
// replaced again.
func TestReplacements(t *testing.T) {
	t.Parallel()
	type step struct {
		ending string
		fee    billing.Money
		says   string
	}
	for name, steps := range map[string][]step{
		"paid":                   {{"", 100_00, "1 100.00, = 100.00"}, {"", 80_00, "22 -100.00, 1 80.00, = 0.00"}},
		"more is paid":           {{"-PAID-ERA", 100_00, "1 64.00, = 64.00"}, {"", 100_00, "22 -64.00, 1 100.00, = 36.00"}},
		"replaced twice":         {{"", 100_00, "1 100.00, = 100.00"}, {"", 120_00, "22 -100.00, 1 120.00, = 20.00"}, {"", 50_00, "22 -120.00, 1 50.00, = 0.00"}},
		"denied":                 {{"-DENIED", 100_00, "4 0.00, = 0.00"}, {"", 100_00, "1 100.00, = 100.00"}},
		"then denied":            {{"", 100_00, "1 100.00, = 100.00"}, {"-DENIED", 100_00, "22 -100.00, 4 0.00, = 0.00"}, {"", 100_00, "1 100.00, = 100.00"}},
		"taken back":             {{"-REVERSED", 100_00, "1 64.00, = 64.00, 22 -64.00, = 0.00"}, {"", 100_00, "1 100.00, = 100.00"}},
		"then taken back":        {{"", 100_00, "1 100.00, = 100.00"}, {"-REVERSED", 100_00, "22 -100.00, 1 64.00, = 0.00, 22 -64.00, = 0.00"}, {"", 70_00, "1 70.00, = 70.00"}},
		"unbalanced":             {{"-UNBALANCED", 100_00, "1 65.00, = 65.00"}, {"", 100_00, "1 100.00, = 100.00"}},
		"then unbalanced":        {{"", 100_00, "1 100.00, = 100.00"}, {"-UNBALANCED", 100_00, "22 -100.00, 1 65.00, = 1.00"}, {"", 90_00, "1 90.00, = 90.00"}},
		"not decided":            {{"", 100_00, "1 100.00, = 100.00"}, {"-INFO-REQUEST", 80_00, ""}, {"", 70_00, "22 -100.00, 1 70.00, = 0.00"}},
		"rejected":               {{"", 100_00, "1 100.00, = 100.00"}, {"-REJECTED", 80_00, ""}, {"", 70_00, "22 -100.00, 1 70.00, = 0.00"}},
		"rejected with its file": {{"", 100_00, "1 100.00, = 100.00"}, {"-BATCH-REJECTED", 80_00, ""}, {"", 70_00, "22 -100.00, 1 70.00, = 0.00"}},
		"crossed over":           {{"-CROSSOVER", 100_00, "19 64.00, = 64.00, 2 12.00, = 12.00"}, {"", 100_00, "22 -64.00, 1 100.00, = 36.00, 22 -12.00, = 0.00"}, {"", 90_00, "22 -100.00, 1 90.00, = 0.00"}},
		"then crossed over":      {{"", 50_00, "1 50.00, = 50.00"}, {"-CROSSOVER", 100_00, "22 -50.00, 19 64.00, = 14.00, 2 12.00, = 12.00"}, {"-CROSSOVER", 200_00, "22 -64.00, 19 128.00, = 64.00, 22 -12.00, 2 24.00, = 12.00"}},
		"sent elsewhere":         {{"-FORWARDED", 100_00, "23 0.00, = 0.00"}, {"", 100_00, "1 100.00, = 100.00"}},
		"one line taken back":    {{"-LINE-REVERSED", 100_00, "1 64.00, = 64.00, 22 -64.00, = 0.00"}, {"", 100_00, "1 100.00, = 100.00"}},
		"corrected":              {{"-CORRECTED", 100_00, "1 64.00, = 64.00, 1 64.00, 22 -64.00, = 0.00"}, {"", 100_00, "22 -64.00, 1 100.00, = 36.00"}},
		"reconsidered":           {{"-RECONSIDERED", 100_00, "4 0.00, = 0.00, 1 100.00, = 100.00"}, {"", 70_00, "22 -100.00, 1 70.00, = 0.00"}},
		"paid twice":             {{"-PAID-TWICE", 100_00, "1 64.00, = 64.00, 1 64.00, = 64.00"}, {"", 100_00, "22 -64.00, 22 -64.00, 1 100.00, = 0.00"}},
		"rejected, and paid":     {{"-REJECTED-PAID", 100_00, "1 64.00, = 64.00"}},
		"of another patient":     {{"-WRONG-PATIENT", 100_00, "1 80.00, = 80.00"}, {"", 100_00, "1 100.00, = 100.00"}},
		"of no fee":              {{"", 0, "1 0.00, = 0.00"}, {"", 10_00, "1 10.00, = 10.00"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHistory()
			for i, s := range steps {
				if got := said(t, h.send(t, charging("C-1", s.ending, s.fee))); got != s.says {
					t.Errorf("step %d: %s, want %s", i+1, got, s.says)
				}
			}
		})
	}
}

// TestReplacementsOfOthers checks that they reverse nothing.
func TestReplacementsOfOthers(t *testing.T) {
	t.Parallel()
	h := newHistory()
	if got := said(t, h.send(t, charging("C-1", "", 100_00))); got != "1 100.00, = 100.00" {
		t.Fatal(got)
	}
	unknown := charging("C-2", "", 60_00)
	unknown.Frequency, unknown.PayerClaimNumber = claims.FrequencyReplacement, "SP000000000001"
	for name, c := range map[string]claims.Claim{
		"of another claim":        charging("C-3", "", 60_00),
		"of one never seen":       unknown,
		"an estimate is no claim": changed(unknown, predetermined),
	} {
		got := said(t, h.send(t, c))
		if want := "1 60.00, = 60.00"; got != want && got != "25 0.00, = 0.00" {
			t.Errorf("%s: %s", name, got)
		}
	}
	elsewhere := changed(charging("C-1", "-PAID-ERA", 100_00), func(c *claims.Claim) { c.Payer = aetna() })
	if got := said(t, h.send(t, elsewhere)); got != "1 64.00, = 64.00" {
		t.Errorf("at another payer: %s", got)
	}
	h.numbers = map[string]string{} // the claim is new again
	if got := said(t, h.send(t, charging("C-1", "", 30_00))); got != "1 30.00, = 30.00" {
		t.Errorf("no replacement: %s", got)
	}
}

// TestReplacementsInOneFile checks that they follow each other like those of
// several files.
func TestReplacementsInOneFile(t *testing.T) {
	t.Parallel()
	h := newHistory()
	h.send(t, charging("C-1", "", 100_00))
	got := said(t, h.send(t, charging("C-1", "", 80_00), charging("C-1", "", 70_00), charging("C-2", "", 5_00)))
	if want := "22 -100.00, 1 80.00, 22 -80.00, 1 70.00, 1 5.00, = 0.00"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAReplacementIsInTheGoldenFiles compares the bytes: the earlier payment
// with every sign reversed, and the corrected claim.
func TestAReplacementIsInTheGoldenFiles(t *testing.T) {
	t.Parallel()
	h := newHistory()
	h.send(t, changed(newClaim("C-PART", "-PAID-ERA", aetna()), withChild))
	corrected := changed(newClaim("C-PART", "-PAID-ERA", aetna()), withChild)
	corrected.Lines = []claims.Line{{Procedure: "D1110", ServiceDate: on(3, 4), Fee: 80_00, Quantity: 1}}
	files := h.send(t, corrected)
	if len(files) != 1 {
		t.Fatalf("%d remittances", len(files))
	}
	x12test.Golden(t, "claims-corrected.835", x12test.Lines(files[0].Content))
}

// TestReplacementsAddUp sends claims of all kinds, and replacements of them,
// and checks that the payments of each add up to its last decision.
func TestReplacementsAddUp(t *testing.T) {
	t.Parallel()
	endings := slices.DeleteFunc(append(sandboxnet.ClaimEndings(), "-NONE"), func(e string) bool {
		// The first two pay for another number. The payer's number of the third is not
		// known, so that no claim replaces it.
		return e == "-CUT-NUMBER" || e == "-WRONG-PATIENT" || e == "-REJECTED-PAID"
	})
	for seed := range uint64(40) {
		r, h := rand.New(rand.NewPCG(seed, 2)), newHistory()
		stands, sums := map[string]billing.Money{}, map[string]billing.Money{}
		for range 6 {
			var all []claims.Claim
			for n := range 12 {
				ending := endings[r.IntN(len(endings))]
				if r.IntN(3) == 0 || ending == "-BATCH-REJECTED" {
					continue
				}
				c := charging(fmt.Sprintf("PCN-%d", n), ending, billing.Money(r.IntN(50_000))*billing.Money(r.IntN(3)))
				fee := c.Lines[0].Fee
				allowed := fee - fee*20/100
				share := allowed * 20 / 100
				inPart := allowed - share
				switch ending {
				case "-REJECTED", "-INFO-REQUEST": // no decision
				case "-DENIED", "-REVERSED", "-UNBALANCED", "-FORWARDED", "-SPLIT-REVERSED", "-LINE-REVERSED":
					stands[c.PatientControlNumber] = 0
				case "-PAID-ERA", "-SHUFFLED", "-SPLIT", "-CORRECTED", "-BAD-COUNTS", "-TAKE-BACK":
					stands[c.PatientControlNumber] = inPart
				case "-PAID-TWICE":
					stands[c.PatientControlNumber] = 2 * inPart
				case "-CROSSOVER":
					stands[c.PatientControlNumber] = inPart + share - share*25/100
				default:
					stands[c.PatientControlNumber] = fee
				}
				all = append(all, c)
			}
			if len(all) == 0 {
				continue
			}
			for _, f := range h.send(t, all...) {
				p := paid(t, f.Content)
				unbalanced := slices.ContainsFunc(p.Claims, func(c remittance.Claim) bool { return !c.Balanced() })
				if p.Balance.Holds() == unbalanced || !p.Balance.Payment.Holds() || p.Total < 0 {
					t.Errorf("seed %d, %s: total %s, %+v", seed, f.Name, p.Total, p.Balance)
				}
				for i := range p.Claims {
					if c := &p.Claims[i]; c.Balanced() {
						sums[c.ControlNumber] += c.Paid
					} else if c.Status == remittance.StatusReversal {
						t.Errorf("seed %d, %s: the reversal of %s does not add up", seed, f.Name, c.ControlNumber)
					}
				}
			}
		}
		for number, want := range stands {
			if sums[number] != want {
				t.Errorf("seed %d: %s is paid for %s, want %s", seed, sums[number], number, want)
			}
		}
	}
}

// TestPaymentsAreRemembered decides a claim and its replacement in two
// processes that share a store, and neither stores a name.
func TestPaymentsAreRemembered(t *testing.T) {
	t.Parallel()
	mail := pgtest.Open(t).SandboxMail()
	var got []sandboxnet.MailFile
	for n, c := range []claims.Claim{charging("C-1", "", 100_00), changed(charging("C-1", "", 80_00), func(c *claims.Claim) { c.Frequency = claims.FrequencyReplacement })} {
		now := porttest.At(asked.Add(time.Duration(n)*time.Hour), 0)
		network := sandboxnet.NewClearinghouse(now, mail, sandboxnet.Options{})
		name, content := numbered(t, n+1, c)
		for range 2 {
			if err := network.Send(t.Context(), clearing.OutgoingFile{Scope: billing.Scope{Mode: billing.ModeTest}, Name: name, Content: content}, nil); err != nil {
				t.Fatal(err)
			}
		}
		now.Advance(time.Minute)
		files, err := network.Receive(t.Context(), 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f.Name, ".835") {
				got = append(got, sandboxnet.MailFile{IncomingFile: f})
			}
			if err := network.Remove(t.Context(), f.Name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if is, want := said(t, got), "1 100.00, = 100.00, 22 -100.00, 1 80.00, = 0.00"; is != want {
		t.Errorf("%s, want %s", is, want)
	}
}

// TestNoNamesAreRemembered reads the notes on a claim with a patient.
func TestNoNamesAreRemembered(t *testing.T) {
	t.Parallel()
	remember, noted := remembering(), 0
	n := sandboxnet.NewClearinghouse(porttest.At(asked, 0), nil, sandboxnet.Options{})
	_, err := n.Replies(sentName, file(t, changed(newClaim("C-1", "-PAID-ERA", aetna()), withChild)), func(notes []sandboxnet.Note) ([][]byte, error) {
		for _, note := range notes {
			noted++
			for _, name := range []string{"Roe", "Jane", "Kim", "Molina", "SANDBOX"} {
				if bytes.Contains(bytes.ToUpper(note.Content), []byte(strings.ToUpper(name))) {
					t.Errorf("%s is in %s", name, note.Content)
				}
			}
		}
		return remember(notes)
	})
	if err != nil || noted != 1 {
		t.Errorf("%d notes, %v", noted, err)
	}
}
