package claim_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// crownClaim has four services of 1260.50.
func crownClaim() *claim.Claim {
	c := newClaim()
	c.Kind, c.Patient, c.Payer = claim.KindClaim, nil, directory.PayerSummary{Name: "Delta"}
	c.Lines = nil
	for _, s := range []struct {
		procedure string
		fee       billing.Money
	}{{"D2740", 950_00}, {"D0120", 60_50}, {"D2392", 150_00}, {"D1110", 100_00}} {
		c.Lines = append(c.Lines, claim.Line{ProcedureCode: s.procedure, ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 2}, Fee: s.fee, Quantity: 1})
	}
	return c
}

// paying returns a line that pays the amount; the adjustments are the rest.
func paying(procedure string, paid billing.Money, adjustments ...remit.Adjustment) remit.Line {
	l := remit.Line{ProcedureCode: procedure, Paid: paid, Charge: paid, Adjustments: adjustments}
	for _, a := range adjustments {
		l.Charge += a.Amount
	}
	return l
}

// remitted returns a balanced remittance claim.
func remitted(status, number string, lines []remit.Line, adjustments ...remit.Adjustment) remit.Claim {
	r := remit.Claim{
		StatusCode: status, PayerClaimNumber: number, PatientFirstName: "JANE", PatientLastName: "ROE", MemberID: "W1",
		Lines: lines, Adjustments: adjustments, Balanced: true,
	}
	for _, l := range lines {
		r.Charge, r.Paid = r.Charge+l.Charge, r.Paid+l.Paid
	}
	for _, a := range adjustments {
		if r.Paid -= a.Amount; len(lines) == 0 {
			r.Charge, r.Paid = r.Charge+a.Amount, 0
		}
	}
	return r
}

// takenBack returns the reversal of a remittance claim.
func takenBack(r remit.Claim) remit.Claim {
	negative := func(all []remit.Adjustment) []remit.Adjustment {
		all = slices.Clone(all)
		for i := range all {
			all[i].Amount *= -1
		}
		return all
	}
	r.StatusCode, r.Charge, r.Paid = "22", -r.Charge, -r.Paid
	r.Adjustments, r.Lines = negative(r.Adjustments), slices.Clone(r.Lines)
	for i := range r.Lines {
		l := &r.Lines[i]
		l.Charge, l.Paid, l.Adjustments = -l.Charge, -l.Paid, negative(l.Adjustments)
	}
	return r
}

// primaryLines pay 860.50; 200.00 are left to the patient, and 200.00 written off.
func primaryLines() []remit.Line {
	return []remit.Line{
		paying("D2740", 650_00, cas("PR", "2", 150_00), cas("CO", "45", 150_00)),
		paying("D0120", 60_50),
		paying("D2392", 100_00, cas("PR", "2", 50_00)),
		paying("D1110", 50_00, cas("CO", "45", 50_00)),
	}
}

// secondaryLines pay 150.00 of the 200.00.
func secondaryLines() []remit.Line {
	return []remit.Line{
		paying("D2740", 112_50, cas("OA", "23", 800_00), cas("PR", "2", 37_50)),
		paying("D0120", 0, cas("OA", "23", 60_50)),
		paying("D2392", 37_50, cas("OA", "23", 100_00), cas("PR", "2", 12_50)),
		paying("D1110", 0, cas("OA", "23", 100_00)),
	}
}

// eraFile is a remittance of a day in March.
type eraFile struct {
	day    int
	payer  string
	claims []remit.Claim
}

