package billing

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Edits are the changes that people and programs made of a resource's content: how many
// there were, and who changed each field last. They have no values. States and files
// change nothing of them.
type Edits struct {
	Count int             `json:",omitzero"`
	Last  map[string]Edit `json:",omitzero"` // by the path of the field
}

// Edit is a change of a field.
type Edit struct {
	Version int    // of the resource, which has the change
	By      string // the key, the user or the operator
	At      time.Time
}

// FieldEdit is a change of the field that it names.
type FieldEdit struct {
	Edit

	Field string
}

// Version returns the version of the resource. The first one is 1.
func (e Edits) Version() int { return 1 + e.Count }

// After returns the edits after a change of the content, which is a struct. It names the
// fields that differ by their tags; a field without a tag is no content. It returns e when
// none differs.
func (e Edits) After(was, is any, by string, at time.Time) Edits {
	fields := differing("", reflect.ValueOf(was), reflect.ValueOf(is))
	if len(fields) == 0 {
		return e
	}
	last := maps.Clone(e.Last)
	if e.Count++; last == nil {
		last = map[string]Edit{}
	}
	for _, f := range fields {
		last[f] = Edit{e.Version(), by, at}
	}
	e.Last = last
	return e
}

// Expect returns CodeChangedMeanwhile, with the changes since then, unless the version is
// the one that the caller has seen. Zero stands for any.
func (e Edits) Expect(seen int) error {
	if seen == 0 || seen == e.Version() {
		return nil
	}
	changed := []FieldEdit{}
	for field, edit := range e.Last {
		if edit.Version > seen {
			changed = append(changed, FieldEdit{edit, field})
		}
	}
	slices.SortFunc(changed, func(a, b FieldEdit) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Field, b.Field))
	})
	return &Error{
		Code:    CodeChangedMeanwhile,
		Message: "The resource was changed since the version in If-Match. Read it again, then send your change with its ETag.",
		Changed: changed,
	}
}

// differing returns the paths of the fields that differ. It names the parts of a struct
// with tags.
func differing(path string, a, b reflect.Value) (found []string) {
	if a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil() {
		a, b = a.Elem(), b.Elem()
	}
	whole := path != ""
	for i := 0; a.Kind() == reflect.Struct && i < a.NumField(); i++ {
		f, name := a.Type().Field(i), path
		if tag, ok := f.Tag.Lookup("field"); ok {
			name = strings.TrimPrefix(path+"."+tag, ".")
		} else if !f.Anonymous {
			continue
		}
		whole = false
		found = append(found, differing(name, a.Field(i), b.Field(i))...)
	}
	none := a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0
	if whole && !none && !reflect.DeepEqual(a.Interface(), b.Interface()) {
		found = append(found, path)
	}
	return found
}
