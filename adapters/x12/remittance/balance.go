package remittance

import (
	"log/slog"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
)

// Level is where something does not add up.
type Level string

// The levels. The guide asks that each adds up, section 1.10.2.1.
const (
	LevelLine    Level = "line"    // charge - adjustments = paid
	LevelClaim   Level = "claim"   // charge - adjustments of the claim and of its lines = paid
	LevelPayment Level = "payment" // what the claims were paid - provider adjustments = total
)

// Equation is what has to hold at a level: From - Less = Stated.
type Equation struct {
	From   billing.Money // the charge, or the sum of what the claims were paid
	Less   billing.Money // the adjustments
	Stated billing.Money // what the payer says was paid
}

// Due is what the payer should have stated.
func (e Equation) Due() billing.Money { return e.From - e.Less }

// Off is by how much the payer stated too much; negative is too little.
func (e Equation) Off() billing.Money { return e.Stated - e.Due() }

// Holds reports whether the equation does, to the cent.
func (e Equation) Holds() bool { return e.Off() == 0 }

// Balance says whether a payment adds up, at every level.
type Balance struct {
	Payment  Equation
	Claims   Tally
	Lines    Tally
	Unread   int       // at how many places, of any level, an amount is missing or cannot be read
	Findings []Finding // the first hundred
}

// Tally counts the equations of a level.
type Tally struct {
	Checked int
	Failed  int
	Off     billing.Money // by how much in all, too much and too little both counted up
}

// Holds reports whether the payment, each claim and each line add up.
func (b *Balance) Holds() bool {
	return b.Payment.Holds() && b.Claims.Failed == 0 && b.Lines.Failed == 0 && b.Unread == 0
}

// maxFindings bounds what is kept of a payment of which nothing adds up.
const maxFindings = 100

func (b *Balance) add(all ...Finding) {
	b.Findings = append(b.Findings, all[:min(len(all), maxFindings-len(b.Findings))]...)
}

// Finding is one thing that does not add up, and where.
type Finding struct {
	Level         Level
	Claim         int    // ordinal in the payment, from 1; 0 at the level of the payment
	ControlNumber string // of the claim
	Line          int    // ordinal in the claim, from 1; 0 above the level of the line
	Segment       int    // ordinal in the input
	Unread        bool   // an amount is missing or is no amount; the equation says nothing then
	Equation
}

// String explains the finding to who works with remittances. It names the claim
// by its control number.
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
	return where + ": " + f.From.String() + from + " less " + f.Less.String() + less + " leaves " + f.Due().String() +
		", but the payer states " + f.Stated.String() + ": " + amount.String() + word
}

// LogValue keeps control numbers out of logs.
func (f Finding) LogValue() slog.Value {
	return slog.StringValue(string(f.Level) + " at segment " + strconv.Itoa(f.Segment))
}

var _ slog.LogValuer = Finding{}

// equation is the line's.
func (s *Service) equation() Equation {
	return Equation{From: s.Charge, Less: s.Adjusted("", ""), Stated: s.Paid}
}

// weigh adds a claim that is whole to the balance and tells the claim what it
// finds. A claim with an amount that could not be read has its findings already.
func (b *Balance) weigh(c *Claim) {
	b.Payment.From += c.Paid
	b.Claims.Checked++
	b.Lines.Checked += len(c.Services)
	if unread := len(c.Findings); unread > 0 {
		b.Unread += unread
		b.Claims.Failed++
		for i, f := range c.Findings { // a line has them next to each other
			if f.Level == LevelLine && (i == 0 || c.Findings[i-1].Line != f.Line) {
				b.Lines.Failed++
			}
		}
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
	// What the lines were paid need not be what the claim was paid: the claim may
	// have adjustments of its own.
	if !whole.Holds() {
		f.Level, f.Line, f.Segment, f.Equation = LevelClaim, 0, c.Segment, whole
		b.Claims.fail(whole)
		c.Findings = append(c.Findings, f)
	}
	b.add(c.Findings...)
}

// conclude closes the balance of a payment, whose total stands at segment.
func (b *Balance) conclude(p *Payment, segment int) {
	b.Payment.Less, b.Payment.Stated = p.AdjustmentsTotal(), p.Total
	if !b.Payment.Holds() {
		b.Findings = b.Findings[:min(len(b.Findings), maxFindings-1)] // what is wrong with the payment itself is never left out
		b.add(Finding{Level: LevelPayment, Segment: segment, Equation: b.Payment})
	}
}

func (t *Tally) fail(e Equation) {
	t.Failed++
	t.Off += max(e.Off(), -e.Off())
}
