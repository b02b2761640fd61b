package estimate

import (
	"slices"
	"strconv"
	"strings"
)

// Place is where a service is done.
type Place struct {
	Tooth    string
	Surfaces []string
	Areas    []string // of the oral cavity, as a claim has them: quadrants, sextants, arches
}

// same reports whether two places are one for a limit of the scope, such as "per quadrant". A
// place that is not known is no other's.
func (p *Place) same(o *Place, scope string) bool {
	switch {
	case strings.Contains(scope, "quadrant"):
		return meet(p.areas(quadrants), o.areas(quadrants))
	case strings.Contains(scope, "sextant"):
		return meet(p.areas(sextants), o.areas(sextants))
	case strings.Contains(scope, "arch"):
		return meet(p.areas(arches), o.areas(arches))
	case strings.Contains(scope, "surface"):
		return p.Tooth != "" && p.Tooth == o.Tooth && meet(p.Surfaces, o.Surfaces)
	}
	return p.Tooth != "" && p.Tooth == o.Tooth
}

// meet reports whether two lists have a value in common.
func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// area is a part of the mouth: its code in ISO 3950, those of the parts in it, and its first and
// last permanent tooth.
type area struct {
	code        string
	within      string
	first, last int
}

//nolint:gochecknoglobals // constant tables
var (
	quadrants = []area{{"10", "", 1, 8}, {"20", "", 9, 16}, {"30", "", 17, 24}, {"40", "", 25, 32}}
	sextants  = []area{{"03", "", 1, 5}, {"04", "", 6, 11}, {"05", "", 12, 16}, {"06", "", 17, 21}, {"07", "", 22, 27}, {"08", "", 28, 32}}
	arches    = []area{{"01", "10 20 03 04 05", 1, 16}, {"02", "30 40 06 07 08", 17, 32}}
)

// areas returns the areas that the place is in: by their codes, or by the tooth.
func (p *Place) areas(of []area) (out []string) {
	tooth := permanent(p.Tooth)
	for _, a := range of {
		named := slices.ContainsFunc(p.Areas, func(code string) bool { return code == a.code || slices.Contains(strings.Fields(a.within), code) })
		if named || a.first <= tooth && tooth <= a.last {
			out = append(out, a.code)
		}
	}
	return out
}

// permanent returns the number of the permanent tooth in whose place a tooth is: a primary one, from
// A to T, or a supernumerary one, such as 51 or AS. It is 0 for what is no tooth.
func permanent(tooth string) int {
	const primary, beyond = 5, 50 // teeth of a primary quadrant; what a supernumerary tooth adds
	if n, err := strconv.Atoi(tooth); err == nil {
		if n > beyond {
			n -= beyond
		}
		return n
	}
	if tooth == "" || tooth[0] < 'A' || 'T' < tooth[0] {
		return 0
	}
	n := int(tooth[0] - 'A')
	inQuadrant := n % primary
	starts := []int{4, 9, 20, 25} // the permanent teeth of A, F, K and P
	return starts[n/primary] + inQuadrant
}
