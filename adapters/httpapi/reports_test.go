package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// aged is a claim that was first sent so many days ago, for a service ten days before.
func (s *service) aged(t *testing.T, days int, change func(*claim.Claim)) *claim.Claim {
	t.Helper()
	return s.claim(t, func(c *claim.Claim) {
		c.State, c.SentAt, c.ProviderID = claim.AcceptedPayer, time.Now().AddDate(0, 0, -days), s.dentist
		c.Lines[0].ServiceDate = billing.DateOf(time.Now().AddDate(0, 0, -days-10))
		change(c)
	})
}

// crownRefused is the claim of an 835 that pays nothing of a crown of 1250.00 and gives a reason.
func crownRefused(number, reason string) string {
	return "CLP*" + number + "*4*1250*0**12*ICN-" + number + "*11*1~NM1*QC*1*EXAMPLE*SAM****MI*SANDBOX-PAID-ERA~" +
		"SVC*AD:D2740*1250*0**1~DTM*472*20260102~CAS*CO*" + reason + "*1250~"
}

// TestReportsByHand adds up a few claims.
func TestReportsByHand(t *testing.T) {
	t.Parallel()
	s := startService(t)
	paid, denied := s.aged(t, 45, func(*claim.Claim) {}), s.aged(t, 121, func(*claim.Claim) {})
	for _, days := range []int{0, 30, 31, 120} {
		s.aged(t, days, func(*claim.Claim) {})
	}
	s.claim(t, func(c *claim.Claim) { c.State = claim.Draft })
	s.aged(t, 9, func(c *claim.Claim) { c.State = claim.Voided })
	s.remitted(t, s.key, s.test, paying("EFT-1", 800, crownPaid(paid.PatientControlNumber), crownRefused(denied.PatientControlNumber, "16")))
	payer := denied.Payer.ID.String()

	aging := s.must(t, 200, call{path: "/reports/aging"})
	aging.shows(t, "object", "aging_report", "by", "submission", "from", nil, "rows.0.id", payer, "rows.0.name", denied.Payer.Name,
		"rows.0.insurance.days_0_30.amount", "2500.00", "rows.0.insurance.days_0_30.claims", 2, "rows.0.insurance.days_31_60.amount", "1250.00",
		"rows.0.insurance.days_91_120.amount", "1250.00", "rows.0.insurance.over_120.amount", "1250.00", "rows.0.insurance.total.amount", "6250.00",
		"rows.0.patient.days_31_60.amount", "200.00", "rows.0.patient.total.claims", 1, "rows.0.unsent.amount", "1250.00", "total.id", nil, "total.insurance.total.amount", "6250.00")
	s.must(t, 200, call{path: "/reports/aging?by=service&group_by=office"}).shows(t, "rows.0.id", s.office.String(),
		"rows.0.insurance.days_0_30.amount", "1250.00", "rows.0.insurance.days_31_60.amount", "2500.00", "rows.0.patient.days_31_60.amount", "200.00")
	s.must(t, 200, call{path: "/reports/aging?payer_id=60054"}).shows(t, "rows", []any{}, "total.insurance.total.amount", "0.00")

	s.must(t, 200, call{path: "/reports/collections?group_by=provider&from=2026-03-01&to=2026-03-31"}).shows(t, "by", "decision", "from", "2026-03-01",
		"rows.0.id", s.dentist.String(), "rows.0.claims.claims", 2, "rows.0.paid.amount", "800.00", "rows.0.paid.claims", 1,
		"rows.0.contractual.amount", "250.00", "rows.0.patient_owes.amount", "200.00", "rows.0.write_off.amount", "0.00")
	s.must(t, 200, call{path: "/reports/collections?from=2026-04-01"}).shows(t, "rows", []any{})
	s.must(t, 200, call{path: "/reports/denials"}).shows(t, "rows.0.group", "CO", "rows.0.reason", "16", "rows.0.act", "correct_and_replace",
		"rows.0.refused.amount", "1250.00", "rows.0.refused.claims", 1, "total.refused", "1250.00", "total.claims.claims", 1)
	s.must(t, 200, call{path: "/reports/payers"}).shows(t, "rows.0.decided.claims", 2, "rows.0.first_pass.claims", 1, "rows.0.later.claims", 1,
		"rows.0.first_pass_rate", 50, "rows.0.estimates.compared", 0, "total.decided.claims", 2)
	s.must(t, 200, call{path: "/claims?denial=CO-16&act=correct_and_replace"}).shows(t, "data.0.id", denied.ID, "data.0.figures.refused.0.amount", "1250.00",
		"data.0.figures.first_pass", false, "next_cursor", nil)

	head, rows := s.table(t, call{path: "/reports/aging"})
	at := slices.Index(head, "insurance.over_120.amount")
	if len(rows) != 1 || at < 0 || rows[0][at] != "1250.00" || rows[0][0] != payer {
		t.Errorf("as a file %q %q", head, rows)
	}
	for _, path := range []string{
		"/reports/aging?from=2026-01-01", "/reports/aging?by=decision", "/reports/payers?group_by=office", "/reports/denials?from=2026-02-02&to=2026-02-01",
		"/claims?denial=PR-1", "/claims?figure=charge", "/claims?sent=yes", "/claims?last_payer=false",
	} {
		wantStatus(t, s.do(t, call{path: path, bad: true}), 422, billing.CodeInvalidRequest)
	}
}

