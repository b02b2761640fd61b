package directory

import "time"

// ImportKind is a kind of files that other programs write.
type ImportKind string

// ImportSchedule is the kind of a schedule: the appointments of a practice.
const ImportSchedule ImportKind = "schedule"

// ImportKinds lists every kind of files.
func ImportKinds() []ImportKind { return []ImportKind{ImportSchedule} }

// ImportMapping says what an organization's files of a kind mean: the names of their columns,
// and the names that they have for payers. It is set once, and every file is read with it.
type ImportMapping struct {
	Kind      ImportKind
	Columns   []MappedColumn
	Payers    []MappedPayer
	UpdatedAt time.Time // zero for one that was never set
}

// MappedColumn is a column, and the field that it has; empty for one that is left out.
type MappedColumn struct{ Name, Field string }

// MappedPayer is a payer, and what files call it.
type MappedPayer struct {
	Name  string
	Payer PayerSummary
}