// postFiles applies files in the order in which they are given, reversals first, and
// returns what was left for a person. A reversal that waits is tried again.
func postFiles(c *claim.Claim, files []eraFile) (l *claim.Ledger, left []remit.ReviewCode, last *remit.LedgerEntry) {
	l = c.Ledger(nil)
	var waiting []*remit.LedgerEntry
	var post func(e *remit.LedgerEntry)
	post = func(e *remit.LedgerEntry) {
		code := l.Review(e, remit.MatchedByControlNumber)
		if code == remit.ReviewNoPayment {
			waiting = append(waiting, e)
			return
		}
		if code != "" {
			left = append(left, code)
			return
		}
		l, last = l.With(e), e
		again := waiting
		waiting = nil
		for _, w := range again {
			post(w)
		}
	}
	for i, f := range files {
		n := i + 1
		source := remit.Source{ID: billing.ERAID{15: byte(n)}, PayerName: f.payer, TraceNumber: fmt.Sprint("T-", n), Arrival: int64(n)}
		var entries []*remit.LedgerEntry
		for o := range f.claims {
			r := f.claims[o]
			r.Ordinal, r.Date = o+1, billing.Date{Year: 2026, Month: 3, Day: f.day}
			entries = append(entries, &remit.LedgerEntry{Claim: &r, ERA: source})
		}
		slices.SortStableFunc(entries, func(a, b *remit.LedgerEntry) int { return -cmp.Compare(btoi(a.Reverses()), btoi(b.Reverses())) })
		for _, e := range entries {
			post(e)
		}
	}
	for range waiting {
		left = append(left, remit.ReviewNoPayment)
	}
	return l, left, last
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shown writes the figures of a ledger in one line.
func shown(l *claim.Ledger) string {
	s := l.Standing()
	if s == nil {
		return "nothing stands"
	}
	allowed := "unknown"
	if s.Allowed != nil {
		allowed = s.Allowed.String()
	}
	return fmt.Sprintf("%s on day %d: paid %s, allowed %s, patient %s, written off %s, not paid %s",
		s.Outcome, s.PaymentDate.Day, s.Paid, allowed, s.PatientResponsibility, s.Contractual, s.NotPaid)
}

// TestLedgerCases works through histories that once had wrong figures, and through
// the usual ones around them.
func TestLedgerCases(t *testing.T) {
	t.Parallel()
	first := remitted("19", "A1", primaryLines())
	firstAs := func(number string) remit.Claim { r := first; r.PayerClaimNumber = number; return r }
	part1, part2 := remitted("1", "A1", primaryLines()[:2]), remitted("1", "A2", primaryLines()[2:])
	sameNumber := part2
	sameNumber.PayerClaimNumber = "A1"
	whole := takenBack(first)
	stranger := remitted("1", "Z9", []remit.Line{paying("D2740", 700_00)})
	stranger.PatientFirstName, stranger.PatientLastName, stranger.MemberID = "SAM", "ELSE", "Q7"
	sequestered := primaryLines()
	sequestered[0] = paying("D2740", 637_00, cas("PR", "2", 150_00), cas("CO", "45", 150_00), cas("CO", "253", 13_00))
	atLevel := remitted("1", "A1", []remit.Line{
		paying("D2740", 800_00, cas("PR", "2", 150_00)), paying("D0120", 60_50), paying("D2392", 100_00, cas("PR", "2", 50_00)), paying("D1110", 100_00),
	}, cas("CO", "45", 200_00))
	denied := remitted("4", "A1", nil, cas("PR", "96", 1260_50))
	full := remitted("1", "A1", []remit.Line{paying("D2740", 950_00), paying("D0120", 60_50), paying("D2392", 150_00), paying("D1110", 100_00)})
	const primary = "paid on day 1: paid 860.50, allowed 1060.50, patient 200.00, written off 200.00, not paid 0.00"
	for name, c := range map[string]struct {
		files    []eraFile
		want     string
		left     []remit.ReviewCode
		warnings []remit.WarningCode
	}{
		"one payer": {[]eraFile{{1, "Delta", []remit.Claim{first}}}, primary, nil, nil},
		"a crossover": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Cigna", []remit.Claim{remitted("2", "B1", secondaryLines())}}},
			"paid on day 2: paid 1010.50, allowed 1060.50, patient 50.00, written off 200.00, not paid 0.00", nil, nil,
		},
		"the secondary's remittance is first": {
			[]eraFile{{2, "Cigna", []remit.Claim{remitted("2", "B1", secondaryLines())}}, {1, "Delta", []remit.Claim{first}}},
			"paid on day 2: paid 1010.50, allowed 1060.50, patient 50.00, written off 200.00, not paid 0.00", nil, nil,
		},
		"a secondary that refuses the rest": {
			[]eraFile{
				{1, "Delta", []remit.Claim{first}},
				{2, "Cigna", []remit.Claim{remitted("2", "B1", nil, cas("OA", "23", 1060_50), cas("OA", "18", 200_00))}},
			}, primary, nil, nil,
		},
		"the whole claim twice in one remittance": {
			[]eraFile{{1, "Delta", []remit.Claim{first, first}}},
			"paid on day 1: paid 1721.00, allowed 1060.50, patient 0.00, written off 200.00, not paid 0.00", nil,
			[]remit.WarningCode{remit.WarnExceedsCharge, remit.WarnPatientAmountCapped},
		},
		"a secondary that pays nothing": {
			[]eraFile{
				{1, "Delta", []remit.Claim{first}},
				{2, "Cigna", []remit.Claim{remitted("2", "B1", nil, cas("OA", "23", 1060_50), cas("PR", "3", 200_00))}},
			}, primary, nil, nil,
		},
		"a secondary that leaves the whole charge to the patient": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Cigna", []remit.Claim{remitted("2", "B1", nil, cas("PR", "96", 1260_50))}}},
			primary, nil,
			[]remit.WarningCode{remit.WarnPatientAmountCapped},
		},
		"a secondary that refuses": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Cigna", []remit.Claim{remitted("4", "B1", nil, cas("CO", "29", 1260_50))}}},
			primary, nil, nil,
		},
		"denied": {
			[]eraFile{{1, "Delta", []remit.Claim{denied}}},
			"denied on day 1: paid 0.00, allowed 0.00, patient 1260.50, written off 0.00, not paid 0.00", nil, nil,
		},
		"denied, then paid in full without a reversal": {
			[]eraFile{{1, "Delta", []remit.Claim{denied}}, {2, "Delta", []remit.Claim{full}}},
			"paid on day 2: paid 1260.50, allowed 1260.50, patient 0.00, written off 0.00, not paid 0.00", nil, nil,
		},
		"a correction before its reversal": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Delta", []remit.Claim{first, whole}}},
			"paid on day 2: paid 860.50, allowed 1060.50, patient 200.00, written off 200.00, not paid 0.00", nil, nil,
		},
		"a correction under another number": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Delta", []remit.Claim{firstAs("A1C"), whole}}},
			"paid on day 2: paid 860.50, allowed 1060.50, patient 200.00, written off 200.00, not paid 0.00", nil, nil,
		},
		"the same under two traces": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Delta", []remit.Claim{first}}},
			primary,
			[]remit.ReviewCode{remit.ReviewPaymentRepeated},
			nil,
		},
		"again under another number, beyond the charge": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Delta", []remit.Claim{firstAs("A2")}}},
			primary,
			[]remit.ReviewCode{remit.ReviewExceedsCharge},
			nil,
		},
		"again under another number, after a reversal": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Delta", []remit.Claim{whole}}, {3, "Delta", []remit.Claim{firstAs("A2")}}},
			"paid on day 3: paid 860.50, allowed 1060.50, patient 200.00, written off 200.00, not paid 0.00", nil, nil,
		},
		"paid, reversed, paid again": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Delta", []remit.Claim{whole}}, {3, "Delta", []remit.Claim{first}}},
			"paid on day 3: paid 860.50, allowed 1060.50, patient 200.00, written off 200.00, not paid 0.00", nil, nil,
		},
		"a reversal that comes first": {
			[]eraFile{{2, "Delta", []remit.Claim{whole}}, {1, "Delta", []remit.Claim{first}}}, "nothing stands", nil, nil,
		},
		"a reversal never takes back a later payment": {
			[]eraFile{{2, "Delta", []remit.Claim{whole}}, {3, "Delta", []remit.Claim{first}}},
			"paid on day 3: paid 860.50, allowed 1060.50, patient 200.00, written off 200.00, not paid 0.00",
			[]remit.ReviewCode{remit.ReviewNoPayment},
			nil,
		},
		"a reversal of another amount": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Delta", []remit.Claim{takenBack(full)}}},
			primary,
			[]remit.ReviewCode{remit.ReviewReversalDiffers},
			nil,
		},
		"another patient's remittance": {
			[]eraFile{{1, "Delta", []remit.Claim{stranger}}}, "nothing stands", []remit.ReviewCode{remit.ReviewPatientAndCharge}, nil,
		},
		"a split claim": {[]eraFile{{1, "Delta", []remit.Claim{part1, part2}}}, primary, nil, nil},
		"a split claim in two files": {
			[]eraFile{{1, "Delta", []remit.Claim{part1}}, {2, "Delta", []remit.Claim{part2}}},
			"paid on day 2: paid 860.50, allowed 1060.50, patient 200.00, written off 200.00, not paid 0.00", nil, nil,
		},
		"one reversal for a split claim": {
			[]eraFile{{1, "Delta", []remit.Claim{part1, part2}}, {2, "Delta", []remit.Claim{whole}}}, "nothing stands", nil, nil,
		},
		"one reversal for a split claim with one number": {
			[]eraFile{{1, "Delta", []remit.Claim{part1, sameNumber}}, {2, "Delta", []remit.Claim{whole}}}, "nothing stands", nil, nil,
		},
		"one line reversed": {
			[]eraFile{{1, "Delta", []remit.Claim{first}}, {2, "Delta", []remit.Claim{takenBack(remitted("1", "A1", primaryLines()[2:3]))}}},
			"paid on day 1: paid 760.50, allowed 910.50, patient 150.00, written off 200.00, not paid 0.00", nil, nil,
		},
		"each line reversed": {
			[]eraFile{
				{1, "Delta", []remit.Claim{remitted("1", "A1", []remit.Line{paying("D2740", 900_00, cas("PR", "2", 50_00)), paying("D0120", 0, cas("CO", "18", 60_50))})}},
				{2, "Delta", []remit.Claim{takenBack(remitted("1", "A1", []remit.Line{paying("D2740", 900_00, cas("PR", "2", 50_00))}))}},
			},
			"denied on day 1: paid 0.00, allowed 0.00, patient 0.00, written off 0.00, not paid 60.50", nil, nil,
		},
		"one line corrected without a reversal": {
			[]eraFile{
				{1, "Delta", []remit.Claim{remitted("4", "A1", []remit.Line{
					paying("D2740", 0, cas("CO", "16", 950_00)), paying("D0120", 0, cas("CO", "16", 60_50)),
					paying("D2392", 0, cas("CO", "16", 150_00)), paying("D1110", 0, cas("CO", "16", 100_00)),
				})}},
				{2, "Delta", []remit.Claim{remitted("1", "A1", primaryLines()[2:3])}},
			},
			"paid on day 2: paid 100.00, allowed 150.00, patient 50.00, written off 0.00, not paid 1110.50", nil, nil,
		},
		"sequestration": {
			[]eraFile{{1, "Delta", []remit.Claim{remitted("1", "A1", sequestered)}}},
			"paid on day 1: paid 847.50, allowed 1060.50, patient 200.00, written off 213.00, not paid 0.00", nil, nil,
		},
		"an adjustment of the claim": {[]eraFile{{1, "Delta", []remit.Claim{atLevel}}}, primary, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, left, last := postFiles(crownClaim(), c.files)
			if got := shown(l); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if !slices.Equal(left, c.left) {
				t.Errorf("left for a person: %v, want %v", left, c.left)
			}
			if last != nil && !slices.Equal(l.Warnings(last, nil), c.warnings) {
				t.Errorf("warnings %v, want %v", l.Warnings(last, nil), c.warnings)
			}
		})
	}
}

