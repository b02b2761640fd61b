package claims_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

// generator makes batches whose values are such as a file can carry, so that
// decoding gives them back as they were.
type generator struct{ *rand.Rand }

func (g generator) pick(values ...string) string { return values[g.IntN(len(values))] }

func (g generator) chance(n int) bool { return g.IntN(n) == 0 }

func (g generator) word(limit int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.'"
	b := make([]byte, 1+g.IntN(limit))
	for i := range b {
		b[i] = letters[g.IntN(len(letters))]
	}
	return string(b)
}

func (g generator) text(limit int) string {
	var words []string
	for room := g.IntN(limit); ; {
		w := g.word(11)
		if room -= len(w) + 1; room < 0 {
			return strings.Join(words, " ")
		}
		words = append(words, w)
	}
}

func (g generator) digits(n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte('0' + byte(g.IntN(10)))
	}
	return b.String()
}

func (g generator) day() billing.Date {
	return billing.DateOf(time.Date(1930, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, g.IntN(36_000)))
}

func (g generator) address() claims.Address {
	a := claims.Address{Line1: g.word(55), City: g.word(30), State: g.pick("OK", "TX", "NY"), ZIP: g.digits(5)}
	if g.chance(2) {
		a.Line2, a.ZIP = g.word(55), g.digits(9)
	}
	return a
}

func (g generator) gender() string { return g.pick("F", "M", "U") }

func (g generator) office() claims.BillingProvider {
	o := claims.BillingProvider{
		Name: g.word(60), NPI: g.digits(10), TaxID: g.digits(9), Taxonomy: g.maybe(10), Contact: g.word(60), Phone: g.digits(10), Address: g.address(),
	}
	if g.chance(3) {
		o.Person, o.FirstName, o.LastName = true, g.word(35), g.word(60)
		o.Name = o.FirstName + " " + o.LastName
	}
	return o
}

// maybe makes a word, or nothing.
func (g generator) maybe(limit int) string {
	if g.chance(2) {
		return ""
	}
	return g.word(limit)
}

func (g generator) money() billing.Money { return billing.Money(g.IntN(500_000)) }

// group makes the number and the name of a group, of which a file has one.
func (g generator) group() (number, name string) {
	if g.chance(3) {
		return "", g.maybe(60)
	}
	return g.word(30), ""
}

func (g generator) claim(o claims.BillingProvider) claims.Claim {
	c := claims.Claim{Billing: o}
	c.Predetermination = g.chance(3)
	c.Frequency = g.pick("1", "7", "8")
	c.PatientControlNumber, c.PlaceOfService = g.word(20), g.pick("11", "22", "31")
	c.Payer = claims.Payer{PayerID: g.word(20), Name: g.word(60)}
	number, name := g.group()
	c.Subscriber = claims.Subscriber{
		FirstName: g.word(35), MiddleName: g.maybe(25), LastName: g.word(60), Suffix: g.maybe(10), DateOfBirth: g.day(), MemberID: g.word(30),
		GroupNumber: number, GroupName: name, Gender: g.gender(), Address: g.address(),
	}
	if g.chance(2) {
		c.Patient = &claims.Patient{
			FirstName: g.word(35), MiddleName: g.maybe(25), LastName: g.word(60), Suffix: g.maybe(10), DateOfBirth: g.day(), Gender: g.gender(),
			Relationship: g.pick("01", "19", "G8"),
		}
		if g.chance(2) {
			c.Patient.Address = g.address()
		}
	}
	g.details(&c)
	if g.chance(4) {
		c.PayTo = g.address()
	}
	if g.chance(4) {
		c.PriorAuthorization = g.word(50)
	}
	if g.chance(4) {
		c.Accident = &claims.Accident{Cause: g.pick("AA", "EM", "OA"), Date: g.day(), State: g.pick("", "OK")}
	}
	if c.Frequency != claims.FrequencyOriginal {
		c.PayerClaimNumber = g.word(50)
	}
	if g.chance(2) {
		c.Rendering = g.provider()
	}
	if g.chance(3) {
		c.Note = g.text(160)
	}
	for i := range g.IntN(4) {
		a := claims.Attachment{ReportType: g.pick("RB", "P6", "OZ"), Number: fmt.Sprintf("MLR%09d", i)}
		if g.chance(2) {
			a.Note = strings.TrimSpace(a.Number + " " + g.text(60))
		}
		c.Attachments = append(c.Attachments, a)
	}
	if len(c.Attachments) > 2 {
		c.Note = "" // the notes of three attachments leave room for two more
	}
	for range 1 + g.IntN(5) {
		c.Lines = append(c.Lines, g.line(c.Predetermination))
	}
	g.coordinate(&c)
	return c
}

func (g generator) provider() claims.Provider {
	return claims.Provider{FirstName: g.word(35), LastName: g.word(60), NPI: g.digits(10), Taxonomy: g.maybe(10)}
}

