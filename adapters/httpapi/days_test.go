package httpapi

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// moves changes what became of a stored claim.
func (s *service) moves(t *testing.T, id string, change func(*claim.Claim)) {
	t.Helper()
	of, err := billing.ParseID[billing.ClaimID](id)
	if err != nil {
		t.Fatal(err)
	}
	porttest.In(t, s.store, s.test, func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, of)
		if err != nil {
			return err
		}
		change(c.Claim)
		return tx.Claims.Save(ctx, c.Claim)
	})
}

// standsAt stops the clock of test mode, and moves it to a time to come.
func (s *service) standsAt(t *testing.T, at time.Time) {
	t.Helper()
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/clock", body: `{"running":false}`})
	s.advances(t, call{body: `{"to":"` + at.Format(time.RFC3339) + `"}`})
}

// advances moves the clock of the sandbox to the end of an advance, however long it takes.
func (s *service) advances(t *testing.T, c call) response {
	t.Helper()
	c.method, c.path, c.idem = "POST", "/sandbox/clock/advance", rand.Text()
	for {
		switch a := s.do(t, c); a.StatusCode {
		case 200:
			return a
		case 202:
		default:
			t.Fatalf("%s: %d %s", c.body, a.StatusCode, a.body)
		}
	}
}

// officeIn makes an office in a time zone.
func (s *service) officeIn(t *testing.T, zone string) (id billing.OfficeID) {
	t.Helper()
	made := s.must(t, 201, call{path: "/offices", body: `{"name":"Example","npi":"1234567893","time_zone":"` + zone + `","address":{"line1":"1 Main St","city":"Albany","state":"NY","zip":"12207"}}`})
	id, err := billing.ParseID[billing.OfficeID](made.text(t, "id"))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// otherDays are hours at which the day of an office is not that of UTC: the evening in New York,
// where UTC has tomorrow, and the morning in Guam, where UTC has yesterday.
func otherDays() map[string]time.Time {
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	return map[string]time.Time{"America/New_York": day.Add(3 * time.Hour), "Pacific/Guam": day.Add(20 * time.Hour)}
}

// deniedAt makes a claim of the office that its payer denied just before a time.
func (s *service) deniedAt(t *testing.T, office billing.OfficeID, now time.Time) string {
	t.Helper()
	id := s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", with("office_id", office.String()))}).text(t, "id")
	s.moves(t, id, func(c *claim.Claim) {
		c.State, c.SentAt, c.SettledAt = claim.Denied, now.AddDate(0, 0, -9), now.Add(-time.Minute)
		c.Standing = &claim.Standing{Outcome: remit.OutcomeDenied, ERAID: billing.ERAID{15: 1}, NotPaid: 1250_00, OpenReason: claim.OpenRefused, Act: remit.ActAppeal}
	})
	return id
}

// TestDaysOfAppealsBeginAtTheOffice makes, sends and decides an appeal at hours at which the day of
// the office is not that of UTC: today is not to come, and tomorrow is.
func TestDaysOfAppealsBeginAtTheOffice(t *testing.T) {
	t.Parallel()
	for zone, now := range otherDays() {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			office := s.officeIn(t, zone)
			s.standsAt(t, now)
			today := billing.DateOf(now.In(directory.Zone(zone)))
			if today == billing.DateOf(now) {
				t.Fatalf("%s is also the day of UTC", today)
			}
			id := s.deniedAt(t, office, now)
			made := s.must(t, 201, call{path: "/claims/" + id + "/appeals", body: appealBody})
			made.shows(t, "deadline.on", today.AddDays(180).String(), "deadline.source", "proposed")
			if !strings.Contains(made.text(t, "letter"), today.Time().Format("\n\nJanuary 2, 2006\n\n")) {
				t.Errorf("the letter is not of %s: %s", today, made.text(t, "letter"))
			}
			appeal := "/appeals/" + made.text(t, "id")
			sent := func(on billing.Date) call {
				return call{path: appeal + "/sent", body: `{"on":"` + on.String() + `","by":"fax"}`}
			}
			wantFields(t, s.do(t, sent(today.AddDays(1))), "on range")
			second := "/appeals/" + s.must(t, 201, call{path: "/claims/" + s.deniedAt(t, office, now) + "/appeals", body: appealBody}).text(t, "id")
			s.must(t, 200, call{path: second + "/sent", body: `{"by":"fax"}`}).shows(t, "sent.on", today.String())
			s.must(t, 200, call{path: second + "/decided", body: `{"outcome":"upheld"}`}).shows(t, "decided.on", today.String())
			s.must(t, 200, sent(today)).shows(t, "sent.on", today.String(), "due_on", today.AddDays(60).String())
			// The remittance of that day came before the appeal was sent.
			if step := s.must(t, 200, call{path: "/claims/" + id}).text(t, "next_step"); !strings.Contains(step, "wait for the payer's decision") {
				t.Errorf("the next step is %s", step)
			}
			if w := s.tasks(t, "?resource_id="+id); w["appeal_due"] != nil {
				t.Errorf("the decision is due: %v", w)
			}
			decided := func(on billing.Date) call {
				return call{path: appeal + "/decided", body: `{"on":"` + on.String() + `","outcome":"upheld"}`}
			}
			wantFields(t, s.do(t, decided(today.AddDays(1))), "on range")
			wantFields(t, s.do(t, decided(today.AddDays(-1))), "on range")
			s.must(t, 200, decided(today)).shows(t, "decided.on", today.String())
		})
	}
}

