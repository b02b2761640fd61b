package sandboxnet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports/porttest"
)

// ortho makes a claim of orthodontic services, without their course.
func ortho(procedures ...string) func(*claims.Claim) {
	return func(c *claims.Claim) {
		c.Lines = nil
		for _, p := range procedures {
			c.Lines = append(c.Lines, claims.Line{Procedure: p, ServiceDate: on(3, 2), Fee: 100_00, Quantity: 1})
		}
	}
}

// both makes several changes.
func both(changes ...func(*claims.Claim)) func(*claims.Claim) {
	return func(c *claims.Claim) {
		for _, change := range changes {
			change(c)
		}
	}
}

// TestEdits sends, for each check of the clearinghouse, a claim that fails it and one
// that just passes. A claim that fails goes to no payer.
func TestEdits(t *testing.T) {
	t.Parallel()
	address := func(change func(*claims.Address)) func(*claims.Claim) {
		return func(c *claims.Claim) { change(&c.Billing.Address) }
	}
	office := func(change func(*claims.BillingProvider)) func(*claims.Claim) {
		return func(c *claims.Claim) { change(&c.Billing) }
	}
	line := func(i int, change func(*claims.Line)) func(*claims.Claim) {
		return func(c *claims.Claim) {
			c.Lines = slices.Clone(c.Lines)
			change(&c.Lines[i])
		}
	}
	course := func(o claims.Orthodontics) func(*claims.Claim) {
		return func(c *claims.Claim) { c.Orthodontics = &o }
	}
	more := func(by billing.Money) func(*claims.Claim) { // of what the primary payer paid
		return func(c *claims.Claim) { c.Lines[1].Adjudications[0].Paid += by }
	}
	moreInAll := func(by billing.Money) func(*claims.Claim) {
		return func(c *claims.Claim) {
			paid := *c.OtherPayers[0].Paid + by
			c.OtherPayers[0].Paid = &paid
		}
	}
	ranked := func(own string, others ...string) func(*claims.Claim) {
		return func(c *claims.Claim) {
			c.Coverage, c.OtherPayers = own, nil
			for _, o := range others {
				c.OtherPayers = append(c.OtherPayers, other(o))
			}
		}
	}
	covered := map[string]bool{}
	for _, c := range []struct {
		says          string // statuses of the claim, then lines with theirs
		fails, passes func(*claims.Claim)
	}{
		{"A7:562:85", office(func(o *claims.BillingProvider) { o.NPI = "12345678" }), office(func(o *claims.BillingProvider) { o.NPI = "1234567890" })},
		{"A6:126:85", address(func(a *claims.Address) { a.Line1 = "" }), address(func(a *claims.Address) { a.Line2 = "" })},
		{"A6:126:85", address(func(a *claims.Address) { *a = claims.Address{} }), office(func(o *claims.BillingProvider) { o.Contact = "" })},
		{"A6:126:85", address(func(a *claims.Address) { a.ZIP = "" }), address(func(a *claims.Address) { a.ZIP = "741010001" })},
		{"A7:503:85", address(func(a *claims.Address) { a.Line1 = "P.O. Box 12" }), address(func(a *claims.Address) { a.Line1 = "12 Po Boxwood Lane" })},
		{"A7:503:85", address(func(a *claims.Address) { a.Line2 = "PO BOX 12" }), func(c *claims.Claim) {
			c.PayTo = claims.Address{Line1: "PO Box 12", City: "Tulsa", State: "OK", ZIP: "741010001"}
		}},
		{"A7:503:85", address(func(a *claims.Address) { a.Line1 = "Post Office Box 12" }), address(func(a *claims.Address) { a.Line1 = "12 Post Office Road" })},
		{"A7:500:85", address(func(a *claims.Address) { a.ZIP = "74101" }), address(func(a *claims.Address) { a.ZIP = "74101-0001" })},
		{"A6:128:85", office(func(o *claims.BillingProvider) { o.TaxID = "" }), office(func(o *claims.BillingProvider) { o.TaxID = "123456789" })},
		{"A7:128:85", office(func(o *claims.BillingProvider) { o.TaxID = "12345678" }), office(func(o *claims.BillingProvider) { o.TaxID = "12-3456789" })},
		{"A6:127:85", office(func(o *claims.BillingProvider) { o.Phone = "" }), office(func(o *claims.BillingProvider) { o.Phone = "(555) 010-0100" })},
		{"A7:127:85", office(func(o *claims.BillingProvider) { o.Phone = "010-0100" }), office(func(o *claims.BillingProvider) { o.Phone = "5550100100" })},
		{"A6:243 2 A6:243", both(ortho("D8660", "D8080"), func(c *claims.Claim) { c.Predetermination = true }), ortho("D8660")},
		{
			"A6:203 2 A6:203", both(ortho("D8660", "D8080"), course(claims.Orthodontics{TotalMonths: 24})),
			both(ortho("D8660", "D8080"), course(claims.Orthodontics{TotalMonths: 24, ApplianceDate: on(3, 2)})),
		},
		{
			"A6:203 1 A6:203 2 A6:203", both(ortho("D8090", "D8670"), course(claims.Orthodontics{TotalMonths: 24})),
			both(ortho("D8090", "D8670"), course(claims.Orthodontics{TotalMonths: 24}), func(c *claims.Claim) { c.Predetermination = true }),
		},
		{
			"A6:201 2 A6:201", line(1, func(l *claims.Line) { l.Prosthesis = claims.ProsthesisReplacement }),
			line(1, func(l *claims.Line) { l.Prosthesis, l.PriorPlacement = claims.ProsthesisReplacement, on(1, 2) }),
		},
		{"A7:171:PRP", ranked("", claims.CoveragePrimary), ranked("", claims.CoverageSecondary)},
		{"A7:171:SEP", ranked(claims.CoverageSecondary, claims.CoverageSecondary), ranked(claims.CoverageSecondary, claims.CoveragePrimary)},
		{
			"A7:171:PRP", ranked(claims.CoverageTertiary, claims.CoveragePrimary, claims.CoveragePrimary),
			ranked(claims.CoverageTertiary, claims.CoveragePrimary, claims.CoverageSecondary),
		},
		{"A7:672:PRP 2 A7:672:PRP", both(secondTo, more(1), moreInAll(1)), secondTo},
		{"A7:672:PRP", both(secondTo, moreInAll(-1)), both(secondTo, func(c *claims.Claim) { c.OtherPayers[0].Paid = nil })},
		{"A7:672:PRP", both(secondToWhole, moreInAll(1)), secondToWhole},
		{"A7:672:SEP 1 A7:672:SEP", both(thirdTo, func(c *claims.Claim) { c.Lines[0].Adjudications[1].Adjustments[1].Amount-- }), thirdTo},
		{"A6:128:85, A6:127:85, A7:500:85, A6:201 1 A6:201", both(
			office(func(o *claims.BillingProvider) { o.TaxID, o.Phone, o.Address.ZIP = "", "", "1" }),
			line(0, func(l *claims.Line) { l.Prosthesis = claims.ProsthesisReplacement }),
		), func(*claims.Claim) {}},
	} {
		for i, change := range []func(*claims.Claim){c.fails, c.passes} {
			files := replies(t, file(t, changed(newClaim("C-1", "-PAID-ERA", aetna()), change)), before)
			want := "A1:16:PR"
			if i == 0 {
				want = c.says
				for _, word := range strings.FieldsFunc(c.says, func(r rune) bool { return r == ' ' || r == ',' }) {
					covered[strings.Join(strings.Split(word, ":")[:min(2, strings.Count(word, ":")+1)], ":")] = true
				}
			}
			got := statuses(t, files["-clearinghouse-1.277"].Content)
			if sent := len(files) > 2; !sameWords(got, want) || sent != (i == 1) {
				t.Errorf("%s: %s, want %s; goes on to a payer: %v", []string{"fails", "passes"}[i], got, want, sent)
			}
		}
	}
	for _, e := range sandboxnet.Edits() {
		if !covered[e] {
			t.Errorf("no claim fails %s", e)
		}
	}
}