// details sets the fields that most claims do not have.
func (g generator) details(c *claims.Claim) {
	c.FilingIndicator, c.ProviderNumber, c.ProviderLocation = g.pick("CI", "12", "BL"), g.maybe(50), g.maybe(50)
	c.Assignment, c.BenefitsAssigned, c.Release = g.pick("A", "C"), g.pick("Y", "N", "W"), g.pick("Y", "I")
	c.PredeterminationNumber, c.ReferralNumber = g.maybe(50), g.maybe(50)
	if g.chance(4) {
		c.PatientPaid = 1 + g.money()
	}
	if g.chance(4) {
		c.Orthodontics = &claims.Orthodontics{TotalMonths: g.IntN(37), MonthsRemaining: g.IntN(37)}
		if g.chance(2) {
			c.Orthodontics.ApplianceDate = g.day()
		}
	}
	for range g.IntN(18) * g.IntN(2) {
		c.MissingTeeth = append(c.MissingTeeth, g.pick("1", "16", "32"))
		c.TeethToExtract = append(c.TeethToExtract, g.pick("2", "17", "A"))
	}
	for range g.IntN(claims.MaxDiagnoses + 1) {
		c.Diagnoses = append(c.Diagnoses, "K"+g.digits(1+g.IntN(5)))
	}
	if g.chance(4) {
		c.Referring = g.provider()
	}
	if g.chance(4) {
		c.Facility = claims.Facility{Name: g.word(60), NPI: g.digits(10), Address: g.address()}
	}
}

