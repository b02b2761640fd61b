package claim

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/contract"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Contracted returns the claim as its contract sees it. A contract counts in the network of a payer only.
func (c *Claim) Contracted() contract.Case {
	k := contract.Case{
		Of: &c.Contract, Question: fee.Question{OfficeID: c.OfficeID, PayerID: c.Payer.ID, Network: fee.In}, Primary: c.Turn() == billing.SequencePrimary,
		Asks: c.HasOpen(), Decided: c.Standing != nil && slices.Contains([]State{Paid, Denied, Reconciled}, c.State),
	}
	if c.Kind == KindClaim && c.Frequency != FrequencyVoid {
		for i := range c.Lines {
			k.Services = append(k.Services, c.Lines[i].service())
		}
	}
	return k
}

// underpaid returns by how much the payer stays below the contract, unless a person accepted just that.
func (c *Claim) underpaid() billing.Money {
	short := c.Contracted().Underpaid()
	if d := c.Decisions.Of("underpaid"); d != nil && d.Amount == short {
		return 0
	}
	return short
}

// underpaidStep returns what to do about a payment below the contract.
func underpaidStep(short billing.Money) string {
	return "The payer allows " + short.Dollars() + " less than its contract says: ask it to correct the payment, or accept the difference"
}

func (l *Line) service() contract.Service {
	return contract.Service{ProcedureCode: strings.ToUpper(l.ProcedureCode), On: l.ServiceDate, Fee: l.Fee, Quantity: l.Quantity}
}

// Recount keeps what the claim repeats of its own entries: what the primary payer counts, what is refused and what to do about it.
// The claims to other payers change nothing of them. It reports whether that changed.
func (c *Claim) Recount(l *Ledger) bool {
	own := c.Ledger(l.applied(nil))
	changed := c.Contracted().SetCounted(own.counted())
	return c.Standing != nil && own.repeat(c.Standing) || changed
}

// counted returns what the primary payer's standing decision counts, by line.
func (l *Ledger) counted() (all []contract.Counted) {
	primary := l.latest(billing.SequencePrimary)
	for i := range l.claim.Lines {
		if of := l.counting(i, primary); of.Found() {
			all = append(all, of.Counted(i+1))
		} else if of := l.counting(i, l.entries); of.Found() {
			all = append(all, of.ByAnother(i+1))
		}
	}
	return all
}

// counting adds up what entries decide of a line of the claim.
func (l *Ledger) counting(line int, among []*ledgerEntry) *contract.Counting {
	n := &contract.Counting{Service: l.claim.Lines[line].service()}
	for _, e := range among {
		if e.levelStands() && (len(e.Lines) == 0 || remit.Sum(e.Adjustments, remit.Adjustment.ReducesAllowed) != 0) {
			n.AddLevel()
		}
		for i, stands := range e.stands {
			if stands && e.numbers[i] == line+1 {
				n.Add(&e.Lines[i])
			}
		}
	}
	return n
}
