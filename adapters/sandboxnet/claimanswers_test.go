package sandboxnet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports/porttest"
)

// paid reads an 835 with one payment.
func paid(t *testing.T, content []byte) remittance.Remittance {
	t.Helper()
	d := remittance.NewDecoder(bytes.NewReader(content))
	p, err := d.Next()
	if err != nil {
		t.Fatal(err)
	}
	var r remittance.Remittance
	for {
		c, err := d.NextClaim()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Claims = append(r.Claims, *c.Clone())
	}
	r.Payment = *p
	_, err = d.Next()
	wrong := len(r.Claims) > 0 && ends(&r.Claims[0], "-BAD-COUNTS")
	if !errors.Is(err, io.EOF) || d.Miscounted(p) != wrong || !wrong && len(d.Warnings()) > 0 {
		t.Errorf("after the payment: %v, %v", err, d.Warnings())
	}
	return r
}

// ends reports whether the claim's member ID has the ending.
func ends(c *remittance.Claim, ending string) bool {
	return slices.ContainsFunc(c.Names, func(n remittance.Name) bool { return strings.HasSuffix(n.ID, ending) })
}

// reported reads a 277.
func reported(t *testing.T, content []byte) acknowledgements.Report {
	t.Helper()
	all, warnings, err := acknowledgements.DecodeReports(bytes.NewReader(content))
	if err != nil || len(all) != 1 || len(warnings) > 0 {
		t.Fatalf("%d reports, %v, %v", len(all), warnings, err)
	}
	return all[0]
}

// verdict returns the verdict of a 997 on the set that file makes.
func verdict(t *testing.T, content []byte) (acknowledgements.Verdict, []string) {
	t.Helper()
	return verdictOn(t, content, 907)
}

// verdictOn returns the verdict of a 997 on the set whose group has the same number.
func verdictOn(t *testing.T, content []byte, number int) (acknowledgements.Verdict, []string) {
	t.Helper()
	f, warnings, err := acknowledgements.DecodeFunctional(bytes.NewReader(content))
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%v, %v\n%s", warnings, err, content)
	}
	for _, i := range f.Interchanges {
		if i.Control == fmt.Sprintf("%09d", number) && i.Verdict() == acknowledgements.VerdictRejected {
			return i.Verdict(), []string{i.Words()}
		}
	}
	if len(f.Groups) != 1 || f.Groups[0].Control != strconv.Itoa(number) {
		t.Fatalf("groups %+v\n%s", f.Groups, content)
	}
	return f.Groups[0].Set(fmt.Sprintf("%09d", number))
}

func TestEveryEndingIsInTheGoldenFiles(t *testing.T) {
	t.Parallel()
	for _, ending := range sandboxnet.ClaimEndings() {
		if !slices.ContainsFunc(append(everything(), oddities()...), func(c claims.Claim) bool { return strings.HasSuffix(c.Subscriber.MemberID, ending) }) {
			t.Errorf("no claim ends %s", ending)
		}
	}
}

// TestClaimScenarios checks the result of each claim of the batch: the
// outcomes at the clearinghouse and the payer, and its remittances.
func TestClaimScenarios(t *testing.T) {
	t.Parallel()
	got := map[string][]string{}
	files := replies(t, file(t, everything()...), before)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	}) {
		switch content := files[name].Content; {
		case strings.HasSuffix(name, ".277"):
			r := reported(t, content)
			for s, c := range r.Claims() {
				got[c.ControlNumber] = append(got[c.ControlNumber], fmt.Sprintf("%s %s", s.Side(), c.Outcome(s.Side())))
			}
		case strings.HasSuffix(name, ".835"):
			for _, c := range paid(t, content).Claims {
				words := c.Status + " " + c.Paid.String()
				if !c.Balanced() {
					words += " off"
				}
				got[c.ControlNumber] = append(got[c.ControlNumber], words)
			}
		}
	}
	accepted := "clearinghouse accepted, payer accepted"
	for number, want := range map[string]string{
		"C-PLAIN": accepted, "C-PART": accepted + ", 1 198.75", "C-DENIED": accepted + ", 4 0.00",
		"C-REVERSED": accepted + ", 1 198.75, 22 -198.75", "C-UNBALANCED": accepted + ", 1 199.75 off",
		"C-REJECTED": "clearinghouse accepted, payer rejected", "C-REQUEST": accepted + ", payer requested",
		"C-BATCH": accepted, "C-ESTIMATE": accepted,
		"P-ESTIMATE": accepted + ", 25 0.00", "P-DENIED": accepted + ", 25 0.00", "P-REVERSED": accepted + ", 25 0.00", "P-PLAIN": accepted,
		"R-PART": accepted + ", 1 198.75", "V-PART": accepted, "O-PART": accepted + ", 1 198.75",
		"T-FULL": accepted + ", 1 310.53", "T-DENIED": accepted + ", 4 0.00", "T-REQUEST": accepted + ", payer requested",
		"T-ESTIMATE": accepted + ", 1 310.53", "T-SLOW": accepted + ", 1 310.53", "TP-FULL": accepted + ", 25 0.00", "TV-FULL": accepted,
	} {
		if is := strings.Join(got[number], ", "); is != want {
			t.Errorf("%s: %s, want %s", number, is, want)
		}
		delete(got, number)
	}
	for number := range got {
		t.Errorf("there is a report on %s", number)
	}
}

