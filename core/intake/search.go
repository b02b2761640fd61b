package intake

import "github.com/molar-billing/molar/core/billing"

// SearchRequest is the body of a search.
type SearchRequest struct {
	Faults billing.Faults
	Query  string
	Limit  *int
}

const maxSearch = 100

// Search returns what to search for, and the size of a page.
func (r *SearchRequest) Search() (s billing.Search, limit int) {
	if r.Faults.Required("query", r.Query, maxSearch) {
		s = billing.ParseSearch(r.Query)
	}
	limit = billing.DefaultPageLimit
	if r.Limit != nil {
		if limit = *r.Limit; limit < 1 || limit > billing.MaxPageLimit {
			r.Faults.Add("limit", billing.FaultRange, "The limit must be a number from 1 to 100.")
		}
	}
	return s, limit
}
