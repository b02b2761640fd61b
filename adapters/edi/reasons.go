package edi

import (
	_ "embed" // the rules that ship with the service
	"slices"
	"strings"
	"sync"

	"github.com/molar-billing/molar/core/billing/coverage"
)

// loop is the loop that contains an AAA. It identifies the party with the problem.
type loop int

const (
	loopPayer      loop = iota // 2000A, 2100A, 2110A
	loopProvider               // 2100B
	loopSubscriber             // 2100C, 2110C
	loopPatient                // 2100D, 2110D
)

// rule is the meaning of an AAA03. If about is empty, the rule concerns the person
// of the loop. A field that begins with a dot belongs to that person. If field is
// empty, the caller cannot fix the problem by changing a field.
type rule struct {
	codes   []string
	where   where
	code    coverage.ReasonCode
	about   coverage.About
	field   string
	message string
	fix     string
}

// where is when a rule counts.
type where string

const (
	anywhere     where = "any"
	whereAlone   where = "alone"  // the inquiry has no patient beside the subscriber
	whereMember  where = "member" // in the loop of the subscriber or the patient
	wherePayer   where = "payer"  // in the loop of the payer
	anyOtherCode       = "other"
)

//go:embed reasons.tsv
var shippedRules string

// rules holds the rows of the file, of which the first match counts. The codes come from
// the guide, 005010X279A1, except 95, which some payers send.
//
//nolint:gochecknoglobals // a constant table, read at first use
var rules = sync.OnceValue(func() (all []rule) {
	for line := range strings.Lines(shippedRules) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, rule{strings.Fields(c[0]), where(c[1]), coverage.ReasonCode(c[2]), coverage.About(c[3]), c[4], c[5], c[6]})
	}
	return all
})

// ruleFor returns the meaning of an AAA03 in a loop. If the inquiry has no separate
// patient, "patient not found" means the person sent as the subscriber.
func ruleFor(code string, at loop, patientSent bool) rule {
	for _, r := range rules() {
		switch {
		case !slices.Contains(r.codes, code) && !slices.Contains(r.codes, anyOtherCode):
		case r.where == anywhere, r.where == whereAlone && !patientSent, r.where == wherePayer && at == loopPayer,
			r.where == whereMember && (at == loopSubscriber || at == loopPatient):
			return r
		}
	}
	return rule{}
}
