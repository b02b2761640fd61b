package billing

import "time"

// Page asks for a piece of a list that is ordered by time and ID.
type Page struct {
	Limit int       // 1 to 100
	After *Position // nil for the first page
}

// Position is a place in a list: the time and the ID of the last row seen.
type Position struct {
	Time time.Time
	ID   [16]byte
}

// The bounds of a page.
const (
	DefaultPageLimit = 25
	MaxPageLimit     = 100
)
