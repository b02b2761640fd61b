package pgstore

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lib/pq"
)

// row is a row to write, by column. All rows for one statement are sent as a single
// argument, so hundreds need only one round trip and one plan. The statement reads
// them from $1 with json_populate_recordset or json_to_recordset.
type row map[string]any

// value returns the value of a column.
func (r row) value(name string) (any, error) {
	v, ok := r[name].(driver.Valuer)
	if !ok {
		return r[name], nil
	}
	plain, err := v.Value()
	if err != nil {
		err = fmt.Errorf("column %s: %w", name, err)
	}
	return plain, err
}

// encodeRows returns rows as JSON, with each value in the form that the server reads. Package json
// would read the documents in the rows three times.
func encodeRows(rows []row) ([]byte, error) {
	b := []byte{'['}
	for i, r := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		next := byte('{')
		for name := range r {
			v, err := r.value(name)
			if err != nil {
				return nil, err
			}
			b = append(append(append(b, next, '"'), name...), '"', ':')
			if b, err = appendJSON(b, v); err != nil {
				return nil, fmt.Errorf("column %s: %w", name, err)
			}
			next = ','
		}
		b = append(b, '}')
	}
	return append(b, ']'), nil
}

func appendJSON(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case json.RawMessage:
		return append(b, v...), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case string:
		if isPlain(v) {
			return append(append(append(b, '"'), v...), '"'), nil
		}
	}
	text, err := json.Marshal(v)
	return append(b, text...), err
}

// isPlain reports whether a text is the same in JSON.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// rows queues a row for the statement, which writes all of its queued rows at once.
// Key identifies the row, as in later.
func (t *tx) rows(ctx context.Context, key any, r row, text string) error {
	return t.push(ctx, write{row: key, set: text, rows: []row{r}})
}

// bulk is a statement that writes one row or several. A single row has a parameter for each
// column, which takes the server less time than to read JSON.
type bulk struct {
	columns      []string
	one, several string
}

// insertion inserts rows of a table. Columns are joined by commas.
func insertion(table, columns, conflict string) bulk {
	into := "\nINSERT INTO " + table + " (" + columns + ")"
	names := strings.Split(columns, ", ")
	return bulk{
		names, into + "\nVALUES (" + parameters(len(names)) + ")" + conflict,
		into + "\nSELECT " + columns + "\nFROM json_populate_recordset(NULL::" + table + ", $1)" + conflict,
	}
}

// parameters returns the first n parameters.
func parameters(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = "$" + strconv.Itoa(i+1)
	}
	return strings.Join(all, ", ")
}

// queue queues a row. Key identifies it, as in later.
func (b bulk) queue(ctx context.Context, t *tx, key any, r row) error {
	args := make([]any, len(b.columns))
	for i, name := range b.columns {
		v, err := r.value(name)
		if err != nil {
			return err
		}
		if text, is := v.(json.RawMessage); !is || string(text) != "null" { // which is NULL in JSON, too
			args[i] = v
		}
		r[name] = v
	}
	return t.push(ctx, write{row: key, text: b.one, args: args, set: b.several, rows: []row{r}})
}

// source has the columns of rows that a statement reads.
type source []typed

// typed is a column with its type.
type typed struct{ name, kind string }

// parameter returns the SQL of the parameter n as a value of the column.
func (c typed) parameter(n int) string { return "$" + strconv.Itoa(n) + "::" + c.kind }

// array is a parameter for the values of the column.
func (c typed) array(rows [][]any, place int) any {
	if c.kind == "bytea" {
		all := make(pq.ByteaArray, len(rows))
		for i, r := range rows {
			all[i], _ = r[place].([]byte)
		}
		return all
	}
	all := make(textsArray, len(rows))
	for i, r := range rows {
		switch v := r[place].(type) {
		case []byte:
			all[i] = v
		default:
			all[i] = fmt.Append(nil, v)
		}
	}
	return all
}

// fewRows is the number of rows up to which each value is a parameter of its own. That is
// cheaper than an array for each column, because the server must read an array before its
// values. But each number of rows is a statement with a plan of its own.
const fewRows = 4

// of returns the rows as an item of FROM, and the arguments of the statement: those before,
// and those of the rows.
func (s source) of(rows [][]any, before ...any) (string, []any) {
	args := before
	if len(rows) > fewRows {
		arrays := make([]string, len(s))
		for i, c := range s {
			args = append(args, c.array(rows, i))
			arrays[i] = c.parameter(len(args)) + "[]"
		}
		return "unnest(" + strings.Join(arrays, ", ") + ")", args
	}
	tuples, values := make([]string, len(rows)), make([]string, len(s))
	for n, r := range rows {
		for i, c := range s {
			args = append(args, r[i])
			values[i] = c.parameter(len(args))
		}
		tuples[n] = "(" + strings.Join(values, ", ") + ")"
	}
	return "(VALUES " + strings.Join(tuples, ", ") + ")", args
}

