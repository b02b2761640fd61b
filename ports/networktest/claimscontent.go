package networktest

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
)

// notSent are the values of a claim and its office, alone or together, that no file of
// claims has. The guide has no place for the birth date and the gender of another payer's
// subscriber.
// The ID of an office is not among them: it decides the order of the claims.
//
//nolint:gochecknoglobals // a constant; Go has none of slice type
var notSent = []string{
	"Claim.OfficeID", "Claim.Payer.ID", "Claim.ProviderID", "Claim.PatientID", "Claim.TenantReference", "Claim.EstimateID",
	"Claim.OtherCoverage.Payer.ID", "Claim.OtherCoverage.Subscriber.DateOfBirth", "Claim.OtherCoverage.Subscriber.Gender",
	"Office.Scope.Org", "Office.Scope.Mode", "Office.TimeZone", "Office.CreatedAt", "Office.VerifiedAt", "Office.Retired", "Office.Pending",
	"Office.Edits.Count", "Office.Edits.Last",
}

// testContent removes each value of the claims and of their offices. Without any one
// of them, the file is another.
func testContent(t *testing.T, f ClaimsEDIFixture) {
	base, err := f.EDI.File(f.Detailed)
	if err != nil {
		t.Fatal(err)
	}
	stated := map[string]bool{}
	try := func(path string, value reflect.Value) {
		old := reflect.New(value.Type()).Elem()
		old.Set(value)
		if value.IsZero() {
			return
		}
		value.SetZero()
		changed, err := f.EDI.File(f.Detailed)
		value.Set(old)
		if err != nil {
			t.Errorf("without %s: error %v", path, err)
		}
		stated[path] = stated[path] || !bytes.Equal(changed, base)
	}
	for _, c := range f.Detailed.Claims {
		eachValue("Claim", reflect.ValueOf(&c.Claim.Content), try)
		eachValue("Office", reflect.ValueOf(c.Office), try)
	}
	wanted := slices.Concat(paths("Claim", reflect.TypeFor[claim.Content]()), paths("Office", reflect.TypeFor[directory.Office]()))
	for _, path := range wanted {
		left := func(name string) bool { return path == name || strings.HasPrefix(path, name+".") }
		if stated[path] == slices.ContainsFunc(notSent, left) {
			t.Errorf("%s is in the file: %t", path, stated[path])
		}
	}
}

// single reports whether a type is one value, such as a string, a date or an ID.
func single(of reflect.Type) bool {
	kind := of.Kind()
	if kind == reflect.Struct {
		return of == reflect.TypeFor[billing.Date]() || of == reflect.TypeFor[time.Time]()
	}
	return kind != reflect.Pointer && kind != reflect.Slice
}

// paths returns the names of the values in a type.
func paths(path string, of reflect.Type) (all []string) {
	switch {
	case single(of):
		return []string{path}
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			all = append(all, paths(pathOf(path, of.Field(i)), of.Field(i).Type)...)
		}
		return all
	default:
		return paths(path, of.Elem())
	}
}

// eachValue visits the values under v. The elements of a slice have one path.
func eachValue(path string, v reflect.Value, visit func(string, reflect.Value)) {
	switch {
	case single(v.Type()):
		visit(path, v)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			eachValue(pathOf(path, v.Type().Field(i)), v.Field(i), visit)
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			eachValue(path, v.Index(i), visit)
		}
	case !v.IsNil():
		eachValue(path, v.Elem(), visit)
	}
}

func pathOf(path string, f reflect.StructField) string {
	if f.Anonymous {
		return path
	}
	return path + "." + f.Name
}