// TestLateClaims follows a claim that its payer leaves to the patient because it came too late: nothing
// is open, and nothing settles it by itself.
func TestLateClaims(t *testing.T) {
	t.Parallel()
	s := startService(t)
	late := s.aged(t, 45, func(*claim.Claim) {})
	refused := strings.Replace(crownRefused(late.PatientControlNumber, "29"), "CAS*CO*", "CAS*PR*", 1)
	era := s.remitted(t, s.key, s.test, paying("EFT-1", 0, refused))
	path := "/claims/" + late.ID.String()
	s.must(t, 200, call{path: path}).shows(t, "state", "denied", "open", "0.00", "payment.patient_responsibility", "1250.00")
	s.must(t, 200, call{path: "/reports/denials"}).shows(t, "rows.0.group", "PR", "rows.0.reason", "29", "rows.0.act", "appeal", "rows.0.refused.amount", "1250.00", "total.refused", "1250.00")
	s.must(t, 200, call{path: "/claims?denial=PR-29&act=appeal"}).shows(t, "data.0.id", late.ID, "data.0.figures.refused.0.amount", "1250.00", "next_cursor", nil)
	s.must(t, 200, call{path: "/reports/aging"}).shows(t, "total.patient.total.amount", "1250.00")
	task := s.tasks(t, "?resource_id="+late.ID.String())["denied"]
	if task["amount"] != "1250.00" || task["actions"].([]any)[0] != "createAppeal" {
		t.Errorf("the task is %v", task)
	}
	post := func() response {
		return s.must(t, 200, call{path: era + "/post", body: `{"reconcile":true}`})
	}
	post().shows(t, "reconciled", 0.0, "left_out.0.reason", "filing_limit")
	settle := call{path: "/tasks/" + task["id"].(string) + "/settle", body: `{"as":"accepted"}`}
	s.must(t, 200, settle).shows(t, "state", "done")
	s.must(t, 200, call{method: "POST", path: era + "/unpost"})
	post().shows(t, "reconciled", 1.0, "left_out", []any{})
	s.must(t, 200, call{path: path}).shows(t, "state", "reconciled")
}

// TestReportsInATimeZone has a claim that was sent on the evening of a month's last day in Los Angeles.
func TestReportsInATimeZone(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.aged(t, 0, func(c *claim.Claim) { c.SentAt = time.Date(2025, 12, 1, 5, 30, 0, 0, time.UTC) })
	for zone, november := range map[string]int{"": 0, "&time_zone=UTC": 0, "&time_zone=America/New_York": 0, "&time_zone=America/Los_Angeles": 1} {
		for path, want := range map[string]int{"from=2025-11-01&to=2025-11-30": november, "from=2025-12-01&to=2025-12-31": 1 - november} {
			path = "/reports/collections?by=submission&" + path + zone
			reply := s.must(t, 200, call{path: path})
			reply.shows(t, "total.claims.claims", want)
			href := reply.text(t, "total", "claims", "href")
			if list := s.must(t, 200, call{path: strings.TrimPrefix(href, root)}); len(list.get(t, "data").([]any)) != want {
				t.Errorf("%s has %d claims, and its list not", path, want)
			}
		}
	}
	for _, zone := range []string{"", "Local", "Mars/Olympus", "../UTC"} {
		refused := s.do(t, call{path: "/reports/aging?time_zone=" + zone, bad: true})
		wantStatus(t, refused, 422, billing.CodeInvalidRequest)
		refused.shows(t, "errors.0.field", "time_zone")
	}
}

