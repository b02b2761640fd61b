package deposits

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Imported is what an import did.
type Imported struct {
	Format   deposit.Format
	Entries  int // of the file
	Added    []*deposit.Deposit
	Traced   []*deposit.Deposit // stored ones that the file completes
	Matched  int                // of those added and completed
	Undone   int                // deposits that an entry took back
	Warnings []deposit.Warning
	Accounts []*deposit.Account // of the file
}

// news returns the deposits of which the file says something new.
func (i *Imported) news() []*deposit.Deposit { return slices.Concat(i.Added, i.Traced) }

// Waiting returns how many of them wait for a remittance.
func (i *Imported) Waiting() (n int) {
	for _, d := range i.news() {
		if d.State == deposit.Unmatched {
			n++
		}
	}
	return n
}

// MaxFile is how long a bank's file is at most, in bytes.
const MaxFile = 5 << 20

// Import stores what is new in a bank's file, and matches it.
//
// Errors: those of the idempotency key, and CodeInvalidRequest for a file that cannot be read.
func (s *Service) Import(ctx context.Context, call idempotency.Write[*Imported], in intake.DepositFile, content []byte) (caller.Reply, error) {
	how, names := in.Parsed(&call.Request.Faults)
	if len(content) > MaxFile {
		call.Request.Faults.Add("file", billing.FaultTooLong, "The file has more than 5 MB. Ask the bank for shorter periods, or split it.")
	}
	var f deposit.File
	if len(call.Request.Faults) == 0 {
		f, call.Request.Faults = s.read(content, how) // outside of the transaction, because a file takes a while
	}
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*Imported, error) {
		i := importing{tx: tx, scope: call.Scope, at: tx.Clock.Now(), mistaken: map[billing.DepositID]*remit.ERA{}, to: &Imported{Format: f.Format, Entries: len(f.Entries), Warnings: f.Warnings}}
		return i.to, i.run(ctx, f, names)
	})
}

// importing is an import under way.
type importing struct {
	tx    ports.Tx
	scope billing.Scope
	at    time.Time
	to    *Imported

	all  []*deposit.Account // of the scope, as they will be
	days billing.DateSpan   // of the new entries
	eras []*remit.ERA       // that may belong to them

	mistaken map[billing.DepositID]*remit.ERA // what completed deposits were matched to, and do not pay
	again    []*deposit.Deposit               // stored ones that have the trace number of such a remittance
}

func (i *importing) run(ctx context.Context, f deposit.File, names []string) error {
	further, err := i.accounts(ctx, f, names)
	if err == nil {
		err = i.add(ctx, f)
	}
	if err == nil {
		err = i.offer(ctx)
	}
	if err != nil || len(i.to.news()) == 0 && !further {
		return err
	}
	taken, err := i.takenBack(ctx)
	if err != nil {
		return err
	}
	days := i.days
	if further { // what was paid since then is awaited now
		days.To = billing.DateOf(i.at).AddDays(deposit.Window)
	}
	if i.eras, err = remittances(ctx, i.tx, days); err != nil {
		return err
	}
	locked, err := lockAll(ctx, i.tx, i.touched(taken))
	if err != nil {
		return err
	}
	return i.keep(ctx, locked, taken)
}

// touched returns the remittances that the import changes.
func (i *importing) touched(taken []takenBack) (all []billing.ERAID) {
	for _, m := range deposit.Matches(i.to.news(), i.eras) {
		for _, e := range m.ERAs {
			all = append(all, e.ID)
		}
	}
	for _, e := range i.eras {
		if from := deposit.KnownFrom(i.all, e.Payment.Account); !from.IsZero() && (e.Bank == nil || e.Bank.From != from) {
			all = append(all, e.ID)
		}
	}
	for _, t := range taken {
		all = append(all, t.of.Remittances()...)
	}
	for _, freed := range i.mistaken {
		all = append(all, freed.ID)
		for _, e := range i.eras {
			if e.Payment.TraceNumber == freed.Payment.TraceNumber { // another part of the payment
				all = append(all, e.ID)
			}
		}
	}
	return all
}

// keep changes locked remittances and stores everything.
func (i *importing) keep(ctx context.Context, locked map[billing.ERAID]*remit.ERA, taken []takenBack) error {
	for _, e := range locked {
		e.Known(deposit.KnownFrom(i.all, e.Payment.Account))
	}
	for d, e := range i.mistaken {
		if freed := locked[e.ID]; freed != nil {
			freed.Withdrawn(d)
		}
	}
	for _, t := range taken {
		var paid []*remit.ERA
		for _, id := range t.of.Remittances() {
			if locked[id] != nil {
				paid = append(paid, locked[id])
			}
		}
		t.of.TakenBack(t.by, paid)
		if err := i.tx.Deposits.Save(ctx, t.of); err != nil {
			return err
		}
	}
	matches, err := i.matches(ctx, locked)
	if err != nil {
		return err
	}
	for _, m := range matches {
		m.Join(i.at)
		if !slices.Contains(i.again, m.Deposit) {
			i.to.Matched++
		}
	}
	for _, d := range i.to.Added {
		if err := i.tx.Deposits.Insert(ctx, d); err != nil {
			return err
		}
	}
	for _, d := range slices.Concat(i.to.Traced, i.again) {
		if err := i.tx.Deposits.Save(ctx, d); err != nil {
			return err
		}
	}
	for _, e := range locked {
		if err := save(ctx, i.tx, e); err != nil {
			return err
		}
	}
	return nil
}