// names returns the names of the columns.
func (s source) names() string {
	names := make([]string, len(s))
	for i, c := range s {
		names[i] = c.name
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// uuids is a parameter for IDs.
func uuids[ID rowID](ids []ID) pq.StringArray {
	out := make(pq.StringArray, len(ids))
	for i, id := range ids {
		out[i] = id.UUID()
	}
	return out
}

// texts is a parameter for texts of a type of their own.
func texts[T ~string](all []T) pq.StringArray {
	out := make(pq.StringArray, len(all))
	for i, v := range all {
		out[i] = string(v)
	}
	return out
}

// textArray is an array of texts for the field that it points to.
type textArray[T ~string] struct {
	of   *[]T
	none bool // an empty list is NULL
}

// Value returns the array.
func (l textArray[T]) Value() (driver.Value, error) {
	if l.none && len(*l.of) == 0 {
		return nil, nil
	}
	return texts(*l.of).Value()
}

// Scan reads the array. The field stays nil if it is empty.
func (l textArray[T]) Scan(src any) error {
	var all pq.StringArray
	err := all.Scan(src)
	for _, text := range all {
		*l.of = append(*l.of, T(text))
	}
	return err
}

// orNull is a column for the text or the number that it points to. It is NULL for an
// empty text, and for zero.
type orNull[T ~string | ~int | ~int64] struct{ of *T }

// Value returns the value, or NULL.
func (o orNull[T]) Value() (driver.Value, error) {
	if *o.of == *new(T) {
		return nil, nil
	}
	return driver.DefaultParameterConverter.ConvertValue(*o.of)
}

// Scan reads the value.
func (o orNull[T]) Scan(src any) error {
	var v sql.Null[T]
	err := v.Scan(src)
	*o.of = v.V
	return err
}

// sum is a column for the digest that of is a slice of.
type sum struct {
	of   []byte
	none bool // one of zeros is NULL
}

// Value returns the digest, or NULL.
func (s sum) Value() (driver.Value, error) {
	if s.none && len(bytes.Trim(s.of, "\x00")) == 0 {
		return nil, nil
	}
	return bytes.Clone(s.of), nil
}

// Scan reads the digest.
func (s sum) Scan(src any) error {
	b, _ := src.([]byte)
	copy(s.of, b)
	return nil
}

// written is a column for JSON that is stored as it is. It is NULL for nil.
type written struct{ of *[]byte }

// Value returns the JSON as text, or NULL.
func (w written) Value() (driver.Value, error) { return nonEmpty(string(*w.of)).Value() }

// Scan reads the JSON.
func (w written) Scan(src any) error {
	var s sql.Null[[]byte]
	err := s.Scan(src)
	*w.of = s.V
	return err
}

// document is a JSON column for the field that it points to. See encode for the names
// in the JSON.
type document struct {
	of    any
	empty string // the value stored for nil: null, or [] for a list
}

// Value returns the field as JSON, for a row.
func (d document) Value() (driver.Value, error) {
	b, err := json.Marshal(d.of)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", d.of, err)
	}
	if string(b) == "null" {
		b = []byte(d.empty)
	}
	return json.RawMessage(b), nil
}

// Scan reads the field. The field stays nil if the column is empty.
func (d document) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok && src != nil {
		return fmt.Errorf("scan %T into a document", src)
	}
	if string(b) == d.empty {
		return nil
	}
	return decode(b, d.of)
}

// maybe is a JSON column for the field that it points to. It is NULL for the zero value.
type maybe struct{ of any }

// Value returns the field as JSON, or NULL.
func (m maybe) Value() (driver.Value, error) {
	if reflect.ValueOf(m.of).Elem().IsZero() {
		return nil, nil
	}
	return document{of: m.of}.Value()
}

// Scan reads the field.
func (m maybe) Scan(src any) error { return document{of: m.of}.Scan(src) }

// instant is a column for a time in microseconds. It is NULL for the zero time.
type instant struct{ of *time.Time }

// Value returns the time, or NULL.
func (i instant) Value() (driver.Value, error) { return optional(*i.of).Value() }

// Scan reads a time in UTC.
func (i instant) Scan(src any) error {
	var t sql.NullTime
	err := t.Scan(src)
	if *i.of = t.Time; t.Valid {
		*i.of = t.Time.UTC()
	}
	return err
}

// textsArray is a pq.StringArray that copies each text once. lib/pq allocates 55 kB for a
// document of 6 kB.
type textsArray [][]byte

// Value returns the array in the form that the server reads.
func (a textsArray) Value() (driver.Value, error) {
	size := len("{}")
	for _, d := range a {
		size += len(d) + bytes.Count(d, []byte{'"'}) + bytes.Count(d, []byte{'\\'}) + len(`"",`)
	}
	b := append(make([]byte, 0, size), '{')
	for i, d := range a {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		for _, c := range d {
			if c == '"' || c == '\\' {
				b = append(b, '\\')
			}
			b = append(b, c)
		}
		b = append(b, '"')
	}
	return append(b, '}'), nil
}