// TestRemittancesAddUp makes batches of all kinds of claims with all kinds of
// fees, and adds up the remittances.
func TestRemittancesAddUp(t *testing.T) {
	t.Parallel()
	endings := append(sandboxnet.ClaimEndings(), "-NONE")
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		var all []claims.Claim
		for n := range 40 {
			c := newClaim(fmt.Sprintf("PCN-%d", n), endings[r.IntN(len(endings))], aetna())
			c.Lines = slices.Clone(c.Lines)
			for i := range c.Lines {
				c.Lines[i].Fee = billing.Money(r.IntN(50_000)) * billing.Money(r.IntN(3))
			}
			for _, change := range []func(*claims.Claim){
				withChild, predetermined, replacing, voiding, anotherOffice, secondTo, secondToWhole, undecided, toNamed,
				func(c *claims.Claim) { c.Payer = molarTest() },
			} {
				if r.IntN(5) == 0 {
					change(&c)
				}
			}
			all = append(all, c)
		}
		for name, f := range replies(t, file(t, all...), before) {
			if !strings.HasSuffix(name, ".835") {
				continue
			}
			p := paid(t, f.Content)
			unbalanced := ends(&p.Claims[0], "-UNBALANCED")
			if p.Balance.Holds() == unbalanced || !p.Balance.Payment.Holds() || p.Total < 0 {
				t.Errorf("seed %d, %s: total %s, %+v", seed, name, p.Total, p.Balance)
			}
			for i := range p.Claims {
				if c := &p.Claims[i]; c.Balanced() == unbalanced || c.Status == "25" && c.Paid != 0 && !unbalanced {
					t.Errorf("seed %d, %s: %s %s is paid %s", seed, name, c.Status, c.ControlNumber, c.Paid)
				}
			}
		}
	}
}

// TestAFileIsRejectedOnce sends several files with a claim that asks for a
// rejection.
func TestAFileIsRejectedOnce(t *testing.T) {
	t.Parallel()
	remember := remembering()
	one := file(t, newClaim("C-1", "-PAID-ERA", aetna()), newClaim("C-2", "-batch-rejected", aetna()), newClaim("C-3", "-BATCH-REJECTED", aetna()))
	for _, c := range []struct {
		name     string
		content  []byte
		rejected bool
	}{
		{"first.837", one, true},
		{"first.837", one, true}, // the same file again
		{"second.837", one, false},
		{"third.837", file(t, newClaim("c-2", "-BATCH-REJECTED", aetna()), newClaim("C-4", "-BATCH-REJECTED", aetna())), true},
		{"fourth.837", file(t, newClaim("C-4", "-BATCH-REJECTED", aetna())), false},
		{"other.837", file(t, changed(newClaim("C-2", "-BATCH-REJECTED", aetna()), anotherOffice)), true},
	} {
		n := sandboxnet.NewClearinghouse(porttest.At(asked, 0), nil, sandboxnet.Options{})
		files, err := n.Replies(c.name, c.content, remember)
		if err != nil {
			t.Fatal(err)
		}
		v, why := verdict(t, files[0].Content)
		if want := acknowledgements.VerdictRejected; c.rejected && (v != want || len(files) != 1 || len(why) == 0) {
			t.Errorf("%s: %s %v, and %d files more", c.name, v, why, len(files)-1)
		}
		if want := acknowledgements.VerdictAccepted; !c.rejected && (v != want || len(files) < 3) {
			t.Errorf("%s: %s %v, and %d files more", c.name, v, why, len(files)-1)
		}
	}
}

