package claim_test

import (
	"fmt"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestALaterPayerThatSaysPrimary has payers that send CLP02 1 whatever their place. The
// figures are those of their real place, in whatever order the remittances came.
func TestALaterPayerThatSaysPrimary(t *testing.T) {
	t.Parallel()
	first := remitted("1", "A1", primaryLines())
	second := remitted("1", "B1", secondaryLines())
	silent := remitted("1", "B1", []remit.Line{paying("D2740", 100_00, cas("CO", "45", 850_00))}) // no OA-23
	for name, c := range map[string]struct {
		files   []eraFile
		changes func(*claim.Claim)
		want    string
	}{
		"it names what was settled": {
			files: []eraFile{{10, "Delta", []remit.Claim{first}}, {11, "Cigna", []remit.Claim{second}}},
			want:  "paid 1010.50, patient 50.00, written off 200.00; primary secondary",
		},
		"it comes first": {
			files: []eraFile{{11, "Cigna", []remit.Claim{second}}, {10, "Delta", []remit.Claim{first}}},
			want:  "paid 1010.50, patient 50.00, written off 200.00; primary secondary",
		},
		"the same payer has both plans": {
			files: []eraFile{{10, "Delta", []remit.Claim{first}}, {11, "Delta", []remit.Claim{second}}},
			want:  "paid 1010.50, patient 50.00, written off 200.00; primary secondary",
		},
		"it is not the claim's payer": {
			files: []eraFile{{10, "Delta", []remit.Claim{first}}, {11, "Cigna", []remit.Claim{silent}}},
			want:  "paid 960.50, patient 50.00, written off 200.00; primary secondary",
		},
		"it is not the claim's payer and is paid earlier": {
			files: []eraFile{{9, "Cigna", []remit.Claim{silent}}, {10, "Delta", []remit.Claim{first}}},
			want:  "paid 960.50, patient 50.00, written off 200.00; secondary primary",
		},
		"a third payer": {
			files: []eraFile{
				{10, "Delta", []remit.Claim{first}},
				{11, "Cigna", []remit.Claim{second}},
				{12, "Aetna", []remit.Claim{remitted("1", "C1", []remit.Line{paying("D2740", 37_50, cas("OA", "23", 912_50))})}},
			},
			want: "paid 1048.00, patient 12.50, written off 200.00; primary secondary tertiary",
		},
		"alone, an earlier payer settled a part": {
			files: []eraFile{{11, "Cigna", []remit.Claim{second}}},
			want:  "paid 150.00, patient 50.00, written off 0.00; secondary",
		},
		"alone under another name": {
			files: []eraFile{{11, "Delta of Ohio", []remit.Claim{first}}},
			want:  "paid 860.50, patient 200.00, written off 200.00; primary",
		},
		"the claim is to it as the second": {
			files:   []eraFile{{11, "Delta", []remit.Claim{silent}}},
			changes: func(c *claim.Claim) { c.Coverage = billing.SequenceSecondary },
			want:    "paid 100.00, patient 0.00, written off 0.00; secondary",
		},
	} {
		cl := crownClaim()
		if c.changes != nil {
			c.changes(cl)
		}
		l, left, _ := postFiles(cl, c.files)
		s := l.Standing()
		got := fmt.Sprintf("paid %s, patient %s, written off %s;", s.Paid, s.PatientResponsibility, s.Contractual)
		for _, a := range l.Adjudications() {
			got += " " + string(a.Sequence)
		}
		if got != c.want || len(left) > 0 {
			t.Errorf("%s: %s, want %s; left %v", name, got, c.want, left)
		}
	}
}
