package coverage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// Amended is a check with what people added to it, and to earlier checks of the patient.
type Amended struct {
	*Check

	Additions []Placed
	readings  []tree // without additions there are none
}

// Placed is an addition at its place in a check.
type Placed struct {
	*Addition

	Path        string // in this check
	Contradicts bool   // the answer, or an addition before this one, has another value
}

// Amend returns the check with the additions that count for it: its own, and those that
// follow from earlier checks, which come first. Checks has the latter by their IDs.
func (c *Check) Amend(additions []*Addition, checks map[billing.CheckID]*Check) *Amended {
	out := &Amended{Check: c}
	if len(additions) == 0 {
		return out
	}
	answer, err := c.Answer()
	if err != nil {
		return out
	}
	m := merger{at: []tree{c.tree()}, over: []map[string]bool{{}}}
	for _, a := range additions {
		p, own := Placed{Addition: a, Path: a.Path}, a.CheckID == c.ID
		if !own {
			p.Path = a.follow(checks[a.CheckID], c, answer)
		}
		counts := p.Path != ""
		if counts && !a.struck() {
			p.Path, p.Contradicts, counts = m.add(p.Path, a, own)
		}
		if counts {
			out.Additions = append(out.Additions, p)
		}
	}
	out.readings = m.at
	return out
}

// Readings returns the benefits with the additions. The first is the payer's answer, with what
// it lacks. Each other one takes additions that contradict those before. For a check without
// an answer it returns ErrNotAnswered.
func (c *Amended) Readings() (all []*Benefits, err error) {
	if len(c.readings) == 0 {
		b, err := c.Answer()
		return []*Benefits{b}, err
	}
	for _, t := range c.readings {
		b, err := t.benefits()
		if err != nil {
			return nil, fmt.Errorf("amend check %s: %w", c.ID, err)
		}
		b.NotReturned = c.notReturned(b.NotReturned)
		all = append(all, b)
	}
	return all, nil
}

// follow returns the path of an addition to an earlier check in a later one; empty if it
// does not follow. It follows to checks of the same plan, until the benefit period ends in which
// the payer said it.
func (a *Addition) follow(from, to *Check, answer *Benefits) string {
	if a.struck() || from == nil || !from.before(to) || from.Payer.ID != to.Payer.ID || from.PatientID != to.PatientID {
		return ""
	}
	earlier, err := from.Answer()
	if err != nil || !earlier.samePlan(answer) || !sameWords(from.Inquiry.Subscriber.MemberID, to.Inquiry.Subscriber.MemberID) {
		return ""
	}
	if first, last := earlier.yearOf(a.On); to.Inquiry.ServiceDate.Before(first) || last.Before(to.Inquiry.ServiceDate) {
		return ""
	}
	list, name, rest := amountPath(a.Path)
	if list == "" || rest == "" { // a row finds its place by what it is about
		return a.Path
	}
	rows, n := from.tree().rows(list), 0
	if n, err = strconv.Atoi(name); err != nil || n >= len(rows) {
		return ""
	}
	i := slices.IndexFunc(to.tree().rows(list), func(o any) bool { return identity(o) == identity(rows[n]) })
	if i < 0 {
		return ""
	}
	return list + "." + strconv.Itoa(i) + "." + rest
}

// before reports whether the check was made before another. Under a clock that stands, both may have one time,
// and IDs go by the real one.
func (c *Check) before(o *Check) bool {
	return c.CreatedAt.Before(o.CreatedAt) || c.CreatedAt.Equal(o.CreatedAt) && bytes.Compare(c.ID[:], o.ID[:]) < 0
}

// samePlan reports whether two answers may be of one plan: no name or group number that both
// have differs.
func (b *Benefits) samePlan(o *Benefits) bool {
	same := func(x, y string) bool { return x == "" || y == "" || sameWords(x, y) }
	return same(b.Plan.Name, o.Plan.Name) && same(b.Plan.GroupNumber, o.Plan.GroupNumber)
}

func sameWords(x, y string) bool {
	return strings.EqualFold(strings.TrimSpace(x), strings.TrimSpace(y))
}

// yearOf returns the first and the last day of the benefit year of a day. Without a year that
// the payer names, it is the calendar year, as of most plans.
func (b *Benefits) yearOf(day billing.Date) (first, last billing.Date) {
	first = b.YearFrom(day)
	if first.IsZero() {
		first = billing.Date{Year: day.Year, Month: 1, Day: 1}
	}
	n := 0
	for !day.Before(first.AddMonths(12 * (n + 1))) {
		n++
	}
	for day.Before(first.AddMonths(12 * n)) {
		n--
	}
	return first.AddMonths(12 * n), first.AddMonths(12 * (n + 1)).AddDays(-1)
}

