package sandboxnet_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports/porttest"
)

// sentName is the name of a batch file.
const sentName = "20260315102030450.837"

func on(m, d int) billing.Date { return billing.Date{Year: 2026, Month: time.Month(m), Day: d} }

// slowly is the payers' usual delay in tests.
const slowly = 2 * time.Minute

// aetna returns a payer that decides by endings only.
func aetna() claims.Payer { return claims.Payer{PayerID: "60054", Name: "Aetna"} }

func molarTest() claims.Payer {
	return claims.Payer{PayerID: "CHTEST", Name: "Molar Test Payer"}
}

// claim returns a claim with two lines, one of them with an odd fee.
func newClaim(number, ending string, payer claims.Payer) claims.Claim {
	return claims.Claim{
		Billing: claims.BillingProvider{
			Name: "Bright Smiles", NPI: "1234567893", TaxID: "12-3456789", Phone: "555-010-0100",
			Address: claims.Address{Line1: "1 Main St", City: "Tulsa", State: "OK", ZIP: "74101-0001"},
		},
		Subscriber: claims.Subscriber{
			FirstName: "Jane", LastName: "Roe", DateOfBirth: on(1, 2), MemberID: "SANDBOX" + ending, GroupNumber: "G-100", Gender: claims.GenderFemale,
			Address: claims.Address{Line1: "5 Elm St", City: "Tulsa", State: "OK", ZIP: "74103"},
		},
		Payer: payer, PatientControlNumber: number, PlaceOfService: "11", Frequency: claims.FrequencyOriginal,
		Rendering: claims.Provider{FirstName: "Ada", LastName: "Molina", NPI: "1467560003", Taxonomy: "1223G0001X"},
		Lines: []claims.Line{
			{Procedure: "D1110", ServiceDate: on(3, 2), Fee: 100_00, Quantity: 1},
			{Procedure: "D2392", ServiceDate: on(3, 3), Fee: 210_53, Quantity: 1, Teeth: []claims.Tooth{{Number: "14", Surfaces: []string{"M", "O"}}}},
		},
	}
}

func changed(c claims.Claim, change func(*claims.Claim)) claims.Claim {
	change(&c)
	return c
}

func withChild(c *claims.Claim) {
	c.Patient = &claims.Patient{FirstName: "Kim", LastName: "Roe", DateOfBirth: on(5, 6), Relationship: claims.RelationChild}
}

func predetermined(c *claims.Claim) {
	c.Predetermination = true
	c.Lines = []claims.Line{{Procedure: "D2740", Fee: 1200_01, Quantity: 1, Teeth: []claims.Tooth{{Number: "3"}}}}
}

func replacing(c *claims.Claim) {
	c.Frequency, c.PayerClaimNumber = claims.FrequencyReplacement, "SP000000000001"
}

func voiding(c *claims.Claim) {
	c.Frequency, c.PayerClaimNumber = claims.FrequencyVoid, "SP000000000002"
}

func anotherOffice(c *claims.Claim) {
	c.Billing = claims.BillingProvider{Name: "Kind Dental", NPI: "1215931106", TaxID: "98-7654321", Phone: "555-010-0200", Address: claims.Address{Line1: "2 Oak Ave", City: "Tulsa", State: "OK", ZIP: "74102-0002"}}
}

