package directory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/directory"
)

func TestShippedPayers(t *testing.T) {
	t.Parallel()
	d, err := directory.ShippedPayers()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.All()); n < 60 {
		t.Errorf("%d payers, want about 60", n)
	}
	p, ok := d.Find("chtest")
	if !ok || p.Name != "Molar Test Payer" || p.Capabilities != (directory.Capabilities{Eligibility: true, Claims: true, Attachments: true, ClaimStatus: true}) {
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
	if _, ok := d.Find("UNKNOWN"); ok {
		t.Error("found a payer that there is none of")
	}
}

func TestSearchPayers(t *testing.T) {
	t.Parallel()
	d, err := directory.ShippedPayers()
	if err != nil {
		t.Fatal(err)
	}
	own := "99901\tSonrisa de Ávila\tSDA1 SDA2\tclaims\n99902\tOther\t\tclaims\n"
	if err := d.Extend(strings.NewReader(own)); err != nil {
		t.Fatal(err)
	}
	test, _ := d.Find("CHTEST")
	for text, want := range map[string]string{
		"chtest": "CHTEST", "MolarT": "CHTEST", "lar test PAY": "CHTEST", test.ID.String(): "CHTEST",
		strings.ToLower(test.ID.String()): "CHTEST", test.ID.String()[:10]: "", " 9990 ": "99901 99902", "sda": "99901", "DA2": "",
		"ÁVILA": "99901", "blue cross of": "CBID1", "delta new y": "11198", "york DELTA": "11198", "delta ew y": "", "absent": "", "60054": "60054", "0054": "",
	} {
		var got []string
		for _, p := range d.Search(text) {
			got = append(got, p.PayerID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("Search(%q) = %v, want %q", text, got, want)
		}
	}
	if delta := d.Search("delta dental of"); len(delta) < 10 || !slices.IsSortedFunc(delta, func(a, b *directory.Payer) int {
		return slices.Index(d.All(), a) - slices.Index(d.All(), b)
	}) {
		t.Errorf("%d payers, want many in the order of the file", len(delta))
	}
	for _, blank := range []string{"", " "} {
		if all := d.Search(blank); !slices.Equal(all, d.All()) {
			t.Errorf("Search(%q) gives %d payers, want all", blank, len(all))
		}
	}
}

func TestExtendPayers(t *testing.T) {
	t.Parallel()
	d, err := directory.ShippedPayers()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Extend(strings.NewReader("# mine\n\n99999\tMy Payer\tMINE ALSO\teligibility\t12\nCHTEST\tOther Name\t\tclaims\n")); err != nil {
		t.Fatal(err)
	}
	if p, ok := d.Find("also"); !ok || p.PayerID != "99999" || !p.Capabilities.Eligibility || p.Capabilities.Claims || p.FilingIndicator != "12" {
		t.Errorf("new payer = %+v, %t", p, ok)
	}
	if p, _ := d.Find("CHTEST"); p.Name != "Other Name" || p.Capabilities.Eligibility || p.FilingIndicator != directory.DefaultFiling {
		t.Errorf("replaced payer = %+v", p)
	}
	if p, _ := d.Find("CBID1"); p.FilingIndicator != "BL" {
		t.Errorf("payer that ships = %+v", p)
	}
	for _, bad := range []string{"one column", "a\tb\tc\tflying", "\tname\t\tclaims", "a\tb\tc\tclaims\tXX", "a\tb\tc\tclaims\tCI\td", "88888\tName\tMINE\tclaims"} {
		if err := d.Extend(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("Extend(%q) = %v, want an error that names line 1", bad, err)
		}
	}
}

// TestNamedPayers has the payer that each name means, or the likeliest of those that it can mean.
func TestNamedPayers(t *testing.T) {
	t.Parallel()
	d, err := directory.ShippedPayers()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Extend(strings.NewReader("TWIN1\tTwin Dental\t\teligibility\nTWIN2\tTwin Dental, Inc.\t\teligibility\n")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"aetna dental":                    "= 60054",
		"AETNA  DENTAL INC.":              "= 60054",
		"Aetna":                           "= 60054", // the alias
		"Ameritas Life Insurance Co.":     "= 47009",
		"Blue Cross of Idaho":             "= CBID1",
		"Twin Dental":                     "TWIN1 TWIN2",
		"Nobody's":                        "",
		"Insurance":                       "",
		"":                                "",
		"Blue Cross Blue Shld Alabama":    "CBAL1",
		"Guardian Life":                   "64246",
		"Emblem Dental":                   "",
		"Twin Life Dental":                "TWIN1 TWIN2",
		"Delta Dental":                    "94276", // some 36 payers
		"DELTA DENTAL INS.":               "94276",
		"Delta Dental Insurance":          "94276",
		"Delta Dental Insurance, Co":      "94276",
		"delta dental insurance company.": "= 94276", // its exact name
		"Delta Dental Virginia":           "= 54084",
		"Delta Dental of West Virginia":   "= 31096",
		"Cigna":                           "= 62308",
		"MetLife":                         "= 65978",
		"Standard Ins Co":                 "= 93024",
		"Principal Life":                  "= 61271",
		"Blue Cross Blue Shield":          "CBAL1",
		"5030":                            "= 05030",
		"7000":                            "= 07000",
		"07000":                           "= 07000",
		"700":                             "",
	} {
		match, candidates := d.Named(name)
		var got []string
		if match != nil {
			got = append(got, "=", match.PayerID)
		}
		for _, p := range candidates {
			got = append(got, p.PayerID)
		}
		first := strings.Join(got[:min(len(got), len(strings.Fields(want)))], " ")
		if first != want || want == "" && len(got) > 0 || len(candidates) > 5 {
			t.Errorf("%q: %s, want %s first", name, got, want)
		}
	}
}
