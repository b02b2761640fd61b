package pgstore

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
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

// document is a json column: null for a nil pointer. Names are as encode says.
func document[T any](v *T) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

// documentList is a json column of an array, which is empty for nil.
func documentList[T any](v []T) (json.RawMessage, error) {
	if len(v) == 0 {
		return json.RawMessage("[]"), nil
	}
	return document(&v)
}

// decodeList reads an array; an empty one is nil.
func decodeList[T any](b []byte, into *[]T) error {
	if string(b) == "[]" {
		return nil
	}
	return decode(b, into)
}
