package edi

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// standing is a row's network status. Lower values have priority.
type standing int

const (
	inNetwork standing = iota
	anyNetwork
	unstated
	outOfNetwork
)

// tier is a network of a plan, or a group of networks. Some payers name the network
// in EB05; others put the plan's name there.
type tier struct {
	standing standing
	name     string
	stated   bool // EB12 states the standing, so the name may be the plan's
}

func (t tier) label() string {
	switch {
	case t.name != "" && !t.stated:
		return t.name
	case t.standing == inNetwork:
		return "In network"
	case t.standing == anyNetwork:
		return "Any network"
	case t.standing == outOfNetwork:
		return "Out of network"
	default:
		return "Network not stated"
	}
}

// row is an EB with its loop, in parsed form.
type row struct {
	*eligibility.Benefit
	code       string              // the procedure, as D and four digits; empty without one
	last       string              // the last procedure of a range; empty for a single one
	class      string              // BENEFITCLASS=, which some payers send instead of a service type
	named      string              // the class in a message, where amounts differ in nothing else
	categories []coverage.Category // of the class or the service types
	subject    string              // the service in words; empty for the whole plan
	foreign    bool                // not dental, such as a medical benefit
	tier       tier
	share      *float64 // the plan's share in percent
	money      *billing.Money
	quantity   *int
	visits     []billing.Date // of the service, the latest first
	notes      []string       // messages that no other field holds
	age        int            // the patient's on the service date; negative if unknown
	limits     []stated       // what the messages limit; see stated
	limit      *limit         // see limitOf
	limited    bool           // limit was read
}

// stated returns what each message of the row states about limits.
func (r *row) stated() []stated {
	if r.limits == nil {
		r.limits = make([]stated, 0, len(r.Messages))
		for _, m := range r.Messages {
			r.limits = append(r.limits, statedIn(m))
		}
	}
	return r.limits
}

// serviceTypes are the dental service types (EB03). Plans call restorative services
// basic, and crowns major. A type with a subject is only part of its category, or belongs
// to none.
//
//nolint:gochecknoglobals // a constant table
var serviceTypes = map[string]struct {
	category coverage.Category
	subject  string
}{
	"4":  {coverage.CategoryDiagnostic, "X-rays"},
	"5":  {coverage.CategoryDiagnostic, "Laboratory"},
	"7":  {"", "Anesthesia"},
	"23": {coverage.CategoryDiagnostic, ""},
	"24": {coverage.CategoryPeriodontics, ""},
	"25": {coverage.CategoryBasic, ""},
	"26": {coverage.CategoryEndodontics, ""},
	"27": {"", "Maxillofacial prosthetics"},
	"28": {"", "Adjunctive services"},
	"36": {coverage.CategoryMajor, ""},
	"37": {"", "Dental accident"},
	"38": {coverage.CategoryOrthodontics, ""},
	"39": {coverage.CategoryProsthodontics, ""},
	"40": {coverage.CategoryOralSurgery, ""},
	"41": {coverage.CategoryPreventive, ""},
}

// class is a word in a BENEFITCLASS and its category.
type class struct {
	word     string
	category coverage.Category
}

// classes are the words of classes. The first match wins.
//
//nolint:gochecknoglobals // a constant table
var classes = slices.Concat(
	classesOf(coverage.CategoryImplants, "IMPLANT"),
	classesOf(coverage.CategoryOrthodontics, "ORTHO"),
	classesOf(coverage.CategoryDiagnostic, "X-RAY", "XRAY", "PANOREX", "EXAM", "DIAGNOSTIC"),
	classesOf(coverage.CategoryPreventive, "FLUORIDE", "PROPHY", "SEALANT", "SPACE MAINT", "PREVENTIVE"),
	classesOf(coverage.CategoryMajor, "MAJOR RESTORATIVE"),
	classesOf(coverage.CategoryBasic, "BASIC RESTORATIVE", "COMPOSITE", "AMALGAM", "FILLING", "BASIC"),
	classesOf(coverage.CategoryEndodontics, "ENDO", "ROOT CANAL"),
	classesOf(coverage.CategoryPeriodontics, "PERIO"),
	classesOf(coverage.CategoryOralSurgery, "ORAL SURG", "EXTRACTION"),
	classesOf(coverage.CategoryProsthodontics, "DENTURE", "BRIDGE", "PROSTHO"),
	classesOf(coverage.CategoryMajor, "CROWN", "INLAY", "ONLAY", "BUILDUP", "MAJOR"),
	classesOf(coverage.CategoryBasic, "RESTORATIVE"),
)

