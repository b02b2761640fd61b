package network_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
)

func TestFaultsOfAnEnrollment(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		e    network.Enrollment
		want string
	}{
		"good":    {network.Enrollment{Transaction: "claims", State: "active", Note: strings.Repeat("é", 400), NetworkMessage: strings.Repeat("é", 2000)}, ""},
		"nothing": {network.Enrollment{}, "transaction required, state required"},
		"unknown": {network.Enrollment{Transaction: "attachments", State: "live"}, "transaction not_allowed, state not_allowed"},
		"long":    {network.Enrollment{Transaction: "eligibility", State: "needed", Note: strings.Repeat("x", 401), NetworkMessage: strings.Repeat("x", 2001)}, "note too_long, network_message too_long"},
	} {
		var f billing.Faults
		x.e.Judge(&f)
		var got []string
		for _, one := range f {
			got = append(got, one.Field+" "+string(one.Code))
		}
		if strings.Join(got, ", ") != x.want {
			t.Errorf("%s: %v, want %s", name, got, x.want)
		}
	}
}