// TestReportsAgreeWithLists makes a random history of claims, and compares every sum of every
// report with the list that it names.
func TestReportsAgreeWithLists(t *testing.T) {
	t.Parallel()
	s := startService(t)
	r := rand.New(rand.NewPCG(8929176539281739328, 1)) // which voids claims that the history meets again
	var all []*claim.Claim
	for range 40 {
		all = append(all, s.aged(t, r.IntN(150), func(c *claim.Claim) {
			if r.IntN(3) == 0 {
				c.Payer = payerOf(t, "60054")
			}
			switch r.IntN(9) {
			case 0:
				c.State, c.SentAt = claim.Validated, time.Time{}
			case 1:
				c.State, c.PatientPaid = claim.Submitted, billing.Money(r.IntN(300_00))
			case 2:
				c.ProviderID = billing.ProviderID{}
			}
		}))
	}
	for i := 0; i+1 < len(all); i += 7 { // two payers for the same services
		one, two := all[i], all[i+1]
		two.Lines[0].ServiceDate, one.SecondaryID, two.SecondaryTo = one.Lines[0].ServiceDate, two.ID, one.ID
		porttest.In(t, s.store, s.test, func(ctx context.Context, tx ports.Tx) error {
			if _, err := tx.Claims.Lock(ctx, two.ID); err != nil {
				return err
			}
			if err := tx.Claims.Save(ctx, one); err != nil {
				return err
			}
			return tx.Claims.Save(ctx, two)
		})
	}
	for file := range 3 {
		var claims []string
		total := 0
		for _, c := range all {
			switch r.IntN(6) {
			case 0, 1:
				claims, total = append(claims, crownPaid(c.PatientControlNumber)), total+800
			case 2:
				refused := crownRefused(c.PatientControlNumber, []string{"16", "50", "29"}[r.IntN(3)])
				if file == 2 { // what came too late is left to the patient
					refused = strings.Replace(refused, "CAS*CO*29", "CAS*PR*29", 1)
				}
				claims = append(claims, refused)
			}
		}
		s.remitted(t, s.key, s.test, paying(fmt.Sprint("EFT-", file), total, claims...))
		for _, c := range all {
			path := "/claims/" + c.ID.String()
			switch r.IntN(5) {
			case 0, 1:
				now := s.must(t, 200, call{path: path})
				body := ""
				if open, _ := now.get(t, "open").(string); open != "0.00" && open != "" { // nothing is open of one that is void
					as := []string{"write_off", "bill_patient", "other"}[r.IntN(3)]
					body = `{"accept_open":{"as":"` + as + `","lines":[{"amount":"` + open + `"}],"note":"By hand."}}`
				}
				s.do(t, call{method: "POST", path: path + "/reconcile", body: body}) // 409 for one that is not decided
			case 2:
				s.do(t, call{method: "POST", path: path + "/reopen"})
			}
			if r.IntN(20) == 0 {
				s.do(t, call{method: "POST", path: path + "/void"})
			}
		}
	}
	c := comparison{t: t, s: s, lists: map[string][]anObject{}}
	for _, query := range []string{"", "?group_by=office", "?group_by=provider", "?payer_id=60054", "?provider_id=" + s.dentist.String()} {
		c.report("/reports/aging" + query)
		c.report("/reports/collections" + query)
	}
	c.report("/reports/aging?by=service")
	c.report("/reports/aging?time_zone=Pacific/Guam&group_by=office")
	c.report("/reports/aging?by=service&time_zone=America/Los_Angeles")
	c.report("/reports/collections?by=submission&time_zone=Pacific/Guam&to=" + billing.DateOf(time.Now().AddDate(0, 0, -20)).String())
	for _, query := range []string{"", "?by=submission", "?by=service&office_id=" + s.office.String(), "?from=2026-03-01&to=2026-03-31", "?by=submission&from=" + billing.DateOf(time.Now().AddDate(0, 0, -80)).String()} {
		c.report("/reports/collections" + query)
		c.report("/reports/denials" + query)
		c.report("/reports/payers" + query)
	}
	if c.sums < 200 || c.other < 50 {
		t.Errorf("compared %d sums, %d of them not 0", c.sums, c.other)
	}
}