// TestRepeatedPaymentAppliedByAPerson keeps its warnings.
func TestRepeatedPaymentAppliedByAPerson(t *testing.T) {
	t.Parallel()
	first := remitted("1", "A1", primaryLines())
	l, _, _ := postFiles(crownClaim(), []eraFile{{1, "Delta", []remit.Claim{first}}})
	again := &remit.LedgerEntry{Claim: &first, ERA: remit.Source{ID: billing.ERAID{15: 9}, PayerName: "Delta", TraceNumber: "T-9", Arrival: 9}}
	l = l.With(again)
	want := []remit.WarningCode{remit.WarnExceedsCharge, remit.WarnPatientAmountCapped, remit.WarnPaymentRepeated}
	if got := l.Warnings(again, nil); !slices.Equal(got, want) {
		t.Errorf("warnings %v, want %v", got, want)
	}
}

// TestPayerClaimNumberAlone wants the charge or the name too: another payer's claim
// may have the number.
func TestPayerClaimNumberAlone(t *testing.T) {
	t.Parallel()
	l := crownClaim().Ledger(nil)
	for name, c := range map[string]struct {
		change func(r *remit.Claim)
		want   remit.ReviewCode
	}{
		"charge and name": {func(*remit.Claim) {}, ""},
		"charge":          {func(r *remit.Claim) { r.PatientLastName = "ELSE" }, ""},
		"name":            {func(r *remit.Claim) { r.Charge, r.Paid = r.Charge+1, r.Paid+1 }, ""},
		"neither":         {func(r *remit.Claim) { r.PatientLastName, r.Charge = "ELSE", r.Charge+1 }, remit.ReviewPayerNumberOnly},
	} {
		r := remitted("1", "B1", primaryLines())
		c.change(&r)
		if got := l.Review(&remit.LedgerEntry{Claim: &r, ERA: remit.Source{PayerName: "Delta"}}, remit.MatchedByPayerNumber); got != c.want {
			t.Errorf("%s: review %q, want %q", name, got, c.want)
		}
	}
}

