package advice

import (
	_ "embed" // what payers publish
	"slices"
	"strings"
	"sync"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Origin is whose rule gave an advice.
type Origin string

// The origins.
const (
	Organization Origin = "organization"
	Payer        Origin = "payer"
)

// Origins returns every origin.
func Origins() []Origin { return []Origin{Organization, Payer} }

// Source is the rule that gave an advice.
type Source struct {
	Origin Origin
	ID     billing.AttachmentRuleID // of the organization's rule
	Page   string                   // where the payer says so
	ReadOn billing.Date             // when that was read

	needs []Need
	note  string
}

//go:embed published.tsv
var shipped string

// publication is a row of published.tsv.
type publication struct {
	payers []string // payer IDs of the directory
	name   string   // what the names of the payers begin with, if none has an ID there
	codes  []string
	needs  []Need
	when   When
	note   string
	page   string
	readOn billing.Date
}

//nolint:gochecknoglobals // a constant table, read at first use
var published = sync.OnceValue(func() (rows []publication) {
	for line := range strings.Lines(shipped) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, publicationOf(strings.Split(strings.TrimSuffix(line, "\n"), "\t")))
		}
	}
	return rows
})

func publicationOf(c []string) publication {
	list := func(text string) []string {
		if text == "-" {
			return nil
		}
		return strings.Split(text, ",")
	}
	p := publication{payers: list(c[0]), name: c[1], codes: list(c[2]), when: When(c[4]), note: strings.TrimPrefix(c[5], "-"), page: c[6]}
	for _, n := range list(c[3]) {
		p.needs = append(p.needs, Need(n))
	}
	p.readOn, _ = billing.ParseDate(c[7]) // a test reads every row
	return p
}

// of reports whether the row is about the payer.
func (p *publication) of(payer directory.PayerSummary) bool {
	if len(p.payers) == 0 {
		return strings.HasPrefix(payer.Name, p.name)
	}
	return slices.Contains(p.payers, payer.PayerID)
}

func (p *publication) source() Source {
	return Source{Origin: Payer, Page: p.page, ReadOn: p.readOn, needs: p.needs, note: p.note}
}
