package claim

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// Procedures by their leading digits.
const (
	// Restorations and endodontics; sealants and other work on a tooth; pontics and
	// retainers of fixed prosthodontics; extractions.
	perTooth      = "D2 D3 D135 D62 D67 D711 D714 D721 D722 D723 D724 D725"
	byReport      = "D2999 D3999 D6999"
	wholeMouth    = "D11 D12"                          // cleaning and fluoride
	ofSurfaces    = "D21 D233 D2391 D2392 D2393 D2394" // direct restorations
	perQuadrant   = "D4210 D4211 D4240 D4241 D4260 D4261 D4341 D4342"
	upperPartials = "D5211 D5213 D5221 D5223 D5225 D5227 D5282"
	lowerPartials = "D5212 D5214 D5222 D5224 D5226 D5228 D5283"
	ofPrimary     = "D2929 D2930 D2934 D3230 D3240 D7111" // their names say so
	ofPermanent   = "D2931 D3222"                         // theirs too
	ofNatural     = "D2 D3 D135"                          // restorations, endodontics and sealants
	ofChildren    = "D1120 D8010 D8020 D8070"             // cleaning; orthodontics of the primary or transitional dentition
	ofAdults      = "D1110 D8040 D8090"                   // cleaning; orthodontics of the adult dentition
	upper         = "01 10 20"                            // the arch and its quadrants
	lower         = "02 30 40"
	oralCavity    = "00 01 02 03 04 05 06 07 08 09 10 20 30 40 L R" // ISO 3950 areas, quadrants and sextants; L and R of X12
)

func oneTooth(code string) bool { return hasPrefix(code, perTooth) && !hasPrefix(code, byReport) }

// orthodontic reports whether the procedure is an orthodontic treatment, or one visit
// of it.
func orthodontic(code string) bool { return "D8010" <= code && code <= "D8090" || code == "D8670" }

// inList reports whether the word is in the list. Spaces separate its words.
func inList(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// hasPrefix reports whether the code starts with one of the prefixes. Spaces
// separate them.
func hasPrefix(code, prefixes string) bool {
	for p := range strings.FieldsSeq(prefixes) {
		if strings.HasPrefix(code, p) {
			return true
		}
	}
	return false
}

// Repeats reports whether a list has a value twice.
func Repeats[T comparable](list []T) bool {
	for i, s := range list {
		if slices.Contains(list[:i], s) {
			return true
		}
	}
	return false
}

// tooth is a place in the universal numbering: 1 to 32 for permanent teeth, 1 to
// 20 (A to T) for primary ones.
type tooth struct {
	place   int
	primary bool
}

// findTooth reads 1 to 32 and A to T, and 51 to 82 and AS to TS for the
// supernumerary teeth beside them.
func findTooth(name string) (t tooth, ok bool) {
	switch n := len(name); {
	case n == 0 || n > 2 || name[0] == '0':
	case billing.AllDigits(name):
		place := 0
		for _, digit := range name {
			place = place*10 + int(digit-'0')
		}
		if place > 50 {
			place -= 50
		}
		return tooth{place: place}, place <= 32
	case 'A' <= name[0] && name[0] <= 'T' && (n == 1 || name[1] == 'S'):
		return tooth{int(name[0]-'A') + 1, true}, true
	}
	return tooth{}, false
}

// front reports whether the tooth is an incisor or a canine.
func (t tooth) front() bool {
	if t.primary {
		return 3 <= t.place && t.place <= 8 || 13 <= t.place && t.place <= 18
	}
	return 6 <= t.place && t.place <= 11 || 22 <= t.place && t.place <= 27
}
