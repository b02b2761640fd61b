package claims_test

import (
	"bytes"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// checkDecode proves that decoding b fails with a position, or that every batch
// in it is written and read again without a change. It gives what was decoded.
func checkDecode(t *testing.T, b []byte) ([]claims.Batch, error) {
	t.Helper()
	all, _, err := claims.Decode(bytes.NewReader(b))
	if err != nil {
		x12test.Refused(t, b, err)
		return nil, err
	}
	for i := range all {
		once := encode(t, &all[i])
		second, warnings, err := claims.Decode(bytes.NewReader(once))
		if err != nil || len(second) != 1 {
			t.Fatalf("what was written cannot be read: %d batches, %v\n%s", len(second), err, once)
		}
		if len(warnings) > 0 {
			t.Fatalf("what was written has warnings: %v\n%s", warnings, once)
		}
		if have, want := len(second[0].Claims), len(all[i].Claims); have != want {
			t.Fatalf("%d claims became %d", want, have)
		}
		if twice := encode(t, &second[0]); !bytes.Equal(once, twice) {
			t.Fatalf("not stable:\n%s\n%s", once, twice)
		}
	}
	return all, nil
}

func FuzzDecode(f *testing.F) {
	x12test.Seed(f)
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = checkDecode(t, b) })
}