func classesOf(c coverage.Category, words ...string) (all []class) {
	for _, w := range words {
		all = append(all, class{w, c})
	}
	return all
}

// classFillers are the words beside those of classes in a message that names a class.
//
//nolint:gochecknoglobals // a constant table
var classFillers = forms(`I II III IV V A B C D 1 2 3 4 AND OR SERVICE SERVICES CARE PROCEDURE PROCEDURES TREATMENT DENTAL COVERED
CLASS TYPE`)

const classMarker = "BENEFITCLASS="

// rowsOf returns a row for each EB of a member.
func rowsOf(m *eligibility.Member, age int) []*row {
	all, rows := make([]row, len(m.Benefits)), make([]*row, len(m.Benefits))
	for i := range all {
		all[i].age = age
		all[i].read(&m.Benefits[i])
		if i > 0 {
			bindAge(&all[i], &all[i-1])
		}
		rows[i] = &all[i]
	}
	return rows
}

func (r *row) read(b *eligibility.Benefit) {
	r.Benefit = b
	code, last, _ := strings.Cut(strings.ToUpper(b.Procedure.Code), "-")
	if coverage.ValidProcedureCode(code) {
		r.code = code
	}
	if last = cmp.Or(strings.ToUpper(b.Procedure.Last()), last); r.code != "" && last > code && coverage.ValidProcedureCode(last) {
		r.last = last
	}
	r.foreign = r.code == "" && b.Procedure.Code != ""
	for _, m := range b.Messages {
		m = strings.Join(strings.Fields(m), " ")
		if class, ok := strings.CutPrefix(strings.ToUpper(m), classMarker); ok {
			r.class = strings.TrimSpace(class)
		} else if m != "" {
			r.notes = append(r.notes, m)
		}
	}
	r.tier = tierOf(b)
	r.share = shareOf(b)
	r.classify()
	if m, err := billing.ParseX12Money(b.Amount); err == nil {
		r.money = &m
	}
	if b.Quantity != "" {
		if q, err := strconv.ParseFloat(b.Quantity, 64); err == nil && q >= 0 && q < 10_000 {
			r.quantity = new(int(q))
		}
	}
	for _, d := range b.Dates {
		if day, _, ok := d.Span(); ok && d.Qualifier == "304" && !sentinel(day) {
			r.visits = append(r.visits, day)
		}
	}
	sortLatestFirst(&r.visits)
}

// classify sets the row's categories and subject. If the row has a class, it ignores
// the service type, which is then only a placeholder.
func (r *row) classify() {
	if r.class == "" && r.code == "" && r.general() && (r.share != nil || excludes(r)) {
		r.notes = slices.DeleteFunc(r.notes, r.takeClass)
	}
	if len(r.categories) > 0 {
		return
	}
	if r.class != "" {
		r.subject = r.class
		for _, c := range classes {
			if strings.Contains(r.class, c.word) {
				r.categories = []coverage.Category{c.category}
				break
			}
		}
		return
	}
	known := r.general()
	for _, t := range r.ServiceTypes {
		service, found := serviceTypes[t]
		if service.category != "" {
			r.categories = add(r.categories, service.category)
		}
		if len(r.ServiceTypes) == 1 {
			r.subject = service.subject
		}
		known = known || found || t == waitingPeriod
	}
	r.foreign = r.foreign || !known
}

