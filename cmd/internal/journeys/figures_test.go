package journeys_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/go-rod/rod"

	"github.com/molar-billing/molar/adapters/sandboxnet"
)

// figures are what the page of a claim shows, in cents.
type figures struct {
	Parts      map[string]int `json:"parts"` // of its payment or its estimate; empty while it has neither
	Lines      []line         `json:"lines"`
	OnNone     int            `json:"on_none"` // what is paid on no line
	Unbalanced bool           `json:"-"`       // the payer's decisions do not add up
}

// line is a service, with what each decision pays, and what it gives reasons not to pay.
type line struct {
	Fee     int `json:"fee"`
	Paid    int `json:"paid"`
	Decided []struct {
		Paid int `json:"paid"`
		Rest int `json:"rest"`
	} `json:"decided"`
}

// agrees waits until the page of a claim shows figures that agree with each other.
func (p *page) agrees(what string) {
	p.tb.Helper()
	p.until("the figures of "+what, func(r *rod.Page) error {
		text, err := p.eval(r, figuresOfClaim)
		if err != nil {
			return err
		}
		f := figures{Unbalanced: what == "-UNBALANCED"}
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			return err
		}
		if err := f.disagree(); err != nil {
			return fmt.Errorf("%w in %s", err, text)
		}
		return nil
	})
}

func (f *figures) disagree() error {
	fees, paid := 0, f.OnNone
	for n, l := range f.Lines {
		decided := 0
		for _, d := range l.Decided {
			if decided += d.Paid; max(d.Paid+d.Rest, -d.Paid-d.Rest) != l.Fee && !f.Unbalanced {
				return fmt.Errorf("a decision about line %d makes up %d, want %d", n+1, d.Paid+d.Rest, l.Fee)
			}
		}
		if _, estimate := f.Parts["Plan pays"]; len(l.Decided) > 0 && decided != l.Paid && !estimate {
			return fmt.Errorf("the decisions about line %d pay %d, want %d", n+1, decided, l.Paid)
		}
		fees, paid = fees+l.Fee, paid+l.Paid
	}
	want, sum := f.Parts["Paid"]+f.Parts["Plan pays"], 0
	for name, amount := range f.Parts {
		if name != "Charge" {
			sum += amount
		}
	}
	switch {
	case len(f.Lines) == 0:
		return fmt.Errorf("no lines")
	case paid != want:
		return fmt.Errorf("the lines are paid %d, want %d", paid, want)
	case len(f.Parts) > 0 && (fees != f.Parts["Charge"] || sum != f.Parts["Charge"]):
		return fmt.Errorf("the fees are %d, and the payment explains %d", fees, sum)
	}
	return nil
}

const figuresOfClaim = `() => {
	const cents = (text) => Math.round(Number((text ?? "").replace("−", "-").replace(/[$,]/g, "")) * 100) || 0
	const amounts = (text) => (text.match(/−?\$[\d,.]*\d/g) ?? []).map(cents)
	const parts = {}
	for (const section of document.querySelectorAll("section")) {
		if (!["Payment", "Estimate"].includes(section.querySelector("h2")?.textContent)) continue
		for (const fact of section.querySelectorAll("dl > div")) {
			const amount = fact.querySelector("dd .numbers:not(time)")
			if (amount) parts[fact.querySelector("dt").textContent] = cents(amount.textContent)
		}
	}
	const lines = []
	for (const fee of document.querySelectorAll("td[data-head=Fee]")) {
		const row = fee.closest("tr"), more = row.nextElementSibling
		const decided = more?.matches(".more") ? [...more.querySelectorAll("li")].map((decision) => ({
			paid: cents(decision.querySelector(".strong")?.textContent),
			rest: amounts(decision.querySelector(".small")?.textContent ?? "").reduce((n, a) => n + a, 0),
		})) : []
		lines.push({ fee: cents(fee.textContent), paid: cents(row.lastElementChild.textContent), decided })
	}
	return JSON.stringify({ parts, lines, on_none: cents(document.querySelector(".card-note > .numbers")?.textContent) })
}`

