package intake

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// The most rows of a mapping.
const (
	maxMappedColumns = 100
	maxMappedPayers  = 1_000
)

// MappingRequest says what columns and payers' names of files mean, as a caller wrote it;
// nothing is parsed yet.
type MappingRequest struct {
	Columns []MappedColumnInput
	Payers  []MappedPayerInput
	Faults  billing.Faults // found when the body was decoded
}

// MappedColumnInput is a column. A nil field leaves it out.
type MappedColumnInput struct {
	Name  string
	Field *string
}

// MappedPayerInput is a payer's name in files, with any ID or alias of the payer.
type MappedPayerInput struct{ Name, PayerID string }

// Mapping validates the request and returns the mapping, whose payers have only what the
// request says of them. Names that differ in case and signs are the same.
func (r MappingRequest) Mapping() (*directory.ImportMapping, billing.Faults) {
	f := slices.Clone(r.Faults)
	m := &directory.ImportMapping{}
	if len(r.Columns) > maxMappedColumns {
		f.Add("columns", billing.FaultTooMany, "A mapping may have at most 100 columns.")
	}
	if len(r.Payers) > maxMappedPayers {
		f.Add("payers", billing.FaultTooMany, "A mapping may have at most 1,000 names of payers.")
	}
	if len(f) > 0 {
		return m, f
	}
	name := func(at, name string, seen map[string]bool) {
		f.Name(at, name)
		if seen[words(name)] {
			f.Add(at, billing.FaultConflict, "This name is there already. Case and signs do not count. Send it once.")
		}
		seen[words(name)] = true
	}
	seen := map[string]bool{}
	for i, c := range r.Columns {
		at := item("columns", i)
		name(at+".name", c.Name, seen)
		made := directory.MappedColumn{Name: c.Name}
		if c.Field != nil {
			if made.Field = *c.Field; !slices.Contains(ScheduleFields(), made.Field) {
				f.Add(at+".field", billing.FaultNotAllowed, "This is no field of an appointment. Send one, such as date_of_birth, or null to leave the column out.")
			}
		}
		m.Columns = append(m.Columns, made)
	}
	seen = map[string]bool{}
	for i, p := range r.Payers {
		at := item("payers", i)
		name(at+".name", p.Name, seen)
		f.Required(at+".payer_id", p.PayerID, maxPayerID)
		m.Payers = append(m.Payers, directory.MappedPayer{Name: p.Name, Payer: directory.PayerSummary{PayerID: p.PayerID}})
	}
	return m, f
}
