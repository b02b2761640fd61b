package directory

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed" // the directory that ships with the service
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"

	"github.com/molar-billing/molar/core/billing"
)

// PayerSummary names a payer inside another resource.
type PayerSummary struct {
	ID      billing.PayerID
	PayerID string // the payer's own payer ID
	Name    string
}

// Payer is an insurer that the service can reach.
type Payer struct {
	PayerSummary
	Aliases         []string
	Capabilities    Capabilities
	FilingIndicator string // the kind of plan in claims (SBR09)
}

// DefaultFiling is the filing indicator of a commercial insurer, for a payer without
// another one.
const DefaultFiling = "CI"

// Capabilities are the transactions that a payer accepts.
type Capabilities struct {
	Eligibility bool
	Claims      bool
	Attachments bool
	ClaimStatus bool // inquiries about claims (276)
}

// PayerDirectory is every payer that the service knows. It is data, the same
// for every organization, and does not change while the service runs.
type PayerDirectory struct {
	payers []*Payer
	byName map[string]*Payer // upper-case payer ID, alias or pyr_ ID
}

//go:embed payers.tsv
var shippedPayers string

// ShippedPayers returns the directory that ships with the service.
func ShippedPayers() (*PayerDirectory, error) {
	d := &PayerDirectory{byName: map[string]*Payer{}}
	return d, d.Extend(strings.NewReader(shippedPayers))
}

// Extend adds the payers of a file. A line has payer ID, name, aliases and
// capabilities, and may have a filing indicator, separated by tabs; spaces separate
// several aliases or capabilities. A line with a known payer ID replaces the payer. Lines that start
// with # are skipped. An error names the line.
func (d *PayerDirectory) Extend(r io.Reader) error {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if line := lines.Text(); strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			if err := d.add(strings.Split(line, "\t")); err != nil {
				return fmt.Errorf("payer directory, line %d: %w", n, err)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("payer directory: %w", err)
	}
	return nil
}

func (d *PayerDirectory) add(columns []string) error {
	if n := len(columns); n != 4 && n != 5 || columns[0] == "" || columns[1] == "" {
		return fmt.Errorf("%d columns, want payer ID, name, aliases, capabilities and perhaps a filing indicator", n)
	}
	p := &Payer{
		PayerSummary: PayerSummary{payerIDOf(columns[0]), columns[0], columns[1]},
		Aliases:      strings.Fields(columns[2]), FilingIndicator: DefaultFiling,
	}
	if len(columns) == 5 && columns[4] != "" {
		if p.FilingIndicator = columns[4]; !ValidFiling(p.FilingIndicator) {
			return fmt.Errorf("filing indicator %q, want one of %s", p.FilingIndicator, Filings)
		}
	}
	for _, c := range strings.Fields(columns[3]) {
		switch c {
		case "eligibility":
			p.Capabilities.Eligibility = true
		case "claims":
			p.Capabilities.Claims = true
		case "attachments":
			p.Capabilities.Attachments = true
		case "claim_status":
			p.Capabilities.ClaimStatus = true
		default:
			return fmt.Errorf("capability %q, want eligibility, claims, attachments or claim_status", c)
		}
	}
	d.payers = slices.DeleteFunc(d.payers, func(have *Payer) bool { return have.ID == p.ID })
	d.payers = append(d.payers, p)
	for _, name := range append([]string{p.PayerID, p.ID.String()}, p.Aliases...) {
		name = strings.ToUpper(name)
		if have, ok := d.byName[name]; ok && have.ID != p.ID {
			return fmt.Errorf("%q names %s already", name, have.PayerID)
		}
		d.byName[name] = p
	}
	return nil
}

// Filings are the filing indicators (data element 1032).
const Filings = "09 11 12 13 14 15 16 17 AM BL CH CI DS FI HM LM MA MB MC MH OF TV VA WC ZZ"

// ValidFiling reports whether s is a filing indicator.
func ValidFiling(s string) bool { return slices.Contains(strings.Fields(Filings), s) }

// payerIDOf returns the same pyr_ ID for a payer ID everywhere (a UUID of version
// 8), so that the directory needs no table.
func payerIDOf(payerID string) billing.PayerID {
	sum := sha256.Sum256([]byte("payer:" + strings.ToUpper(payerID)))
	id := billing.PayerID(sum[:16])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id
}

