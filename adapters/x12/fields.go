package x12

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Fields goes through the segments of a loop, and the elements of each, in order to read
// or to write them. A method that lists them describes the loop for both directions:
//
//	func (a *Address) Loop(f *x12.Fields) {
//		if f.Optional("N3") {
//			f.Text(1, &a.Line1, 55).Text(2, &a.Line2, 55)
//		}
//		if f.Optional("N4") {
//			f.Text(1, &a.City, 30).Text(2, &a.State, 2).Text(3, &a.ZIP, 15)
//		}
//	}
//
// To read, there is one segment, which Read sets. The first that asks for it takes it. To
// write, each that asks begins a segment, which ends where the next one begins. The
// Writer has the Fields that write.
type Fields struct {
	Rules

	in   *Segment // the segment to read; nil to write
	id   string   // of the segment to read, until it is taken; or of the one to write
	loop string   // the code of the latest party; see Within

	out      *Writer
	elements []Element
	optional bool // the segment is written only if it states a value
	stated   bool
}

// Rules are what a transaction set accepts of senders.
type Rules struct {
	UpperCase  bool                        // codes become upper case
	FirstOfTwo bool                        // where a day belongs, a range of days stands for its first
	Most       billing.Money               // the highest amount; 0 for no limit
	Fault      func(s *Segment, is string) // a value cannot be read, and is zero; nil to ignore that
}

// FaultAmount is the fault of an amount that cannot be read.
const FaultAmount = "the amount is malformed"

const faultDate = "the date does not exist"

// Read sets the segment to read.
func (f *Fields) Read(s *Segment) *Fields {
	if f.id = s.ID; f.in != s { // the Reader's is always the same
		f.in = s
	}
	return f
}

// Reading reports whether Fields reads.
func (f *Fields) Reading() bool { return f.in != nil }

// Taken reports whether the segment to read was taken.
func (f *Fields) Taken() bool { return f.id == "" }

// Enter sets the party that the next segments are about, by its code. An empty code
// leaves the party.
func (f *Fields) Enter(party string) { f.loop = party }

// Within reports whether the segments are about the party. To write, they are.
func (f *Fields) Within(party string) bool { return f.in == nil || f.loop == party }

// Segment takes the segment to read if it has the ID, or begins one.
func (f *Fields) Segment(id string) bool {
	if !f.at(id) {
		return false
	}
	f.take(id, false)
	return true
}

// Optional is Segment for one that is written only if it states a value.
func (f *Fields) Optional(id string) bool {
	if !f.at(id) {
		return false
	}
	f.take(id, true)
	return true
}

// Qualified is Optional for a segment whose first element is the qualifier.
func (f *Fields) Qualified(id, qualifier string) bool {
	return f.at(id) && f.qualified(id, qualifier)
}

func (f *Fields) qualified(id, qualifier string) bool {
	if f.in != nil && f.in.Element(1) != qualifier {
		return false
	}
	f.take(id, true)
	f.Const(1, Element(qualifier))
	return true
}

// List reads a segment as another value of the list, or writes a segment for each. It is
// small enough for the compiler to put in place, as most of the segments of a loop are not
// the one to read.
func List[T any](f *Fields, id string, list *[]T, fields func(*T, *Fields)) {
	if f.in == nil || f.id == id {
		each(f, id, list, fields)
	}
}

func each[T any](f *Fields, id string, list *[]T, fields func(*T, *Fields)) {
	if f.in != nil {
		var next T
		*list = append(*list, next)
		f.id = ""
		fields(&(*list)[len(*list)-1], f)
		return
	}
	for i := range *list {
		f.take(id, false)
		fields(&(*list)[i], f)
	}
}

func (f *Fields) at(id string) bool { return f.in == nil || f.id == id }

func (f *Fields) take(id string, optional bool) {
	if f.in != nil {
		f.id = ""
		return
	}
	f.end()
	f.id, f.optional, f.stated, f.elements = id, optional, false, f.elements[:0]
}

// end writes the segment that was begun, if any.
func (f *Fields) end() {
	id := f.id
	f.id = ""
	if id != "" && (f.stated || !f.optional) {
		f.out.emit(id, f.elements)
	}
}

// Put writes an element. It is not read.
func (f *Fields) Put(n int, e Element) *Fields {
	if f.in != nil {
		return f
	}
	for len(f.elements) < n {
		f.elements = append(f.elements, "")
	}
	f.elements[n-1] = e
	f.stated = f.stated || e != ""
	return f
}

// Const writes an element that says nothing by itself. It is not read.
func (f *Fields) Const(n int, e Element) *Fields {
	stated := f.stated
	f.Put(n, e).stated = stated
	return f
}

