package coverage

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Value is a value of an answer that the payer returned.
type Value struct {
	Path string // in the check
	key  string // what it is about, wherever it stands
	text string
}

// Values lists the values of an answered check that the payer returned, by path. It is empty
// for any other check.
func (c *Check) Values() []Value {
	if c.Outcome != OutcomeAnswered {
		return nil
	}
	return valuesOf(c.Status, c.Benefits)
}

// Values lists the values that the payer returned, by the path that a check has them at.
func (b *Benefits) Values() []Value { return valuesOf(b.Status, b.Data()) }

func valuesOf(status Status, data []byte) (all []Value) {
	var benefits map[string]any
	if json.Unmarshal(data, &benefits) != nil {
		return nil
	}
	benefits["status"] = string(status)
	delete(benefits, "not_returned")
	flatten("", "", benefits, &all)
	return all
}

func flatten(path, key string, value any, all *[]Value) {
	switch v := value.(type) {
	case nil:
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			flatten(join(path, name), join(key, name), v[name], all)
		}
	case []any:
		for i, item := range v {
			flatten(join(path, nameOf(item, i)), join(key, about(item)), item, all)
		}
	default:
		*all = append(*all, Value{path, key, scalar(v)})
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// about returns what an item is about, but for the network that an amount names only because
// another one has another amount.
func about(item any) string {
	of := make([]string, 0, 5)
	for _, part := range identity(item) {
		of = append(of, scalar(part))
	}
	last := len(of) - 1
	for _, network := range []string{"in network", "out of network"} {
		of[last] = strings.TrimSuffix(strings.TrimSuffix(of[last], network), ", ")
	}
	return strings.Join(of, "|")
}

// scalar returns a value of JSON that has no parts as text.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// Stated is the values of an answer, wherever they stand.
type Stated map[Value]bool

// Stated returns the values of the benefits; nil for no benefits.
func (b *Benefits) Stated() Stated {
	if b == nil {
		return nil
	}
	all := Stated{}
	for _, v := range b.Values() {
		all[Value{key: v.key, text: v.text}] = true
	}
	return all
}

// Has reports whether the answer has the value, at any path.
func (s Stated) Has(v Value) bool { return s[Value{key: v.key, text: v.text}] }

// Same returns the values that both lists have at the same path.
func Same(a, b []Value) (out []Value) {
	have := make(map[Value]bool, len(b))
	for _, v := range b {
		have[v] = true
	}
	for _, v := range a {
		if have[v] {
			out = append(out, v)
		}
	}
	return out
}
