package billing

import (
	"slices"
	"strconv"
	"time"
)

// AcceptAs is what becomes of an open amount that a person accepts.
type AcceptAs string

// What becomes of it.
const (
	AcceptWriteOff    AcceptAs = "write_off"
	AcceptBillPatient AcceptAs = "bill_patient"
	AcceptOther       AcceptAs = "other"
)

// AcceptedOpen is an open amount that a person accepted to reconcile the claim.
type AcceptedOpen struct {
	ID    AcceptedID
	As    AcceptAs
	Lines []LineAmount
	Note  string
	By    string // the key or the user
	At    time.Time
}

// LineAmount is an amount of a line of a claim.
type LineAmount struct {
	Number int // of the line, from 1; 0 for an amount of no line
	Amount Money
}

// Sum returns the accepted amount; 0 for nil.
func (a *AcceptedOpen) Sum() (sum Money) {
	if a == nil {
		return 0
	}
	for _, l := range a.Lines {
		sum += l.Amount
	}
	return sum
}

// AcceptedSum returns the sum of the accepted amounts.
func (c *Claim) AcceptedSum() (sum Money) {
	for i := range c.Accepted {
		sum += c.Accepted[i].Sum()
	}
	return sum
}

// HasOpen reports whether an amount of the claim can be open: it asks for a payment.
func (c *Claim) HasOpen() bool {
	return c.Kind == KindClaim && c.Frequency != FrequencyVoid && c.State != ClaimVoided
}

// Open returns what is left of the charge, less all payments, the primary payer's
// write-off, the patient's part and the accepted amounts. See Ledger.Open.
func (c *Claim) Open() Money {
	return c.Charge() - c.Standing.settled() - c.Elsewhere - c.AcceptedSum()
}

// Overpaid returns by how much payments and write-off exceed the charge, as far as that
// was not accepted.
func (c *Claim) Overpaid() Money { return max(0, -max(c.Open(), c.Open()+c.AcceptedSum())) }

func (s *ClaimStanding) settled() Money {
	if s == nil {
		return 0
	}
	return s.Paid + s.Contractual + s.PatientResponsibility
}

// SetElsewhere sets what the ledger settles and the claim's figures do not have.
func (c *Claim) SetElsewhere(l *Ledger) { c.Elsewhere = l.settled() - c.Standing.settled() }

// Open returns what is left of the claim's charge.
func (l *Ledger) Open() Money { return l.claim.Charge() - l.settled() - l.claim.AcceptedSum() }

// settled returns the part of the charge that is settled, without the accepted amounts
// of the claim itself. Those of the claims to the other payers count for all.
func (l *Ledger) settled() Money {
	sum := l.figures().settled() + l.paidElsewhere() + l.settledBefore().total()
	for _, o := range l.beside {
		sum += o.claim.AcceptedSum()
	}
	return sum
}

// OpenLines returns what is open of each line; see Ledger.OpenLines.
func (r *ClaimRecord) OpenLines() []Money {
	if r.Ledger == nil {
		return r.Claim.Ledger(nil).OpenLines()
	}
	return r.Ledger.OpenLines()
}

// OpenLines returns what is open of each line. Amounts that are on no line are left out,
// unless the claim has only one.
func (l *Ledger) OpenLines() []Money {
	c := l.claim
	if len(c.Lines) == 1 {
		return []Money{l.Open()}
	}
	settled := l.tally()
	for _, e := range l.decisions() {
		e.addPaid(settled)
	}
	for _, e := range l.latest(SequencePrimary) {
		e.addStanding(settled, Adjustment.Contractual)
	}
	patient := l.patient()
	for n := range settled[1:] {
		rest := c.Lines[n].Fee - settled[n+1]
		settled.add(n+1, min(patient[n+1], max(rest, 0)))
	}
	accepted := c.Accepted
	for _, o := range l.beside {
		accepted = slices.Concat(accepted, o.claim.Accepted)
	}
	for _, a := range accepted {
		for _, line := range a.Lines {
			settled.add(line.Number, line.Amount)
		}
	}
	open, before := make([]Money, len(c.Lines)), l.settledBefore()
	for n := range open {
		open[n] = c.Lines[n].Fee - settled[n+1] - before[n+1]
	}
	return open
}

// tally has amounts by the lines of a claim. The first one is on no line: the payer
// states it for the whole claim, or on a line that matches none.
type tally []Money

func (l *Ledger) tally() tally { return make(tally, 1+len(l.claim.Lines)) }

func (t tally) add(number int, m Money) {
	if number >= len(t) {
		number = 0
	}
	t[number] += m
}

func (t tally) total() (sum Money) {
	for _, m := range t {
		sum += m
	}
	return sum
}

// addPaid adds what the lines of the entry pay. A reversal adds nothing, nor do the lines
// that it takes back.
func (e *ledgerEntry) addPaid(to tally) {
	for i := range e.Lines {
		if !e.gone(i) && len(e.takenBack) == 0 {
			to.add(e.numbers[i], e.Lines[i].Paid)
		}
	}
}

