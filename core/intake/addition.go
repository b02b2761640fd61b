package intake

import (
	"slices"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// AdditionsRequest is what a payer said otherwise than in its answer, as a caller wrote it.
type AdditionsRequest struct {
	Values    []AdditionInput
	Source    string
	Person    *string
	Reference *string
	On        string
	Faults    billing.Faults // found when the body was decoded
}

// AdditionInput is a value as a caller wrote it.
type AdditionInput struct {
	Path  string
	Value []byte // JSON; nil if it was left out or null
}

// Report validates what does not depend on the check.
func (r AdditionsRequest) Report() (*coverage.Report, billing.Faults) {
	f := slices.Clone(r.Faults)
	p := &claimParser{f: &f, whole: true}
	out := &coverage.Report{Source: oneOf(p, "source", p.text("source", r.Source, 0), coverage.AdditionSources()...), On: day(&f, "on", r.On)}
	for _, text := range []struct {
		name string
		from *string
		to   *string
	}{{"person", r.Person, &out.Person}, {"reference", r.Reference, &out.Reference}} {
		if text.from != nil {
			f.Shown(text.name, *text.from)
			*text.to = *text.from
		}
	}
	switch {
	case !p.there("values", r.Values != nil):
	case len(r.Values) == 0:
		f.Add("values", billing.FaultTooFew, "Send at least one value.")
	case len(r.Values) > coverage.MaxReported:
		f.Add("values", billing.FaultTooMany, "A request may have at most "+strconv.Itoa(coverage.MaxReported)+" values.")
	}
	for _, v := range r.Values {
		out.Values = append(out.Values, coverage.ReportedValue(v))
	}
	return out, f
}