// TestBrokenFiles checks the 997 of files that are not acceptable.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	whole := string(file(t, newClaim("C-1", "-PAID-ERA", aetna())))
	upTo := func(segment string) string { return whole[:strings.Index(whole, segment)] }
	with := func(old, replacement string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("there is no %s", old)
		}
		return strings.Replace(whole, old, replacement, 1)
	}
	for name, c := range map[string]struct {
		file string
		says string // empty for an error of Send
	}{
		"nothing":                {"", ""},
		"words":                  {"Dear payer", ""},
		"half a header":          {whole[:60], ""},
		"a header alone":         {upTo("GS*"), "The interchange was rejected: its envelopes are not nested correctly (022)."},
		"a group's header alone": {upTo("ST*"), "The functional group: its trailer is missing (3)."},
		"no end of the claims":   {upTo("~SE*"), "The transaction set: its trailer is missing (2)."},
		"no end of the group":    {upTo("GE*"), "The functional group: its trailer is missing (3)."},
		"no end":                 {upTo("IEA*"), "The interchange was rejected: its envelopes are not nested correctly (022)."},
		"more after the end":     {whole + "more", "The interchange was rejected: its envelopes are not nested correctly (022)."},
		"another kind of set":    {with("ST*837*", "ST*276*"), "The transaction set: its kind is not supported (1)."},
		"no claim":               {upTo("HL*") + whole[strings.Index(whole, "~SE*")+1:], "Segment 6 (SE): the segment has faulty elements (8)."},
		"a malformed amount":     {with("*210.53*", "*210.5E*"), "Segment 27 (SV3): the segment has faulty elements (8)."},
		"an invalid day":         {with("D8*20260303", "D8*20260230"), "Segment 29 (DTP): the segment has faulty elements (8)."},
		"a medical claim":        {with("SV3*", "SV1*"), "Segment 23 (SV1): the segment has faulty elements (8)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := sandboxnet.NewClearinghouse(porttest.At(asked, 0), nil, sandboxnet.Options{})
			files, err := n.Replies(sentName, []byte(c.file), before)
			if c.says == "" {
				if _, isFault := errors.AsType[*x12.Error](err); !isFault || len(files) > 0 {
					t.Errorf("%d files, %v, want an error with a position", len(files), err)
				}
				return
			}
			if err != nil || len(files) != 1 {
				t.Fatalf("%d files, %v, want a 997", len(files), err)
			}
			if v, why := verdict(t, files[0].Content); v != acknowledgements.VerdictRejected || !slices.Contains(why, c.says) {
				t.Errorf("%s %q, want %q\n%s", v, why, c.says, files[0].Content)
			}
		})
	}
}

// TestUnsupportedSet checks that it is rejected, and the file's other sets
// are accepted.
func TestUnsupportedSet(t *testing.T) {
	t.Parallel()
	whole := string(file(t, newClaim("C-1", "-PAID-ERA", aetna())))
	mixed := strings.Replace(whole, "ST*837*", "ST*276*0001~SE*2*0001~ST*837*", 1)
	got := replies(t, []byte(strings.Replace(mixed, "GE*1*", "GE*2*", 1)), before)
	if v, why := verdict(t, got[".997"].Content); v != acknowledgements.VerdictAccepted || len(got) != 4 {
		t.Errorf("%s %v, and %d files more", v, why, len(got)-1)
	}
}

// TestNumbersAreUnique checks that no two files share a name or number.
func TestNumbersAreUnique(t *testing.T) {
	t.Parallel()
	n := sandboxnet.NewClearinghouse(porttest.At(asked, 0), nil, sandboxnet.Options{})
	seen := map[string]string{}
	for batch := range 50 {
		all, err := n.Replies(fmt.Sprintf("202603151020304%02d.837", batch), file(t, everything()...), before)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			numbers := []string{f.Name, "interchange " + string(f.Content[90:99])}
			if strings.HasSuffix(f.Name, ".835") {
				numbers = append(numbers, "trace "+paid(t, f.Content).Trace.Number)
			}
			for _, number := range numbers {
				if other, taken := seen[number]; taken {
					t.Errorf("%s and %s both have %s", f.Name, other, number)
				}
				seen[number] = f.Name
			}
		}
	}
}

