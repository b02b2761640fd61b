package deposit

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

const (
	// Apart is how many business days a deposit and its remittance are apart at most.
	Apart = 3

	// MaxParts is how many remittances a deposit pays at most.
	MaxParts = 12

	// Window is how many days apart a deposit and a remittance with its trace number can be.
	Window = 45
)

// Match is a deposit with the remittances that pay all of it.
type Match struct {
	Deposit *Deposit
	ERAs    []*remit.ERA
	How     How
}

// Matches finds what belongs together for certain: a trace number with the same amount, and else
// a payer, an amount and days that only one deposit and only one remittance have.
func Matches(deposits []*Deposit, eras []*remit.ERA) (all []Match) {
	taken := map[billing.ERAID]bool{}
	traced := map[string][]*remit.ERA{}
	for _, e := range eras {
		if n := comparableTrace(e.Payment.TraceNumber); n != "" && e.Awaited() > 0 {
			traced[n] = append(traced[n], e)
		}
	}
	var rest []*Deposit
	for _, d := range deposits {
		if !d.Waits() {
			continue
		}
		if of := d.traced(traced[comparableTrace(d.Trace)], taken); of != nil {
			all = append(all, Match{d, of, ByTrace})
			for _, e := range of {
				taken[e.ID] = true
			}
			continue
		}
		rest = append(rest, d)
	}
	return append(all, single(rest, eras, taken)...)
}

// traced returns the remittances with the trace number of the deposit whose money it is: all
// parts of a payment, or the only one with the amount.
func (d *Deposit) traced(with []*remit.ERA, taken map[billing.ERAID]bool) (of []*remit.ERA) {
	var sum billing.Money
	for _, e := range with {
		if !taken[e.ID] && d.near(e, Window) {
			of, sum = append(of, e), sum+e.Awaited()
		}
	}
	if sum == d.Amount && len(of) > 0 && len(of) <= MaxParts {
		return of
	}
	of = slices.DeleteFunc(of, func(e *remit.ERA) bool { return e.Awaited() != d.Amount })
	if len(of) == 1 {
		return of
	}
	return nil
}

// single finds the deposits and remittances that only fit each other.
func single(deposits []*Deposit, eras []*remit.ERA, taken map[billing.ERAID]bool) (all []Match) {
	type pair struct {
		d *Deposit
		e *remit.ERA
	}
	byAmount := map[billing.Money][]*remit.ERA{}
	for _, e := range eras {
		if !taken[e.ID] && e.Awaited() > 0 {
			byAmount[e.Awaited()] = append(byAmount[e.Awaited()], e)
		}
	}
	var pairs []pair
	ofDeposit, ofERA := map[billing.DepositID]int{}, map[billing.ERAID]int{}
	for _, d := range deposits {
		for _, e := range byAmount[d.Amount] {
			if d.Names(e) && d.Within(e) && !d.contradicts(e) {
				pairs = append(pairs, pair{d, e})
				ofDeposit[d.ID]++
				ofERA[e.ID]++
			}
		}
	}
	for _, p := range pairs {
		if ofDeposit[p.d.ID] == 1 && ofERA[p.e.ID] == 1 {
			all = append(all, Match{p.d, []*remit.ERA{p.e}, ByFigure})
		}
	}
	return all
}

// contradicts reports whether both have a trace number of the network, and these differ. The
// number of a check is not compared: banks leave it out, or write another.
func (d *Deposit) contradicts(e *remit.ERA) bool {
	a, b := comparableTrace(d.Trace), comparableTrace(e.Payment.TraceNumber)
	return d.Claims && a != "" && b != "" && a != b
}

// comparableTrace is a trace number without case, spaces and leading zeros.
func comparableTrace(s string) string {
	return strings.TrimLeft(strings.ToUpper(strings.Join(strings.Fields(s), "")), "0")
}

// Within reports whether the days are close enough for a match by the figures.
func (d *Deposit) Within(e *remit.ERA) bool {
	first, last := d.Date, e.Due()
	if last.Before(first) {
		first, last = last, first
	}
	return !first.AddBusinessDays(Apart).Before(last)
}

