package billing_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func TestShippedPayers(t *testing.T) {
	t.Parallel()
	d, err := billing.ShippedPayers()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.All()); n < 60 {
		t.Errorf("%d payers, want about 60", n)
	}
	p, ok := d.Find("chtest")
	if !ok || p.Name != "Molar Test Payer" || p.Capabilities != (billing.Capabilities{Eligibility: true, Claims: true, Attachments: true}) {
		t.Fatalf("CHTEST = %+v, %t", p, ok)
	}
	for _, ref := range []string{p.ID.String(), strings.ToLower(p.ID.String()), "MOLARTEST", " CHTEST "} {
		if got, ok := d.Find(ref); !ok || got.ID != p.ID {
			t.Errorf("Find(%q) = %v, %t", ref, got, ok)
		}
	}
	// The ID is the same in every installation: it is in customers' databases.
	if want := "pyr_1WNC1RZWSZH56R50VRJ1P7KSGF"; p.ID.String() != want {
		t.Errorf("ID of CHTEST = %s, want %s", p.ID, want)
	}
	if _, ok := d.Find("NOBODY"); ok {
		t.Error("found a payer that there is none of")
	}
}

func TestExtendPayers(t *testing.T) {
	t.Parallel()
	d, err := billing.ShippedPayers()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Extend(strings.NewReader("# mine\n\n99999\tMy Payer\tMINE ALSO\teligibility\nCHTEST\tOther Name\t\tclaims\n")); err != nil {
		t.Fatal(err)
	}
	if p, ok := d.Find("also"); !ok || p.PayerID != "99999" || !p.Capabilities.Eligibility || p.Capabilities.Claims {
		t.Errorf("new payer = %+v, %t", p, ok)
	}
	if p, _ := d.Find("CHTEST"); p.Name != "Other Name" || p.Capabilities.Eligibility {
		t.Errorf("replaced payer = %+v", p)
	}
	for _, bad := range []string{"one column", "a\tb\tc\tflying", "\tname\t\tclaims", "88888\tName\tMINE\tclaims"} {
		if err := d.Extend(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("Extend(%q) = %v, want an error that names line 1", bad, err)
		}
	}
}