// The figures on the page of a claim agree with each other, whatever payers do, and so do
// those of Today.
func TestFiguresAgree(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	decisions := map[string]int{ // of payers about a claim, if not one
		"-BATCH-REJECTED": 0, "-REJECTED": 0, "-INFO-REQUEST": 0, "-FORWARDED": 0, "-UNBALANCED": 0, "-CUT-NUMBER": 0, "-WRONG-PATIENT": 0,
		"-CROSSOVER": 2, "-SPLIT": 2, "-REVERSED": 2, "-LINE-REVERSED": 2, "-RECONSIDERED": 2, "-CORRECTED": 3, "-SPLIT-REVERSED": 3,
	}
	reviewed := map[string]int{"-PAID-TWICE": 2, "-UNBALANCED": 1, "-WRONG-PATIENT": 1} // once a person applied them
	claims := map[string]string{}
	for _, ending := range sandboxnet.ClaimEndings() {
		with := map[string]any{"submit": true}
		lines := []map[string]any{aFilling(), {"procedure_code": "D0220", "service_date": lastWeek, "fee": "45.00", "tooth": "14"}}
		if ending == "-ESTIMATE" {
			with["kind"] = "predetermination"
			for _, l := range lines {
				delete(l, "service_date")
			}
		}
		claims[ending] = practice.claims("Ann", "W1"+ending, with, lines...)
		if _, ok := decisions[ending]; !ok {
			decisions[ending] = 1
		}
	}
	page := practice.signsIn("biller")
	decided := func(ending string, want int) {
		page.until(ending, func(*rod.Page) error {
			if n := len(practice.get("/claims/" + claims[ending])["adjudications"].([]any)); n != want {
				return fmt.Errorf("%d decisions, want %d", n, want)
			}
			return nil
		})
	}
	agree := func(ending string) {
		page.open("/test/claims/" + claims[ending])
		page.agrees(ending)
	}
	for ending := range claims {
		decided(ending, decisions[ending])
		agree(ending)
	}
	for ending, want := range reviewed {
		agree(ending)
		page.sees("A remittance for this claim needs review.")
		page.click("Open the remittance")
		page.sees("a decision")
		page.until("the review of "+ending, func(*rod.Page) error { return practice.applies(claims[ending]) })
		decided(ending, want)
		agree(ending)
	}
	agree("-REJECTED-PAID")
	page.sees("Payment received")
	page.seesNo("to correct")
	agree("-REVERSED")
	page.sees("No payment stands", "wait for the payer's next remittance, or replace the claim")
	page.seesA("link", "Replace with a corrected claim")
	agree("-PAID-TWICE")
	page.sees("Overpaid")
	page.screen("claim-overpaid")
	page.click("Accept the overpayment")
	page.sees("The payer takes it back, or we refund it")
	page.press("Escape")
	page.open("/test")
	page.until("the figures of Today", func(r *rod.Page) error {
		text, err := page.eval(r, figuresOfToday)
		if err == nil && text != "0" {
			err = errors.New("off by " + text)
		}
		return err
	})
	page.screen("today-busy")
}

const figuresOfToday = `() => {
	const section = [...document.querySelectorAll("section")].find((s) => s.querySelector("h2")?.textContent === "Submitted claims")
	const [charged, ...others] = [...section.querySelectorAll("dd")].map((dd) => Math.round(Number(dd.textContent.replace("−", "-").replace(/[$,]/g, "")) * 100))
	return String(others.reduce((n, a) => n - a, charged))
}`

// applies applies what a remittance says of a claim, which a person must review.
func (p *practice) applies(claim string) error {
	for _, era := range p.get("/eras?claim_id=" + claim)["data"].([]any) {
		path := fmt.Sprint("/eras/", era.(map[string]any)["id"], "/claims")
		for _, row := range p.get(path)["data"].([]any) {
			if c := row.(map[string]any); c["claim_id"] == claim && c["status"] == "needs_review" {
				p.post(fmt.Sprint(path, "/", c["ordinal"], "/apply"), map[string]any{"note": "The payer confirmed it."})
				return nil
			}
		}
	}
	return errors.New("is not there")
}
