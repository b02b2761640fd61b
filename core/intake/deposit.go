package intake

import (
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
)

// DepositFile says how a bank's file is read, as a caller wrote it. Empty fields were left out.
type DepositFile struct {
	Format  string
	Account string
	Names   string // one a line
	Columns map[deposit.Column]string
}

const (
	maxPayerNames = 100
	maxPayerName  = 60 // characters
)

// Parsed validates the request. Names is nil when they were left out.
func (r DepositFile) Parsed(f *billing.Faults) (how deposit.Reading, names []string) {
	how = deposit.Reading{Format: deposit.Format(r.Format), Columns: r.Columns}
	if r.Format != "" && !slices.Contains(deposit.Formats(), how.Format) {
		f.Add("format", billing.FaultNotAllowed, "The format is nacha, bai2 or csv. Leave it out to let Molar find it.")
	}
	if r.Account != "" && (len(r.Account) != 4 || !billing.AllDigits(r.Account)) {
		f.Add("account", billing.FaultFormat, "Send the last four digits of the account number, and no more of it.")
	}
	how.Account = r.Account
	for line := range strings.Lines(r.Names) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if billing.ComparableName(line) == "" || len(line) > maxPayerName {
			f.Add("payer_names", billing.FaultFormat, "Send one name a line, each with letters or digits, and of at most 60 characters.")
			break
		}
		names = append(names, line)
	}
	if len(names) > maxPayerNames {
		f.Add("payer_names", billing.FaultTooMany, "Send at most 100 names.")
	}
	return how, names
}

// DepositMatch says which remittances a deposit pays, as a caller wrote it.
type DepositMatch struct {
	Parts  []DepositPart
	Faults billing.Faults // found when the body was decoded
}

// DepositPart is a remittance that a deposit pays. Amount and Fee are nil when they were left out.
type DepositPart struct {
	ERAID  *string `body:"era_id"`
	Amount *string
	Fee    *string
}

// Place returns the field that names the remittance of a part.
func (DepositMatch) Place(i int) string { return "parts." + strconv.Itoa(i) + ".era_id" }

// Parsed validates the request and returns the parts.
func (r DepositMatch) Parsed() (wishes []deposit.Wish, f billing.Faults) {
	f = slices.Clone(r.Faults)
	switch {
	case len(r.Parts) == 0:
		f.Add("parts", billing.FaultRequired, "Name at least one remittance that the deposit pays.")
	case len(r.Parts) > deposit.MaxParts:
		f.Add("parts", billing.FaultTooMany, "A deposit pays at most 12 remittances.")
		return nil, f
	}
	for i, p := range r.Parts {
		at := "parts." + strconv.Itoa(i) + "."
		w := deposit.Wish{ERA: optionalID[billing.ERAID](&f, at+"era_id", p.ERAID, "remittance")}
		if p.ERAID == nil {
			f.Add(at+"era_id", billing.FaultRequired, "Name the remittance that this part of the deposit pays.")
		}
		if slices.ContainsFunc(wishes, func(o deposit.Wish) bool { return o.ERA == w.ERA && !w.ERA.IsZero() }) {
			f.Add(at+"era_id", billing.FaultConflict, "Duplicate remittance. Name each remittance once.")
		}
		w.Amount = above(&f, at+"amount", p.Amount, 1)
		w.Fee = above(&f, at+"fee", p.Fee, 0)
		wishes = append(wishes, w)
	}
	return wishes, f
}

// above reads an amount that is at least so many cents; 0 for none.
func above(f *billing.Faults, field string, value *string, least billing.Money) billing.Money {
	if value == nil {
		return 0
	}
	m, err := billing.ParseMoney(*value)
	if err != nil {
		f.Add(field, billing.FaultFormat, `Send the amount with two decimals, such as "120.00".`)
	} else if m < least {
		must := "Send an amount that is not below zero."
		if least > 0 {
			must = "Send an amount above zero, or leave it out to match all that the remittance awaits."
		}
		f.Add(field, billing.FaultRange, must)
	}
	return m
}
