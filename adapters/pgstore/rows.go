package pgstore

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/lib/pq"
)

// row is a row to write, by column. All rows for one statement are sent as a single
// argument, so hundreds need only one round trip and one plan. The statement reads
// them from $1 with json_populate_recordset or json_to_recordset.
type row map[string]any

// MarshalJSON encodes each value in the form that the server reads.
func (r row) MarshalJSON() ([]byte, error) {
	plain := make(map[string]any, len(r))
	for name, value := range r {
		if v, ok := value.(driver.Valuer); ok {
			var err error
			if value, err = v.Value(); err != nil {
				return nil, fmt.Errorf("column %s: %w", name, err)
			}
		}
		plain[name] = value
	}
	return json.Marshal(plain)
}

// rows queues a row for the statement, which writes all of its queued rows at once.
// Key identifies the row, as in later.
func (t *tx) rows(ctx context.Context, key any, r row, text string) error {
	return t.push(ctx, write{row: key, set: text, rows: []row{r}})
}

// valueOf returns a copy of the field that at points to. Later changes of the field
// do not affect a queued row.
func valueOf(at any) (any, error) {
	if v, ok := at.(driver.Valuer); ok {
		return v.Value()
	}
	return reflect.ValueOf(at).Elem().Interface(), nil
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

// typed is the inverse of texts. It returns nil for none.
func typed[T ~string](all pq.StringArray) (out []T) {
	for _, text := range all {
		out = append(out, T(text))
	}
	return out
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

// instant is a column for a time in microseconds. It is NULL for the zero time.
type instant struct{ of *time.Time }

// Value returns the time, or NULL.
func (i instant) Value() (driver.Value, error) { return optional(*i.of).Value() }

// Scan reads a time in UTC.
func (i instant) Scan(src any) error {
	var t sql.NullTime
	err := t.Scan(src)
	*i.of = present(t)
	return err
}

// documentArray is an array of JSON documents, as text. It is a pq.StringArray that
// copies each document once. lib/pq allocates 55 kB for one of 6 kB.
type documentArray [][]byte

// Value returns the array in the form that the server reads.
func (a documentArray) Value() (driver.Value, error) {
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
