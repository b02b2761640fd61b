package acknowledgements_test

import (
	"bytes"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// checkFunctional proves that decoding b fails with a position, or that what it
// gave is written and read again without a change, in both standards.
func checkFunctional(t *testing.T, b []byte) (*acknowledgements.Functional, error) {
	t.Helper()
	first, _, err := acknowledgements.DecodeFunctional(bytes.NewReader(b))
	if err != nil {
		x12test.Refused(t, b, err)
		return nil, err
	}
	for _, standard := range []acknowledgements.Standard{first.Standard, "999", "997"} {
		f := *first
		f.Standard = standard
		once := acknowledgements.EncodeFunctional(&f)
		second, warnings, err := acknowledgements.DecodeFunctional(bytes.NewReader(once))
		if err != nil || len(warnings) > 0 {
			t.Fatalf("what was written cannot be read: %v, %v\n%s", err, warnings, once)
		}
		if twice := acknowledgements.EncodeFunctional(second); !bytes.Equal(once, twice) {
			t.Fatalf("not stable:\n%s\n%s", once, twice)
		}
		for i := range f.Groups {
			if f.Groups[i].Verdict() != second.Groups[i].Verdict() {
				t.Fatalf("the verdict %s became %s", f.Groups[i].Verdict(), second.Groups[i].Verdict())
			}
		}
	}
	return first, nil
}

// checkReports proves the same of every 277 in b, and that outcomes stay.
func checkReports(t *testing.T, b []byte) ([]acknowledgements.Report, error) {
	t.Helper()
	all, _, err := acknowledgements.DecodeReports(bytes.NewReader(b))
	if err != nil {
		x12test.Refused(t, b, err)
		return nil, err
	}
	for i := range all {
		once := acknowledgements.EncodeReport(&all[i])
		second, warnings, err := acknowledgements.DecodeReports(bytes.NewReader(once))
		if err != nil || len(second) != 1 || len(warnings) > 0 {
			t.Fatalf("what was written cannot be read: %d reports, %v, %v\n%s", len(second), err, warnings, once)
		}
		if twice := acknowledgements.EncodeReport(&second[0]); !bytes.Equal(once, twice) {
			t.Fatalf("not stable:\n%s\n%s", once, twice)
		}
		if before, after := count(&all[i]), count(&second[0]); before != after {
			t.Fatalf("%d claims became %d", before, after)
		}
	}
	return all, nil
}

func count(r *acknowledgements.Report) (n int) {
	for _, c := range r.Claims() {
		c.Request()
		n++
	}
	return n
}

func FuzzDecodeFunctional(f *testing.F) {
	x12test.Seed(f)
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = checkFunctional(t, b) })
}

func FuzzDecodeReports(f *testing.F) {
	x12test.Seed(f)
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = checkReports(t, b) })
}
