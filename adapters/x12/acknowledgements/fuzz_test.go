package acknowledgements_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
)

// checkPosition proves that a refusal says where.
func checkPosition(t *testing.T, b []byte, err error) {
	t.Helper()
	e, ok := errors.AsType[*x12.Error](err)
	if !ok {
		t.Fatalf("the error is a %T, want an *x12.Error", err)
	}
	if e.Segment < 0 || e.Offset < 0 || e.Offset > len(b) || e.Reason == "" {
		t.Fatalf("the position is off: %v, in %d bytes", err, len(b))
	}
}

// checkFunctional proves that decoding b fails with a position, or that what it
// gave is written and read again without a change, in both standards.
func checkFunctional(t *testing.T, b []byte) (*acknowledgements.Functional, error) {
	t.Helper()
	first, _, err := acknowledgements.DecodeFunctional(bytes.NewReader(b))
	if err != nil {
		checkPosition(t, b, err)
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
		checkPosition(t, b, err)
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

func seeds(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/*.edi")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds in testdata: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}

func FuzzDecodeFunctional(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = checkFunctional(t, b) })
}

func FuzzDecodeReports(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = checkReports(t, b) })
}
