package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// row is a row to be written, by column. Rows that the same statement writes
// are sent together, as one argument, so that hundreds cost what one costs in
// round trips and planning. The statement reads them with
// json_populate_recordset or json_to_recordset from $1.
type row map[string]any

// MarshalJSON gives values the form in which the server reads them.
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

// rows queues a row for the statement, which writes all that are queued for it.
// Key identifies the row, as with later.
func (t *tx) rows(ctx context.Context, key any, r row, text string) error {
	return t.push(ctx, write{row: key, set: text, rows: []row{r}})
}

// valueOf is what a column keeps of the field that at points to, as of now: a
// row that is queued does not follow the field.
func valueOf(at any) (any, error) {
	if v, ok := at.(driver.Valuer); ok {
		return v.Value()
	}
	return reflect.ValueOf(at).Elem().Interface(), nil
}

// document is a json column of the field that it points to. Names are as encode
// says.
type document struct {
	of    any
	empty string // what is kept for nil: null, or [] for a list
}

// Value is the field as JSON.
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

// Scan reads the field, which stays nil when the column is empty.
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

// instant is a column of a time in microseconds, NULL for zero.
type instant struct{ of *time.Time }

// Value is the time, or NULL.
func (i instant) Value() (driver.Value, error) { return optional(*i.of).Value() }

// Scan reads a time in UTC.
func (i instant) Scan(src any) error {
	var t sql.NullTime
	err := t.Scan(src)
	*i.of = present(t)
	return err
}
