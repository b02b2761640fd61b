// Package billingtest has what the tests of the domain share: golden files, and faults in
// short form.
package billingtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

//nolint:gochecknoglobals // a flag of the tests
var update = flag.Bool("update", false, "write the golden files")

// Golden compares got with a file, which -update writes.
func Golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant:\n%s", file, got, want)
	}
}

// Events is the folder of the golden bodies of events, from the folder of a package of
// nouns.
const Events = "../event/testdata"

// Event compares the data of an event with a file that is named after the type of the
// event, and its other fields with those of the first organization.
func Event(t *testing.T, name string, e event.Event, resource [16]byte, at time.Time) {
	t.Helper()
	scope := billing.Scope{Org: billing.OrgID{15: 1}, Mode: billing.ModeTest}
	if EventType(name) != string(e.Type) || e.Scope != scope || e.Resource != resource || !e.CreatedAt.Equal(at) {
		t.Errorf("event %+v", e)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, e.Data, "", "  "); err != nil {
		t.Fatal(err)
	}
	Golden(t, Events+"/"+name+".json", append(b.Bytes(), '\n'))
}

// EventType returns the type that a golden file is named after: its first two parts.
func EventType(name string) string {
	parts := strings.SplitN(name, ".", 3)
	return strings.Join(parts[:2], ".")
}

// FieldCodes returns the fields of faults with their codes.
func FieldCodes(faults billing.Faults) (all []string) {
	for _, f := range faults {
		all = append(all, f.Field+" "+string(f.Code))
	}
	return all
}