// notReturned returns the paths without those that the additions give.
func (c *Amended) notReturned(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return slices.ContainsFunc(c.Additions, func(p Placed) bool {
			given := p.Path == path || strings.HasPrefix(p.Path, path+".")
			return given && !p.struck()
		})
	})
}

// Data returns the JSON of the check as Check.Data, with the additions, and without the
// paths that they give in not_returned. It has a verdict also if the release that completed the
// check knew none.
func (c *Amended) Data() json.RawMessage {
	data := c.judged().Data()
	if len(c.Additions) == 0 {
		return data
	}
	last := []byte(`"not_returned":`) // the last field of the benefits, see ADR 33
	var d struct {
		NotReturned []string `json:"not_returned"`
	}
	if json.Unmarshal(c.Benefits, &d) != nil {
		return data // an answer that cannot be read has no additions
	}
	return slices.Concat(data[:bytes.LastIndex(data, last)], last, event.Encode(append([]string{}, c.notReturned(d.NotReturned)...)),
		[]byte(`,"additions":`), event.Encode(listed(c.Additions, Placed.Data)), []byte("}"))
}

// AdditionData is an addition as the API contract shows it.
type AdditionData struct {
	Number        int             `json:"number"`
	EligibilityID billing.CheckID `json:"eligibility_id"`
	Path          string          `json:"path"`
	Value         json.RawMessage `json:"value"`
	Source        AdditionSource  `json:"source"`
	Person        *string         `json:"person"`
	Reference     *string         `json:"reference"`
	On            billing.Date    `json:"on"`
	CreatedAt     string          `json:"created_at"`
	CreatedBy     string          `json:"created_by"`
	Contradicts   bool            `json:"contradicts"`
	StruckAt      *string         `json:"struck_at"`
	StruckBy      *string         `json:"struck_by"`
}

// Data returns the addition as the API contract shows it.
func (p Placed) Data() AdditionData {
	d := AdditionData{
		Number: p.Number, EligibilityID: p.CheckID, Path: p.Path, Value: p.Value, Source: p.Source, Person: event.OrNull(p.Person),
		Reference: event.OrNull(p.Reference), On: p.On, CreatedAt: event.Timestamp(p.CreatedAt), CreatedBy: p.By, Contradicts: p.Contradicts,
	}
	if p.struck() {
		d.StruckAt, d.StruckBy = new(event.Timestamp(p.StruckAt)), event.OrNull(p.StruckBy)
	}
	return d
}

// merger puts additions into readings of an answer.
type merger struct {
	at   []tree
	over []map[string]bool // paths that an addition sets in the reading
}

// add puts an addition into each reading that lacks its value, and into the first one that no
// other addition contradicts. It returns the path of a row that is new, and whether any value
// counts: without ofDay, those that change with each service give way to the answer's.
func (m *merger) add(path string, a *Addition, ofDay bool) (place string, contradicts, counts bool) {
	value := decoded(a.Value)
	list, _, rest := amountPath(path)
	whole := list != "" && rest == ""
	if whole {
		path = m.row(list, value)
	}
	leavesOf(path, value, func(path string, v any) {
		name := path[strings.LastIndex(path, ".")+1:]
		if whole && slices.Contains(aboutAmounts(), name) || !ofDay && isOfDay(name) && m.at[0].answers(path) {
			return
		}
		counts = true
		contradicts = m.set(path, v) || contradicts
	})
	return path, contradicts, counts
}

// row returns the path of the row of amounts that is about the same as the value, and adds it
// if there is none.
func (m *merger) row(list string, value any) string {
	rows := m.at[0].rows(list)
	i := slices.IndexFunc(rows, func(o any) bool { return identity(o) == identity(value) })
	if i < 0 {
		i = len(rows)
		about, _ := value.(map[string]any)
		for _, t := range m.at {
			t.edit(list+"."+strconv.Itoa(i), func(row map[string]any) {
				row["level"], row["period"], row["applies_to"] = about["level"], about["period"], about["applies_to"]
			})
		}
	}
	return list + "." + strconv.Itoa(i)
}

// set puts a value into the readings, and reports whether it contradicts one of them.
func (m *merger) set(path string, v any) (contradicts bool) {
	for _, t := range m.at {
		contradicts = contradicts || t.get(path) != nil && !sameValue(t.get(path), v)
	}
	if !contradicts {
		for i := range m.at {
			m.put(i, path, v)
		}
		return false
	}
	for i, t := range m.at {
		if sameValue(t.get(path), v) {
			return true // it has its reading
		}
		if i > 0 && !m.over[i][path] {
			m.put(i, path, v)
			return true
		}
	}
	last := len(m.at) - 1
	m.at, m.over = append(m.at, m.at[last].clone()), append(m.over, maps.Clone(m.over[last]))
	m.put(last+1, path, v)
	return true
}

