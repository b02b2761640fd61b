package coverage

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// AdditionSource is where a person has a value from.
type AdditionSource string

// The sources: each is the payer, by another way than its answer.
const (
	ByPhone  AdditionSource = "phone"
	ByPortal AdditionSource = "portal"
	ByLetter AdditionSource = "letter"
)

// AdditionSources lists every source.
func AdditionSources() []AdditionSource { return []AdditionSource{ByPhone, ByPortal, ByLetter} }

// Addition is a value that a person added to an answered check, because the payer said it
// otherwise than in the answer. The answer itself never changes.
type Addition struct {
	CheckID   billing.CheckID
	Number    int // in the check, from 1
	Scope     billing.Scope
	PatientID billing.PatientID // of the check; zero for none
	PayerID   billing.PayerID
	CreatedAt time.Time
	AdditionContent

	StruckAt time.Time // zero unless it is struck
	StruckBy string    // a user, a key or an operator
}

// AdditionContent is the part of an addition that a store keeps as a document.
type AdditionContent struct {
	Path      string          // in the check, such as coverage.implants.percent_paid
	Value     json.RawMessage // in the form that the contract has for the path
	Source    AdditionSource
	Person    string       `json:",omitempty"` // at the payer; empty if nobody was named
	Reference string       `json:",omitempty"` // of the call or the letter; empty for none
	On        billing.Date // the day on which the payer said it
	By        string       // a user, a key or an operator
}

// Report is what a person learned from a payer at one time.
type Report struct {
	Values    []ReportedValue
	Source    AdditionSource
	Person    string
	Reference string
	On        billing.Date
}

// ReportedValue is a value of a report, as the caller wrote it. Nil is a value that was left
// out.
type ReportedValue struct {
	Path  string
	Value []byte
}

// The most values that a report, and a check, may have.
const (
	MaxReported  = 50
	maxAdditions = 200
)

// Add returns what a report adds to the check, beside the additions that it has. It returns
// CodeConflict for a check without an answer, and CodeInvalidRequest with a fault for each value that
// is none of a check.
func (c *Check) Add(r *Report, has []*Addition, by string, now time.Time) ([]*Addition, error) {
	if _, err := c.Answer(); err != nil {
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The payer has not answered this check, so nothing can be added to it. Check again first.", Cause: err}
	}
	var f billing.Faults
	if billing.DateOf(now).AddDays(1).Before(r.On) { // it may be tomorrow already where the caller is
		f.Add("on", billing.FaultRange, "The day must not be in the future. Send the day on which the payer said it.")
	}
	if len(has)+len(r.Values) > maxAdditions {
		f.Add("values", billing.FaultTooMany, "A check may have at most 200 additions, with those that are struck.")
	}
	allowed, answer := forms(), c.tree()
	seen := map[string]bool{}
	var out []*Addition
	for i, v := range r.Values {
		at := "values." + strconv.Itoa(i) + "."
		form := allowed.at(v.Path)
		value := decoded(v.Value)
		switch {
		case billing.Blank(v.Path):
			f.Add(at+"path", billing.FaultRequired, "A value is required.")
			continue
		case form == nil:
			f.Add(at+"path", billing.FaultUnknown, "A check has no value at this path. Send a path such as coverage.implants.percent_paid or plan_rules.missing_tooth_clause.")
			continue
		case seen[v.Path]:
			f.Add(at+"path", billing.FaultConflict, "This path is in the request twice. Send each path once.")
			continue
		case !form.accepts(value):
			f.Add(at+"value", billing.FaultType, "At this path, the value must be "+form.describe()+".")
			continue
		}
		seen[v.Path] = true
		if message := answer.misplaced(v.Path, value); message != "" {
			f.Add(at+"path", billing.FaultNotFound, message)
			continue
		}
		out = append(out, &Addition{
			CheckID: c.ID, Number: len(has) + i + 1, Scope: c.Scope, PatientID: c.PatientID, PayerID: c.Payer.ID, CreatedAt: now,
			AdditionContent: AdditionContent{v.Path, event.Encode(value), r.Source, r.Person, r.Reference, r.On, by},
		})
	}
	return out, f.Err()
}

// Strike takes the addition back. It stays in the list. It returns CodeConflict for one that is
// struck already.
func (a *Addition) Strike(by string, now time.Time) error {
	if !a.StruckAt.IsZero() {
		return &billing.Error{Code: billing.CodeConflict, Message: "This addition is struck already. No action is needed."}
	}
	a.StruckAt, a.StruckBy = now, by
	return nil
}

func (a *Addition) struck() bool { return !a.StruckAt.IsZero() }

// tree is an answer as values of JSON.
type tree map[string]any

// tree returns the answer; nil without one. Each call returns another copy.
func (c *Check) tree() tree {
	t, _ := decoded(c.Benefits).(map[string]any)
	if t != nil {
		t["status"] = string(c.Status)
	}
	return t
}

// misplaced says what is wrong with the path of a value in the answer; empty for nothing. Only
// the amounts stand at positions, and only a whole row adds one.
func (t tree) misplaced(path string, value any) string {
	list, name, rest := amountPath(path)
	if list == "" {
		return ""
	}
	rows := t.rows(list)
	n, _ := strconv.Atoi(name)
	row, whole := value.(map[string]any)
	switch {
	case rest != "" && n >= len(rows):
		return "The answer has no " + list + "." + name + ". Add the whole row, with level and period."
	case slices.Contains(aboutAmounts(), rest):
		return "What an amount is for cannot be added alone. Add another row, with level and period."
	case rest == "" && whole && n < len(rows):
		return "The answer has another row at this position. Add to one of its values, such as " + list + "." + name + ".remaining, or add a row at " + list + "." + strconv.Itoa(len(rows)) + "."
	case rest == "" && (row["level"] == nil || row["period"] == nil || row["amount"] == nil && row["used"] == nil && row["remaining"] == nil):
		return "A row needs level, period, and one of amount, used and remaining."
	}
	return ""
}

// aboutAmounts returns the values that say what an amount is for.
func aboutAmounts() []string { return []string{"level", "period", "applies_to"} }

// amountPath splits the path of an amount into the list, the position and the value; all
// empty for another path.
func amountPath(path string) (list, name, rest string) {
	for _, list := range []string{"maximums", "deductibles", "out_of_network.maximums", "out_of_network.deductibles"} {
		if below, ok := strings.CutPrefix(path, list+"."); ok {
			name, rest, _ = strings.Cut(below, ".")
			return list, name, rest
		}
	}
	return "", "", ""
}

// rows returns the items of a list; none if the answer lacks it.
func (t tree) rows(list string) []any {
	var v any = map[string]any(t)
	for name := range strings.SplitSeq(list, ".") {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	rows, _ := v.([]any)
	return rows
}
