package claim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// secondBill bills the secondary payer for a claim with the remittances.
func secondBill(t *testing.T, first *claim.Claim, plan claim.SecondPlan, files ...eraFile) *claim.Claim {
	t.Helper()
	r := record(first)
	r.State = claim.Paid
	r.Ledger, _, _ = postFiles(first, files)
	c, err := r.BillSecondary(billing.ClaimID{15: 13}, "PCN-2", plan, false, billing.RequestID{}, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	if c.SecondaryTo != first.ID || first.SecondaryID != c.ID || c.Coverage != billing.SequenceSecondary || first.Turn() != billing.SequencePrimary {
		t.Errorf("the claim is %s to %s, the first one names %s", c.Coverage, c.SecondaryTo, first.SecondaryID)
	}
	return c
}

// inWords returns a decision as a claim states it.
func inWords(a *claim.CoverageAdjudication) string {
	if a == nil {
		return "nothing"
	}
	words := func(all []remit.Adjustment) (s string) {
		for _, a := range all {
			s += fmt.Sprintf(" %s%s %s", a.Group, a.Reason, a.Amount)
		}
		return s
	}
	lines := []string{fmt.Sprintf("%s of %s paid %s%s", a.PayerClaimNumber, a.PaymentDate, a.Paid, words(a.Adjustments))}
	for _, l := range a.Lines {
		lines = append(lines, fmt.Sprintf("%d %s x%d %s%s", l.LineNumber, l.ProcedureCode, l.Units, l.Paid, words(l.Adjustments)))
	}
	return strings.Join(lines, "\n")
}

// TestDecisionOfThePrimaryPayer bills the secondary payer after each kind of decision
// of the primary one.
func TestDecisionOfThePrimaryPayer(t *testing.T) {
	t.Parallel()
	units := func(l remit.Line, units string) remit.Line {
		l.Units = units
		return l
	}
	as := func(l remit.Line, submitted string) remit.Line {
		l.SubmittedCode = submitted
		return l
	}
	whole := remitted("1", "P1", primaryLines())
	whole.PatientResponsibility = new(billing.Money(200_00))
	refused := remitted("4", "P1", []remit.Line{
		units(paying("D2740", 0, cas("CO", "29", 950_00)), "0"), units(paying("D0120", 0, cas("CO", "29", 60_50)), "0"),
		units(paying("D2392", 0, cas("CO", "29", 150_00)), "0"), units(paying("D1110", 0, cas("CO", "29", 100_00)), "0"),
	})
	noLines := remitted("1", "P1", nil, cas("CO", "45", 200_00), cas("PR", "2", 200_00))
	noLines.Charge, noLines.Paid = 1260_50, 860_50
	const stated = `
1 D2740 x1 650.00 PR2 150.00 CO45 150.00
2 D0120 x1 60.50
3 D2392 x1 100.00 PR2 50.00
4 D1110 x1 50.00 CO45 50.00`
	for name, c := range map[string]struct {
		files []eraFile
		want  string
	}{
		"nothing decided":   {nil, "nothing"},
		"all lines":         {[]eraFile{{10, "Delta", []remit.Claim{whole}}}, "P1 of 2026-03-10 paid 860.50" + stated},
		"no lines":          {[]eraFile{{10, "Delta", []remit.Claim{noLines}}}, "P1 of 2026-03-10 paid 860.50 CO45 200.00 PR2 200.00"},
		"adjusted above it": {[]eraFile{{10, "Delta", []remit.Claim{remitted("1", "P1", primaryLines(), cas("CO", "131", 60_50))}}}, "P1 of 2026-03-10 paid 800.00 CO131 60.50" + stated},
		"a split claim": {
			[]eraFile{{10, "Delta", []remit.Claim{remitted("1", "P1", primaryLines()[:2]), remitted("1", "P2", primaryLines()[2:], cas("CO", "131", 10_00))}}},
			"P2 of 2026-03-10 paid 850.50 CO131 10.00" + stated,
		},
		"a claim that is split over days": {
			[]eraFile{{12, "Delta", []remit.Claim{remitted("1", "P1", primaryLines()[2:])}}, {10, "Delta", []remit.Claim{remitted("1", "P2", primaryLines()[:2])}}},
			"P1 of 2026-03-12 paid 860.50" + stated,
		},
		"a split line": {
			[]eraFile{{10, "Delta", []remit.Claim{remitted("1", "P1", []remit.Line{
				numbered(paying("D2740", 300_00, cas("PR", "2", 100_00), cas("CO", "45", 50_00)), "1"),
				numbered(paying("D2740", 250_00, cas("PR", "2", 150_00), cas("PR", "1", 100_00)), "1"),
			})}}},
			"P1 of 2026-03-10 paid 550.00\n1 D2740 x1 550.00 PR2 250.00 CO45 50.00 PR1 100.00",
		},
		"a reversal": {[]eraFile{{10, "Delta", []remit.Claim{whole}}, {11, "Delta", []remit.Claim{takenBack(whole)}}}, "nothing"},
		"a correction": {
			[]eraFile{{10, "Delta", []remit.Claim{refused}}, {11, "Delta", []remit.Claim{whole, takenBack(refused)}}},
			"P1 of 2026-03-11 paid 860.50" + stated,
		},
		"a line that is decided again": {
			[]eraFile{{10, "Delta", []remit.Claim{whole}}, {11, "Delta", []remit.Claim{remitted("1", "P1", []remit.Line{paying("D1110", 75_00, cas("CO", "45", 25_00))})}}},
			"P1 of 2026-03-11 paid 885.50" + strings.Replace(stated, "4 D1110 x1 50.00 CO45 50.00", "4 D1110 x1 75.00 CO45 25.00", 1),
		},
		"a denial": {
			[]eraFile{{10, "Delta", []remit.Claim{refused}}},
			"P1 of 2026-03-10 paid 0.00\n1 D2740 x0 0.00 CO29 950.00\n2 D0120 x0 0.00 CO29 60.50\n3 D2392 x0 0.00 CO29 150.00\n4 D1110 x0 0.00 CO29 100.00",
		},
		"another procedure is paid": {
			[]eraFile{{10, "Delta", []remit.Claim{remitted("1", "P1", []remit.Line{as(paying("D2140", 90_00, cas("CO", "45", 60_00)), "D2392")})}}},
			"P1 of 2026-03-10 paid 90.00\n3 D2140 x1 90.00 CO45 60.00",
		},
		"a line is bundled into another": {
			[]eraFile{{10, "Delta", []remit.Claim{remitted("1", "P1", []remit.Line{
				paying("D2740", 650_00, cas("CO", "45", 300_00)), units(paying("D0120", 0, cas("CO", "97", 60_50)), "0"), paying("D9999", 0),
			})}}},
			"P1 of 2026-03-10 paid 650.00\n1 D2740 x1 650.00 CO45 300.00\n2 D0120 x0 0.00 CO97 60.50",
		},
		"no line is the claim's": {
			[]eraFile{{10, "Delta", []remit.Claim{remitted("1", "P1", []remit.Line{
				paying("D9110", 700_00, cas("PR", "2", 100_00)), paying("D9120", 260_50, cas("PR", "2", 100_00)),
			}, cas("CO", "45", 100_00))}}},
			"P1 of 2026-03-10 paid 860.50 CO45 100.00 PR2 200.00",
		},
		"the secondary payer, too": {
			[]eraFile{{10, "Delta", []remit.Claim{whole}}, {12, "Cigna", []remit.Claim{remitted("2", "S1", secondaryLines())}}},
			"P1 of 2026-03-10 paid 860.50" + stated,
		},
	} {
		second := secondBill(t, crownClaim(), claim.SecondPlan{Relationship: coverage.RelationSelf}, c.files...)
		if got := inWords(second.OtherCoverage[0].Adjudication); got != c.want {
			t.Errorf("%s: it states\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func numbered(l remit.Line, n string) remit.Line {
	l.ControlNumber = n
	return l
}

// TestUnitsOfTheSecondBill states the units that the primary payer paid, and at most
// those of the line.
func TestUnitsOfTheSecondBill(t *testing.T) {
	t.Parallel()
	for paid, want := range map[string]int{"": 4, "3": 3, "0": 0, "9": 4, "1.5": 4} {
		c := crownClaim()
		c.Lines[0].Quantity = 4
		l := paying("D2740", 650_00, cas("CO", "45", 300_00))
		l.Units = paid
		second := secondBill(t, c, claim.SecondPlan{Relationship: coverage.RelationSelf}, eraFile{10, "Delta", []remit.Claim{remitted("1", "P1", []remit.Line{l})}})
		if got := second.OtherCoverage[0].Adjudication.Lines[0].Units; got != want {
			t.Errorf("the primary payer pays for %q units: %d, want %d", paid, got, want)
		}
	}
}

// TestPatientOfTheSecondBill has a subscriber and a dependent as patients, each under
// every relationship to the second subscriber.
func TestPatientOfTheSecondBill(t *testing.T) {
	t.Parallel()
	home, dorm := directory.Address{Line1: "1 Main St", City: "Tulsa", State: "OK", ZIP: "74103"}, directory.Address{Line1: "9 College Rd", City: "Norman", State: "OK", ZIP: "73019"}
	joe := claim.Subscriber{FirstName: "Joe", LastName: "Roe", MemberID: "J1", GroupNumber: "G-2", Address: directory.Address{Line1: "2 Oak St"}}
	jane := crownClaim().Subscriber
	jane.MiddleName, jane.Suffix, jane.Gender, jane.Address = "Q", "JR", claim.GenderFemale, home
	kim := claim.Patient{FirstName: "Kim", LastName: "Poe", DateOfBirth: billing.Date{Year: 2016, Month: 5, Day: 6}, Relationship: coverage.RelationChild}
	away := kim
	away.Address = dorm
	for name, first := range map[string]struct {
		patient *claim.Patient
		want    claim.Patient
	}{
		"a subscriber":                    {nil, claim.Patient{FirstName: "Jane", MiddleName: "Q", LastName: "Roe", Suffix: "JR", DateOfBirth: jane.DateOfBirth, Gender: claim.GenderFemale, Address: home}},
		"a dependent":                     {&kim, claim.Patient{FirstName: "Kim", LastName: "Poe", DateOfBirth: kim.DateOfBirth, Address: home}},
		"a dependent at his own address ": {&away, claim.Patient{FirstName: "Kim", LastName: "Poe", DateOfBirth: kim.DateOfBirth, Address: dorm}},
	} {
		for _, relation := range []coverage.Relationship{coverage.RelationSelf, coverage.RelationSpouse, coverage.RelationChild, coverage.RelationOther} {
			c := crownClaim()
			c.Subscriber, c.Patient = jane, first.patient
			before := coverage.RelationSelf
			if first.patient != nil {
				before = coverage.RelationChild
			}
			second := secondBill(t, c, claim.SecondPlan{Subscriber: joe, Relationship: relation})
			other := second.OtherCoverage[0]
			if second.Subscriber != joe || other.Subscriber != jane || other.Relationship != before {
				t.Errorf("%s, %s: subscriber %+v, the other one %+v (%s)", name, relation, second.Subscriber, other.Subscriber, other.Relationship)
			}
			want := first.want
			want.Relationship = relation
			if p := second.Patient; (p == nil) != (relation == coverage.RelationSelf) || p != nil && *p != want {
				t.Errorf("%s, %s: the patient is %+v, want %+v", name, relation, p, want)
			}
		}
	}
}

// TestPayersOfTheSecondBill leaves out what only the primary payer knows, and the
// coverage whose payer is billed. The tertiary one stays.
func TestPayersOfTheSecondBill(t *testing.T) {
	t.Parallel()
	c := crownClaim()
	c.PriorAuthorization, c.PredeterminationNumber, c.ReferralNumber, c.PayerClaimNumber = "A-1", "D-1", "R-1", "P-1"
	third := claim.OtherCoverage{Sequence: billing.SequenceTertiary, Payer: directory.PayerSummary{Name: "Aetna"}, Relationship: coverage.RelationOther}
	c.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequenceSecondary, Payer: directory.PayerSummary{Name: "Cigna"}, Relationship: coverage.RelationSelf}, third}
	second := secondBill(t, c, claim.SecondPlan{Payer: directory.PayerSummary{Name: "Cigna"}, Relationship: coverage.RelationSelf})
	if second.PriorAuthorization+second.PredeterminationNumber+second.ReferralNumber+second.PayerClaimNumber != "" || second.Payer.Name != "Cigna" {
		t.Errorf("the second claim has %+v", second.Content)
	}
	if o := second.OtherCoverage; len(o) != 2 || o[0].Payer != c.Payer || o[1].Sequence != billing.SequenceTertiary || o[1].Payer.Name != "Aetna" {
		t.Errorf("the other coverages are %+v", o)
	}
	if earlier := second.Earlier(); len(earlier) != 1 || earlier[0].Sequence != billing.SequencePrimary {
		t.Errorf("%d payers decide before the second one", len(earlier))
	}
	if len(c.OtherCoverage) != 2 || c.OtherCoverage[0].Payer.Name != "Cigna" {
		t.Errorf("the first claim now has %+v", c.OtherCoverage)
	}
	var conflict *billing.Error
	for again, want := range map[bool]bool{false: true, true: false} {
		r := record(c)
		r.State = claim.Paid
		if _, err := r.BillSecondary(billing.ClaimID{15: 14}, "PCN-3", claim.SecondPlan{}, again, billing.RequestID{}, time.Time{}); errors.As(err, &conflict) != want {
			t.Errorf("billed again: %v", err)
		}
	}
}

// TestBothClaimsShowWhatThePatientOwes has decisions of both payers about different
// parts of the services.
func TestBothClaimsShowWhatThePatientOwes(t *testing.T) {
	t.Parallel()
	all := remitted("1", "P1", primaryLines())
	changed := primaryLines()
	changed[2].SubmittedCode, changed[2].ProcedureCode = "D2392", "D2140"
	for name, c := range map[string]struct {
		primary, secondary remit.Claim
		patient            billing.Money
	}{
		"all lines":                   {all, remitted("2", "S1", secondaryLines()), 50_00},
		"one line":                    {all, remitted("2", "S1", secondaryLines()[:1]), 87_50},
		"the secondary pays nothing":  {all, remitted("4", "S1", []remit.Line{paying("D2740", 0, cas("CO", "29", 950_00))}), 200_00},
		"the secondary without lines": {all, remitted("2", "S1", nil, cas("OA", "23", 1160_50), cas("PR", "2", 100_00)), 100_00},
		"the secondary pays it twice": {all, remitted("2", "S1", []remit.Line{paying("D2740", 400_00, cas("OA", "23", 400_00), cas("PR", "2", 150_00))}), 0},
		"another procedure is paid, and the secondary states two lines for it": {
			remitted("1", "P1", changed),
			remitted("2", "S1", []remit.Line{paying("D2392", 0, cas("OA", "23", 50_00)), paying("D2392", 0, cas("OA", "23", 70_00), cas("PR", "2", 30_00))}), 180_00,
		},
	} {
		first := crownClaim()
		plan := claim.SecondPlan{Payer: directory.PayerSummary{Name: "Cigna"}, Subscriber: first.Subscriber, Relationship: coverage.RelationSelf}
		second := secondBill(t, first, plan, eraFile{10, "Delta", []remit.Claim{c.primary}})
		next, left, _ := postFiles(second, []eraFile{{12, "Cigna", []remit.Claim{c.secondary}}})
		if len(left) > 0 {
			t.Fatalf("%s: %v", name, left)
		}
		l, _, _ := postFiles(first, []eraFile{{10, "Delta", []remit.Claim{c.primary}}})
		of, to := l.Beside(next).Standing(), next.Beside(l).Standing()
		if of.PatientResponsibility != c.patient || to.PatientResponsibility != c.patient {
			t.Errorf("%s: the claims show %s and %s, want %s", name, of.PatientResponsibility, to.PatientResponsibility, c.patient)
		}
		if of.Paid != c.primary.Paid || to.Paid != c.secondary.Paid || of.Contractual != to.Contractual || of.Outcome != remit.OutcomePaid {
			t.Errorf("%s: %+v and %+v", name, of, to)
		}
	}
}

// The history of a claim that was sent has when the decision of the payer before changed. One that is
// as before again is no longer outdated.
func TestWhenAnEarlierDecisionChanged(t *testing.T) {
	t.Parallel()
	first, c := newClaim(), newClaim()
	first.ID = billing.ClaimID{15: 97}
	books := books{Claim: first}
	was := first.Ledger([]*remit.LedgerEntry{books.entry(remit.Claim{StatusCode: "1", Charge: 80_00, Paid: 80_00})})
	c.State, c.SentAt, c.BatchID, c.SecondaryTo, c.Coverage = claim.AcceptedPayer, noon, billing.FileID{15: 4}, first.ID, billing.SequenceSecondary
	c.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequencePrimary, Adjudication: was.Adjudication()}}
	if _, changed := c.Follow(was, first.Ledger(nil), claim.Cause{At: evening}); !changed || !c.Outdated() || !c.OutdatedSince().Equal(evening) || c.State != claim.AcceptedPayer {
		t.Errorf("changed %t, outdated %t since %s, %s", changed, c.Outdated(), c.OutdatedSince(), c.State)
	}
	if _, changed := c.Follow(first.Ledger(nil), was, claim.Cause{At: evening.Add(time.Hour)}); !changed || c.Outdated() || len(c.History) != 1 {
		t.Errorf("as before again: changed %t, outdated %t, %+v", changed, c.Outdated(), c.History)
	}
}