func TestLinesAreMatchedByContent(t *testing.T) {
	t.Parallel()
	with := func(l remit.Line, number string) remit.Line { l.ControlNumber = number; return l }
	reversed := primaryLines()
	slices.Reverse(reversed)
	downgraded := paying("D2391", 100_00, cas("CO", "45", 50_00))
	downgraded.SubmittedCode = "D2392"
	for name, c := range map[string]struct {
		lines []remit.Line
		want  []int
	}{
		"in reverse order":              {reversed, []int{4, 3, 2, 1}},
		"one alone":                     {primaryLines()[2:3], []int{3}},
		"a downgrade":                   {[]remit.Line{downgraded}, []int{3}},
		"the payer's own line number":   {[]remit.Line{with(primaryLines()[2], "1")}, []int{3}},
		"a number of 50":                {[]remit.Line{with(primaryLines()[2], "50")}, []int{3}},
		"one line in two parts":         {[]remit.Line{with(paying("D2740", 500_00), "1"), with(paying("D2740", 450_00), "1")}, []int{1, 1}},
		"parts of more than the charge": {[]remit.Line{with(paying("D2740", 500_00), "1"), with(paying("D2740", 451_00), "1")}, []int{1, 0}},
		"the charge agrees":             {[]remit.Line{with(paying("D9999", 60_50), "2")}, []int{2}},
		"nothing agrees":                {[]remit.Line{paying("D9999", 60_50)}, []int{0}},
		"the last one on both sides":    {append(primaryLines()[:3], paying("D1120", 100_00)), []int{1, 2, 3, 4}},
		"the last one, another charge":  {append(primaryLines()[:3], paying("D1120", 99_00)), []int{1, 2, 3, 0}},
		"twice the same procedure":      {[]remit.Line{paying("D2740", 500_00), paying("D2740", 450_00)}, []int{0, 0}},
	} {
		r := remitted("1", "A1", c.lines)
		if got := crownClaim().MatchLines(&r); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestEstimateWithLinesInAnotherOrder gives each line the patient's own amount.
// TestLinesMovedByAReplacement has a replacement with the lines of the claim in
// another order, and a payer that decides one of them again.
func TestLinesMovedByAReplacement(t *testing.T) {
	t.Parallel()
	c := crownClaim()
	entry := func(n int64, r remit.Claim) *remit.LedgerEntry {
		r.LineNumbers = c.MatchLines(&r)
		return &remit.LedgerEntry{Claim: &r, ERA: remit.Source{ID: billing.ERAID{byte(n)}, PayerName: "Delta", Arrival: n}}
	}
	before := entry(1, remitted("1", "P1", primaryLines()))
	slices.Reverse(c.Lines)
	crown := entry(2, remitted("1", "P1", []remit.Line{paying("D2740", 0, cas("CO", "45", 100_00), cas("PR", "2", 850_00))}))
	l := c.Ledger([]*remit.LedgerEntry{before, crown})
	if got := l.Standing().Contractual; got != 150_00 {
		t.Errorf("%s is written off: 100.00 of the crown and 50.00 of the cleaning are", got)
	}
	if got := l.Adjudications()[0].Numbers; !slices.Equal(got, []int{4, 3, 2, 1}) {
		t.Errorf("the first payment is for the lines %v", got)
	}
	before.MatchedBy, before.LineNumbers = remit.MatchedByUser, []int{2, 1, 4, 3}
	if got := c.LineNumbers(before.Claim); !slices.Equal(got, before.LineNumbers) {
		t.Errorf("a person matched the lines %v, now they are %v", before.LineNumbers, got)
	}
}

func TestEstimateWithLinesInAnotherOrder(t *testing.T) {
	t.Parallel()
	c := crownClaim()
	c.Lines = []claim.Line{{ProcedureCode: "D2740", Fee: 1200_00}, {ProcedureCode: "D2392", Fee: 240_00}}
	r := remitted("25", "P1", []remit.Line{
		paying("D2392", 0, cas("OA", "101", 48_00), cas("PR", "2", 192_00)),
		paying("D2740", 0, cas("OA", "101", 632_00), cas("PR", "2", 568_00)),
	})
	for _, l := range r.Estimate(billing.ERAID{}, c.MatchLines(&r)).Lines {
		want := map[int][2]billing.Money{1: {632_00, 568_00}, 2: {48_00, 192_00}}[l.Number]
		if got := [2]billing.Money{l.Pay, l.Patient}; got != want {
			t.Errorf("line %d: pays %s, patient %s; want %v", l.Number, l.Pay, l.Patient, want)
		}
	}
}

// TestNamesAsFilesCarryThem takes a name as files of ASCII spell it for the patient's.
func TestNamesAsFilesCarryThem(t *testing.T) {
	t.Parallel()
	c, r := crownClaim(), remitted("1", "A1", primaryLines())
	c.Patient, c.Subscriber.FirstName, c.Subscriber.LastName = nil, "Łukasz", "Søn-OʼWeiß"
	r.PatientFirstName, r.PatientLastName, r.MemberID = "LUKASZ", "SON-O'WEISS", "Q7"
	l, _, last := postFiles(c, []eraFile{{1, "Delta", []remit.Claim{r}}})
	if got := l.Warnings(last, nil); len(got) > 0 {
		t.Errorf("warnings %v", got)
	}
}
