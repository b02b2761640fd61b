package proofs_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/proofs"
)

func BenchmarkHash(b *testing.B) {
	p := proofs.New([32]byte{1})
	for b.Loop() {
		p.Hash("a@x.y", "correct horse")
	}
}