// TestDaysOfLimitsAndFeesBeginAtTheOffice has a claim whose filing limit nears, and a fee schedule,
// at hours at which the day of the office is not that of UTC. The claim follows its office into
// another time zone.
func TestDaysOfLimitsAndFeesBeginAtTheOffice(t *testing.T) {
	t.Parallel()
	for zone, now := range otherDays() {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			office := s.officeIn(t, zone).String()
			s.standsAt(t, now)
			today := billing.DateOf(now.In(directory.Zone(zone)))
			s.must(t, 200, call{method: "PUT", path: "/payer_limits/CHTEST", body: `{"filing_days":30}`})
			served := func(on billing.Date) string { // a claim whose limit is 30 days later
				return s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", with("office_id", office,
					"lines", []anObject{{"procedure_code": "D1110", "service_date": on.String(), "fee": "120.00"}}))}).text(t, "id")
			}
			near, later := served(today.AddDays(14-30)), served(today.AddDays(15-30))
			if w := s.tasks(t, "?resource_id="+near)["filing_limit"]; w == nil || w["due_on"] != today.AddDays(14).String() {
				t.Errorf("the limit is in 14 days: %v", w)
			}
			if w := s.tasks(t, "?resource_id="+later)["filing_limit"]; w != nil {
				t.Errorf("the limit is in 15 days: %v", w)
			}

			for days := range 2 {
				on := today.AddDays(1 - days)
				s.must(t, 201, call{path: "/fee_schedules", body: contractBody("100.00", "office_id", office, "payer_id", nil, "network", []string{"out", "in"}[days], "effective_from", on.String())})
				if got := s.must(t, 200, call{path: "/fee_schedules?current=true&office_id=" + office}); len(got.get(t, "data").([]any)) != days {
					t.Errorf("current on %s, with one from %s: %s", today, on, got.body)
				}
			}

			s.catchUp(t)
			other := map[string]string{"America/New_York": "Pacific/Guam", "Pacific/Guam": "America/New_York"}[zone]
			s.must(t, 200, call{method: "PATCH", path: "/offices/" + office, body: `{"time_zone":"` + other + `"}`})
			s.catchUp(t)
			id := map[bool]string{true: near, false: later}[zone == "Pacific/Guam"]
			if _, waits := s.tasks(t, "?resource_id="+id)["filing_limit"]; waits == (zone == "Pacific/Guam") {
				t.Errorf("in %s, the task is there: %t", other, waits)
			}
		})
	}
}

// TestAnswersOfTheLastEvening asks on the evening of December 31 at the office, when it is January in UTC, about a visit
// of January. The verdict, the list and the estimate agree that the maximum, which is used up, begins anew before it. So
// they do for a check that the same answer was saved for, in the new year.
func TestAnswersOfTheLastEvening(t *testing.T) {
	t.Parallel()
	s := startService(t)
	office := s.officeIn(t, "America/New_York").String()
	evening := time.Date(time.Now().Year()+1, time.January, 1, 2, 0, 0, 0, time.UTC)
	if time.Until(evening) < time.Hour {
		evening = evening.AddDate(1, 0, 0)
	}
	s.standsAt(t, evening)
	s.must(t, 201, call{path: "/sandbox/scenarios", body: jsonOf(anObject{"ending": "-SPENT", "operation": "eligibility", "plan": anObject{
		"status":      "active",
		"coverage":    []anObject{{"category": "major", "percent_paid": 100}},
		"maximums":    []anObject{{"level": "individual", "period": "calendar_year", "amount": "1000.00", "remaining": "0.00"}},
		"deductibles": []anObject{{"level": "individual", "period": "calendar_year", "amount": "0.00", "remaining": "0.00"}},
	}}, nil)})
	visit := billing.DateOf(evening).AddDays(1).String()
	asked := call{path: "/eligibility", body: s.question("SPENT", func(q, _ anObject) { q["office_id"], q["service_date"] = office, visit })}
	for _, cache := range []string{"fresh", "hit"} {
		check := s.must(t, 200, asked)
		check.shows(t, "cache.state", cache)
		if got := check.text(t, "verdict", "text"); !strings.HasPrefix(got, "Covered. The year's maximum begins anew on January 1, ") {
			t.Errorf("%s: the verdict is %q", cache, got)
		}
		rows := s.must(t, 200, call{path: "/eligibility?limit=1", header: map[string]string{"Accept": "text/csv"}})
		if !strings.Contains(rows.body, ",1000.00,0.00,") {
			t.Errorf("%s: the list has %s", cache, rows.body)
		}
		s.must(t, 200, call{path: "/estimates", body: estimateBody(check.text(t, "id"), "preview", true, "lines", []anObject{
			{"procedure_code": "D2740", "fee": "1250.00", "allowed": "900.00", "service_date": visit},
		})}).shows(t, "lines.0.plan_pays.least", "900.00", "lines.0.plan_pays.most", "900.00")
		if cache == "fresh" {
			s.advances(t, call{body: `{"to":"` + evening.Add(4*time.Hour).Format(time.RFC3339) + `"}`})
		}
	}
}
