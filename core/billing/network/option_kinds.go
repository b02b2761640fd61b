package network

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing/claim"
)

// option makes the row of a field. Read returns the value of a document, which is zero
// for the default. Show is its inverse; nil shows the field as it is.
func option[T any](
	field *T, name, standard, about, want string, read func(value json.RawMessage) (T, bool), show func(T) any,
) Option {
	return Option{
		name: name, standard: standard, about: about, want: want,
		read: func(value json.RawMessage) (ok bool) {
			*field, ok = read(value)
			return ok
		},
		show: func() any {
			switch {
			case reflect.ValueOf(field).Elem().IsZero():
				return nil
			case show == nil:
				return *field
			default:
				return show(*field)
			}
		},
	}
}

// decode reads a JSON value that is not null into to.
func decode(value json.RawMessage, to any) bool {
	return string(value) != "null" && json.Unmarshal(value, to) == nil
}

// except returns v, or the zero value for the default.
func except[T comparable](standard, v T) (other T) {
	if v != standard {
		other = v
	}
	return other
}

// flag is an option that is true or false. The field has the value that is not the
// default as true.
func flag(field *bool, name string, standard bool, about string) Option {
	return option(field, name, strconv.FormatBool(standard), about, "true or false", func(value json.RawMessage) (bool, bool) {
		var v bool
		ok := decode(value, &v)
		return v != standard, ok
	}, func(bool) any { return !standard })
}

// Word is a value of a choice with its name in documents.
type Word[T comparable] struct {
	value T
	name  string
}

// Named names a value of a choice. Without a name the value, a string, is its own.
func Named[T comparable](value T, name string) Word[T] {
	if name == "" {
		name = fmt.Sprint(value)
	}
	return Word[T]{value, name}
}

// Choice is an option with one of several values. The first one is the default.
func Choice[T comparable](field *T, name, about string, words ...Word[T]) Option {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = w.name
	}
	return option(field, name, strconv.Quote(names[0]), about, "one of "+strings.Join(names, ", "), func(value json.RawMessage) (v T, ok bool) {
		var name string
		if ok = decode(value, &name) && slices.Contains(names, name); ok {
			v = words[slices.Index(names, name)].value
		}
		return v, ok
	}, func(v T) any {
		return names[max(0, slices.IndexFunc(words, func(w Word[T]) bool { return w.value == v }))]
	})
}

// Text is an option that is text.
func Text(field *string, name, standard, about, want string, valid func(string) bool) Option {
	return option(field, name, strconv.Quote(standard), about, want, func(value json.RawMessage) (v string, ok bool) {
		ok = decode(value, &v)
		return except(standard, v), ok && valid(v)
	}, nil)
}

// party is an option that is a name or an ID of a sender or a receiver.
func party(field *string, name, about string, most int) Option {
	const want = "at most %d letters, digits, spaces and characters of .,/&'()- that start with a letter or a digit, or empty for the default"
	return Text(field, name, "", about, fmt.Sprintf(want, most), func(s string) bool {
		return s == "" || len(s) <= most && identifierForm.MatchString(s)
	})
}

// number is an option that is a whole number.
func number(field *int, name, about string, least, most, standard int) Option {
	want := fmt.Sprintf("a whole number from %d to %d", least, most)
	return option(field, name, strconv.Itoa(standard), about, want, func(value json.RawMessage) (v int, ok bool) {
		ok = decode(value, &v)
		return except(standard, v), ok && v >= least && v <= most
	}, nil)
}

// span is an option that is a duration.
func span(field *time.Duration, name, about string, least, most, standard time.Duration) Option {
	want := fmt.Sprintf("a duration from %s to %s, such as 90s or 5m", spanText(least), spanText(most))
	return option(field, name, strconv.Quote(spanText(standard)), about, want, func(value json.RawMessage) (time.Duration, bool) {
		v, ok := readSpan(value, least, most)
		return except(standard, v), ok
	}, func(v time.Duration) any { return spanText(v) })
}

func readSpan(value json.RawMessage, least, most time.Duration) (time.Duration, bool) {
	var text string
	if !decode(value, &text) {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= least && d <= most
}

// spanText returns a duration without the zeros at its end, such as 24h.
func spanText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// list is an option that is a list of different words.
func list[T ~string](field *[]T, name, standard, about, want string, most int, valid func(string) bool) Option {
	return option(field, name, standard, about, want, func(value json.RawMessage) (v []T, ok bool) {
		ok = decode(value, &v) && len(v) >= 1 && len(v) <= most && !claim.Repeats(v)
		for _, one := range v {
			ok = ok && valid(string(one))
		}
		if compact, err := json.Marshal(v); err == nil && string(compact) == standard {
			v = nil
		}
		return v, ok
	}, nil)
}