// TestTheERADelay checks that the remittance follows the acceptance, and the
// reversal follows the payment, even without a delay.
func TestTheERADelay(t *testing.T) {
	t.Parallel()
	for delay, want := range map[time.Duration][2]time.Duration{
		0:               {10 * time.Millisecond, 20 * time.Millisecond},
		-time.Hour:      {10 * time.Millisecond, 20 * time.Millisecond},
		2 * time.Second: {2 * time.Second, 4 * time.Second},
	} {
		n := sandboxnet.NewClearinghouse(porttest.At(asked, 0), nil, sandboxnet.Options{ERADelay: delay})
		files, err := n.Replies(sentName, file(t, newClaim("C-1", "-REVERSED", aetna())), before)
		if err != nil || len(files) != 5 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		payment, reversal := files[3].Due.Sub(files[2].Due), files[4].Due.Sub(files[2].Due)
		if got := [2]time.Duration{payment, reversal}; got != want {
			t.Errorf("a delay of %v: %v after the acceptance, want %v", delay, got, want)
		}
	}
}

// TestALargeBatch has as many claims as a file may have.
func TestALargeBatch(t *testing.T) {
	t.Parallel()
	endings := append(sandboxnet.ClaimEndings(), "-NONE")
	all := make([]claims.Claim, clearing.MaxBatchClaims)
	for i := range all {
		all[i] = newClaim(fmt.Sprintf("PCN-%d", i), endings[i%len(endings)], claims.Payer{PayerID: fmt.Sprintf("P%02d", i%60), Name: "Payer"})
	}
	about := map[string]map[string]int{ // how many claims of which files; one payment for other endings
		"-BATCH-REJECTED": {}, "-REJECTED": {}, "-ESTIMATE": {}, "-NONE": {}, "-INFO-REQUEST": {"request": 1},
		"-REVERSED": {"payment": 1, "reversal": 1}, "-SPLIT": {"payment": 2}, "-SPLIT-REVERSED": {"payment": 2, "reversal": 1},
		"-LINE-REVERSED": {"payment": 1, "reversal": 1}, "-RECONSIDERED": {"payment": 1, "change": 1},
		"-CORRECTED": {"payment": 1, "change": 2}, "-PAID-TWICE": {"payment": 1, "change": 1}, "-CROSSOVER": {"payment": 1, "crossover": 1},
	}
	want := map[string]int{"clearinghouse": len(all), "payer": len(all)}
	for _, c := range all {
		_, ending, _ := strings.Cut(c.Subscriber.MemberID, "SANDBOX")
		files, named := about[ending]
		if !named {
			files = map[string]int{"payment": 1}
		}
		for what, n := range files {
			want[what] += n
		}
	}
	reports := map[string]int{}
	for name, f := range replies(t, file(t, all...), before) {
		what, _, _ := strings.Cut(strings.TrimPrefix(name, "-"), "-")
		switch {
		case strings.HasSuffix(name, ".277"):
			r := reported(t, f.Content)
			for range r.Claims() {
				reports[what]++
			}
		case strings.HasSuffix(name, ".835"):
			reports[what] += len(paid(t, f.Content).Claims)
		}
	}
	if fmt.Sprint(reports) != fmt.Sprint(want) {
		t.Errorf("reports on %v, want %v", reports, want)
	}
}

func FuzzSend(f *testing.F) {
	whole := file(f, everything()...)
	f.Add(whole)
	f.Add(file(f, newClaim("C-1", "-BATCH-REJECTED", aetna())))
	f.Add(file(f, coordinated()...))
	f.Add(file(f, faulty()...))
	f.Add(whole[:len(whole)/2])
	f.Add(bytes.ReplaceAll(whole, []byte("*"), []byte("|")))
	f.Add([]byte("no claims"))
	f.Fuzz(func(t *testing.T, content []byte) {
		n := sandboxnet.NewClearinghouse(porttest.At(asked, 0), nil, sandboxnet.Options{})
		remember := remembering()
		all, err := n.Replies(sentName, content, remember)
		if err != nil {
			if _, isFault := errors.AsType[*x12.Error](err); !isFault || len(all) > 0 {
				t.Fatalf("%d files, %v", len(all), err)
			}
			return
		}
		for _, file := range all {
			var err error
			switch r := bytes.NewReader(file.Content); file.Name[strings.LastIndex(file.Name, "."):] {
			case ".997":
				_, _, err = acknowledgements.DecodeFunctional(r)
			case ".277":
				_, _, err = acknowledgements.DecodeReports(r)
			default:
				paid(t, file.Content)
			}
			if err != nil {
				t.Errorf("%s: %v\n%s", file.Name, err, file.Content)
			}
		}
		again, _ := n.Replies(sentName, content, remember)
		if fmt.Sprint(again) != fmt.Sprint(all) {
			t.Error("the same file has other replies")
		}
		if _, err := n.Replies("20260315102030451.837", content, remember); err != nil {
			t.Errorf("the same claims in another file: %v", err)
		}
	})
}
