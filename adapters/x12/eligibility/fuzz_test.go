package eligibility_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
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

// checkReply proves that decoding b fails with a position, or that what it
// gave is written and read again without a change.
func checkReply(t *testing.T, b []byte) {
	t.Helper()
	first, err := eligibility.Decode(b)
	if err != nil {
		checkPosition(t, b, err)
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
		checkPosition(t, b, err)
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

func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) { checkReply(t, b) })
}

func FuzzDecodeInquiry(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) { checkInquiry(t, b) })
}