// everything returns a claim for every ending, and claims that use endings of other
// kinds.
func everything() []claims.Claim {
	return []claims.Claim{
		newClaim("C-PLAIN", "-123", aetna()),
		changed(newClaim("C-PART", "-PAID-ERA", aetna()), withChild),
		newClaim("C-DENIED", "-DENIED", aetna()),
		newClaim("C-REVERSED", "-REVERSED", aetna()),
		newClaim("C-UNBALANCED", "-UNBALANCED", aetna()),
		newClaim("C-REJECTED", "-REJECTED", aetna()),
		newClaim("C-REQUEST", "-INFO-REQUEST", aetna()),
		newClaim("C-BATCH", "-BATCH-REJECTED", aetna()),
		newClaim("C-ESTIMATE", "-ESTIMATE", aetna()),
		changed(newClaim("P-ESTIMATE", "-ESTIMATE", aetna()), predetermined),
		changed(newClaim("P-DENIED", "-DENIED", aetna()), predetermined),
		changed(newClaim("P-REVERSED", "-REVERSED", aetna()), predetermined),
		changed(newClaim("P-PLAIN", "-123", aetna()), predetermined),
		changed(newClaim("R-PART", "-PAID-ERA", aetna()), replacing),
		changed(newClaim("V-PART", "-PAID-ERA", aetna()), voiding),
		changed(newClaim("O-PART", "-paid-era", aetna()), anotherOffice),
		newClaim("T-FULL", "-123", molarTest()),
		newClaim("T-DENIED", "-DENIED", molarTest()),
		newClaim("T-REQUEST", "-INFO-REQUEST", molarTest()),
		newClaim("T-ESTIMATE", "-ESTIMATE", molarTest()),
		newClaim("T-SLOW", "-SLOW-3", molarTest()),
		changed(newClaim("TP-FULL", "-123", molarTest()), predetermined),
		changed(newClaim("TV-FULL", "-123", molarTest()), voiding),
	}
}

// oddities returns a claim for every ending whose remittance needs more than one
// look.
func oddities() []claims.Claim {
	return []claims.Claim{
		changed(newClaim("C-CROSSOVER", "-CROSSOVER", aetna()), withChild),
		newClaim("C-FORWARDED", "-FORWARDED", aetna()),
		newClaim("C-SHUFFLED", "-SHUFFLED", aetna()),
		newClaim("C-SPLIT", "-SPLIT", aetna()),
		newClaim("C-SPLIT-REVERSED", "-SPLIT-REVERSED", aetna()),
		newClaim("C-LINE", "-LINE-REVERSED", aetna()),
		newClaim("C-RECONSIDERED", "-RECONSIDERED", aetna()),
		newClaim("C-CORRECTED", "-CORRECTED", aetna()),
		newClaim("C-TWICE", "-PAID-TWICE", aetna()),
		newClaim("C-1234567890123456", "-CUT-NUMBER", aetna()),
		newClaim("C-WRONG", "-WRONG-PATIENT", aetna()),
		newClaim("C-REJECTED", "-REJECTED-PAID", aetna()),
		newClaim("C-COUNTS", "-BAD-COUNTS", aetna()),
		newClaim("C-BACK", "-TAKE-BACK", aetna()),
		changed(newClaim("P-SHUFFLED", "-SHUFFLED", aetna()), predetermined),
		changed(newClaim("P-CROSSOVER", "-CROSSOVER", aetna()), predetermined),
		changed(newClaim("V-BACK", "-TAKE-BACK", aetna()), voiding),
		newClaim("O-NOT-FOUND", "-STATUS-NOT-FOUND", aetna()), newClaim("O-ASKED", "-STATUS-REQUESTED", aetna()), newClaim("O-DOWN", "-STATUS-DOWN", aetna()),
	}
}