// sameValue compares without case, because X12 has upper case only.
func sameValue(x, y any) bool {
	a, text := x.(string)
	b, both := y.(string)
	return text && both && sameWords(a, b) || x == y
}

// put sets a value of a reading. The answer's own values that follow from the one before go:
// what is left of another maximum, or whether a percent is paid.
func (m *merger) put(i int, path string, v any) {
	dot := strings.LastIndex(path, ".")
	if dot < 0 {
		m.at[i][path], m.over[i][path] = v, true
		return
	}
	row, name := path[:dot], path[dot+1:]
	m.over[i][path] = true
	m.at[i].edit(row, func(values map[string]any) {
		before := values[name]
		values[name] = v
		drop := func(other string) {
			if !m.over[i][row+"."+other] && before != nil {
				values[other] = nil
			}
		}
		switch covered, _ := values["covered"].(bool); {
		case name == "remaining":
			drop("used")
		case name == "amount" && values["used"] != nil, name == "used" && values["amount"] != nil:
			drop("remaining")
		case name == "percent_paid" && values["covered"] != nil && !m.over[i][row+".covered"]:
			values["covered"] = v.(float64) > 0
		case name == "covered" && covered && values["percent_paid"] == 0.0:
			drop("percent_paid")
		}
	})
}

// isOfDay reports whether a value changes with the services of the patient, so that a later answer
// knows it better.
func isOfDay(name string) bool {
	return slices.Contains([]string{"used", "remaining", "last_service_date", "next_eligible_date", "status"}, name)
}

// answers reports whether the answer has the value at the path, or for amounts the one that
// it follows from.
func (t tree) answers(path string) bool {
	if row, ok := strings.CutSuffix(path, ".used"); ok && t.get(row+".remaining") != nil {
		return true
	}
	if row, ok := strings.CutSuffix(path, ".remaining"); ok && t.get(row+".used") != nil {
		return true
	}
	return t.get(path) != nil
}

// get returns the value at a path; nil for none, and for what the payer does not know. A
// percent says whether a service is covered, and one that is not is paid with 0 percent.
func (t tree) get(path string) any {
	var v any = map[string]any(t)
	for name := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			percent, known := at["percent_paid"].(float64)
			switch v = at[name]; {
			case v == nil && name == "percent_paid" && at["covered"] == false:
				return 0.0
			case v == nil && name == "covered" && known:
				return percent > 0
			}
		case []any:
			i := slices.IndexFunc(at, func(o any) bool { return nameOf(o, -1) == name })
			if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < len(at) && nameOf(at[n], n) == name {
				i = n
			}
			if i < 0 {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	if v == string(Unknown) && (path == "status" || path == "network_status") {
		return nil
	}
	return v
}

// edit calls change with the object at a path, which it makes if there is none.
func (t tree) edit(path string, change func(map[string]any)) {
	names := strings.Split(path, ".")
	at := map[string]any(t)
	for i := 0; i < len(names); i++ {
		name := names[i]
		key := map[string]string{"coverage": "category", "waiting_periods": "category", "procedures": "code", "maximums": "position", "deductibles": "position"}[name]
		if key == "" {
			at = inner(at, name)
			continue
		}
		rows, _ := at[name].([]any)
		i++
		k := slices.IndexFunc(rows, func(o any) bool { return nameOf(o, -1) == names[i] })
		if key == "position" {
			k, _ = strconv.Atoi(names[i])
		}
		if k < 0 || k >= len(rows) {
			k = len(rows)
			row := map[string]any{}
			if key != "position" {
				row[key] = names[i]
			}
			rows = append(rows, row)
			at[name] = rows
		}
		at, _ = rows[k].(map[string]any)
	}
	change(at)
}

// inner returns the object in an object, which it makes if there is none.
func inner(at map[string]any, name string) map[string]any {
	object, ok := at[name].(map[string]any)
	if !ok {
		object = map[string]any{}
		at[name] = object
	}
	return object
}

func (t tree) clone() tree {
	copied, _ := decoded(event.Encode(t)).(map[string]any)
	return copied
}

// benefits returns what the values say, with the amounts that follow from others.
func (t tree) benefits() (*Benefits, error) {
	var d benefitsData
	if err := json.Unmarshal(event.Encode(t), &d); err != nil {
		return nil, err
	}
	b, err := d.benefits()
	if err != nil {
		return nil, err
	}
	status, _ := t["status"].(string)
	b.Status = Status(status)
	lists := [][]BenefitAmount{b.Maximums, b.Deductibles}
	if b.OutOfNetwork != nil {
		lists = append(lists, b.OutOfNetwork.Maximums, b.OutOfNetwork.Deductibles)
	}
	for _, rows := range lists {
		for i := range rows {
			rows[i].Derive()
		}
	}
	return b, nil
}