// coordinate sets the claim's rank, other payers, and their adjudications.
func (g generator) coordinate(c *claims.Claim) {
	ranks := []string{claims.CoveragePrimary, claims.CoverageSecondary, claims.CoverageTertiary}
	g.Shuffle(len(ranks), func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
	c.Coverage = ranks[0]
	for _, rank := range ranks[1 : 1+g.IntN(3)] {
		number, name := g.group()
		o := claims.OtherPayer{
			Coverage: rank, Relationship: g.pick("18", "01", "19", "G8"), GroupNumber: number, GroupName: name, FilingIndicator: g.pick("CI", "12"),
			BenefitsAssigned: g.pick("Y", "N", "W"), Release: g.pick("Y", "I"),
			Subscriber: claims.OtherSubscriber{FirstName: g.word(35), MiddleName: g.maybe(25), LastName: g.word(60), Suffix: g.maybe(10), MemberID: g.word(30)},
			Payer:      claims.Payer{Name: g.word(60), PayerID: rank + g.word(20)},
		}
		if g.chance(2) {
			o.Subscriber.Address = g.address()
		}
		if g.chance(2) {
			o.PayerClaimNumber, o.Paid = g.word(50), new(g.money()-1000)
			o.Adjustments = g.adjustments()
		}
		if g.chance(2) {
			o.Remaining = new(g.money())
		}
		dated := false
		for i := range c.Lines {
			for range g.IntN(3) {
				a := claims.Adjudication{
					PayerID: o.Payer.PayerID, Paid: g.money(), Procedure: "D" + g.digits(4), Quantity: g.IntN(9), Adjustments: g.adjustments(),
				}
				if g.chance(3) {
					a.PaymentDate, dated = g.day(), true
				}
				c.Lines[i].Adjudications = append(c.Lines[i].Adjudications, a)
			}
		}
		if !dated && g.chance(2) {
			o.PaymentDate = g.day()
		}
		c.OtherPayers = append(c.OtherPayers, o)
	}
}

// adjustments makes up to five groups, of which one may need two segments.
func (g generator) adjustments() (all []claims.Adjustment) {
	groups := []string{"CO", "PR", "OA", "PI", "CR"}[:g.IntN(claims.MaxAdjustments+1)]
	for i, group := range groups {
		n := 1 + g.IntN(6)
		if i == 0 && len(groups) < claims.MaxAdjustments {
			n += g.IntN(7)
		}
		for range n {
			a := claims.Adjustment{Group: group, Reason: g.digits(1 + g.IntN(3)), Amount: g.money() - 2000}
			if g.chance(3) {
				a.Quantity = g.digits(2)
			}
			all = append(all, a)
		}
	}
	return all
}

func (g generator) line(estimate bool) claims.Line {
	l := claims.Line{Procedure: "D" + g.digits(4), Fee: billing.Money(g.IntN(500_000)), Quantity: 1 + g.IntN(9)}
	if !estimate {
		l.ServiceDate = g.day()
	}
	switch g.IntN(3) {
	case 0:
		for range 1 + g.IntN(4)*g.IntN(2) {
			t := claims.Tooth{Number: g.pick("1", "32", "A", "T", "AS")}
			if g.chance(2) {
				t.Surfaces = []string{"M", "O", "D"}[:1+g.IntN(3)]
			}
			l.Teeth = append(l.Teeth, t)
		}
	case 1:
		l.OralCavity = []string{"10", "20", "30", "40", "00"}[:1+g.IntN(5)]
	}
	if g.chance(5) {
		l.PriorPlacement = g.day()
	}
	if g.chance(3) {
		l.Prosthesis = g.pick("I", "R")
	}
	for range g.IntN(claims.MaxModifiers+1) * g.IntN(2) {
		l.Modifiers = append(l.Modifiers, g.word(2))
	}
	for range g.IntN(claims.MaxDiagnoses+1) * g.IntN(2) {
		l.DiagnosisPointers = append(l.DiagnosisPointers, 1+g.IntN(claims.MaxDiagnoses))
	}
	if g.chance(5) {
		l.PlaceOfService = "19" // which no claim has
	}
	if g.chance(5) {
		l.Rendering = g.provider()
	}
	return l
}

func (g generator) batch() claims.Batch {
	b := batch()
	b.Interchange.Sender, b.Interchange.Receiver, b.Interchange.Control = "MOLAR", "CHTEST", 1+g.IntN(999_999_999)
	b.Group.Sender, b.Group.Receiver, b.Group.Control = "MOLAR", "CHTEST", 1+g.IntN(999_999_999)
	b.Control, b.Reference, b.CreatedAt = g.digits(9), g.word(30), b.CreatedAt.Add(time.Duration(g.IntN(1e9))*time.Second)
	b.Submitter = claims.Submitter{Name: g.word(60), ID: g.word(20), Contact: g.word(60), Phone: g.digits(10), Email: g.word(40)}
	b.Receiver = claims.Receiver{Name: g.word(60), ID: g.word(20)}
	office := g.office()
	for range 1 + g.IntN(6) {
		if g.chance(3) {
			office = g.office()
		}
		b.Claims = append(b.Claims, g.claim(office))
	}
	return b
}

func shown(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestClaimsComeBack proves that what a file carries is decoded as it was
// encoded, whatever the claims.
func TestClaimsComeBack(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		want := generator{rand.New(rand.NewPCG(seed, 1))}.batch()
		file := encode(t, &want)
		all, warnings, err := claims.Decode(bytes.NewReader(file))
		if err != nil || len(all) != 1 || len(warnings) > 0 {
			t.Fatalf("seed %d: %d batches, %v, %v\n%s", seed, len(all), warnings, err, file)
		}
		got := all[0]
		got.Interchange.SenderQualifier, got.Interchange.ReceiverQualifier, got.Interchange.Version = "", "", ""
		got.Interchange.Created, got.Group.FunctionalID, got.Group.Version = want.Interchange.Created, "", ""
		for i := range got.Claims {
			if got.Claims[i].Segment == 0 {
				t.Errorf("seed %d: claim %d has no position", seed, i)
			}
			got.Claims[i].Segment = 0
			if !reflect.DeepEqual(got.Claims[i], want.Claims[i]) {
				t.Fatalf("seed %d: claim %d is\n%s, want\n%s\n%s", seed, i, shown(t, got.Claims[i]), shown(t, want.Claims[i]), file)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: the batch is\n%+v, want\n%+v", seed, got, want)
		}
		if again := encode(t, &got); !bytes.Equal(again, file) {
			t.Fatalf("seed %d: not stable:\n%s\n%s", seed, file, again)
		}
	}
}

// TestMangled decodes files whose segments were dropped, repeated, exchanged or
// changed: each is refused with a position, or comes back as it was read.
func TestMangled(t *testing.T) {
	t.Parallel()
	values := []string{
		"", "X", "0", "1", "-1", "1.50", "99999999", "20260101", "20260230", "20260101-20260105", "D8", "PB", "AD:D2740", "AD", "11:B:7", "8:9",
		"85", "87", "IL", "QC", "PR", "82", "41", "20", "22", "23", "472", "441", "439", "MLR000000012", "MLR000000012 A NOTE", "MLR000000013 A NOTE",
		"P", "S", "T", "18", "01", "CO", "PR", "573", "452", "PD001", "BD002", "DN", "77", "DN1", "ABK:K021", "1:2:9", "M", "E", "G2", "LU", "G3", "9F",
		"\xc3\xa9\xe5\xbc\xb5", strings.Repeat("LONG WORDS ", 30), strings.Repeat("L", 200),
	}
	for _, name := range []string{"batch.edi", "lenient-4010.edi", "tertiary.edi", "services.edi", "referral.edi", "orthodontics.edi", "plan.edi"} {
		file := strings.ReplaceAll(strings.ReplaceAll(read(t, name), "\n", ""), "|", "~")
		all := strings.Split(strings.TrimSuffix(file, "~"), "~")
		head, body, tail := all[:4], all[4:len(all)-3], all[len(all)-3:]
		decoded := 0
		for seed := range uint64(3000) {
			mangled := x12test.Mangle(rand.New(rand.NewPCG(seed, 2)), body, values)
			b := []byte(strings.Join(slices.Concat(head, mangled, tail), "~") + "~")
			if _, err := checkDecode(t, b); err == nil {
				decoded++
			}
		}
		if decoded < 300 {
			t.Errorf("%s: only %d of 3,000 were decoded; the test proves too little", name, decoded)
		}
	}
}
