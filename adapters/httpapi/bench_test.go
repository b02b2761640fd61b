package httpapi

import (
	"crypto/sha256"
	"strings"
	"testing"

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
				if m := (meaning{Hash: sha256.New()}); tree != nil {
					m.add(tree)
				}
				check := intake.EligibilityRequest{Faults: faults}
				newObject("", tree, &check.Faults).fill(&check)
				check.Inquiry(billing.Date{Year: 2026, Month: 1, Day: 2})
				claim := intake.ClaimRequest{Faults: faults}
				newObject("", tree, &claim.Faults).fill(&claim)
				claim.Claim()
			}
		})
	}
}