// Text is an element of at most so many characters.
func (f *Fields) Text(n int, value *string, most int) *Fields {
	if f.in == nil {
		return f.Put(n, Clip(*value, most))
	}
	e, trimmed := f.in.element(n)
	if !trimmed || f.in.waiting {
		e = f.in.Element(n)
	}
	*value = e
	return f
}

// Code is an element of a code list.
func (f *Fields) Code(n int, value *string) *Fields { return f.LongCode(n, value, maxCode) }

// LongCode is an element of a code list whose codes are longer than three characters.
func (f *Fields) LongCode(n int, value *string, most int) *Fields {
	if f.in == nil {
		return f.Put(n, Clip(*value, most))
	}
	e, trimmed := f.in.element(n)
	if !trimmed || f.in.waiting {
		e = f.in.Element(n)
	}
	*value = f.inCase(e)
	return f
}

// inCase returns a code in the case of the rules.
func (f *Fields) inCase(code string) string {
	if f.UpperCase {
		return strings.ToUpper(code)
	}
	return code
}

// Otherwise writes an element that has no value.
func (f *Fields) Otherwise(n int, e Element) *Fields {
	if f.in == nil && (len(f.elements) < n || f.elements[n-1] == "") {
		f.Put(n, e)
	}
	return f
}

// CodeOr is a Code that is written as another one if it is empty.
func (f *Fields) CodeOr(n int, value *string, otherwise Element) *Fields {
	return f.Code(n, value).Otherwise(n, otherwise)
}

// OneOf is a CodeOr. Other codes than the known ones are read as empty.
func (f *Fields) OneOf(n int, value *string, otherwise Element, known ...string) *Fields {
	if f.CodeOr(n, value, otherwise); f.in != nil && !slices.Contains(known, *value) {
		*value = ""
	}
	return f
}

// ID is an identifier with its qualifier before it. Both are written, or none.
func (f *Fields) ID(n int, qualifier Element, value *string, most int) *Fields {
	f.Text(n+1, value, most)
	if f.in == nil && f.elements[n] != "" {
		f.Put(n, qualifier)
	}
	return f
}

// Number is a whole number. It is read as zero if it is none.
func (f *Fields) Number(n int, value *int) *Fields {
	if f.in == nil {
		return f.Put(n, Int(*value))
	}
	*value = number(f.in.Element(n))
	return f
}

// number parses a count or a position. It returns 0 if e is not one.
func number(e string) int {
	n, err := strconv.Atoi(e)
	if err != nil || n < 0 || n > 999_999_999 {
		return 0
	}
	return n
}

// Component is a component of an element. Components are written in their order.
func (f *Fields) Component(n, c int, value *string, most int) *Fields {
	if f.in == nil {
		return f.PutComponent(n, c, Clip(*value, most))
	}
	*value = f.in.Component(n, c)
	return f
}

// NumberComponent is a component that is a whole number above zero, or empty.
func (f *Fields) NumberComponent(n, c int, value *int) *Fields {
	switch {
	case f.in != nil:
		*value = number(f.in.Component(n, c))
	case *value > 0:
		f.PutComponent(n, c, Int(*value))
	}
	return f
}

// PutComponent writes a component behind those that the element has.
func (f *Fields) PutComponent(n, c int, e Element) *Fields {
	if e == "" || f.in != nil {
		return f
	}
	var before Element
	if n <= len(f.elements) {
		before = f.elements[n-1]
	}
	by := string(writeDelimiters.Component)
	if between := c - 1 - strings.Count(string(before), by); between != 1 {
		by = strings.Repeat(by, between)
	}
	return f.Put(n, before+Element(by)+e)
}

// Components are the components of an element from the first on.
func (f *Fields) Components(n, first int, values *[]string, most int) *Fields {
	if f.in == nil {
		for i, v := range *values {
			f.PutComponent(n, first+i, Clip(v, most))
		}
		return f
	}
	*values = nil
	if all := f.in.Components(n); len(all) >= first {
		*values = all[first-1:]
	}
	return f
}

// Repetitions are the values of an element that repeats.
func (f *Fields) Repetitions(n int, values *[]string) *Fields {
	if f.in == nil {
		return f.Put(n, Repeat(*values...))
	}
	*values = f.in.Repetitions(n)
	return f
}

// All is every element of the segment, up to the last that has a value.
func (f *Fields) All(values *[]string, most int) *Fields {
	if f.in == nil {
		for i, v := range *values {
			f.Put(i+1, Clip(v, most))
		}
		return f
	}
	n := f.in.Len()
	for n > 0 && f.in.Element(n) == "" {
		n--
	}
	if *values = nil; n > 0 {
		*values = make([]string, n)
	}
	for i := range *values {
		(*values)[i] = f.in.Element(i + 1)
	}
	return f
}