// comparison compares the sums of reports with lists of claims.
type comparison struct {
	t           *testing.T
	s           *service
	lists       map[string][]anObject // by their path
	sums, other int
}

func (c *comparison) report(path string) {
	c.t.Helper()
	var reply anObject
	if err := json.Unmarshal([]byte(c.s.must(c.t, 200, call{path: path}).body), &reply); err != nil {
		c.t.Fatal(err)
	}
	c.sum(path, nil, nil, reply)
}

// sum looks for sums in a value of a report. Within are the objects around it.
func (c *comparison) sum(at string, names []string, within anObject, v any) {
	c.t.Helper()
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			c.sum(fmt.Sprint(at, ".", i), names, within, item)
		}
	case anObject:
		if href, is := v["href"].(string); is {
			c.compare(at, names, within, v, href)
			return
		}
		for name, field := range v {
			c.sum(at+"."+name, append(slices.Clone(names), name), v, field)
		}
	}
}

func (c *comparison) compare(at string, names []string, row, figure anObject, href string) {
	c.t.Helper()
	if path, ok := strings.CutPrefix(href, root+"/eras?"); ok {
		c.remittances(at, names[len(names)-1], figure, "/eras?"+path)
		return
	}
	found, known := c.lists[href]
	if !known {
		path, ok := strings.CutPrefix(href, root)
		if !ok {
			c.t.Fatalf("%s: href %q", at, href)
		}
		sign := "?"
		if strings.Contains(path, "?") {
			sign = "&"
		}
		reply := c.s.must(c.t, 200, call{path: path + sign + "limit=100"})
		if reply.text(c.t, "next_cursor") != "" {
			c.t.Fatalf("%s has more than a page", href)
		}
		for _, item := range reply.get(c.t, "data").([]any) {
			found = append(found, item.(anObject))
		}
		c.lists[href] = found
	}
	want := billing.Money(0)
	for _, one := range found {
		want += amountOf(c.t, names, row, one)
	}
	c.sums++
	if fmt.Sprint(figure["claims"]) != fmt.Sprint(len(found)) {
		c.t.Errorf("%s: %v claims, the list %s has %d", at, figure["claims"], href, len(found))
	}
	if amount, is := figure["amount"]; is {
		if amount != want.String() {
			c.t.Errorf("%s: %v, the list %s adds up to %s", at, amount, href, want)
		}
		if want != 0 {
			c.other++
		}
	}
}

// amountOf returns by how much a claim counts for a sum of a report, which is at the names.
func amountOf(t *testing.T, names []string, row, c anObject) (sum billing.Money) {
	t.Helper()
	money := func(v any) billing.Money {
		m, err := billing.ParseMoney(strings.TrimPrefix(fmt.Sprint(v), "-"))
		if err != nil {
			t.Fatal(v, err)
		}
		if strings.HasPrefix(fmt.Sprint(v), "-") {
			return -m
		}
		return m
	}
	figures := c["figures"].(anObject)
	last := names[len(names)-1]
	switch {
	case slices.Contains(names, "insurance"), last == "unsent":
		return money(c["open"])
	case slices.Contains(names, "patient"):
		return money(figures["patient_owes"])
	case last == "refused":
		for _, v := range figures["refused"].([]any) {
			if r := v.(anObject); r["group"] == row["group"] && r["reason"] == row["reason"] && r["act"] == row["act"] {
				sum += money(r["amount"])
			}
		}
		return sum
	case last == "claims", last == "decided", last == "first_pass", last == "later":
		return 0
	default:
		return money(figures[last])
	}
}

