package journeys_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
)

// many is a file with one payment: of a claim of ours, of 14 that nobody sent, and less what the payer
// takes back. The amounts that it pays, the claim of ours apart, are 60.00 to 73.00.
func (p *practice) many() (file string) {
	p.t.Helper()
	id := p.claims("Paula", "W7-INFO-REQUEST", map[string]any{"submit": true}, aFilling())
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); p.get("/claims/" + id)["state"] != "accepted_payer"; <-tick.C {
		if time.Now().After(end) {
			p.t.Fatalf("the claim is %v", p.get("/claims/" + id)["state"])
		}
	}
	all := fmt.Sprintf("CLP*%s*1*180*120*20*12*ICN-0~NM1*QC*1*RIVERS*PAULA****MI*W7-INFO-REQUEST~SVC*AD:D2391*180*120**1~DTM*472*%s~CAS*CO*45*40~CAS*PR*2*20~",
		p.get("/claims/" + id)["patient_control_number"], strings.ReplaceAll(lastWeek, "-", ""))
	for i := range 14 {
		all += fmt.Sprintf("CLP*N-%d*1*%d*%d*15*12*ICN-N%d~CAS*CO*45*25~CAS*PR*1*15~NM1*QC*1*STONE*ROSE%c~DTM*232*20260301~", i, 100+i, 60+i, i, 'A'+i)
	}
	set := "ST*835*0001~BPR*I*1001*C*ACH*CCP*01*999999999*DA*1*1512345678**01*999988880*DA*1*20260306~TRN*1*SHEET-1*1512345678~" +
		"N1*PR*MOLAR TEST PAYER*XV*CHTEST~N1*PE*MAIN*XX*1234567893~LX*1~" + all + "PLB*1234567893*20261231*WO:ICN-9*50~"
	text := "ISA*00*          *00*          *ZZ*SANDBOX        *ZZ*MOLAR          *260306*1200*^*00501*000000077*0*T*:~GS*HP*SANDBOX*MOLAR*20260306*1200*77*X*005010X221A1~" +
		set + fmt.Sprintf("SE*%d*0001~GE*1*77~IEA*1*000000077~", strings.Count(set, "~")+1)
	file = filepath.Join(p.t.TempDir(), "many.835")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return file
}

// TestPostingSheet posts a remittance of 15 claims, two of which are ignored and 12 of which match no claim.
// What is on no claim stays visible, and the sheet for the files explains the payment to the cent.
func TestPostingSheet(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	file := practice.many()
	page := practice.signsIn("biller")
	page.open("/test/remittances")
	page.click("Import")
	page.upload("Choose a file", file)
	page.sees("Imported")
	page.click("Done")
	page.click("Molar Test Payer")
	page.sees("14 claims need a decision")
	for _, ordinal := range []string{"2", "3"} {
		practice.post(strings.TrimPrefix(page.api("/claims/"+ordinal+"/ignore"), "/api/v1"), map[string]any{})
	}
	page.sees("12 claims need a decision", "$121.00 of this remittance is on no claim: 2 remittance claims are ignored.")
	practice.imports("Date,Description,Amount\n2026-03-06,MOLAR TEST PAYER HCCLAIMPMT TRN*1*SHEET-1*1512345678,1001.00\n")
	page.sees("in the bank")
	page.refused(http.StatusConflict, "POST "+page.api("/post"))
	page.click("Post")
	page.within("dialog", "Post it with unfinished claims?").click("Post anyway")
	page.sees("12 claims are not finished", "$810.00 of this remittance is not allocated: 12 remittance claims are not finished.", "$121.00 of this remittance is on no claim")
	page.screen("remittance-unapplied")
	sheets := page.printed()
	page.open("/test/reports/collections")
	page.sees("Payers paid $1,001.00 in 1 remittance.", "Reduced by $50.00 on no claim: Recovery of an overpayment (WO), in 1 remittance.")
	page.screen("collections-payments")

	if len(sheets) != 1 {
		t.Errorf("the sheet of 15 claims has %d pages", len(sheets))
	}
	sheet := strings.Join(sheets, "")
	for _, text := range []string{
		"Testmode", "Postingsheet", "MolarTestPayer", "EFTSHEET-1", "Mar6,2026", "MainStreet", "PAULARIVERS", "ROSEASTONE", "ROSENSTONE", "N-13", "Balanced,posted,inthebank.",
		"DepositofMar6,2026:$1,001.00.", "$180.00", "$40.00", "Abovetheplan'sfee(CO-45)$25.00", "Deductible(PR-1)$15.00", "Ignored·", "Matchesnoclaim·", "15claims$1,671.00", "$1,051.00",
	} {
		if !strings.Contains(sheet, text) {
			t.Errorf("the sheet lacks %q", text)
		}
	}
	if !regexp.MustCompile(`Posted[^·]*2026[^·]*by\w`).MatchString(sheet) {
		t.Error("the sheet does not say who posted the remittance")
	}
	_, sums, _ := strings.Cut(sheet, "Onclaims")
	sums, payment, _ := strings.Cut(sums, "Payment$")
	if !strings.HasPrefix(payment, "1,001.00") {
		t.Errorf("the payment is %.10s", payment)
	}
	var cents int
	for _, amount := range regexp.MustCompile(`(−?)\$([\d,]+)\.(\d\d)`).FindAllStringSubmatch(sums, -1) {
		n, err := strconv.Atoi(strings.ReplaceAll(amount[2], ",", "") + amount[3])
		if err != nil {
			t.Fatal(err)
		}
		if amount[1] != "" {
			n = -n
		}
		cents += n
	}
	if cents != 100100 {
		t.Errorf("the sheet adds up to %d: %s", cents, sums)
	}
	if t.Failed() {
		t.Log(sheet)
	}
	owner := practice.signsIn("owner")
	owner.open("/test/reports/collections")
	owner.sees("On no claim", "$121.00", "$810.00")
	owner.screen("reports-on-no-claim")
	owner.click("Ignored: $121.00")
	owner.sees("$1,001.00", "Molar Test Payer")
}