// Amount is a mandatory amount.
func (f *Fields) Amount(n int, value *billing.Money) *Fields {
	if f.in == nil {
		return f.Put(n, Cents(int64(*value)))
	}
	*value = f.money(f.in.Element(n))
	return f
}

// OptionalAmount is an amount that is read as zero if it is absent.
func (f *Fields) OptionalAmount(n int, value *billing.Money) *Fields {
	if f.in == nil {
		return f.Amount(n, value)
	}
	*value = 0
	if e := f.in.Element(n); e != "" {
		*value = f.money(e)
	}
	return f
}

func (f *Fields) money(e string) billing.Money {
	m, err := parseMoney(e)
	if err != nil || f.Most > 0 && (m < -f.Most || m > f.Most) {
		f.fault(FaultAmount)
		return 0
	}
	return m
}

// AmountIf is an amount that is nil if it is absent.
func (f *Fields) AmountIf(n int, value **billing.Money) *Fields {
	if f.in != nil {
		if *value = nil; f.in.Element(n) != "" {
			*value = new(billing.Money)
		}
	}
	if *value == nil {
		return f
	}
	return f.Amount(n, *value)
}

// Day is a date, or zero if it is absent.
func (f *Fields) Day(n int, value *billing.Date) *Fields {
	if f.in == nil {
		if value.IsZero() {
			return f
		}
		return f.Put(n, Element(value.X12()))
	}
	e := f.in.Element(n)
	if f.FirstOfTwo {
		e, _, _ = strings.Cut(e, "-")
	}
	if *value = (billing.Date{}); e != "" {
		*value = f.parseDay(e)
	}
	return f
}

// Span is a day or a range of days, with its format before it. One with a day that does
// not exist is read as zero.
func (f *Fields) Span(n int, span *billing.DateSpan) *Fields {
	if f.in != nil {
		first, last, ranged := strings.Cut(f.in.Element(n+1), "-")
		span.From = f.parseDay(first)
		if span.To = span.From; ranged && !span.From.IsZero() {
			span.To = f.parseDay(last)
		}
		if span.To.IsZero() {
			*span = billing.DateSpan{}
		}
		return f
	}
	if span.From.IsZero() || span.To.IsZero() || span.To == span.From {
		return f.Day(n+1, &span.From).Const(n, "D8")
	}
	return f.Const(n, "RD8").Put(n+1, Element(span.From.X12()+"-"+span.To.X12()))
}

// Time is a date, and the time of day in the element after it.
func (f *Fields) Time(n int, value *time.Time, date, clock string) *Fields {
	switch at := value.UTC(); {
	case f.in != nil:
		*value = ParseTime(f.in.Element(n), f.in.Element(n+1))
	case !at.IsZero():
		f.Put(n, Element(at.Format(date))).Put(n+1, Element(strings.ReplaceAll(at.Format(clock), ".", "")))
	}
	return f
}

func (f *Fields) fault(is string) {
	if f.Fault != nil {
		f.Fault(f.in, is)
	}
}

// parseMoney parses an amount. For speed, it parses digits with at most two decimals
// in one pass: a remittance has a dozen amounts for each claim. Package billing parses
// all other forms.
func parseMoney(e string) (billing.Money, error) {
	digits, negative := strings.CutPrefix(e, "-")
	var n billing.Money
	decimals := -1 // no point yet
	if digits == "" || len(digits) > 14 {
		return billing.ParseX12Money(e)
	}
	for i := range len(digits) {
		switch c := digits[i]; {
		case '0' <= c && c <= '9' && decimals < 2:
			n = n*10 + billing.Money(c-'0')
			if decimals >= 0 {
				decimals++
			}
		case c == '.' && decimals < 0 && len(digits) > 1:
			decimals = 0
		default:
			return billing.ParseX12Money(e)
		}
	}
	switch decimals {
	case -1, 0:
		n *= 100
	case 1:
		n *= 10
	}
	if negative {
		n = -n
	}
	return n, nil
}

// parseDay parses a date. For speed, it parses days up to the 28th without a layout.
// Package billing parses all others.
func (f *Fields) parseDay(e string) billing.Date {
	if n := control(e); len(e) == 8 && n > 0 {
		if year, month, of := n/1_00_00, n/1_00%1_00, n%1_00; year >= 1 && month >= 1 && month <= 12 && of >= 1 && of <= 28 {
			return billing.Date{Year: year, Month: time.Month(month), Day: of}
		}
	}
	day, err := billing.ParseX12Date(e)
	if err != nil {
		f.fault(faultDate)
	}
	return day
}
