package edi_test

import (
	"path/filepath"
	"testing"
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
	})
}

func FuzzRemittance(f *testing.F) {
	seedClaims(f)
	f.Fuzz(func(t *testing.T, b []byte) { tryPayments(t, b) })
}
