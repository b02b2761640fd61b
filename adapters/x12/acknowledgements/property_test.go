package acknowledgements_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

// generator makes reports whose values are such as a file can carry, so that
// decoding gives them back as they were.
type generator struct{ *rand.Rand }

func (g generator) pick(values ...string) string { return values[g.IntN(len(values))] }

func (g generator) day() billing.Date { return on(1, 1).AddDays(g.IntN(700)) }

func (g generator) money() billing.Money { return billing.Money(g.IntN(1_000_000)) }

func (g generator) word() string { return fmt.Sprintf("W%X", g.IntN(1_000_000)) }

func (g generator) span() (s billing.DateSpan) {
	if g.IntN(4) > 0 {
		s.From = g.day()
		s.To = s.From.AddDays(g.IntN(3))
	}
	return s
}

func (g generator) code() acknowledgements.Code {
	c := acknowledgements.Code{Category: g.pick("A1", "A2", "A7", "P1", "R4", "F1"), Status: g.pick("20", "562", "19"), Entity: g.pick("", "PR", "85")}
	if c.Category == "R4" {
		c.Status, c.List = "18748-4", "LOI"
	}
	return c
}

func (g generator) statuses(least int) (all []acknowledgements.Status) {
	for range least + g.IntN(3) {
		s := acknowledgements.Status{Effective: g.day(), Action: g.pick("", "WQ", "U"), Charge: g.money(), Text: g.pick("", "SOME WORDS OF THE PAYER")}
		for range 1 + g.IntN(3) {
			s.Codes = append(s.Codes, g.code())
		}
		all = append(all, s)
	}
	return all
}

func (g generator) name(entity string) acknowledgements.Name {
	return acknowledgements.Name{Entity: entity, Kind: g.pick("1", "2"), Last: g.word(), First: g.word(), IDQualifier: "MI", ID: g.word()}
}

func (g generator) claim(kind acknowledgements.Kind) acknowledgements.Claim {
	c := acknowledgements.Claim{
		Patient: g.name("QC"), ControlNumber: g.word(), PayerClaimNumber: g.pick("", g.word()), ClearinghouseNumber: g.pick("", g.word()),
		Statuses: g.statuses(1), Service: g.span(),
	}
	switch kind {
	case acknowledgements.KindRequest:
		c.PayerReference, c.Due = g.word(), g.day()
	case acknowledgements.KindResponse:
		c.Trace = "T" + g.word()
		for i := range c.Statuses {
			s := &c.Statuses[i]
			s.Paid, s.Decided, s.PaymentDate, s.Payment = new(g.money()), g.day(), g.day(), g.word()
		}
		if g.IntN(2) == 0 { // the patient is a dependent, and has the subscriber's member ID
			c.Subscriber = g.name("IL")
			c.Patient.ID = c.Subscriber.ID
		}
	case acknowledgements.KindAcknowledgement:
	}
	for range g.IntN(3) {
		c.Lines = append(c.Lines, acknowledgements.Line{
			Qualifier: "AD", Procedure: g.pick("D1110", "D2740"), Charge: g.money(), Number: g.pick("1", "2"), Service: g.span(), Statuses: g.statuses(0),
		})
	}
	return c
}

func (g generator) level(entity string) acknowledgements.Level {
	return acknowledgements.Level{Name: g.name(entity), Trace: g.word(), Statuses: g.statuses(0)}
}

func (g generator) report() acknowledgements.Report {
	r := claimAcknowledgement("PR")
	r.Kind, r.Sources = acknowledgements.Kind(g.pick("005010X214", "005010X213", "005010X212")), nil
	for range 1 + g.IntN(2) {
		s := acknowledgements.Source{Level: g.level(g.pick("PR", "AY")), Received: g.day(), Processed: g.day()}
		for range 1 + g.IntN(2) {
			receiver := acknowledgements.Receiver{Level: g.level("41")}
			receiver.Totals = acknowledgements.Totals{Accepted: g.IntN(9), Rejected: g.IntN(9), AcceptedAmount: g.money(), RejectedAmount: g.money()}
			for range g.IntN(3) {
				p := acknowledgements.Provider{Level: g.level("85")}
				p.Totals = acknowledgements.Totals{Accepted: g.IntN(9)}
				for range 1 + g.IntN(4) {
					p.Claims = append(p.Claims, g.claim(r.Kind))
				}
				receiver.Providers = append(receiver.Providers, p)
			}
			s.Receivers = append(s.Receivers, receiver)
		}
		r.Sources = append(r.Sources, s)
	}
	r.Sources[0].Receivers[0].Statuses = g.statuses(1)
	return r
}

// TestGeneratedReportsComeBack proves that what a file carries is decoded as it
// was encoded, whatever the report.
func TestGeneratedReportsComeBack(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		want := generator{rand.New(rand.NewPCG(seed, 3))}.report()
		file := acknowledgements.EncodeReport(&want)
		got := decodeReport(t, string(file))
		for _, c := range got.Claims() {
			c.Segment = 0
		}
		if got.Kind != want.Kind || !reflect.DeepEqual(got.Sources, want.Sources) {
			t.Fatalf("seed %d: the report is\n%+v, want\n%+v\n%s", seed, got.Sources, want.Sources, file)
		}
		if again := acknowledgements.EncodeReport(&got); !bytes.Equal(again, file) {
			t.Fatalf("seed %d: not stable:\n%s\n%s", seed, file, again)
		}
	}
}

// TestMangled decodes files whose segments were dropped, repeated, exchanged or
// changed: each is refused with a position, or comes back as it was read.
func TestMangled(t *testing.T) {
	t.Parallel()
	values := []string{
		"", "X", "0", "-1", "99", "1.505", "999999999999999.999", "20260101", "20260230", "20260101-20260105", "20260105-", "D8", "A", "R", "P", "E", "1", "2", "5",
		"20", "21", "19", "22", "23", "PT", "A7:562:85", "::85", "R4:18748-4::LOI", "EJ", "1K", "D9", "FJ", "472", "106", "050", "QC", "IL", "90", "AA",
		"PCN-1", "pcn-1", "CLM01:1", "5:3:2", "\xc3\xa9\xe5\xbc\xb5", "\xe5\xbc\xb5", strings.Repeat("LONG", 100),
	}
	for _, name := range []string{"999.edi", "997.edi", "277ca-payer.edi", "277-request.edi", "277-answer.edi"} {
		all := strings.Split(strings.TrimSuffix(read(t, name), "~"), "~")
		first := slices.IndexFunc(all, func(s string) bool { return strings.HasPrefix(s, "ST*") }) + 1
		head, body, tail := all[:first], all[first:len(all)-3], all[len(all)-3:]
		decoded := 0
		for seed := range uint64(2000) {
			mangled := x12test.Mangle(rand.New(rand.NewPCG(seed, 4)), body, values)
			b := []byte(strings.Join(slices.Concat(head, mangled, tail), "~") + "~")
			_, err1 := checkFunctional(t, b)
			_, err2 := checkReports(t, b)
			if err1 == nil || err2 == nil {
				decoded++
			}
		}
		if decoded < 300 {
			t.Errorf("%s: only %d of 2,000 were decoded; the test proves too little", name, decoded)
		}
	}
}
