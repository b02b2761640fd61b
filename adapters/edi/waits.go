package edi

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// waitingPeriods adds the waiting periods that payers send as codes. One form is
// service type 32. The other is a category whose benefits start (DTP 348) after
// the service date.
func (a *answer) waitingPeriods() {
	for _, r := range a.rows {
		if r.foreign || r.code != "" && (!isImplant(r.code) || r.share == nil) {
			continue
		}
		begin := span(r.Dates, "348", billing.Date{}).from
		future := a.inquiry.ServiceDate.Before(begin)
		if !future {
			begin = billing.Date{}
		}
		switch {
		case r.code != "": // implants have no service type, so payers send a procedure
			a.wait([]coverage.Category{coverage.CategoryImplants}, 0, begin)
		case slices.Contains(r.ServiceTypes, waitingPeriod):
			said := strings.Join(r.notes, "; ")
			if said != "" {
				a.waitIn(said, r.categories)
				said = r.ofClass(said)
			}
			r.notes = nil
			if len(r.Messages) == 0 {
				said = join(": ", names(r.categories), r.duration())
			}
			if future {
				said = join("; ", said, "until "+begin.String())
			}
			if said != "" {
				appendRule(&a.rules.WaitingPeriod, said)
			}
			a.wait(r.categories, r.months(), begin)
		case future && len(r.categories) > 0:
			appendRule(&a.rules.WaitingPeriod, names(r.categories)+" from "+begin.String())
			if r.subject == "" || r.class != "" { // not of a part of a category
				a.wait(r.categories, 0, begin)
			}
		}
	}
}

// wait adds a waiting period of the categories, one for each. The first length and the
// first date of a category count.
func (a *answer) wait(of []coverage.Category, months int, until billing.Date) {
	if months == 0 && until.IsZero() {
		return
	}
	for _, c := range of {
		i := slices.IndexFunc(a.waits, func(w coverage.WaitingPeriod) bool { return w.Category == c })
		if i < 0 {
			i, a.waits = len(a.waits), append(a.waits, coverage.WaitingPeriod{Category: c})
		}
		w := &a.waits[i]
		if w.Months == 0 {
			w.Months = months
		}
		if w.Until.IsZero() {
			w.Until = until
		}
	}
}

var (
	noWaitWords = regexp.MustCompile(`\bNO\b|\bNONE\b|\bNOT\b|\bWAIVED\b|\bMET\b|\bSATISFIED\b|\bN/A\b`)
	waitLength  = regexp.MustCompile(`\b(\d{1,3})[- ]?(MONTH|MO|YEAR|YR)S?\b`)
	waitUntil   = regexp.MustCompile(`\bUNTIL\b[^0-9]*(\d{4}-\d{2}-\d{2}|\d{8}|\d{2}/\d{2}/\d{4})`)
	notOfAClass = regexp.MustCompile(`\bPERIODS?\b`) // which has PERIO in it
)

// waitIn adds the waiting period in a message of the payer, for the categories that it
// names, or else for those of its row. A message, in upper case, with several lengths stays
// in words.
func (a *answer) waitIn(upper string, of []coverage.Category) {
	if !strings.ContainsAny(upper, "0123456789") || says(upper, noWaitWords, "NO", "WAIVED", "MET", "SATISFIED", "N/A") {
		return
	}
	lengths := waitLength.FindAllStringSubmatch(upper, 2)
	var until []string
	if has(upper, "UNTIL") {
		until = waitUntil.FindStringSubmatch(upper)
	}
	if len(lengths) > 1 || len(lengths) == 0 && until == nil {
		return
	}
	months, day := 0, billing.Date{}
	if len(lengths) == 1 {
		n, _ := strconv.Atoi(lengths[0][1]) // at most three digits
		if months = n; lengths[0][2] == "YEAR" || lengths[0][2] == "YR" {
			months = 12 * n
		}
	}
	if until != nil {
		day = dayIn(until[1])
	}
	if named := categoriesIn(notOfAClass.ReplaceAllString(upper, " ")); len(named) > 0 {
		of = named
	}
	a.wait(of, months, day)
}

// categoriesIn returns the categories that a text in upper case names.
func categoriesIn(upper string) (found []coverage.Category) {
	for _, c := range classes {
		if strings.Contains(upper, c.word) {
			found, upper = add(found, c.category), strings.ReplaceAll(upper, c.word, " ")
		}
	}
	return found
}

// lengthUnit returns the EB06 code of the unit in which the row states a length of time, as
// its quantity (EB09) or else as its period.
func (r *row) lengthUnit() string {
	switch r.QuantityQualifier {
	case "MN":
		return "34"
	case "YY":
		return "21"
	case "DY", "DA":
		return "7"
	}
	return r.Period
}

// duration returns a length of time that the payer sent as a quantity, such as "6
// months".
func (r *row) duration() string {
	unit := r.lengthUnit()
	if r.quantity == nil || unit != "34" && unit != "21" && unit != "7" && unit != "35" {
		return ""
	}
	return limit{unit: unit, n: *r.quantity}.words()
}

// months returns the duration in months; 0 if it is none, or of another unit.
func (r *row) months() int {
	per := map[string]int{"34": 1, "21": 12}[r.lengthUnit()]
	if r.quantity == nil {
		return 0
	}
	return per * *r.quantity
}

// waiting returns the waiting periods in the order of the categories; nil for none.
func (a *answer) waiting() []coverage.WaitingPeriod {
	order := coverage.Categories()
	slices.SortStableFunc(a.waits, func(x, y coverage.WaitingPeriod) int {
		return slices.Index(order, x.Category) - slices.Index(order, y.Category)
	})
	return a.waits
}