// matches finds what the new deposits pay of the locked remittances, and what stored ones pay of those that are free again.
// A stored deposit that waits for the same money is a candidate, too.
func (i *importing) matches(ctx context.Context, locked map[billing.ERAID]*remit.ERA) (all []deposit.Match, err error) {
	eras := slices.Collect(maps.Values(locked))
	for _, e := range i.eras {
		if locked[e.ID] == nil {
			eras = append(eras, e)
		}
	}
	news, asked := i.to.news(), map[billing.Money]bool{}
	deposits := slices.Concat(news, i.again)
	for _, m := range deposit.Matches(news, eras) {
		amount := m.Deposit.Amount
		if m.How != deposit.ByFigure || asked[amount] {
			continue
		}
		asked[amount] = true
		f := deposit.Filter{Amount: amount, From: i.days.From.AddDays(-deposit.Spread), To: i.days.To.AddDays(deposit.Spread)}
		waiting, err := i.tx.Deposits.List(ctx, f, billing.Page{Limit: nearby})
		if err != nil {
			return nil, err
		}
		deposits = append(deposits, slices.DeleteFunc(waiting, func(d *deposit.Deposit) bool { return i.stored(d.ID) != nil })...)
	}
	for _, m := range deposit.Matches(deposits, eras) {
		free := !slices.ContainsFunc(m.ERAs, func(e *remit.ERA) bool { return locked[e.ID] == nil })
		if free && (slices.Contains(news, m.Deposit) || m.How == deposit.ByTrace && slices.Contains(i.again, m.Deposit)) {
			all = append(all, m)
		}
	}
	return all, nil
}

// accounts locks the accounts and stores what the file adds to them. Further says that the
// deposits of one are known from an earlier day on.
func (i *importing) accounts(ctx context.Context, f deposit.File, names []string) (further bool, err error) {
	if i.all, err = i.tx.DepositAccounts.Lock(ctx); err != nil {
		return false, err
	}
	for _, a := range f.Accounts() {
		if k := slices.IndexFunc(i.all, func(o *deposit.Account) bool { return o.Number == a.Number }); k >= 0 {
			was := i.all[k]
			further = further || a.From.Before(was.From)
			span := billing.DateSpan{From: was.From, To: was.To}.Including(a.From).Including(a.To)
			a.From, a.To, a.Names = span.From, span.To, was.Names
			i.all[k] = a
		} else {
			i.all, further = append(i.all, a), true
		}
		if names != nil {
			a.Names = names
		}
		if err := i.tx.DepositAccounts.Save(ctx, a); err != nil {
			return false, err
		}
		i.to.Accounts = append(i.to.Accounts, a)
		i.days = i.days.Including(a.From).Including(a.To)
	}
	return further, nil
}

// add makes deposits of the entries that are new, and completes stored ones.
func (i *importing) add(ctx context.Context, f deposit.File) error {
	identities := deposit.Number(f.Entries)
	known, err := i.tx.Deposits.Known(ctx, identities)
	if err != nil {
		return err
	}
	of := map[string]*deposit.Account{}
	for _, a := range i.to.Accounts {
		of[a.Number] = a
	}
	for n, id := range identities {
		was, is := known[id]
		switch e := f.Entries[n]; {
		case !is:
			at := billing.RealAt(i.tx.Real.Now().Add(time.Duration(n) * time.Microsecond)) // in the order of the file
			i.to.Added = append(i.to.Added, deposit.New(i.scope, e, id, of[e.Account], at, i.at))
		case !was.Whole && e.Whole():
			if err := i.complete(ctx, was.ID, e); err != nil {
				return err
			}
		}
		known[id] = deposit.Stored{Whole: true} // the file says it once
	}
	return nil
}

// complete adds to a stored deposit what the entry says. A match by the figures that turns out to be mistaken is taken back.
func (i *importing) complete(ctx context.Context, id billing.DepositID, entry deposit.Entry) error {
	d, err := i.tx.Deposits.Lock(ctx, id)
	if err != nil {
		return err
	}
	d.Complete(entry)
	i.to.Traced = append(i.to.Traced, d)
	for _, of := range d.Remittances() {
		e, err := i.tx.ERAs.Get(ctx, of)
		switch {
		case billing.IsNotFound(err): // its time is over
		case err != nil:
			return err
		case d.Mistaken(e):
			d.Withdraw()
			i.mistaken[d.ID] = e
		}
	}
	return nil
}