// sameWords compares the statuses in any order.
func sameWords(a, b string) bool {
	words := func(s string) []string {
		return slices.Sorted(slices.Values(strings.Fields(strings.ReplaceAll(s, ",", ""))))
	}
	return slices.Equal(words(a), words(b))
}

// statuses returns the codes on the only claim of a 277CA, and those on its lines.
func statuses(t *testing.T, content []byte) string {
	t.Helper()
	r := reported(t, content)
	var words []string
	for _, c := range r.Claims() {
		for i := range c.Statuses {
			s := &c.Statuses[i]
			if rejected := strings.HasPrefix(s.Codes[0].Category, "A1"); rejected != (s.Text == "") || s.Charge == 0 {
				t.Errorf("%s has the text %q", codeOf(s.Codes[0]), s.Text)
			}
			words = append(words, codeOf(s.Codes[0]))
		}
		for _, l := range c.Lines {
			words = append(words, l.Number)
			for i := range l.Statuses {
				for _, c := range l.Statuses[i].Codes {
					words = append(words, codeOf(c))
				}
			}
		}
	}
	return strings.Join(words, " ")
}

func codeOf(c acknowledgements.Code) string {
	return strings.TrimSuffix(c.Category+":"+c.Status+":"+c.Entity, ":")
}

// faulty returns claims that the clearinghouse rejects, and one that it does not.
func faulty() []claims.Claim {
	return []claims.Claim{
		newClaim("C-WHOLE", "-PAID-ERA", aetna()),
		changed(newClaim("C-OFFICE", "-PAID-ERA", aetna()), func(c *claims.Claim) {
			c.Billing = claims.BillingProvider{Name: "New Dental", NPI: "1457693210"}
		}),
		changed(newClaim("C-BOX", "-PAID-ERA", aetna()), func(c *claims.Claim) {
			c.Billing = claims.BillingProvider{
				Name: "Box Dental", NPI: "1881740123", TaxID: "1234", Phone: "100",
				Address: claims.Address{Line1: "P.O. Box 7", City: "Tulsa", State: "OK", ZIP: "74101"},
			}
		}),
		changed(newClaim("C-PERSON", "-123", aetna()), func(c *claims.Claim) {
			c.Billing.Person, c.Billing.FirstName, c.Billing.LastName, c.Billing.NPI = true, "Ada", "Molina", "1467560003"
		}),
		changed(newClaim("C-ORTHO", "-PAID-ERA", aetna()), both(ortho("D8080", "D8670"), withChild)),
		changed(newClaim("C-BALANCE", "-PAID-ERA", molarTest()), both(secondTo, func(c *claims.Claim) {
			c.Lines[0].Adjudications[0].Paid++
			c.Lines = append(c.Lines, claims.Line{Procedure: "D9999", ServiceDate: on(3, 3), Prosthesis: claims.ProsthesisReplacement})
			c.Lines[0].Prosthesis = claims.ProsthesisReplacement
		})),
	}
}

