package estimate

import "github.com/molar-billing/molar/core/billing/coverage"

// categories has the first code behind each range of procedure codes. The ranges are those
// of the code set's own chapters; crowns (D2400 to D2999) are major, as most plans have it.
//
//nolint:gochecknoglobals // constant table
var categories = []struct {
	before   string
	category coverage.Category
}{
	{"D1000", coverage.CategoryDiagnostic},
	{"D2000", coverage.CategoryPreventive},
	{"D2400", coverage.CategoryBasic},
	{"D3000", coverage.CategoryMajor},
	{"D4000", coverage.CategoryEndodontics},
	{"D5000", coverage.CategoryPeriodontics},
	{"D6000", coverage.CategoryProsthodontics},
	{"D6200", coverage.CategoryImplants},
	{"D7000", coverage.CategoryProsthodontics},
	{"D8000", coverage.CategoryOralSurgery},
	{"D9000", coverage.CategoryOrthodontics},
}

// CategoryOf returns the category of a procedure. It is empty for adjunctive services
// (D9000 to D9999), which no category of a check covers.
func CategoryOf(code string) coverage.Category {
	for _, c := range categories {
		if code < c.before {
			return c.category
		}
	}
	return ""
}
