package coverage

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
)

// form is what a value of a check may be, as the contract of the API has it.
type form struct {
	is    string           // what the value must be, such as "a date such as 2026-12-31"
	fits  func(v any) bool // of a value without parts
	parts map[string]*form // of an object
	whole bool             // an addition may give the object as one value
	items *form            // of a list
	named func(name string) bool
}

// leaf returns the form of a value without parts. Fits gets a value of type T.
func leaf[T any](is string, fits func(T) bool) *form {
	return &form{is: is, fits: func(v any) bool { t, ok := v.(T); return ok && fits(t) }}
}

func oneOfForm[T ~string](values ...T) *form {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return leaf("one of "+strings.Join(words, ", "), func(v string) bool { return slices.Contains(words, v) })
}

func wholeForm(low, high int) *form {
	return leaf("a whole number from "+strconv.Itoa(low)+" to "+strconv.Itoa(high), func(v float64) bool {
		return v == math.Trunc(v) && v >= float64(low) && v <= float64(high)
	})
}

const (
	maxAdded       = billing.Money(9_999_999_99)
	maxAddedText   = 1000 // characters
	maxAddedRows   = 100  // of amounts
	maxAddedMonths = 1200
)

// forms returns the values of a check that additions may give, by the paths of the contract.
func forms() *form {
	money := leaf("an amount such as \"1500.00\"", func(v string) bool {
		m, err := billing.ParseMoney(v)
		return err == nil && m >= 0 && m <= maxAdded
	})
	percent := leaf("a number from 0 to 100", func(v float64) bool { return v >= 0 && v <= 100 })
	date := leaf("a date such as \"2026-12-31\"", func(v string) bool { _, err := billing.ParseDate(v); return err == nil })
	flag := leaf("true or false", func(bool) bool { return true })
	text := leaf("text of at most 1000 characters on one line", func(v string) bool {
		return !billing.Blank(v) && utf8.ValidString(v) && utf8.RuneCountInString(v) <= maxAddedText && !strings.ContainsFunc(v, unicode.IsControl)
	})
	code := leaf("a procedure code such as \"D2740\"", ValidProcedureCode)
	object := func(parts map[string]*form) *form {
		return &form{is: "an object with at least one value", parts: parts, whole: true}
	}
	list := func(named func(string) bool, items *form) *form {
		return &form{is: "given by its items", items: items, named: named}
	}
	category := func(name string) bool { return slices.Contains(Categories(), Category(name)) }

	count := wholeForm(0, 999) // more than any plan pays for
	frequency := object(map[string]*form{"count": count, "used": count, "period": text, "scope": text})
	amounts := list(position, object(map[string]*form{
		"level": oneOfForm(LevelIndividual, LevelFamily), "period": oneOfForm(PeriodCalendarYear, PeriodPlanYear, PeriodLifetime),
		"amount": money, "used": money, "remaining": money, "applies_to": text,
	}))
	covers := list(category, object(map[string]*form{"percent_paid": percent, "covered": flag, "copay": money, "frequency": frequency}))
	part := func(parts map[string]*form) *form { return &form{is: "given by its values", parts: parts} }
	return part(map[string]*form{
		"status":                    oneOfForm(Active, Inactive),
		"coverage_effective_date":   date,
		"coverage_termination_date": date,
		"plan":                      part(map[string]*form{"name": text, "type": text, "group_number": text, "benefit_period": text}),
		"network_status":            oneOfForm(InNetwork, OutOfNetwork),
		"maximums":                  amounts,
		"deductibles":               amounts,
		"coverage":                  covers,
		"procedures": list(ValidProcedureCode, object(map[string]*form{
			"description": text, "percent_paid": percent, "covered": flag, "copay": money, "frequency": frequency,
			"max_age": wholeForm(0, 150), "last_service_date": date, "next_eligible_date": date, "alternate_code": code, // years
			"status": oneOfForm(ProcedureCoveredNow, ProcedureNotDueYet, ProcedureDowngraded, ProcedureAgeLimit, ProcedureNotCovered), "note": text,
		})),
		"waiting_periods": list(category, object(map[string]*form{"months": wholeForm(1, maxAddedMonths), "until": date})),
		"plan_rules": part(map[string]*form{
			"missing_tooth_clause": text, "waiting_period": text, "pre_authorization": text, "coordination_of_benefits": text,
			"major_services_paid_on": oneOfForm("prep_date", "seat_date"),
		}),
		"out_of_network": part(map[string]*form{"maximums": amounts, "deductibles": amounts, "coverage": covers}),
	})
}

// at returns the form of the values at a path; nil if the contract has no such path.
func (f *form) at(path string) *form {
	for name := range strings.SplitSeq(path, ".") {
		switch {
		case f.items != nil && f.named(name):
			f = f.items
		case f.parts[name] != nil:
			f = f.parts[name]
		default:
			return nil
		}
	}
	return f
}

// accepts reports whether the value, as JSON has it, has the form.
func (f *form) accepts(v any) bool {
	if f.fits != nil {
		return f.fits(v)
	}
	object, ok := v.(map[string]any)
	if !ok || !f.whole || len(object) == 0 {
		return false
	}
	for name, part := range object {
		if f.parts[name] == nil || !f.parts[name].accepts(part) {
			return false
		}
	}
	return true
}

// describe says what a value must be, with the parts of an object.
func (f *form) describe() string {
	if !f.whole {
		return f.is
	}
	return f.is + ": " + strings.Join(slices.Sorted(maps.Keys(f.parts)), ", ")
}

// position reports whether a name is the position of an item in a list.
func position(name string) bool {
	n, err := strconv.Atoi(name)
	return err == nil && strconv.Itoa(n) == name && n >= 0 && n < maxAddedRows
}

// leavesOf calls use for each value without parts, with its path below the path.
func leavesOf(path string, value any, use func(path string, v any)) {
	object, ok := value.(map[string]any)
	if !ok {
		use(path, value)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		leavesOf(path+"."+name, object[name], use)
	}
}

// decoded returns JSON as values; nil if it is none.
func decoded(data []byte) (v any) {
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	return v
}
