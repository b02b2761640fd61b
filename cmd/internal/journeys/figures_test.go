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
	page.sees("Payment taken back", "No payment stands", "wait for the payer's next remittance, or replace the claim")
	page.seesA("link", "Replace with a corrected claim")
	agree("-PAID-TWICE")
	page.sees("Overpaid")
	page.screen("claim-overpaid")
	page.click("Accept the overpayment")
	page.sees("The payer takes it back, or we refund it")
	page.press("Escape")
	page.seesNo("The payer takes it back, or we refund it")
	before := page.today()
	page.open("/test/claims/" + claims["-PAID-TWICE"])
	page.click("Accept the overpayment")
	dialog := page.within("dialog", "Accept the overpayment of $108.00?")
	dialog.fill("Note", "Refunded by check.")
	dialog.click("Accept and reconcile")
	page.sees("The claim is reconciled.")
	agree("-PAID-TWICE")
	page.open("/test/claims/" + claims["-DENIED"])
	page.click("Accept the open amount")
	dialog = page.within("dialog", "Accept the open amount of $225.00?")
	dialog.choose("How to close it", "Bill the patient")
	dialog.click("Accept and reconcile")
	page.sees("The claim is reconciled.")
	agree("-DENIED")
	after := page.today()
	page.screen("today-busy")
	first := claims["-PAID-ERA"]
	for name, by := range map[string]int{"Patients owe": 225_00, "Outstanding": -225_00, "Write-off": 0, "Overpaid": 0, "Paid by payers": 0, "Charged": 0} {
		if after[name]-before[name] != by {
			t.Errorf("%s went from %d to %d, want %d more", name, before[name], after[name], by)
		}
	}
	second := practice.post("/claims/"+first+"/bill_secondary", map[string]any{
		"payer_id": "84105", "subscriber": subscriber("Ann", "W1-PAID-ERA"), "relationship": "self",
	})["id"].(string)
	page.open("/test/claims/" + second)
	page.click("Send to the payer")
	page.sees("Payment received")
	page.row("Queued for the next file").sees("You")
	page.agrees("the claim to the secondary payer")
	agree("-PAID-ERA")
	page.today()
	for _, era := range practice.get("/eras?limit=100")["data"].([]any) {
		page.open(fmt.Sprint("/test/remittances/", era.(map[string]any)["id"]))
		page.until("the rows of a remittance", func(r *rod.Page) error {
			text, err := page.eval(r, figuresOfRemittance)
			if err == nil && text != "" {
				err = errors.New(text)
			}
			return err
		})
	}
}

// today opens Today, whose figures add up, and returns them.
func (p *page) today() (parts map[string]int) {
	p.tb.Helper()
	p.open("/test")
	p.until("the figures of Today", func(r *rod.Page) error {
		text, err := p.eval(r, figuresOfToday)
		if err == nil {
			parts = nil
			err = json.Unmarshal([]byte(text), &parts)
		}
		sum := 0
		for name, amount := range parts {
			if name != "Charged" {
				sum += amount
			}
		}
		if err == nil && (sum == 0 || sum != parts["Charged"]) {
			err = fmt.Errorf("add up to %d: %v", sum, parts)
		}
		return err
	})
	return parts
}

const figuresOfToday = `() => {
	const section = [...document.querySelectorAll("section")].find((s) => s.querySelector("h2")?.textContent === "Submitted claims")
	return JSON.stringify(Object.fromEntries([...section.querySelectorAll("dl > div")].map((fact) => [
		fact.querySelector("dt").textContent,
		Math.round(Number(fact.querySelector("dd .numbers").textContent.replace("−", "-").replace(/[$,]/g, "")) * 100),
	])))
}`

const figuresOfRemittance = `() => {
	const cents = (e) => Math.round(Number(e.textContent.replace("−", "-").replace(/[$,]/g, "")) * 100) || 0
	const rows = [...document.querySelectorAll("td[data-head=Charge]")].map((td) => td.closest("tr")).filter((tr) => tr.querySelector("td[data-head='Patient owes']"))
	if (rows.length === 0 && !document.body.textContent.includes("This remittance has no claims")) return "no rows"
	return rows.map((row) => {
		const sum = (...heads) => heads.reduce((n, h) => n + [...row.querySelectorAll("td[data-head='" + h + "'] .numbers")].reduce((n, e) => n + cents(e), 0), 0)
		const charge = sum("Charge"), others = sum("Write-off", "Not paid", "Patient owes", "Paid")
		return charge === others ? "" : row.textContent + " is off by " + (charge - others)
	}).filter(Boolean).join("; ")
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
