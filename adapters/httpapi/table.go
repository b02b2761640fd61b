package httpapi

import (
	"bytes"
	"context"
	"encoding"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
)

// rowsAtOnce is how many rows of a file one transaction reads.
const rowsAtOnce = 500

// asTable replies with all rows of a list as a CSV file (RFC 4180): those after the cursor, whatever
// the limit says. Its columns are the fields of the shape that are no lists of objects; those of an
// object in it have its name in front, as in payer.name. The last line counts the rows, so that a
// file that was cut is known. The client gets it while it is read: a failure costs the connection.
func asTable[Filter, T, J any](
	a *api, x *exchange, q *query, l list, f Filter,
	read func(context.Context, billing.Scope, Filter, billing.Page) ([]T, *billing.Position, error), shape func(T) J,
) (*reply, error) {
	q.text("limit")
	p := billing.Page{Limit: rowsAtOnce, After: q.cursor(a.cursors, l), Oldest: l.oldest}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	x.exports(q, l)
	s, err := x.openStream(func(ctx context.Context) (io.ReadCloser, int64, error) {
		t := &tableFile{columns: columnsOf(reflect.TypeFor[J](), "", nil)}
		t.csv = csv.NewWriter(&t.left)
		t.csv.UseCRLF = true
		t.next = func() (more bool, err error) {
			found, next, err := read(ctx, x.call.Scope, f, p)
			for _, row := range found {
				t.write(reflect.ValueOf(shape(row)))
			}
			p.After = next
			return next != nil, err
		}
		return t, unknownSize, t.begin()
	})
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, stream: s, mime: csvType + "; charset=utf-8", fileName: unsafeName.ReplaceAllString(l.name, "-") + ".csv"}, nil
}

// unsafeName is what the name of a list may have and that of a file must not: a list may be named by what the
// caller sent.
var unsafeName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// exports tells the audit the filters of a list that is read as a file, in place of the patients in
// it. Of a filter by words it keeps only the name. The audit of a patient and of a claim finds the
// file by its filters.
func (x *exchange) exports(q *query, l list) {
	x.filters = map[string]string{}
	for _, filter := range l.filters {
		name, value := filter[0], filter[1]
		if slices.Contains(q.words, name) {
			value = ""
		}
		x.filters[name] = value
		if _, id, ok := anyID(value); ok && (strings.HasPrefix(id, "pat_") || strings.HasPrefix(id, "clm_")) {
			x.about = append(x.about, id)
		}
	}
}

// tableFile is a CSV file that is made while it is read.
type tableFile struct {
	columns []column
	next    func() (more bool, err error) // writes the rows of the next page
	csv     *csv.Writer
	left    bytes.Buffer // not yet read
	rows    int
	more    bool
}

// begin writes the head and the first rows.
func (t *tableFile) begin() error {
	head := make([]string, len(t.columns))
	for i := range t.columns {
		head[i] = t.columns[i].name
	}
	_ = t.csv.Write(head) // a buffer takes everything
	return t.page()
}

func (t *tableFile) page() (err error) {
	t.more, err = t.next()
	t.csv.Flush()
	if err == nil && !t.more {
		fmt.Fprintf(&t.left, "# %d rows\r\n", t.rows)
	}
	return err
}

func (t *tableFile) write(row reflect.Value) {
	t.rows++
	cells := make([]string, len(t.columns))
	for i := range t.columns {
		cells[i] = t.columns[i].of(row)
	}
	_ = t.csv.Write(cells)
}

// Read returns what is written, and then writes the next page.
func (t *tableFile) Read(p []byte) (int, error) {
	for t.left.Len() == 0 && t.more {
		if err := t.page(); err != nil {
			return 0, err
		}
	}
	return t.left.Read(p)
}

// Close ends nothing: each page has its own transaction.
func (t *tableFile) Close() error { return nil }

// column is a field of a shape, or of an object in it.
type column struct {
	name string
	path []int // the indexes of the fields that lead to it
}

// columnsOf returns the columns of a shape in the order of its fields.
func columnsOf(shape reflect.Type, prefix string, path []int) (all []column) {
	for i := range shape.NumField() {
		f := shape.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		to := append(path[:len(path):len(path)], i)
		of := f.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch {
		case f.Anonymous && name == "":
			all = append(all, columnsOf(of, prefix, to)...)
		case name == "-" || name == "object": // every row has the same
		case isCell(of) || of.Kind() == reflect.Slice && isCell(of.Elem()):
			all = append(all, column{prefix + name, to})
		case of.Kind() == reflect.Struct:
			all = append(all, columnsOf(of, prefix+name+".", to)...)
		}
	}
	return all
}

// isCell reports whether a value stands in one cell.
func isCell(t reflect.Type) bool {
	switch t.Kind() { //nolint:exhaustive // the others are no values
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return true
	default:
		return t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
	}
}

// of returns the cell of a row; null is empty. The values of a list stand in one cell.
func (c column) of(row reflect.Value) string {
	for _, i := range c.path {
		if row = row.Field(i); row.Kind() == reflect.Pointer {
			if row.IsNil() {
				return ""
			}
			row = row.Elem()
		}
	}
	if row.Kind() == reflect.Slice {
		values := make([]string, row.Len())
		for i := range values {
			values[i], _ = cell(row.Index(i))
		}
		return intake.Guarded(strings.Join(values, "; "))
	}
	value, text := cell(row)
	if !text || c.amount() && amount.MatchString(value) {
		return value
	}
	return intake.Guarded(value)
}

// amount reports whether the column has amounts.
func (c column) amount() bool {
	return slices.Contains(amounts, c.name[strings.LastIndexByte(c.name, '.')+1:])
}

// amounts are the names of the fields that have dollars. A field with another name has words, also
// where a person wrote no more than a number.
//
//nolint:gochecknoglobals // a constant table
var amounts = strings.Fields(`
allowed amount awaited balance bill_patient billed_to_patient charge charged coinsurance contractual copay deductible deductible_applied
deductible_remaining difference expected fee later_plans_paid least maximum_remaining mean_absolute_error most not_paid off open other
other_patient outstanding overpaid owed paid paid_elsewhere patient patient_owes patient_paid patient_responsibility pay payable plan_paid
provider_adjustments_total received refused remaining rest stated total underpaid used write_off written_off`)

// amount is a text that a spreadsheet may read as a number.
var amount = regexp.MustCompile(`^-[0-9]+\.[0-9]{2}$`)

// cell returns a value as it stands in a cell, and whether it is a text.
func cell(v reflect.Value) (value string, text bool) {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		b, _ := m.MarshalText() // of our own values
		return string(b), false
	}
	switch v.Kind() { //nolint:exhaustive // see isCell
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), false
	case reflect.String:
		return v.String(), true
	default:
		return fmt.Sprint(v.Interface()), false
	}
}
