package journeys_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// prices sends what the office charges and what the payer allows.
func (p *practice) prices() {
	p.t.Helper()
	for kind, rows := range map[string][]map[string]any{
		"office_fees": {{"procedure_code": "D1110", "amount": "104.00"}, {"procedure_code": "D3330", "amount": "1300.00"}},
		"allowed":     {{"procedure_code": "D1110", "amount": "76.00"}, {"procedure_code": "D3330", "amount": "1000.00"}, {"procedure_code": "D2740", "amount": "900.00"}},
	} {
		schedule := map[string]any{"name": kind, "kind": kind, "effective_from": "2026-01-01", "rows": rows}
		if kind == "allowed" {
			schedule["payer_id"] = "CHTEST"
		}
		p.post("/fee_schedules", schedule)
	}
}

// The front desk estimates a crown, a root canal and a cleaning from a check. The plan pays
// 50, 80 and 100 percent, the deductible is met, and 1,640.00 of the maximum are left:
//
//	crown       1,250.00 = 350.00 written off + 450.00 by the plan + 450.00
//	root canal  1,300.00 = 300.00 written off + 800.00 by the plan + 200.00
//	cleaning      104.00 =  28.00 written off +  76.00 by the plan +   0.00
//	together    2,654.00 = 678.00 written off + 1,326.00 by the plan + 650.00
func TestAnEstimateFromACheck(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.prices()
	check := practice.checks("W85-ACTIVE-FULL")
	page := practice.signsIn("biller")
	page.open("/test/eligibility/" + check)
	page.click("Estimate")
	page.seesA("heading", "New estimate")
	page.refused(422, "POST /api/v1/estimates") // the office's fee of the crown is not known yet
	page.adds("porcelain crown", "Porcelain crown, D2740")
	page.sees("Enter its fee, or add the procedure to the office's fees.")
	crown := page.within("group", "Porcelain crown")
	crown.fill("Fee", "1250")
	page.sees("The patient pays $450.00.")
	crown.fill("Tooth", "14")
	page.fill("Add a procedure", "nothing such")
	page.sees("No procedure has this name.")
	page.press("Enter") // saves nothing
	page.sees("No procedure has this name.")
	page.at("/test/estimates/new?check_id=" + check)
	page.press("Escape")
	page.adds("3330", "Root canal, molar, D3330")
	page.sees("The patient pays $650.00.")
	page.within("group", "Root canal, molar").fill("Tooth", "14")
	page.adds("adult clean", "Adult cleaning, D1110")
	page.sees("From your fee schedule", "The patient pays $650.00.", "$2,654.00", "$678.00", "$1,326.00")
	page.screen("estimate-new")
	page.click("Save the estimate")
	page.seesA("heading", "Estimate for Nora Rivers")
	page.sees("The patient pays $650.00.", "The plan allows $900.00 of the fee of $1,250.00.", "The deductible is met.", "Of the maximum, $1,640.00 is left.",
		"The plan pays 50 percent.", "Of the maximum, $390.00 is left.", // before the cleaning
		"If it was done before, and the plan pays for it only once in 60 months per tooth, the patient pays $900.00.")
	page.screen("estimate")
	for i, sheet := range page.printed() {
		for _, text := range []string{"Testmode", "MainStreet", "NoraRivers", "bornFeb29,1984"} {
			if !strings.Contains(sheet, text) {
				t.Errorf("page %d lacks %q: %s", i+1, text, sheet)
			}
		}
		if code := regexp.MustCompile(`D\d{4}`).FindString(sheet); code != "" {
			t.Errorf("page %d has the code %s: %s", i+1, code, sheet)
		}
		for _, text := range []string{"Thisisanestimate.", "Porcelaincrown", "upperleft", "Youpay$650.00.", "Whatmaychangeit", "Anotherclaimmayusewhatisleft"} {
			if i == 0 && !strings.Contains(sheet, text) {
				t.Errorf("the sheet lacks %q: %s", text, sheet)
			}
		}
		if text := "Thedeductiblemaybeused"; strings.Contains(sheet, text) {
			t.Errorf("the sheet has %q, and the deductible is met: %s", text, sheet)
		}
	}
	page.click("Claim from this estimate")
	page.within("group", "Line 1").has("Procedure", "D2740")
	page.within("group", "Line 2").has("Fee", "1300.00")
	page.has("Payer", "Molar Test Payer (CHTEST)")
	page.click("Save as draft")
	page.click("What the patient was told")
	page.seesA("heading", "Estimate for Nora Rivers")
	page.refused(409, "GET /api/v1"+strings.TrimPrefix(page.address(), "/test")+"/accuracy")
	page.click("Compare with the payment")
	page.sees("No payer has decided the claim")
	page.click("Change")
	page.sees("The patient pays $650.00.")
	page.click("Remove Root canal, molar")
	page.sees("The patient pays $450.00.")
	page.open("/test/patients/" + practice.patientOf("/eligibility/"+check))
	page.row("Porcelain crown, root canal, molar, adult cleaning").sees("$2,654.00", "$650.00")
	page.estimatesForALaterDay(practice)
}

// estimatesForALaterDay estimates from a check for a day that is to come, and begins the claim.
func (p *page) estimatesForALaterDay(practice *practice) {
	p.tb.Helper()
	visit := time.Now().AddDate(0, 0, 40)
	day := visit.Format(time.DateOnly)
	check := practice.post("/eligibility", map[string]any{
		"office_id": practice.office, "payer_id": "CHTEST", "service_date": day, "procedure_codes": []string{"D1110"},
		"subscriber": map[string]string{"first_name": "Nora", "last_name": "Rivers", "date_of_birth": "1984-02-29", "member_id": "W85-ACTIVE-FULL"},
	})["id"].(string)
	p.open("/test/estimates/new?check_id=" + check)
	p.sees("For services on "+visit.Format("January 2, 2006"), "From your fee schedule")
	p.click("Save the estimate")
	p.click("Claim from this estimate")
	p.within("group", "Line 1").has("Service date", day)
}

// adds adds a procedure to an estimate.
func (p *page) adds(text, option string) {
	p.tb.Helper()
	p.fill("Add a procedure", text)
	p.clickA("option", option)
}
