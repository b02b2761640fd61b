package edi_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
)

func seedClaims(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/claims/*")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		if filepath.Ext(file) != ".json" {
			f.Add(incoming(f, filepath.Base(file)))
		}
	}
}

func FuzzAcknowledgement(f *testing.F) {
	seedClaims(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		tryAcknowledgement(t, b)
		if _, err := edi.New().Kind(b); err != nil {
			positioned(t, err, len(b))
		}
	})
}

func FuzzRemittance(f *testing.F) {
	seedClaims(f)
	f.Fuzz(func(t *testing.T, b []byte) { tryPayments(t, b) })
}

// FuzzSets splits any file. A set in its own envelope is a file with one set, which is
// the same when it is split again.
func FuzzSets(f *testing.F) {
	seedClaims(f)
	f.Add(mustFile(f, claimsFile()))
	f.Fuzz(func(t *testing.T, b []byte) {
		sets, err := edi.New().Sets(b)
		if err != nil {
			positioned(t, err, len(b))
			return
		}
		for _, set := range sets {
			again, err := edi.New().Sets(set)
			if err != nil || len(again) != 1 || !bytes.Equal(again[0], set) {
				t.Fatalf("error %v, and %q became %q", err, set, again)
			}
		}
	})
}
