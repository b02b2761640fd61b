package billing

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the directory that ships with the service
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/cases"
)

// PayerSummary names a payer inside another resource.
type PayerSummary struct {
	ID      PayerID
	PayerID string // the payer's own payer ID
	Name    string
}

// Payer is an insurer that the service can reach.
type Payer struct {
	PayerSummary
	Aliases      []string
	Capabilities Capabilities
}

// Capabilities says what can be sent to a payer.
type Capabilities struct {
	Eligibility bool
	Claims      bool
	Attachments bool
}

// PayerDirectory is every payer that the service knows. It is data, the same
// for every organization, and does not change while the service runs.
type PayerDirectory struct {
	payers []*Payer
	byName map[string]*Payer // upper-case payer ID, alias or pyr_ ID
}

//go:embed payers.tsv
var shippedPayers string

// ShippedPayers is the directory that ships with the service.
func ShippedPayers() (*PayerDirectory, error) {
	d := &PayerDirectory{byName: map[string]*Payer{}}
	return d, d.Extend(strings.NewReader(shippedPayers))
}

// Extend adds the payers of a file, one a line: payer ID, name, aliases and
// capabilities between tabs, aliases and capabilities between spaces. A payer
// ID that the directory has replaces the payer. Lines that start with # do not
// count. An error names the line.
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
	if len(columns) != 4 || columns[0] == "" || columns[1] == "" {
		return fmt.Errorf("%d columns, want payer ID, name, aliases, capabilities", len(columns))
	}
	p := &Payer{
		PayerSummary: PayerSummary{payerIDOf(columns[0]), columns[0], columns[1]},
		Aliases:      strings.Fields(columns[2]),
	}
	for _, c := range strings.Fields(columns[3]) {
		switch c {
		case "eligibility":
			p.Capabilities.Eligibility = true
		case "claims":
			p.Capabilities.Claims = true
		case "attachments":
			p.Capabilities.Attachments = true
		default:
			return fmt.Errorf("capability %q, want eligibility, claims or attachments", c)
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

// payerIDOf makes the same pyr_ ID for the same payer ID everywhere (a UUID of
// version 8), so that the directory needs no table.
func payerIDOf(payerID string) PayerID {
	sum := sha256.Sum256([]byte("payer:" + strings.ToUpper(payerID)))
	id := PayerID(sum[:16])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id
}

// Find looks a payer up by pyr_ ID, payer ID or alias, whatever the case.
func (d *PayerDirectory) Find(ref string) (*Payer, bool) {
	p, ok := d.byName[strings.ToUpper(strings.TrimSpace(ref))]
	return p, ok
}

// All lists the payers in the order of the file.
func (d *PayerDirectory) All() []*Payer { return slices.Clone(d.payers) }

// Search lists the payers that the text may mean, in the order of the file: its
// pyr_ ID, the beginning of its payer ID or an alias, or a part of its name,
// whatever the case. Blank text lists all.
func (d *PayerDirectory) Search(text string) []*Payer {
	fold := func(s string) string { return cases.Fold().String(strings.TrimSpace(s)) }
	text = fold(text)
	return slices.DeleteFunc(d.All(), func(p *Payer) bool {
		begins := func(code string) bool { return strings.HasPrefix(fold(code), text) }
		return !begins(p.PayerID) && !slices.ContainsFunc(p.Aliases, begins) &&
			!strings.Contains(fold(p.Name), text) && fold(p.ID.String()) != text
	})
}
