package advice

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

var (
	delta   = directory.PayerSummary{ID: billing.PayerID{1}, PayerID: "77777", Name: "Delta Dental of California"}
	regence = directory.PayerSummary{ID: billing.PayerID{2}, PayerID: "93999", Name: "Regence BlueShield"}
	florida = directory.PayerSummary{ID: billing.PayerID{3}, PayerID: "76031", Name: "Florida Blue Dental"}
	unknown = directory.PayerSummary{ID: billing.PayerID{4}, PayerID: "CHTEST", Name: "Molar Test Payer"}
)

// codes returns the codes of advice, joined.
func codes(all []Advice) string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = string(a.Code)
	}
	return strings.Join(texts, " ")
}

// TestPublished advises about claims of which payers publish what they want to see.
func TestPublished(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		k    Case
		want string
	}{
		"a crown":                        {Case{Payer: delta, Procedures: []string{"D2740"}}, "xray_missing"},
		"the end of a range":             {Case{Payer: delta, Procedures: []string{"D2794"}}, "xray_missing"},
		"beside a range":                 {Case{Payer: delta, Procedures: []string{"D2799"}}, "narrative_missing"}, // it ends with 99
		"a filling":                      {Case{Payer: delta, Procedures: []string{"D2391"}}, ""},
		"a filling by report":            {Case{Payer: delta, Procedures: []string{"D2999"}}, "narrative_missing"},
		"two rows":                       {Case{Payer: delta, Procedures: []string{"D2950"}}, "xray_missing narrative_missing"},
		"a report for two":               {Case{Payer: delta, Procedures: []string{"D7410"}, Documents: []string{"6"}}, ""},
		"a diagnosis for one":            {Case{Payer: delta, Procedures: []string{"D7410"}, Documents: []string{"5"}}, "operative_report_missing"},
		"with an X-ray":                  {Case{Payer: delta, Procedures: []string{"D2740"}, Documents: []string{"11"}}, ""},
		"with a photo":                   {Case{Payer: delta, Procedures: []string{"D2740"}, Documents: []string{"9"}}, "xray_missing"},
		"with a text":                    {Case{Payer: delta, Procedures: []string{"D2999"}, Narrative: true}, ""},
		"gums":                           {Case{Payer: delta, Procedures: []string{"D4260"}, Documents: []string{"12"}}, "periodontal_chart_missing"},
		"secondary":                      {Case{Payer: delta, Procedures: []string{"D2740"}, Later: true}, "primary_decision_missing"},
		"secondary, itemized":            {Case{Payer: delta, Procedures: []string{"D2740"}, Later: true, Itemized: true}, ""},
		"secondary, with an explanation": {Case{Payer: delta, Procedures: []string{"D2740"}, Later: true, Documents: []string{"1"}}, ""},
		"no procedure yet":               {Case{Payer: delta, Procedures: []string{""}}, ""},
		"another payer":                  {Case{Payer: unknown, Procedures: []string{"D2740"}}, ""},
		"unwanted":                       {Case{Payer: regence, Procedures: []string{"D2740"}, Documents: []string{"11"}}, "documents_unwanted"},
		"none, as it wants":              {Case{Payer: regence, Procedures: []string{"D2740"}}, ""},
		"sent":                           {Case{Payer: florida, Procedures: []string{"D2740"}}, ""},
		"rejected":                       {Case{Payer: florida, Procedures: []string{"D2740"}, Rejected: true}, "xray_missing"},
	} {
		if got := codes(x.k.Advise(nil)); got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
	k := Case{Payer: delta, Procedures: []string{"D2740", "D1110", "D2740", "D6750"}}
	all := k.Advise(nil)
	if len(all) != 1 || all[0].Message != "Delta Dental of California wants to see an X-ray with D2740 and D6750 (lines 1, 3 and 4)." {
		t.Errorf("several lines: %+v", all)
	}
	if r := all[0].Rule; r.Origin != Payer || !r.ID.IsZero() || r.Page == "" || r.ReadOn.IsZero() {
		t.Errorf("the rule is %+v", r)
	}
}

