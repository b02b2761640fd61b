package sandboxnet_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// TestCatalogHasTheDelays compares when messages about a claim come with the delays that
// the catalog lists.
func TestCatalogHasTheDelays(t *testing.T) {
	t.Parallel()
	for _, s := range sandboxnet.Catalog(sandboxnet.Options{ERADelay: slowly}) {
		if s.Operation != scenario.Claim {
			continue
		}
		c := newClaim("C-1", s.Ending, aetna())
		if s.Predetermination {
			predetermined(&c)
		}
		got, want, at := map[time.Duration]bool{}, map[time.Duration]bool{}, time.Duration(0)
		for name, f := range replies(t, file(t, c), before) {
			if name != ".997" {
				got[f.Due.Sub(asked)] = true
			}
		}
		for _, f := range s.Follows {
			if f.Awaits != "" {
				break
			}
			if at += f.After; f.After == 0 && len(want) == 0 || s.Ending == "-BATCH-REJECTED" && at == 300*time.Millisecond {
				at = 0 // the next file begins anew
				continue
			}
			want[at] = true
		}
		if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
			t.Errorf("%s: messages come after %v, the catalog has %v", s.Ending, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	}
}
