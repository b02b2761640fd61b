package eligibility_test

import (
	"bytes"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// checkReply proves that decoding b fails with a position, or that what it
// gave is written and read again without a change.
func checkReply(t *testing.T, b []byte) {
	t.Helper()
	first, err := eligibility.Decode(b)
	if err != nil {
		x12test.Refused(t, b, err)
		return
	}
	once := eligibility.Encode(first)
	second, err := eligibility.Decode(once)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, once)
	}
	if len(second.Warnings) > 0 {
		t.Fatalf("what was written has warnings: %v\n%s", second.Warnings, once)
	}
	if twice := eligibility.Encode(second); !bytes.Equal(once, twice) {
		t.Fatalf("not stable:\n%s\n%s", once, twice)
	}
	if len(first.Rejections()) != len(second.Rejections()) {
		t.Fatalf("%d rejections became %d", len(first.Rejections()), len(second.Rejections()))
	}
}

func checkInquiry(t *testing.T, b []byte) {
	t.Helper()
	first, err := eligibility.DecodeInquiry(b)
	if err != nil {
		x12test.Refused(t, b, err)
		return
	}
	once := eligibility.EncodeInquiry(first)
	second, err := eligibility.DecodeInquiry(once)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, once)
	}
	if twice := eligibility.EncodeInquiry(second); !bytes.Equal(once, twice) {
		t.Fatalf("not stable:\n%s\n%s", once, twice)
	}
}

func FuzzDecode(f *testing.F) {
	x12test.Seed(f)
	f.Fuzz(func(t *testing.T, b []byte) { checkReply(t, b) })
}

func FuzzDecodeInquiry(f *testing.F) {
	x12test.Seed(f)
	f.Fuzz(func(t *testing.T, b []byte) { checkInquiry(t, b) })
}