// remittances compares a sum with what the remittances of its list say themselves.
func (c *comparison) remittances(at, name string, figure anObject, path string) {
	c.t.Helper()
	var want billing.Money
	claims := 0
	for _, id := range c.s.walk(c.t, path) {
		sum := c.s.must(c.t, 200, call{path: "/eras/" + id}).get(c.t, "unapplied", name).(anObject)
		paid, err := billing.ParseMoney(sum["paid"].(string))
		of, err2 := strconv.Atoi(fmt.Sprint(sum["claims"]))
		if err != nil || err2 != nil || of == 0 {
			c.t.Errorf("%s: %s has %v, %v, %v", at, id, sum, err, err2)
		}
		want, claims = want+paid, claims+of
	}
	if c.sums++; figure["amount"] != want.String() || fmt.Sprint(figure["claims"]) != strconv.Itoa(claims) {
		c.t.Errorf("%s: %v, the list %s has %s of %v", at, figure, path, want, claims)
	}
	if want != 0 {
		c.other++
	}
}

// TestUnapplied ignores a claim of a remittance, leaves another unfinished, and posts it: the money stays
// visible in the remittance, in lists and in the report.
func TestUnapplied(t *testing.T) {
	t.Parallel()
	s := startService(t)
	number := s.sent(t).PatientControlNumber
	plain := s.remitted(t, s.key, s.test, paying("EFT-1", 800, crownPaid(number)))
	s.must(t, 200, call{path: plain}).shows(t, "unapplied.ignored.claims", 0, "unapplied.unfinished.paid", "0.00", "posted_by", nil)
	era := s.remitted(t, s.key, s.test, paying("EFT-2", 1600, crownPaid("NOBODY"), crownPaid("NOBODY-2")))
	s.must(t, 200, call{path: era}).shows(t, "unapplied.unfinished.paid", "1600.00", "unapplied.unfinished.claims", 2)
	s.must(t, 200, call{method: "POST", path: era + "/claims/2/ignore"})
	wants := []any{"unapplied.ignored.paid", "800.00", "unapplied.ignored.claims", 1, "unapplied.unfinished.paid", "800.00", "unapplied.unfinished.claims", 1}
	s.must(t, 200, call{path: era}).shows(t, wants...)
	posted := s.must(t, 200, call{path: era + "/post", body: `{"accept_unfinished":true}`})
	posted.shows(t, append(wants, "state", "posted")...)
	if by := posted.text(t, "posted_by"); !strings.HasPrefix(by, "key_") {
		t.Errorf("posted by %q", by)
	}
	id := strings.TrimPrefix(era, "/eras/")
	for query, want := range map[string][]string{"ignored": {id}, "unfinished": {id}, "ignored&paid_to=2026-03-01": nil, "ignored&needs_attention=false": nil} {
		if got := s.walk(t, "/eras?unapplied="+query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	bad := call{path: "/eras?unapplied=some", bad: true}
	wantStatus(t, s.do(t, bad), 422, billing.CodeInvalidRequest)
	s.must(t, 200, call{path: "/reports/collections?from=2026-03-01&to=2026-03-31"}).shows(t, "unapplied.ignored.amount", "800.00", "unapplied.ignored.claims", 1,
		"unapplied.ignored.href", root+"/eras?paid_from=2026-03-01&paid_to=2026-03-31&unapplied=ignored", "unapplied.unfinished.amount", "800.00", "total.paid.amount", "800.00")
	s.unappliedInFile(t)
	s.must(t, 200, call{path: "/reports/collections?from=2026-04-01"}).shows(t, "unapplied.ignored.claims", 0, "unapplied.unfinished.amount", "0.00")
	s.must(t, 200, call{path: "/reports/collections?payer_id=60054"}).shows(t, "unapplied.ignored.claims", 0)
	s.must(t, 200, call{path: "/reports/collections?by=service"}).shows(t, "unapplied", nil)
	s.must(t, 200, call{path: "/reports/collections?provider_id=" + s.dentist.String()}).shows(t, "unapplied", nil)
	s.must(t, 200, call{path: era + "/unpost", method: "POST"}).shows(t, append(wants, "posted_by", nil)...)

	c := comparison{t: t, s: s, lists: map[string][]anObject{}}
	c.report("/reports/collections?from=2026-03-01")
	if c.sums != 16 {
		t.Errorf("%d sums", c.sums)
	}
}

// unappliedInFile reads the report of TestUnapplied as a file: its last row has what is on no claim, where the report
// has some, and the columns of the other rows add up as before.
func (s *service) unappliedInFile(t *testing.T) {
	t.Helper()
	head, rows := s.table(t, call{path: "/reports/collections?from=2026-03-01&to=2026-03-31"})
	row := func(of []string) map[string]string {
		cells := map[string]string{}
		for i, name := range head {
			if of[i] != "" {
				cells[name] = of[i]
			}
		}
		return cells
	}
	if len(rows) != 3 {
		t.Fatalf("%q has the rows %q", head, rows)
	}
	if paid := row(rows[0]); paid["paid.amount"] != "800.00" || paid["id"] == "" || paid["unapplied.ignored.claims"] != "" {
		t.Errorf("the row of a payer is %v", paid)
	}
	eras := root + "/eras?paid_from=2026-03-01&paid_to=2026-03-31&unapplied="
	want := map[string]string{
		"unapplied.ignored.amount": "800.00", "unapplied.ignored.claims": "1", "unapplied.ignored.href": eras + "ignored",
		"unapplied.unfinished.amount": "800.00", "unapplied.unfinished.claims": "1", "unapplied.unfinished.href": eras + "unfinished",
	}
	if got := row(rows[2]); !maps.Equal(got, want) {
		t.Errorf("the last row is %v, want %v", got, want)
	}
	if got := row(rows[1]); !maps.Equal(got, map[string]string{"payments.amount": "2400.00", "payments.remittances": "2"}) {
		t.Errorf("the row of payments is %v", got)
	}
	for query, n := range map[string]int{"from=2026-04-01": 0, "payer_id=60054": 0, "by=service": 1, "provider_id=" + s.dentist.String(): 0} {
		if of, rows := s.table(t, call{path: "/reports/collections?" + query}); len(rows) != n || !slices.Equal(of, head) {
			t.Errorf("%s: %q has %q", query, of, rows)
		}
	}
}

// TestProviderAdjustmentsInCollections explains by what the payments of the bank differ from what was paid on claims.
func TestProviderAdjustmentsInCollections(t *testing.T) {
	t.Parallel()
	s := startService(t)
	number := s.sent(t).PatientControlNumber
	adjusted := crownPaid(number) + "PLB*" + ourNPI + "*20261231*WO:ICN-9*50*L6*-8~"
	s.remitted(t, s.key, s.test, paying("EFT-1", 758, adjusted))
	path := "/reports/collections?from=2026-03-01&to=2026-03-31"
	s.must(t, 200, call{path: path}).shows(t, "total.paid.amount", "800.00", "payments.amount", "758.00", "payments.remittances", 1,
		"payments.provider_adjustments.amount", "42.00", "payments.provider_adjustments.reasons.0.reason", "L6",
		"payments.provider_adjustments.reasons.0.amount", "-8.00", "payments.provider_adjustments.reasons.1.reason", "WO",
		"payments.provider_adjustments.reasons.1.label", "Recovery of an overpayment", "payments.provider_adjustments.reasons.1.remittances", 1)
	_, rows := s.table(t, call{path: path})
	if len(rows) != 4 || !slices.Contains(rows[3], "Recovery of an overpayment") || !slices.Contains(rows[3], "50.00") {
		t.Errorf("rows %q", rows)
	}
	s.must(t, 200, call{path: "/reports/collections?from=2026-04-01"}).shows(t, "payments.amount", "0.00", "payments.provider_adjustments.reasons", []any{})
	s.must(t, 200, call{path: "/reports/collections?by=service"}).shows(t, "payments", nil)

	// Each part of a payment states the whole, a remittance without a payment has a total, and a total is below 0.
	part := func(amount string) string {
		return strings.NewReplacer("*1250*800*", "*1250*"+amount+"*").Replace(crownPaid("X" + amount))
	}
	for _, file := range []string{
		paying("EFT-2", 1000, part("600")), paying("EFT-2", 1000, part("400")), paying("EFT-3", -70, crownPaid("X1")+"PLB*"+ourNPI+"*20261231*WO*870~"),
		strings.Replace(paying("EFT-4", 800, crownPaid("X2")), "*C*ACH*", "*C*NON*", 1),
	} {
		s.remitted(t, s.key, s.test, file)
	}
	s.must(t, 200, call{path: path}).shows(t, "payments.amount", "1758.00", "payments.remittances", 5, "payments.provider_adjustments.amount", "912.00")
}
