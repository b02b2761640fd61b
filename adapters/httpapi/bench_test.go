package httpapi

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
)

// BenchmarkHostileBodies is what a body of a megabyte costs, without the
// network.
func BenchmarkHostileBodies(b *testing.B) {
	for name, body := range hostileBodies() {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tree, faults := readTree(b, body)
				if tree != nil {
					tree.Hash(sha256.New())
				}
				check := intake.EligibilityRequest{Faults: faults}
				jsonbody.NewObject("", tree, &check.Faults).Fill(&check)
				check.Inquiry(billing.Date{Year: 2026, Month: 1, Day: 2})
				claim := intake.ClaimRequest{Faults: faults}
				jsonbody.NewObject("", tree, &claim.Faults).Fill(&claim)
				claim.Claim()
			}
		})
	}
}