// file returns the 837 of the claims.
func file(tb testing.TB, all ...claims.Claim) []byte {
	tb.Helper()
	b := claims.Batch{
		Interchange: x12.Interchange{Sender: "MOLAR", Receiver: "SANDBOX", Created: asked, Control: 907, Test: true},
		Group:       x12.Group{Sender: "MOLAR", Receiver: "SANDBOX", Created: asked, Control: 907},
		Control:     "000000907", Reference: "000000907", CreatedAt: asked,
		Submitter: claims.Submitter{Name: "Molar", ID: "MOLAR", Contact: "Billing desk", Email: "desk@example.org"},
		Receiver:  claims.Receiver{Name: "Sandbox Clearinghouse", ID: "SANDBOX"},
		Claims:    all,
	}
	var out bytes.Buffer
	if err := claims.Encode(&out, &b); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// memory is the function sandboxnet.Mail.Remember.
type memory = func([]sandboxnet.Note) ([][]byte, error)

// remembering returns a memory that several files share.
func remembering() memory {
	made := map[[32]byte][]sandboxnet.Note{}
	return func(notes []sandboxnet.Note) ([][]byte, error) {
		before := make([][]byte, len(notes))
		for i, n := range notes {
			all := made[n.Key]
			own := slices.IndexFunc(all, func(o sandboxnet.Note) bool { return o.By == n.By })
			if own < 0 {
				own, made[n.Key] = len(all), append(all, n)
			}
			if own > 0 {
				before[i] = all[own-1].Content
			}
		}
		return before, nil
	}
}

// before is a memory in which every file was rejected once, and no claim was
// decided.
// decided.
func before(notes []sandboxnet.Note) ([][]byte, error) {
	all := make([][]byte, len(notes))
	for i, n := range notes {
		if string(n.Content) == n.By {
			all[i] = []byte("an earlier file")
		}
	}
	return all, nil
}

// replies returns the messages about a file, by the suffix of their names.
func replies(tb testing.TB, content []byte, remember memory) map[string]sandboxnet.MailFile {
	tb.Helper()
	c := sandboxnet.NewClearinghouse(porttest.At(asked, 0), nil, sandboxnet.Options{ERADelay: slowly})
	all, err := c.Replies(sentName, content, remember)
	if err != nil {
		tb.Fatal(err)
	}
	files := map[string]sandboxnet.MailFile{}
	for _, f := range all {
		short, ok := strings.CutPrefix(f.Name, "20260315102030450")
		if _, twice := files[short]; twice || !ok {
			tb.Errorf("%s comes back", f.Name)
		}
		files[short] = f
	}
	return files
}

// TestMessageGoldens compares each message about a batch with every
// ending, and its time, with a golden file.
func TestMessageGoldens(t *testing.T) {
	t.Parallel()
	sameMessages(t, "claims", everything(), map[string]time.Duration{
		".997": 300 * time.Millisecond, "-clearinghouse-1.277": 600 * time.Millisecond,
		"-payer-1.277": time.Second, "-payer-2.277": time.Second, "-request-1.277": 6 * time.Second, "-request-2.277": 6 * time.Second,
		"-payment-1.835": 121 * time.Second, "-payment-2.835": 121 * time.Second, "-payment-3.835": 121 * time.Second, "-payment-4.835": 121 * time.Second,
		"-reversal-1.835": 241 * time.Second,
	})
	sameMessages(t, "oddities", oddities(), map[string]time.Duration{
		".997": 300 * time.Millisecond, "-clearinghouse-1.277": 600 * time.Millisecond, "-payer-1.277": time.Second,
		"-payment-1.835": 121 * time.Second, "-payment-2.835": 121 * time.Second,
		"-reversal-1.835": 241 * time.Second, "-change-1.835": 241 * time.Second, "-crossover-1.835": 241 * time.Second,
	})
}

// sameMessages compares the messages about the claims with golden files, whose names
// begin with the word.
func sameMessages(t *testing.T, word string, all []claims.Claim, due map[string]time.Duration) {
	t.Helper()
	got := replies(t, file(t, all...), before)
	for name, after := range due {
		f, ok := got[name]
		delete(got, name)
		if !ok {
			t.Errorf("%s does not come back", name)
			continue
		}
		if want := asked.Add(after); !f.Due.Equal(want) {
			t.Errorf("%s is there at %v, want %v", name, f.Due, want)
		}
		x12test.Golden(t, word+name, x12test.Lines(f.Content))
	}
	for name := range got {
		t.Errorf("%s comes back", name)
	}
}