func (d *Deposit) near(e *remit.ERA, days int) bool {
	return !e.Due().Before(d.Date.AddDays(-days)) && !d.Date.AddDays(days).Before(e.Due())
}

// minName is the fewest letters of a payer's name that say who paid.
const minName = 5

// Names reports whether the bank names the payer of the remittance. Banks shorten names, so the
// beginning of one counts.
func (d *Deposit) Names(e *remit.ERA) bool {
	company, text := billing.ComparableName(d.Company), billing.ComparableName(d.Text)
	for _, name := range []string{e.PayerName, e.Payer.Name} {
		name = billing.ComparableName(name)
		if len(name) < minName {
			continue
		}
		if len(company) >= minName && (strings.HasPrefix(name, company) || strings.HasPrefix(company, name)) {
			return true
		}
		if strings.Contains(text, name[:min(len(name), 2*minName)]) {
			return true
		}
	}
	return false
}

// Join records a match on both sides.
func (m Match) Join(at time.Time) {
	for _, e := range m.ERAs {
		m.Deposit.join(e, Part{ERA: e.ID, Amount: e.Awaited(), How: m.How, At: at})
	}
}

func (d *Deposit) join(e *remit.ERA, p Part) {
	d.Parts = append(d.Parts, p)
	e.Arrived(remit.Paid{Deposit: d.ID, Date: d.Date, Amount: p.Amount, Fee: p.Fee})
	d.settle()
}

// settle sets the state of a deposit that remittances may explain.
func (d *Deposit) settle() {
	d.State = Unmatched
	if d.Explained() == d.Amount {
		d.State = Matched
	}
}

// Wish is a part that a person asks for. A zero amount stands for what the remittance awaits.
type Wish struct {
	ERA    billing.ERAID
	Amount billing.Money
	Fee    billing.Money
}

// Match records what a person says that the deposit pays, beside what it pays already. The
// remittances are those of the wishes, in their order.
//
// Errors: CodeConflict for a debit, and for a deposit that was returned; CodeInvalidRequest for
// parts that do not fit.
func (d *Deposit) Match(wishes []Wish, eras []*remit.ERA, by string, at time.Time) error {
	switch {
	case d.Amount <= 0:
		return conflict("The entry is a debit, which pays no remittance. Match the deposit that it takes back, if the money arrived again.")
	case d.State == Returned:
		return conflict("The deposit was returned. Match the deposit with which the money arrived again.")
	case d.State == Matched:
		return conflict("The deposit is matched already. Undo the match first.")
	}
	var faults billing.Faults
	if len(d.Parts)+len(wishes) > MaxParts {
		faults.Add("parts", billing.FaultTooMany, "A deposit pays at most 12 remittances. Leave some of the parts out.")
	}
	rest := d.Amount - d.Explained()
	for i, w := range wishes {
		at := "parts." + strconv.Itoa(i)
		e := eras[i]
		awaited := e.Awaited()
		if w.Amount == 0 {
			w.Amount = min(awaited-w.Fee, rest)
		}
		switch {
		case awaited == 0:
			faults.Add(at+".era_id", billing.FaultNotAllowed, "The remittance awaits no deposit: it has none to come, or all of it has arrived.")
		case w.Amount <= 0 || w.Amount+w.Fee > awaited:
			faults.Add(at+".amount", billing.FaultRange, "The remittance awaits "+awaited.Dollars()+". Send an amount that, with the fee, is at most that.")
		case w.Amount > rest:
			faults.Add(at+".amount", billing.FaultRange, "The deposit has "+max(rest, 0).Dollars()+" left. Send at most that.")
		default:
			rest -= w.Amount
			wishes[i].Amount = w.Amount
		}
	}
	if err := faults.Err(); err != nil {
		return err
	}
	for i, w := range wishes {
		d.join(eras[i], Part{ERA: w.ERA, Amount: w.Amount, Fee: w.Fee, How: ByPerson, By: by, At: at})
	}
	return nil
}