// Find returns the payer with the pyr_ ID, payer ID or alias, in any case.
func (d *PayerDirectory) Find(ref string) (*Payer, bool) {
	p, ok := d.byName[strings.ToUpper(strings.TrimSpace(ref))]
	return p, ok
}

// All returns the payers in the order of the file.
func (d *PayerDirectory) All() []*Payer { return slices.Clone(d.payers) }

// Search returns the payers that match the text, in any case, in the order of the
// file. The text is a pyr_ ID, the beginning of a payer ID or an alias, or part
// of a name. If none matches, it is the beginnings of some words of a name, in any
// order. Blank text matches all.
func (d *PayerDirectory) Search(text string) []*Payer {
	fold := func(s string) string { return cases.Fold().String(strings.TrimSpace(s)) }
	text = fold(text)
	found := slices.DeleteFunc(d.All(), func(p *Payer) bool {
		begins := func(code string) bool { return strings.HasPrefix(fold(code), text) }
		return !begins(p.PayerID) && !slices.ContainsFunc(p.Aliases, begins) &&
			!strings.Contains(fold(p.Name), text) && fold(p.ID.String()) != text
	})
	if parts := strings.Fields(text); len(found) == 0 && len(parts) > 1 {
		return slices.DeleteFunc(d.All(), func(p *Payer) bool {
			words := strings.Fields(fold(p.Name))
			return slices.ContainsFunc(parts, func(part string) bool {
				return !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, part) })
			})
		})
	}
	return found
}

// maxCandidates bounds the payers that Named offers.
const maxCandidates = 5

// Named returns the payer that a person or another program calls by the name: its ID, also one that lost
// its leading zeros, an alias, or its whole name without case and signs. Words such as Inc may be missing, or more,
// unless the names of other payers have all the other words in a row. Without exactly one it returns nil, and
// the payers that share the most words with the name, not only words such as dental; at most five, the likeliest first.
func (d *PayerDirectory) Named(name string) (match *Payer, candidates []*Payer) {
	if p, ok := d.Find(name); ok {
		return p, nil
	}
	if p := d.padded(strings.TrimSpace(name)); p != nil {
		return p, nil
	}
	asked := tellingWords(name)
	type ranked struct {
		*Payer
		shared, others int
	}
	var some []ranked
	var whole []*Payer
	longer := false // a payer's name has all the words, and more
	for _, p := range d.payers {
		own := tellingWords(p.Name)
		shared, telling := 0, false
		for _, w := range asked {
			if slices.Contains(own, w) {
				shared++
				telling = telling || w != "dental" && w != "life" && w != "health"
			}
		}
		if !telling {
			continue // names of most payers have these words
		}
		if slices.Equal(own, asked) {
			whole = append(whole, p)
		} else if strings.Contains(spaced(own), spaced(asked)) {
			longer = true
		}
		some = append(some, ranked{p, shared, len(own) - shared})
	}
	if len(whole) == 1 && (!longer || slices.Equal(nameWords(whole[0].Name), nameWords(name))) {
		return whole[0], nil
	}
	slices.SortStableFunc(some, func(a, b ranked) int { return cmp.Or(b.shared-a.shared, a.others-b.others) })
	for _, r := range some[:min(len(some), maxCandidates)] {
		candidates = append(candidates, r.Payer)
	}
	return nil, candidates
}

// padded returns the payer whose ID is the digits behind zeros, which a spreadsheet takes. It is nil
// if there is none, or more than one.
func (d *PayerDirectory) padded(digits string) (found *Payer) {
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	for id, p := range d.byName {
		switch zeros, ok := strings.CutSuffix(id, digits); {
		case !ok || strings.Trim(zeros, "0") != "":
		case found == nil:
			found = p
		case found.ID != p.ID:
			return nil
		}
	}
	return found
}

// spaced returns the words with a space around each.
func spaced(words []string) string { return " " + strings.Join(words, " ") + " " }

// tellingWords returns the words of a payer's name in lower case, without those that names of
// payers have or lack at will.
func tellingWords(name string) []string {
	return slices.DeleteFunc(nameWords(name), func(w string) bool {
		return slices.Contains([]string{"inc", "co", "company", "corp", "insurance", "ins", "of", "the", "and", "plan"}, w)
	})
}

// nameWords returns the words of a payer's name in lower case.
func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