// TestEditGoldens compares the messages about rejected claims with golden files.
func TestEditGoldens(t *testing.T) {
	t.Parallel()
	sameMessages(t, "faulty", faulty(), map[string]time.Duration{
		".997": 300 * time.Millisecond, "-clearinghouse-1.277": 600 * time.Millisecond, "-payer-1.277": time.Second, "-payment-1.835": 121 * time.Second,
	})
}

// TestTheServiceReadsRejections checks the reasons that the service's codec reads.
func TestTheServiceReadsRejections(t *testing.T) {
	t.Parallel()
	a, err := edi.New().Acknowledgement("file", replies(t, file(t, faulty()...), before)["-clearinghouse-1.277"].Content)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range a.Reports {
		if (r.Outcome == clearing.ReportRejected) != (len(r.Reasons) > 0) || r.Side != clearing.SideClearinghouse {
			t.Errorf("%+v", r)
		}
		for _, why := range r.Reasons {
			got[r.ControlNumber] += strings.Join(strings.Fields(fmt.Sprintln(why.Status, why.Party, why.Payer, why.Line)), " ") + "; "
			if !strings.HasSuffix(why.Words, ".") {
				t.Errorf("the words are %q", why.Words)
			}
		}
	}
	want := map[string]string{
		"C-OFFICE":  "A6:126 office 0; A6:128 office 0; A6:127 office 0; ",
		"C-BOX":     "A7:503 office 0; A7:500 office 0; A7:128 office 0; A7:127 office 0; ",
		"C-ORTHO":   "A6:243 1; A6:203 1; A6:243 2; A6:203 2; ",
		"C-BALANCE": "A7:672 payer primary 1; A6:201 1; A6:201 3; ",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v,\nwant %v", got, want)
	}
}

// TestAnIncompleteOffice sends a claim of an office that lacks its numbers. The claim
// has a finding for each, and no payer gets it.
func TestAnIncompleteOffice(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	p.office = porttest.Office(t, p.store, p.scope, func(o *directory.Office) { o.TaxID, o.Phone = "", "" }).ID
	id := p.makes("", 100_00)
	p.sends()
	p.passes(3 * eraDelay)
	c := porttest.Claim(t, p.store, p.scope, id)
	if got := p.figures(id); got != "rejected" || len(c.Findings) != 2 || p.books() != "" {
		t.Fatalf("%s, %+v, %s", got, c.Findings, p.books())
	}
	for i, message := range []string{"missing tax ID (status A6:128). Its message: THE BILLING PROVIDER'S TAX ID IS MISSING.", "missing phone number or email address (status A6:127). Its message: THE BILLING PROVIDER'S TELEPHONE NUMBER IS MISSING."} {
		if f := c.Findings[i]; f.Field != "office_id" || f.Message != "The clearinghouse rejected the claim: "+message {
			t.Errorf("%+v", f)
		}
	}
}
