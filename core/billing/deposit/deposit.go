// Package deposit is the money that arrives at a bank, and which remittances it pays. Package
// remit knows what of it arrived for one remittance.
package deposit

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/decision"
)

// Method is how money came to the bank.
type Method string

// The methods.
const (
	ACH         Method = "ach"
	Check       Method = "check"
	VirtualCard Method = "virtual_card" // its processor keeps a fee
	Other       Method = "other"
)

// Methods lists every method.
func Methods() []Method { return []Method{ACH, Check, VirtualCard, Other} }

// Format is the kind of a bank's file.
type Format string

// The formats.
const (
	NACHA Format = "nacha" // CCD+ entries with addenda 05
	BAI2  Format = "bai2"
	CSV   Format = "csv"
)

// Formats lists every format.
func Formats() []Format { return []Format{NACHA, BAI2, CSV} }

// Entry is what a bank's file says about a movement of money.
type Entry struct {
	Account   string // the last four digits
	Date      billing.Date
	Amount    billing.Money // negative for a debit or a return
	Method    Method
	Company   string // who sent it, as the bank names it; empty for none
	Text      string // the bank's words
	Trace     string // of the payment (TRN02), or the number of the check; empty for none
	Reference string // of the network or the bank: identifies the entry; empty for none
	Returns   string // the reference of the entry that this one takes back; empty for none
	Claims    bool   // it says that it pays claims: it has a TRN, or HCCLAIMPMT
}

// State is the state of a deposit.
type State string

// The states.
const (
	Unmatched State = "unmatched" // its remittances, or some of them, are not known
	Matched   State = "matched"   // remittances explain all of it
	Unrelated State = "other"     // no remittance is expected
	Returned  State = "returned"  // a debit or a return took it back
)

// States lists every state.
func States() []State { return []State{Unmatched, Matched, Unrelated, Returned} }

// Deposit is a stored entry.
type Deposit struct {
	ID         billing.DepositID
	Scope      billing.Scope
	Identity   [sha256.Size]byte
	ImportedAt time.Time

	Entry

	State      State
	Parts      []Part
	ByHand     bool              // a person undid a match: none is made by itself any more
	ReturnedBy billing.DepositID // the entry that took it back; zero for none
	Decisions  decision.List
}

// Part is what a deposit pays of a remittance.
type Part struct {
	ERA    billing.ERAID
	Amount billing.Money
	Fee    billing.Money // what the processor of a virtual card kept
	How    How
	By     string // the key or the user; empty when the match was made by itself
	At     time.Time

	// Surplus is what it paid of a remittance that this one corrects, and what nothing explains now.
	Surplus billing.Money `json:",omitempty"`
}

// How says what a match follows from.
type How string

// The ways.
const (
	ByTrace  How = "trace_number"          // the trace number and the amount agree
	ByFigure How = "payer_amount_and_date" // it is the only one with this payer, amount and date
	ByPerson How = "user"                  // a person says so
)

// Position returns the place of the deposit in a list, by its day.
func (d *Deposit) Position() billing.Position { return billing.Position{Time: d.Date.Time(), ID: d.ID} }

// Explained returns how much of the deposit remittances explain.
func (d *Deposit) Explained() (sum billing.Money) {
	for _, p := range d.Parts {
		sum += p.Amount
	}
	return sum
}

// Rest returns how much of the deposit no remittance explains.
func (d *Deposit) Rest() billing.Money {
	if d.State == Unrelated || d.State == Returned {
		return 0
	}
	return d.Amount - d.Explained()
}

// Waits reports whether a match may be made by itself. Also a deposit of which nothing says that
// it pays claims can turn out to: a check by its number, or the money of a payer.
func (d *Deposit) Waits() bool {
	return (d.State == Unmatched || d.State == Unrelated) && len(d.Parts) == 0 && !d.ByHand && d.Amount > 0
}

// Decide records what a person decides about the deposit. One that is not insurance waits for no
// remittance any more; without that decision it does again, for a person to match.
func (d *Deposit) Decide(as decision.Decision) {
	was := d.Decisions.Of(as.Of)
	d.Decisions = d.Decisions.With(as)
	switch {
	case as.As == decision.NotInsurance:
		d.State, d.ByHand = Unrelated, true
	case was != nil && was.As == decision.NotInsurance && d.State == Unrelated:
		d.State = Unmatched
	}
}

