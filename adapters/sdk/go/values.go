package molar

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Optional is a field of a request: absent, null or a value. The zero value is absent.
type Optional[T any] map[bool]T // one entry, so that omitempty leaves out what is absent; null is under false

// Value is an optional field with a value.
func Value[T any](v T) Optional[T] { return Optional[T]{true: v} }

// Null is an optional field that is null. In a change it removes what is there.
func Null[T any]() Optional[T] { return Optional[T]{false: *new(T)} }

// Get returns the value, whether the field is null, and whether it has a value.
func (o Optional[T]) Get() (v T, null, ok bool) {
	v, ok = o[true]
	_, null = o[false]
	return v, null, ok
}

// MarshalJSON writes the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if v, ok := o[true]; ok {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads a value, or null.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*o = Null[T]()
		return nil
	}
	var v T
	err := json.Unmarshal(b, &v)
	*o = Value(v)
	return err
}

// Pointer returns a pointer to a value, for fields of a reply.
func Pointer[T any](v T) *T { return &v }

// Amount is an amount of dollars, exactly as the API writes it: "1250.00".
type Amount string

// Cents is an amount of so many cents.
func Cents(n int64) Amount {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return Amount(fmt.Sprintf("%s%d.%02d", sign, n/100, n%100))
}

// Cents returns the amount in cents. It fails if the amount is not one.
func (a Amount) Cents() (int64, error) {
	dollars, cents, ok := strings.Cut(string(a), ".")
	n, err := strconv.ParseInt(dollars+cents, 10, 64)
	if !ok || len(cents) != 2 || err != nil || strings.ContainsAny(string(a), "+_") {
		return 0, fmt.Errorf("molar: %q is not an amount such as 1250.00", string(a))
	}
	return n, nil
}
