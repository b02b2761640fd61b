package edi_test

import (
	"fmt"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

// BenchmarkFile writes a file of 5,000 claims. A claim is an operation.
func BenchmarkFile(b *testing.B) {
	f := network.ClaimsFile{Batch: newBatch(), Envelope: envelope("CLEARINGHOUSE")}
	offices := []*directory.Office{newOffice(1, "Bright Smiles", "1234567893"), newOffice(2, "Other", "1467560003"), newOffice(3, "Third", "1234567893")}
	for i := range clearing.MaxBatchClaims {
		c := claimOf(0, offices[i%3], fmt.Sprintf("PCN-%d", i))
		c.Claim.ID = billing.ClaimID{1: byte(i * 7), 2: byte(i >> 8), 3: byte(i)}
		f.Claims = append(f.Claims, c)
	}
	codec := edi.New()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := codec.File(f); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(f.Claims))/b.Elapsed().Seconds(), "claims/s")
}