// Remittances returns the IDs of the remittances that it pays, in order.
func (d *Deposit) Remittances() []billing.ERAID {
	all := make([]billing.ERAID, len(d.Parts))
	for i, p := range d.Parts {
		all[i] = p.ERA
	}
	slices.SortFunc(all, func(a, b billing.ERAID) int { return strings.Compare(string(a[:]), string(b[:])) })
	return slices.Compact(all)
}

// Number gives each entry its identity. It is the reference, where the bank has one. Else equal
// entries of an account and a day are counted, so that overlapping files have the same.
func Number(all []Entry) [][sha256.Size]byte {
	seen, identities := map[[sha256.Size]byte]uint64{}, make([][sha256.Size]byte, len(all))
	for i := range all {
		e := &all[i]
		base := digest(e.Account, e.Date.String(), e.Amount.String(), "text", e.Text)
		if e.Reference != "" {
			base = digest(e.Account, e.Date.String(), e.Amount.String(), "reference", e.Reference)
		} else {
			seen[base]++
			if n := seen[base]; n > 1 {
				base = sha256.Sum256(binary.BigEndian.AppendUint64(slices.Clone(base[:]), n))
			}
		}
		identities[i] = base
	}
	return identities
}

func digest(parts ...string) [sha256.Size]byte {
	var b []byte
	for _, p := range parts {
		b = append(binary.AppendUvarint(b, uint64(len(p))), p...)
	}
	return sha256.Sum256(b)
}

// Filter narrows a list of deposits. Zero fields match all.
type Filter struct {
	State     State
	Account   string
	Method    Method
	From      billing.Date // inclusive
	To        billing.Date // inclusive
	Amount    billing.Money
	Debits    bool // only what left the account
	Trace     string
	ERA       billing.ERAID
	Reference string
}

// Account is a bank account from which files were imported.
type Account struct {
	Number string       // the last four digits
	From   billing.Date // the day of its first entry
	To     billing.Date // the day of its last one
	Names  []string     // an entry whose text has one of these pays claims, by a rule of the organization
}

// named reports whether a rule of the organization says that the entry pays claims.
func (a *Account) named(e *Entry) bool {
	text := billing.ComparableName(e.Company + " " + e.Text)
	return slices.ContainsFunc(a.Names, func(name string) bool {
		name = billing.ComparableName(name)
		return name != "" && strings.Contains(text, name)
	})
}

// New makes a deposit of an entry. Only money that says that it pays claims, or that a rule of
// the organization names, waits for a remittance.
func New(in billing.Scope, e Entry, identity [sha256.Size]byte, of *Account, now billing.Real, at time.Time) *Deposit {
	d := &Deposit{ID: billing.NewID[billing.DepositID](now), Scope: in, Identity: identity, ImportedAt: at, Entry: e, State: Unrelated}
	if e.Amount > 0 && (e.Claims || of.named(&e)) {
		d.State = Unmatched
	}
	return d
}

// Stored is what is known of a stored deposit by its identity.
type Stored struct {
	ID    billing.DepositID
	Whole bool // see Entry.Whole
}

// Whole reports whether the entry has what a cut file leaves out: its trace number, or the entry that it takes back.
func (e *Entry) Whole() bool { return e.Trace != "" || e.Returns != "" }

// Complete adds what the entry says of a deposit of which a file before was cut. Money that nothing explains then
// waits for a remittance, unless a person decided otherwise.
func (d *Deposit) Complete(e Entry) {
	d.Entry = e
	if d.State == Unrelated && !d.ByHand && d.Amount > 0 && e.Claims {
		d.State = Unmatched
	}
}

// KnownFrom returns from which day on the deposits of a remittance are known: those of the account
// that it names, else of any. It is the zero day when none are.
func KnownFrom(accounts []*Account, number string) (from billing.Date) {
	for _, a := range accounts {
		if (number == "" || number == a.Number) && (from.IsZero() || a.From.Before(from)) {
			from = a.From
		}
	}
	return from
}
