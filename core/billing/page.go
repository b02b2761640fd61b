package billing

import "time"

// Page selects a part of a list that is ordered by time and ID, the newest first.
type Page struct {
	Limit  int       // 1 to 100
	After  *Position // nil for the first page
	Oldest bool      // the oldest first
}

// Position is a place in a list: the time and the ID of the last row seen. A list in another
// order than time and ID has what comes before them in its order, too.
type Position struct {
	Time  time.Time
	ID    [16]byte
	Order [2]int64
}

// The bounds of a page.
const (
	DefaultPageLimit = 25
	MaxPageLimit     = 100
)

// Cut returns the page and the position of the next one, or nil for the last
// page. The rows have one more than the page when there is a next one.
func Cut[T any](rows []T, limit int, at func(T) Position) ([]T, *Position) {
	if len(rows) <= limit {
		return rows, nil
	}
	rows = rows[:limit]
	return rows, new(at(rows[limit-1]))
}
