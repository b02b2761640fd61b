package claims_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/claims"
)

// benchmarked are 5,000 claims: usual ones, and secondary claims with the decisions
// of another payer.
func benchmarked() map[string]claims.Batch {
	usual, coordinated := many(5000), batch()
	for i := range 5000 {
		c := secondary()
		c.PatientControlNumber = fmt.Sprintf("PCN%d", i)
		coordinated.Claims = append(coordinated.Claims, c)
	}
	return map[string]claims.Batch{"usual": usual, "secondary": coordinated}
}

func BenchmarkEncode(b *testing.B) {
	for name, all := range benchmarked() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := claims.Encode(io.Discard, &all); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(all.Claims))/b.Elapsed().Seconds(), "claims/s")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, all := range benchmarked() {
		b.Run(name, func(b *testing.B) {
			var file bytes.Buffer
			if err := claims.Encode(&file, &all); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(file.Len()))
			for b.Loop() {
				if _, _, err := claims.Decode(bytes.NewReader(file.Bytes())); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(all.Claims))/b.Elapsed().Seconds(), "claims/s")
		})
	}
}