// Undo takes the match of the deposit back on both sides. It returns CodeConflict for one that
// pays nothing.
func (d *Deposit) Undo(eras []*remit.ERA) error {
	if len(d.Parts) == 0 {
		return conflict("The deposit is not matched. There is nothing to undo.")
	}
	for _, e := range eras {
		e.Withdrawn(d.ID)
	}
	d.Parts, d.ByHand = nil, true
	d.settle()
	return nil
}

// Mistaken reports whether the deposit was matched to the remittance by its figures alone, and its trace number says
// now that it pays another.
func (d *Deposit) Mistaken(e *remit.ERA) bool {
	return len(d.Parts) == 1 && d.Parts[0].ERA == e.ID && d.Parts[0].How == ByFigure && d.contradicts(e)
}

// Withdraw takes the match back. Another may be made by itself.
func (d *Deposit) Withdraw() {
	d.Parts = nil
	d.settle()
}

// Moves records that another remittance stands in the place of one that it pays. What the other does
// not await is a rest of the deposit again.
func (d *Deposit) Moves(from, to *remit.ERA) {
	more := false
	for i := range d.Parts {
		p := &d.Parts[i]
		if p.ERA != from.ID {
			continue
		}
		whole, was := p.Amount+p.Surplus, p.Amount
		p.ERA, p.Amount = to.ID, max(min(whole, to.Awaited()-p.Fee), 0)
		p.Surplus = whole - p.Amount
		more = more || p.Amount < was
		to.Arrived(remit.Paid{Deposit: d.ID, Date: d.Date, Amount: p.Amount, Fee: p.Fee, Surplus: p.Surplus})
	}
	from.Withdrawn(d.ID)
	if d.State != Unrelated || more {
		d.settle()
	}
}

// Explain takes from what remittances were paid too much what others explain since then. They are all
// remittances of the deposit.
func (d *Deposit) Explain(all []*remit.ERA) {
	rest, of := d.Rest(), map[billing.ERAID]billing.Money{}
	for i := range d.Parts {
		p := &d.Parts[i]
		p.Surplus = min(p.Surplus, rest)
		rest -= p.Surplus
		of[p.ERA] += p.Surplus
	}
	for _, e := range all {
		e.TooMuch(d.ID, of[e.ID])
	}
}

// TakenBack records that an entry took the deposit back: what it paid is not paid any more.
func (d *Deposit) TakenBack(by *Deposit, eras []*remit.ERA) {
	for _, e := range eras {
		e.TakenBack(d.ID)
	}
	d.Parts, d.State, d.ReturnedBy = nil, Returned, by.ID
}

// TakesBack returns the deposit that a debit or a return takes back: the one with the reference
// that it names, else the only one with its trace number or its company, amount and account in the
// days before. It returns nil when that is not certain.
func (d *Deposit) TakesBack(earlier []*Deposit) *Deposit {
	if d.Amount >= 0 {
		return nil
	}
	var by [3][]*Deposit
	for _, o := range earlier {
		if o.Amount != -d.Amount || o.Account != d.Account || o.State == Returned || d.Date.Before(o.Date) {
			continue
		}
		switch {
		case d.Returns != "" && o.Reference == d.Returns:
			by[0] = append(by[0], o)
		case d.Returns != "":
		case d.Trace != "" && comparableTrace(o.Trace) == comparableTrace(d.Trace):
			by[1] = append(by[1], o)
		case d.reverses() && billing.ComparableName(o.Company) == billing.ComparableName(d.Company) && !o.Date.AddBusinessDays(5).Before(d.Date):
			by[2] = append(by[2], o)
		}
	}
	for _, found := range by {
		if len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

// reverses reports whether the bank calls the entry a return or a reversal.
func (d *Deposit) reverses() bool {
	text := strings.ToUpper(d.Text)
	return strings.Contains(text, "REVERS") || strings.Contains(text, "RETURN")
}

func conflict(message string) error {
	return &billing.Error{Code: billing.CodeConflict, Message: message}
}