// takeClass reports whether the message only names classes, and adds them to those of
// the row. Some payers state the shares of all classes under one service type. The
// name of a part of a category is the row's subject.
func (r *row) takeClass(message string) bool {
	rest := strings.ToUpper(message)
	var found []coverage.Category
	part := false
	for _, c := range classes {
		for i := strings.Index(rest, c.word); i >= 0; i = strings.Index(rest, c.word) {
			end := i + len(c.word)
			for end < len(rest) && letter(rest[end]) {
				end++
			}
			rest = rest[:i] + " " + rest[end:]
			found = add(found, c.category)
			name := strings.ToUpper(words(c.category))
			part = part || !strings.HasPrefix(name, c.word) && !strings.HasPrefix(c.word, name)
		}
	}
	named := len(found) > 0
	for word := range strings.FieldsFuncSeq(rest, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		if classFillers[word] == "" {
			return false
		}
		named = named || classFillers[word] == "CLASS"
	}
	if named {
		r.class, r.categories = join(", ", r.class, strings.ToUpper(message)), append(r.categories, found...)
	}
	if named && part {
		r.subject = r.class
	}
	return named
}

// waitingPeriod is the service type of a plan's waiting period.
const waitingPeriod = "32"

// general reports whether the row is about the whole plan: dental care (35), the
// health plan (30), or no service type.
func (r *row) general() bool {
	return r.class == "" && (len(r.ServiceTypes) == 0 || slices.Contains(r.ServiceTypes, dental) || slices.Contains(r.ServiceTypes, "30"))
}

// bindAge adds an age limit without a procedure to the preceding row, which has a
// procedure. Some payers send the two as separate rows.
func bindAge(r, before *row) {
	aged := r.QuantityQualifier == highestAge || r.QuantityQualifier == lowestAge
	same := len(r.ServiceTypes) == 0 || slices.Equal(r.ServiceTypes, []string{dental}) || slices.Equal(r.ServiceTypes, before.ServiceTypes)
	if r.Code == "F" && aged && r.code == "" && r.class == "" && before.code != "" && same {
		r.code, r.last = before.code, before.last
	}
}

// tierOf returns the network of an EB. It reads EB12, or else the name in EB05.
func tierOf(b *eligibility.Benefit) tier {
	t := tier{standing: unstated}
	if marker := amountMarker(b.Plan); marker == "" {
		t.name = strings.TrimSpace(b.Plan)
	}
	switch b.InNetwork {
	case "Y":
		t.standing, t.stated = inNetwork, true
	case "N":
		t.standing, t.stated = outOfNetwork, true
	case "W":
		t.standing, t.stated = anyNetwork, true
	default:
		// Compare whole words, so that OON does not match SPOON.
		name := " " + strings.Join(strings.FieldsFunc(strings.ToUpper(t.name), func(c rune) bool { return c < '0' }), " ") + " "
		for _, words := range []string{" NON CONTRACTED ", " OUT OF NETWORK ", " NON NETWORK ", " NON PAR ", " OON "} {
			if strings.Contains(name, words) {
				t.standing = outOfNetwork
			}
		}
	}
	return t
}

// shareOf returns the plan's share in percent. For co-insurance (A), EB08 is the
// patient's share. Under a benefit description (D), some payers send the plan's
// share. EB08 is a fraction; a value above 1 is a percentage.
func shareOf(b *eligibility.Benefit) *float64 {
	if b.Code != "A" && b.Code != "D" {
		return nil
	}
	x, err := strconv.ParseFloat(b.Percent, 64)
	if err != nil || !(x >= 0 && x <= 100) {
		return nil
	}
	if x > 1 {
		x /= 100
	}
	if b.Code == "A" {
		x = 1 - x
	}
	share := math.Round(x*10_000) / 100
	return &share
}

func percent(share float64) string { return strconv.FormatFloat(share, 'f', -1, 64) + " percent" }
