package credentials_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/credentials"
)

func BenchmarkHash(b *testing.B) {
	p := credentials.New([32]byte{1})
	for b.Loop() {
		p.Hash("a@x.y", "correct horse")
	}
}
