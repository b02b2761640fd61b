package remittance

import (
	"log/slog"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
)

// Level is the level at which a payment is balanced.
type Level string

// The levels. The guide requires each to balance, section 1.10.2.1.
const (
	LevelLine    Level = "line"    // charge - adjustments = paid
	LevelClaim   Level = "claim"   // charge - adjustments of the claim and of its lines = paid
	LevelPayment Level = "payment" // paid amounts of the claims - provider adjustments = total
)

// Equation is the balance of a level: From - Less = Stated.
type Equation struct {
	From   billing.Money // the charge, or the sum of the claims' paid amounts
	Less   billing.Money // the adjustments
	Stated billing.Money // the paid amount in the file
}

// Due returns the paid amount that balances.
func (e Equation) Due() billing.Money { return e.From - e.Less }

// Off returns the stated amount less the amount that balances.
func (e Equation) Off() billing.Money { return e.Stated - e.Due() }

// Holds reports whether the equation balances to the cent.
func (e Equation) Holds() bool { return e.Off() == 0 }

// Balance reports whether a payment balances, at every level.
type Balance struct {
	Payment  Equation
	Claims   Tally
	Lines    Tally
	Unread   int       // the number of amounts, of any level, that are missing or unreadable
	Findings []Finding // the first hundred
}

// Tally counts the equations of a level.
type Tally struct {
	Checked int
	Failed  int
	Off     billing.Money // the sum of the absolute differences
}

// Holds reports whether the payment, each claim and each line balance.
func (b *Balance) Holds() bool {
	return b.Payment.Holds() && b.Claims.Failed == 0 && b.Lines.Failed == 0 && b.Unread == 0
}

// maxFindings bounds the findings of a payment in which nothing balances.
const maxFindings = 100

func (b *Balance) add(all ...Finding) {
	b.Findings = append(b.Findings, all[:min(len(all), maxFindings-len(b.Findings))]...)
}

// Finding is one difference and its position.
type Finding struct {
	Level         Level
	Claim         int    // ordinal in the payment, from 1; 0 at the level of the payment
	ControlNumber string // of the claim
	Line          int    // ordinal in the claim, from 1; 0 above the level of the line
	Segment       int    // ordinal in the input
	Unread        bool   // an amount is missing or unreadable, so Equation is void
	Equation
}

// String explains the finding to a biller. It names the claim by its control
// number.
func (f Finding) String() string {
	where := "The payment"
	if f.Level != LevelPayment {
		where = "Claim " + f.ControlNumber
	}
	if f.Level == LevelLine {
		where += ", line " + strconv.Itoa(f.Line)
	}
	if f.Unread {
		return where + ": an amount is missing or cannot be read (segment " + strconv.Itoa(f.Segment) + " of the file)."
	}
	from, less := " charged", " adjusted"
	if f.Level == LevelPayment {
		from, less = " paid for its claims", " of provider adjustments"
	}
	amount, word := f.Off(), " too much."
	if amount < 0 {
		amount, word = -amount, " too little."
	}
	return where + ": " + f.From.Dollars() + from + " less " + f.Less.Dollars() + less + " leaves " + f.Due().Dollars() +
		", but the payer states " + f.Stated.Dollars() + ": " + amount.Dollars() + word
}

// LogValue keeps control numbers out of logs.
func (f Finding) LogValue() slog.Value {
	return slog.StringValue(string(f.Level) + " at segment " + strconv.Itoa(f.Segment))
}

// equation returns the balance of the line.
func (s *Service) equation() Equation {
	return Equation{From: s.Charge, Less: s.Adjusted("", ""), Stated: s.Paid}
}

// weigh adds a complete claim to the balance, and records findings in the claim. If an
// amount is unreadable, the claim already has a finding, and none of its lines counts as
// balanced.
func (b *Balance) weigh(c *Claim) {
	b.Payment.From += c.Paid
	b.Claims.Checked++
	b.Lines.Checked += len(c.Services)
	if unread := len(c.Findings); unread > 0 {
		b.Unread += unread
		b.Claims.Failed++
		b.Lines.Failed += len(c.Services)
		b.add(c.Findings...)
		return
	}
	f := Finding{Claim: c.Ordinal, ControlNumber: c.ControlNumber}
	whole := Equation{From: c.Charge, Less: adjusted(c.Adjustments, "", ""), Stated: c.Paid}
	for i := range c.Services {
		s := &c.Services[i]
		e := s.equation()
		whole.Less += e.Less
		if !e.Holds() {
			f.Level, f.Line, f.Segment, f.Equation = LevelLine, i+1, s.Segment, e
			b.Lines.fail(e)
			c.Findings = append(c.Findings, f)
		}
	}
	// The lines' paid amounts need not add up to the claim's: the claim may have
	// adjustments of its own.
	if !whole.Holds() {
		f.Level, f.Line, f.Segment, f.Equation = LevelClaim, 0, c.Segment, whole
		b.Claims.fail(whole)
		c.Findings = append(c.Findings, f)
	}
	b.add(c.Findings...)
}

// conclude completes the balance of a payment. Segment is the ordinal of its BPR.
func (b *Balance) conclude(p *Payment, segment int) {
	b.Payment.Less, b.Payment.Stated = p.AdjustmentsTotal(), p.Total
	if !b.Payment.Holds() {
		b.Findings = b.Findings[:min(len(b.Findings), maxFindings-1)] // always keep the payment's own finding
		b.add(Finding{Level: LevelPayment, Segment: segment, Equation: b.Payment})
	}
}

func (t *Tally) fail(e Equation) {
	t.Failed++
	t.Off += max(e.Off(), -e.Off())
}