// offer finds the stored deposits that wait, and have the trace number of a remittance that is free again.
func (i *importing) offer(ctx context.Context) error {
	for _, e := range i.mistaken {
		for _, state := range []deposit.State{deposit.Unmatched, deposit.Unrelated} {
			f := deposit.Filter{State: state, From: e.Due().AddDays(-deposit.Window), To: e.Due().AddDays(deposit.Window)}
			found, err := i.tx.Deposits.List(ctx, f, billing.Page{Limit: nearby})
			if err != nil {
				return err
			}
			for _, d := range found {
				if !d.Waits() || !d.Traces(e) || i.stored(d.ID) != nil {
					continue
				}
				if d, err = i.tx.Deposits.Lock(ctx, d.ID); err != nil {
					return err
				}
				i.again = append(i.again, d)
			}
		}
	}
	return nil
}

// stored returns the stored deposit with the ID that the import changes already; nil for none.
func (i *importing) stored(id billing.DepositID) *deposit.Deposit {
	return withID(slices.Concat(i.to.Traced, i.again), id)
}

// completed returns the completed deposit with the ID; nil for none.
func (i *importing) completed(id billing.DepositID) *deposit.Deposit {
	return withID(i.to.Traced, id)
}

func withID(all []*deposit.Deposit, id billing.DepositID) *deposit.Deposit {
	if n := slices.IndexFunc(all, func(d *deposit.Deposit) bool { return d.ID == id }); n >= 0 {
		return all[n]
	}
	return nil
}

// takenBack is a stored deposit, and the entry that takes it back.
type takenBack struct{ of, by *deposit.Deposit }

// takenBack finds the deposits that entries of the file take back, and the new ones that a stored
// entry takes back, whose file came first. One that is new itself is marked; stored ones are locked
// and returned.
func (i *importing) takenBack(ctx context.Context) (taken []takenBack, err error) {
	debits, err := i.debits(ctx)
	if err != nil {
		return nil, err
	}
	for _, by := range debits {
		f := deposit.Filter{Account: by.Account, Amount: -by.Amount, From: by.Date.AddDays(-deposit.Window), To: by.Date, Reference: by.Returns}
		if i.completed(by.ID) != nil {
			f.Reference = "" // it may have taken another back before it said which
		}
		earlier, err := i.tx.Deposits.List(ctx, f, billing.Page{Limit: billing.MaxPageLimit})
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(earlier, func(d *deposit.Deposit) bool { return d.ReturnedBy == by.ID }) {
			continue // it took one back before
		}
		for n, d := range earlier { // as it will be stored
			earlier[n] = cmp.Or(i.stored(d.ID), d)
		}
		earlier = slices.DeleteFunc(earlier, func(d *deposit.Deposit) bool {
			return slices.ContainsFunc(taken, func(t takenBack) bool { return t.of.ID == d.ID })
		})
		d := by.TakesBack(slices.Concat(earlier, i.to.Added))
		switch {
		case d == nil, slices.Contains(earlier, d) && i.completed(d.ID) == nil && !slices.Contains(i.to.news(), by):
			continue
		case slices.Contains(i.to.Added, d):
			d.TakenBack(by, nil)
		case i.stored(d.ID) != nil: // it is locked
			taken = append(taken, takenBack{d, by})
		default:
			if d, err = i.tx.Deposits.Lock(ctx, d.ID); err != nil {
				return nil, err
			}
			taken = append(taken, takenBack{d, by})
		}
		i.to.Undone++
	}
	return taken, nil
}

// debits returns the debits of the file, and the stored ones of the days after it that have the amount
// of a new deposit.
func (i *importing) debits(ctx context.Context) (all []*deposit.Deposit, err error) {
	type sum struct {
		account string
		amount  billing.Money
	}
	came := map[sum]bool{}
	var span billing.DateSpan
	for _, d := range i.to.news() {
		if d.Amount < 0 {
			all = append(all, d)
		} else {
			came[sum{d.Account, d.Amount}], span = true, span.Including(d.Date)
		}
	}
	if len(came) == 0 {
		return all, nil
	}
	stored, err := i.tx.Deposits.List(ctx, deposit.Filter{Debits: true, From: span.From, To: span.To.AddDays(deposit.Window)}, billing.Page{Limit: nearby})
	for _, by := range stored {
		if came[sum{by.Account, -by.Amount}] && i.completed(by.ID) == nil {
			all = append(all, by)
		}
	}
	return all, err
}
