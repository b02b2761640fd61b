package restore_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/restore"
)

// fill gives each exported field below v a value of its own.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.Date(2026, 3, 4, 5, 6, 7, *n*1000, time.UTC)
		return
	case *billing.Date:
		*at = billing.Date{Year: 2000 + *n%50, Month: 3, Day: 1 + *n%28}
		return
	}
	switch v.Kind() { //nolint:exhaustive // the others are errors
	case reflect.String:
		v.SetString("text é\n" + time.Duration(*n).String())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8:
		v.SetUint(uint64(*n%250 + 1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), n)
		fill(t, v.Index(1), n)
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, n)
		fill(t, value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				t.Fatalf("%s.%s is lost in a copy", v.Type(), v.Type().Field(i).Name)
			}
			fill(t, v.Field(i), n)
		}
	default:
		t.Fatalf("%s is not filled", v.Type())
	}
}

// TestCopies writes and reads copies in which every field has a value, and one in which
// none has.
func TestCopies(t *testing.T) {
	t.Parallel()
	for name, empty := range map[string]func() any{
		"a claim":         func() any { return new(claim.Claim) },
		"a sent file":     func() any { return new(restore.SentFile) },
		"a received part": func() any { return new(restore.ReceivedPart) },
	} {
		full, n := empty(), 0
		fill(t, reflect.ValueOf(full).Elem(), &n)
		for what, was := range map[string]any{"full": full, "empty": empty()} {
			text, err := json.Marshal(was)
			is := empty()
			if err == nil {
				err = json.Unmarshal(text, is)
			}
			if err != nil || !reflect.DeepEqual(is, was) {
				t.Errorf("%s, %s: %v\n%+v\nwant\n%+v", name, what, err, is, was)
			}
		}
	}
}

// FuzzNumberOf reads the number of a live file from the name of its copy.
func FuzzNumberOf(f *testing.F) {
	for _, name := range []string{
		(&restore.SentFile{Numbers: restore.Numbers{LiveFile: 12}}).Name(), (&restore.ReceivedPart{Numbers: restore.Numbers{LiveFile: 7}, Part: 3}).Name(),
		"files/restores/rst_01", "files/out/", "files/in/-1-x", "documents/1-x",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		n, ok := restore.NumberOf(name)
		if ok && n < 0 {
			t.Errorf("%s has the number %d", name, n)
		}
	})
}

// TestNames sorts the names of copies by the numbers of their files, and the parts of one
// file in their order.
func TestNames(t *testing.T) {
	t.Parallel()
	last := ""
	for _, n := range []int64{1, 9, 10, 999_999_999_999} {
		for _, part := range []int{0, 9, 10, 9999} {
			p := restore.ReceivedPart{Numbers: restore.Numbers{LiveFile: n}, Part: part}
			p.File.ID = billing.FileID{15: 1}
			if got, ok := restore.NumberOf(p.Name()); !ok || got != n || p.Name() <= last || !billing.ValidBlobName(p.Name()) {
				t.Errorf("%s after %s has the number %d", p.Name(), last, got)
			}
			if last = p.Name(); restore.Above(restore.ReceivedFiles, n-1) >= last || restore.Above(restore.ReceivedFiles, n) <= last {
				t.Errorf("%s is not between the numbers %d and %d", last, n-1, n)
			}
		}
	}
}

// TestEarlierCopies reads a copy as the first release with copies wrote it. A field may be
// added, and never renamed: copies are read for 90 days.
func TestEarlierCopies(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/sent_file.json")
	if err != nil {
		t.Fatal(err)
	}
	var f restore.SentFile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil || len(f.Claims) != 2 || f.Claims[1].PatientControlNumber == "" { //nolint:musttag // as stored
		t.Errorf("%d claims: %v", len(f.Claims), err)
	}
}