// addStanding adds the adjustments of the entry that stand.
func (e *ledgerEntry) addStanding(to tally, fits func(Adjustment) bool) {
	if e.levelStands() {
		to.add(0, sumOf(e.Adjustments, fits))
	}
	for i, stands := range e.stands {
		if stands {
			to.add(e.numbers[i], sumOf(e.Lines[i].Adjustments, fits))
		}
	}
}

// settledBefore returns what the first payer that decided says earlier ones settled
// (OA-23). Where decisions of earlier payers are known, these count instead.
func (l *Ledger) settledBefore() tally {
	t := l.tally()
	for _, s := range Sequences() {
		decided := func(e *ledgerEntry) bool { return !e.Reverses() && e.sequence == s }
		if slices.ContainsFunc(l.decisions(), decided) {
			for _, e := range l.latest(s) {
				e.addStanding(t, Adjustment.settledBefore)
			}
			break
		}
	}
	return t
}

// OpenReason is why a part of the charge is open.
type OpenReason string

// The reasons. Without one, the amounts of the remittances do not add up.
const (
	OpenTakenBack OpenReason = "taken_back" // a payer took back what it paid, and has not decided again
	OpenUndecided OpenReason = "undecided"  // a line is in no remittance
	OpenRefused   OpenReason = "refused"
	OpenDiscount  OpenReason = "discount" // of a payer after the primary one
)

// openReason returns the reason of whatever is open.
func (l *Ledger) openReason() OpenReason {
	for n := range l.claim.Lines {
		decided := func(e *ledgerEntry) bool {
			return e.about(n+1, func(i int) bool { return e.stands[i] }) || len(e.Lines) == 0 && e.levelStands()
		}
		takenBack := func(e *ledgerEntry) bool { return e.about(n+1, e.gone) || len(e.Lines) == 0 && e.cancelledBy != nil }
		switch {
		case slices.ContainsFunc(l.decisions(), decided):
		case slices.ContainsFunc(l.decisions(), takenBack):
			return OpenTakenBack
		default:
			return OpenUndecided
		}
	}
	reason := OpenReason("")
	for _, e := range l.decisions() {
		switch {
		case sumOf(e.standing(), Adjustment.NotPaid) != 0:
			return OpenRefused
		case e.sequence != SequencePrimary && sumOf(e.standing(), Adjustment.Contractual) != 0:
			reason = OpenDiscount
		}
	}
	return reason
}

// openStep returns the next step for a claim that is decided, of which an amount is open.
func (c *Claim) openStep(open Money) string {
	switch over := c.Overpaid(); {
	case over > 0:
		return "The claim is overpaid by " + over.String() + ", refund due: ask the payer how to return it, then accept the amount."
	case open < 0:
		return "Accepted amounts exceed what is open by " + open.Abs().String() + ": reopen the claim, which takes them back."
	}
	reason := OpenTakenBack
	if c.Standing != nil {
		reason = c.Standing.OpenReason
	}
	switch amount := open.String(); reason {
	case OpenTakenBack:
		return "The payer took back a payment and " + amount + " is open: wait for its next remittance, or accept the open amount."
	case OpenUndecided:
		return "A service is not decided yet and " + amount + " is open: wait for the next remittance, or ask the payer."
	case OpenRefused:
		return "The payer refuses a part and " + amount + " is open: read the adjustments, then replace the claim, or accept the open amount."
	case OpenDiscount:
		return "A later payer's discount leaves " + amount + " open: accept it as a write-off if your contract says so, or as the patient's."
	default:
		return "The remittances do not add up and " + amount + " is open: ask the payer for a correction, or accept the open amount."
	}
}

// accept keeps what a person accepts of the open amount.
func (c *Claim) accept(a *AcceptedOpen) error {
	var f Faults
	switch open := c.Open(); {
	case a == nil && open == 0:
		return nil
	case a == nil:
		return &Error{Code: CodeConflict, Message: open.String() + " of the claim is open. Send accept_open with lines that add up to this amount. " + c.openStep(open)}
	case open == 0:
		f.Add("accept_open", FaultNotAllowed, "Nothing of the claim is open. Leave accept_open out.")
	case a.Sum() != open:
		f.Add("accept_open.lines", FaultConflict, "The amounts add up to "+a.Sum().String()+", but "+open.String()+" is open. Read the claim again.")
	}
	for i, l := range a.Lines {
		if l.Number > len(c.Lines) {
			f.Add("accept_open.lines."+strconv.Itoa(i)+".line_number", FaultRange, "The claim has no line with this number. The first line is 1.")
		}
	}
	c.Accepted = append(slices.Clip(c.Accepted), *a)
	return f.Err()
}

// about reports whether a line of the entry that is as given matches the line of the
// claim.
func (e *ledgerEntry) about(number int, is func(i int) bool) bool {
	for i, n := range e.numbers {
		if n == number && is(i) {
			return true
		}
	}
	return false
}

// gone reports whether a reversal takes the line back.
func (e *ledgerEntry) gone(i int) bool { return e.cancelledBy != nil || e.cancelled[i] }