// TestOwnRules puts rules of an organization before those of payers, and those for a payer before
// those for all.
func TestOwnRules(t *testing.T) {
	t.Parallel()
	rule := func(payer directory.PayerSummary, when When, codes string, needs ...Need) *Rule {
		return &Rule{ID: billing.AttachmentRuleID{9}, Payer: payer, When: when, Codes: strings.Fields(codes), Needs: needs}
	}
	all := directory.PayerSummary{}
	crown := Case{Payer: delta, Procedures: []string{"D2740", "D2950"}}
	for name, x := range map[string]struct {
		k    Case
		own  []*Rule
		want string
	}{
		"in place of the payer's":    {crown, []*Rule{rule(delta, Initial, "D2740", Photo)}, "xray_missing narrative_missing photo_missing"}, // for D2950 the payer's count
		"for all payers":             {crown, []*Rule{rule(all, Always, "", Photo)}, "photo_missing"},
		"for the payer before all":   {crown, []*Rule{rule(all, Always, "", Photo), rule(delta, Always, "", Narrative)}, "narrative_missing"},
		"several add up":             {crown, []*Rule{rule(delta, Always, "D2740", Photo), rule(delta, Initial, "D2700-D2999", Narrative)}, "narrative_missing photo_missing"},
		"nothing":                    {crown, []*Rule{rule(delta, Initial, "")}, ""},
		"nothing, and a document":    {Case{Payer: delta, Procedures: []string{"D2740"}, Documents: []string{"11"}}, []*Rule{rule(delta, Initial, "")}, "documents_unwanted"},
		"nothing for one line alone": {Case{Payer: unknown, Procedures: []string{"D2740", "D1110"}, Documents: []string{"11"}}, []*Rule{rule(all, Initial, "D2740")}, ""},
		"at another point":           {Case{Payer: unknown, Procedures: []string{"D2740"}}, []*Rule{rule(all, Secondary, "", XRay), rule(all, Rejected, "", XRay)}, ""},
		"of another payer":           {Case{Payer: unknown, Procedures: []string{"D2740"}}, []*Rule{rule(delta, Always, "", XRay)}, ""},
		"a pattern":                  {Case{Payer: unknown, Procedures: []string{"D2740"}}, []*Rule{rule(all, Always, "D27x0", XRay)}, "xray_missing"},
		"beside a pattern":           {Case{Payer: unknown, Procedures: []string{"D2741"}}, []*Rule{rule(all, Always, "D27x0", XRay)}, ""},
	} {
		if got := codes(x.k.Advise(x.own)); got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
	r := rule(all, Always, "D2740", XRay)
	r.Note = "Denied in May."
	k := Case{Payer: unknown, Procedures: []string{"D2740"}}
	got := k.Advise([]*Rule{r})
	if len(got) != 1 || got[0].Message != "Your rule asks for an X-ray with D2740 (line 1). Denied in May." || got[0].Rule.ID != r.ID || got[0].Rule.Origin != Organization {
		t.Errorf("%+v", got)
	}
}

// TestPublishedTable reads every row, which the directory and the rules of organizations could have.
func TestPublishedTable(t *testing.T) {
	t.Parallel()
	payers, err := directory.ShippedPayers()
	if err != nil {
		t.Fatal(err)
	}
	if len(published()) < 9 {
		t.Errorf("%d rows", len(published()))
	}
	for _, p := range published() {
		var f billing.Faults
		r := Rule{Codes: p.codes, Needs: p.needs, When: p.when, Note: p.note}
		r.Judge(&f)
		if err := f.Err(); err != nil || p.page == "" || p.readOn.IsZero() || p.name == "" {
			t.Errorf("%+v: %v", p, err)
		}
		for _, id := range p.payers {
			if found, ok := payers.Find(id); !ok || found.PayerID != id || !strings.HasPrefix(found.Name, p.name) {
				t.Errorf("%s is no payer of the directory, or another than %s", id, p.name)
			}
		}
	}
}

// TestJudge finds what is wrong with a rule.
func TestJudge(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Rule{
		"":                            {When: Initial, Codes: []string{"D2740", "D2710-D2794", "Dxx99"}, Needs: Needs(), Note: strings.Repeat("é", 500)},
		"procedure_codes.0 format":    {When: Initial, Codes: []string{"2740"}},
		"procedure_codes.1 range":     {When: Always, Codes: []string{"D2740", "D2794-D2710"}},
		"procedure_codes.1 conflict":  {When: Always, Codes: []string{"D2740", "D2740"}},
		"procedure_codes too_many":    {When: Always, Codes: slices.Repeat([]string{"D2740"}, 51)},
		"needs too_many":              {When: Always, Needs: slices.Repeat([]Need{XRay}, 8)},
		"needs.0 not_allowed":         {When: Secondary, Needs: []Need{"tooth"}},
		"needs.1 conflict":            {When: Rejected, Needs: []Need{XRay, XRay}},
		"when not_allowed":            {When: "sometimes"},
		"note too_long":               {When: Initial, Note: strings.Repeat("x", 501)},
		"procedure_codes.0 format, 2": {When: Initial, Codes: []string{"Dxx00-Dxx99"}},
	} {
		var f billing.Faults
		r.Judge(&f)
		want, _, _ = strings.Cut(want, ",")
		if got := faults(f); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
}

func faults(f billing.Faults) string {
	texts := make([]string, len(f))
	for i, x := range f {
		texts[i] = x.Field + " " + string(x.Code)
	}
	return strings.Join(texts, ",")
}
