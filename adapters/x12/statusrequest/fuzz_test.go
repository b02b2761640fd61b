package statusrequest_test

import (
	"bytes"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/statusrequest"
	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// checkInquiry proves that decoding b fails with a position, or that what it gave is
// written and read again without a change.
func checkInquiry(t *testing.T, b []byte) {
	t.Helper()
	first, err := statusrequest.Decode(b)
	if err != nil {
		x12test.Refused(t, b, err)
		return
	}
	once := statusrequest.Encode(first)
	second, err := statusrequest.Decode(once)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, once)
	}
	if len(second.Warnings) > 0 {
		t.Fatalf("what was written has warnings: %v\n%s", second.Warnings, once)
	}
	if twice := statusrequest.Encode(second); !bytes.Equal(once, twice) {
		t.Fatalf("not stable:\n%s\n%s", once, twice)
	}
	if len(first.Claims) != len(second.Claims) {
		t.Fatalf("%d claims became %d", len(first.Claims), len(second.Claims))
	}
}

// checkResponse proves the same of the 277s of a response.
func checkResponse(t *testing.T, b []byte) {
	t.Helper()
	all, _, err := statusrequest.DecodeResponse(b)
	if err != nil {
		x12test.Refused(t, b, err)
		return
	}
	for i := range all {
		once := acknowledgements.EncodeReport(&all[i])
		second, warnings, err := statusrequest.DecodeResponse(once)
		if err != nil || len(second) != 1 || len(warnings) > 0 {
			t.Fatalf("what was written cannot be read: %d responses, %v, %v\n%s", len(second), err, warnings, once)
		}
		if twice := acknowledgements.EncodeReport(&second[0]); !bytes.Equal(once, twice) {
			t.Fatalf("not stable:\n%s\n%s", once, twice)
		}
	}
}

func FuzzDecode(f *testing.F) {
	x12test.Seed(f)
	f.Fuzz(func(t *testing.T, b []byte) { checkInquiry(t, b) })
}

func FuzzDecodeResponse(f *testing.F) {
	x12test.Seed(f)
	f.Fuzz(func(t *testing.T, b []byte) { checkResponse(t, b) })
}

// TestCorpus reads public samples, which are not part of the project, from the folder in
// MOLAR_CORPUS_DIR.
func TestCorpus(t *testing.T) {
	t.Parallel()
	x12test.EachOfCorpus(t, "27[67]/*", func(t *testing.T, kind string, b []byte) {
		t.Helper()
		checkInquiry(t, b)
		checkResponse(t, b)
		if _, _, err := statusrequest.DecodeResponse(b); kind == "277" && err != nil {
			t.Errorf("a public response is refused: %v", err)
		}
	})
}