// TestDepositsInParts matches a payment that came in two deposits, and two payments that came in one, with
// one button each.
func TestDepositsInParts(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.bills("Paul", "Paid", "-PAID-ERA")
	first := practice.era("applied")
	date := practice.get(strings.Replace(first, "/test/remittances", "/eras", 1))["payment"].(map[string]any)["date"].(string)
	practice.imports(fmt.Sprintf("Date,Description,Amount\n%s,HCCLAIMPMT MOLAR TEST PAYER ONE,800.00\n%[1]s,HCCLAIMPMT MOLAR TEST PAYER TWO,28.80\n", date))
	page := practice.signsIn("biller")
	page.open("/test/deposits")
	page.click("HCCLAIMPMT MOLAR TEST PAYER TWO")
	page.sees("Together with 1 other deposit, which is matched, too", "HCCLAIMPMT MOLAR TEST PAYER ONE", "$828.80")
	page.screen("deposit-in-parts")
	page.click("Match 2 deposits")
	page.sees("Matched by hand", "$28.80")
	page.click("Matched by hand")
	page.sees("in the bank", "Deposit of")

	practice.bills("Pia", "Paid", "-PAID-ERA")
	second := practice.era("applied", first)
	practice.bills("Pam", "Paid", "-PAID-ERA")
	practice.era("applied", first, second)
	practice.imports(fmt.Sprintf("Date,Description,Amount\n%s,HCCLAIMPMT MOLAR TEST PAYER BOTH,1657.60\n", date))
	page.open("/test/deposits")
	page.click("HCCLAIMPMT MOLAR TEST PAYER BOTH")
	page.sees("Remittances of one payer that add up to it", "$1,657.60")
	page.screen("deposit-of-several")
	page.click("Match 2 remittances")
	page.sees("Matched by hand")
	if all := practice.get("/deposits?state=unmatched")["data"].([]any); len(all) != 0 {
		t.Errorf("unmatched are %v", all)
	}
	page.paysByCard(practice, date)
}

// paysByCard matches two payments by hand with one deposit by virtual card, which nothing proposes,
// because its processor kept a fee.
func (p *page) paysByCard(practice *practice, date string) {
	p.tb.Helper()
	var traces []string
	for i, name := range []string{"Cora", "Cleo"} { // one after the other, so that each has a payment of its own
		practice.bills(name, "Paid", "-PAID-ERA")
		p.until("the payment of "+name, func(*rod.Page) error {
			traces = nil
			for _, e := range practice.get("/eras?limit=100")["data"].([]any) {
				if bank := e.(map[string]any)["bank"].(map[string]any); bank["status"] == "awaited" {
					traces = append(traces, e.(map[string]any)["payment"].(map[string]any)["trace_number"].(string))
				}
			}
			if len(traces) != i+1 {
				return fmt.Errorf("%d payments wait for their money", len(traces))
			}
			return nil
		})
	}
	practice.imports(fmt.Sprintf("Date,Description,Amount\n%s,MERCHANT CARD HCCLAIMPMT MOLAR TEST PAYER,1630.00\n", date))
	p.open("/test/deposits")
	p.click("MERCHANT CARD HCCLAIMPMT MOLAR TEST PAYER")
	p.sees("No remittance fits by itself")
	p.screen("deposit-no-candidate")
	p.click("Match by hand")
	form := p.within("dialog", "What does the deposit pay?")
	first := form.within("group", "Remittance")
	first.fill("Remittance", traces[0])
	p.press("Enter")
	first.has("Amount", "828.80")
	form.click("Add a remittance")
	second := form.within("group", "Remittance 2")
	second.fill("Remittance", "828.80")
	p.press("Enter")
	second.has("Amount", "801.20")
	second.fill("Fee (optional)", "27.60")
	form.sees("$0.00 of the deposit stays to explain")
	p.screen("deposit-by-hand")
	form.click("Match")
	p.sees("Matched by hand", "and $27.60 of fees", "$801.20")
}
