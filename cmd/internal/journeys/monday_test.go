package journeys_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// monday is a practice on a Monday morning, after a hundred days of work.
type monday struct {
	*practice

	at   time.Time           // eight o'clock in New York
	made map[string][]string // claims by what they are for
	sent int                 // 835s that the test wrote
}

// sentClaims are claims that are made on a day, so many days before the Monday.
type sentClaims struct {
	before  int
	what    string
	n       int
	ending  string
	service map[string]any // without its day
	with    map[string]any
}

func aService(code, fee, tooth string) map[string]any {
	s := map[string]any{"procedure_code": code, "fee": fee}
	if tooth != "" {
		s["tooth"] = tooth
	}
	return s
}

// filling is aFilling without its day.
func filling() map[string]any {
	s := aFilling()
	delete(s, "service_date")
	return s
}

// otherPlan is a second plan of a patient.
func otherPlan(payer string) map[string]any {
	return map[string]any{"other_coverage": []map[string]any{{
		"sequence": "secondary", "payer_id": payer, "relationship": "self",
		"subscriber": map[string]any{
			"first_name": "Second", "last_name": "Rivers", "date_of_birth": "1984-02-29", "member_id": "W77", "gender": "female",
			"address": map[string]any{"line1": "2 Oak Street", "city": "Albany", "state": "NY", "zip": "12207"},
		},
	}}}
}

// ofTheMonday are 59 claims; the sixtieth is billed to a second payer. Each ending of theirs
// becomes another kind of work by the Monday.
func ofTheMonday() []sentClaims {
	crown, other := aService("D2740", "1250.00", "14"), aService("D2750", "1250.00", "3")
	exam, cleaning := aService("D0120", "58.00", ""), aService("D1110", "104.00", "")
	aetna := map[string]any{"payer_id": "60054"}
	return []sentClaims{
		{100, "settled", 6, "-PAID-ERA", filling(), nil},
		{100, "regretted", 1, "-REGRETS", filling(), nil},
		{80, "appealed", 2, "-UNNECESSARY", crown, nil},
		{70, "undecided", 1, "", exam, aetna},
		{50, "asked long ago", 1, "-INFO-REQUEST", other, nil},
		{45, "settled", 8, "-PAID-ERA", cleaning, nil},
		{40, "outdated", 1, "-SECOND-THOUGHTS", crown, otherPlan("60054")},
		{12, "paid", 10, "-PAID-ERA", filling(), nil},
		{12, "short", 1, "-PAID-ERA", other, nil},
		{12, "twice", 1, "-PAID-TWICE", filling(), nil},
		{12, "denied", 2, "-DENIED", cleaning, nil},
		{12, "wrong patient", 1, "-WRONG-PATIENT", filling(), nil},
		{12, "cut number", 1, "-CUT-NUMBER", cleaning, nil},
		{12, "rejected", 1, "-REJECTED", filling(), nil},
		{12, "asked", 1, "-INFO-REQUEST", crown, nil},
		{12, "to bill", 1, "-PAID-ERA", crown, otherPlan("84105")},
		{12, "by hand", 3, "", exam, aetna},
		{10, "paid", 6, "-PAID-ERA", cleaning, nil},
		{10, "to correct", 1, "-INCOMPLETE", crown, nil},
		{10, "records", 1, "-RECORDS", crown, nil},
		{10, "necessity", 1, "-UNNECESSARY", crown, nil},
		{10, "refused", 1, "-REFUSED", filling(), nil},
		{8, "paid", 2, "-PAID-ERA", exam, nil},
		{6, "late", 1, "-PAID-ERA", filling(), map[string]any{"submit": false, "day": 80}},
		{5, "draft", 1, "-PAID-ERA", cleaning, map[string]any{"submit": false, "draft": true}},
		{5, "unheard", 1, "-UNHEARD", filling(), nil},
		{3, "held", 1, "-PAID-ERA", cleaning, map[string]any{"submit": false}},
		{2, "incomplete", 1, "-PAID-ERA", aService("D2740", "1250.00", ""), nil},
	}
}

// patientsOf are the first names of the patients.
var patientsOf = strings.Fields(`Ada Amos Anna Axel Bea Ben Bess Bill Cara Carl Cleo Cora Dale Dana Dean Dora Edna Ella Emil Enid Eva Fay Finn Flora Fred Gail
	Gene Gus Gwen Hal Hank Hope Hugo Ida Ines Ivan Iris Jane Joan Jon Joy Judd June Kai Kate Kim Kurt Lara Lars Lena Leo Lily Lou Mae Max Mia Milo Mona Nell Ned Nina Noah`)

// endings of the practice's own, by what the payer does and when.
func mondayScenarios() map[string][]map[string]any {
	accepts := map[string]any{"after": "PT1H", "accept": map[string]any{}}
	denies := func(reason string) []map[string]any {
		return []map[string]any{accepts, {"after": "P1D", "deny": map[string]any{"reason": reason}}}
	}
	pays := func(after string, percent int) map[string]any {
		return map[string]any{"after": after, "pay": map[string]any{"percent": percent, "patient_percent": 20}}
	}
	return map[string][]map[string]any{
		"-REGRETS":         {accepts, pays("P1D", 80), {"after": "P89D", "reverse": map[string]any{}}},
		"-SECOND-THOUGHTS": {accepts, pays("PT2H", 80), {"after": "P29D", "reverse": map[string]any{}}, pays("PT1H", 70)},
		"-UNNECESSARY":     denies("CO-50"),
		"-INCOMPLETE":      denies("CO-16"),
		"-RECORDS":         denies("CO-252"),
		"-REFUSED":         {{"after": "PT1H", "reject": map[string]any{"by": "clearinghouse", "codes": []string{"A7:164"}}}},
		"-UNHEARD":         {{"after": "P60D", "accept": map[string]any{}}},
	}
}

// newMonday lets a practice work until the Monday.
func newMonday(t *testing.T) *monday {
	t.Helper()
	m := &monday{practice: newPractice(t), made: map[string][]string{}}
	first := time.Now().In(newYork).AddDate(0, 0, 102)
	first = first.AddDate(0, 0, (8-int(first.Weekday()))%7)
	m.at = time.Date(first.Year(), first.Month(), first.Day(), 8, 0, 0, 0, newYork)
	m.call(http.MethodPatch, "/sandbox/clock", map[string]any{"running": false})
	for ending, steps := range mondayScenarios() {
		m.post("/sandbox/scenarios", map[string]any{"ending": ending, "operation": "claim", "steps": steps})
	}
	m.call(http.MethodPut, "/payer_limits/CHTEST", map[string]any{"filing_days": 90, "filing_source": "Manual, page 12", "appeal_days": 120, "appeal_source": "Manual, page 13"})
	m.post("/fee_schedules", map[string]any{
		"name": "CHTEST contract", "kind": "allowed", "payer_id": "CHTEST", "network": "in", "effective_from": "2026-01-01",
		"rows": []map[string]any{{"procedure_code": "D2750", "amount": "1100.00"}, {"procedure_code": "D2740", "amount": "1000.00"}},
	})
	all, named := ofTheMonday(), 0
	for len(all) > 0 {
		before, n := all[0].before, 0
		for n < len(all) && all[n].before == before {
			n++
		}
		m.until(before)
		m.onTheWay(before)
		named = m.makes(all[:n], named)
		all = all[n:]
	}
	m.until(1)
	m.banksTheRest()
	m.until(0)
	return m
}

// day is a day so many days before the Monday.
func (m *monday) day(before int) string { return m.at.AddDate(0, 0, -before).Format(time.DateOnly) }

// until advances the clock to eight o'clock so many days before the Monday.
func (m *monday) until(before int) {
	m.t.Helper()
	m.advances(map[string]any{"to": m.at.AddDate(0, 0, -before).Format(time.RFC3339)})
}

// makes makes the claims of a day at once, and returns the number of patients so far.
func (m *monday) makes(all []sentClaims, named int) int {
	m.t.Helper()
	var together sync.WaitGroup
	for _, s := range all {
		ids := make([]string, s.n)
		for i := range s.n {
			with := map[string]any{"submit": true}
			day := s.before + 2
			for k, v := range s.with {
				if k == "day" {
					day = v.(int)
				} else {
					with[k] = v
				}
			}
			line := map[string]any{"service_date": m.day(day)}
			for k, v := range s.service {
				line[k] = v
			}
			first, member := patientsOf[named], fmt.Sprint("W", 100+named, s.ending)
			named++
			together.Go(func() { ids[i] = m.claims(first, member, with, line) })
		}
		together.Wait() // of a day's kinds one after the other, of a kind at once
		m.made[s.what] = append(m.made[s.what], ids...)
	}
	if m.t.Failed() {
		m.t.FailNow()
	}
	return named
}

// onTheWay does what the practice has done on the days before the Monday, other than to make
// claims: it posted what came until two weeks ago, and appealed.
func (m *monday) onTheWay(before int) {
	m.t.Helper()
	switch before {
	case 70:
		appeal := m.post("/claims/"+m.made["appealed"][0]+"/appeals", map[string]any{"reason": "The film shows the fracture."})["id"].(string)
		m.post("/appeals/"+appeal+"/sent", map[string]any{"on": m.day(70), "by": "mail"})
	case 12:
		m.billed()
		for _, e := range m.list("/eras") {
			m.post("/eras/"+e["id"].(string)+"/post", map[string]any{"reconcile": true})
		}
	case 8:
		m.post("/claims/"+m.made["appealed"][1]+"/appeals", map[string]any{"reason": "The film shows the fracture."})
	case 6:
		for i, wrong := range []bool{true, false, false} { // of the first, the payment is more than its claim
			claim := m.get("/claims/" + m.made["by hand"][i])
			total, others := "46.40", []string{}
			if wrong {
				total = "50.00"
			}
			if i == 1 { // the second pays a stranger, too
				total, others = "96.40", []string{"CLP*STRANGER-1*1*62.5*50*12.5*12*A-99*11*1", "NM1*QC*1*STRANGE*OTTO****MI*X9", "SVC*AD:D0120*62.5*50**1", "DTM*472*" + m.compact(14), "CAS*PR*2*12.5"}
			}
			m.pays(fmt.Sprint("CHECK-", i+1), total, append(m.examPaid(claim, "46.4", "11.6"), others...))
		}
	case 5:
		m.pays("CHECK-3", "40.60", m.examPaid(m.get("/claims/"+m.made["by hand"][2]), "40.6", "17.4")) // corrects the one before
	case 2:
		m.post("/claims/"+m.made["held"][0]+"/hold", map[string]any{"reason": "The dentist looks at the film on Monday.", "until": m.day(0)})
		m.call(http.MethodPut, "/enrollments", map[string]any{"office_id": m.office, "payer_id": "62308", "transaction": "eligibility", "state": "needed"})
		m.post("/payer_requests", map[string]any{"claim_id": m.made["undecided"][0], "reference_number": "REF-17", "requested": "The film of the exam.", "due_date": m.day(-2)})
		open := m.post("/attachments", map[string]any{"claim_id": m.made["undecided"][0], "narrative": "The film of the exam."})["id"].(string)
		m.uploads("/attachments/"+open+"/documents", film(m.t.(*testing.T), "exam.png", 640, 480), map[string]string{"document_type": "13", "image_date": m.day(12), "orientation": "left"})
	}
}

// billed bills the second payer of the claim whose first one has second thoughts later.
func (m *monday) billed() {
	m.t.Helper()
	plan := otherPlan("60054")["other_coverage"].([]map[string]any)[0]
	made := m.post("/claims/"+m.made["outdated"][0]+"/bill_secondary", map[string]any{"payer_id": "60054", "subscriber": plan["subscriber"], "relationship": "self"})["id"].(string)
	m.post("/claims/"+made+"/submit", nil)
	m.made["second"] = []string{made}
}

// list returns all rows of a list.
func (m *monday) list(path string) (rows []map[string]any) {
	m.t.Helper()
	sign := "?"
	if strings.Contains(path, "?") {
		sign = "&"
	}
	for cursor := ""; ; {
		page := m.get(path + sign + "limit=100" + cursor)
		for _, row := range page["data"].([]any) {
			rows = append(rows, row.(map[string]any))
		}
		next, more := page["next_cursor"].(string)
		if !more {
			return rows
		}
		cursor = "&cursor=" + next
	}
}

// compact is a day as X12 has it.
func (m *monday) compact(before int) string { return strings.ReplaceAll(m.day(before), "-", "") }

// examPaid are the segments that pay a claim with an exam of 58.00.
func (m *monday) examPaid(claim map[string]any, paid, patient string) []string {
	day := strings.ReplaceAll(claim["service_dates"].(map[string]any)["first"].(string), "-", "")
	return []string{
		"CLP*" + claim["patient_control_number"].(string) + "*1*58*" + paid + "*" + patient + "*12*A" + claim["patient_control_number"].(string) + "*11*1",
		"NM1*QC*1*RIVERS*" + claim["patient_name"].(map[string]any)["first_name"].(string) + "****MI*W1", "SVC*AD:D0120*58*" + paid + "**1", "DTM*472*" + day, "CAS*PR*2*" + patient,
	}
}

// pays lets a payer send an 835 with claims.
func (m *monday) pays(trace, total string, claims []string) {
	m.t.Helper()
	m.sent++
	today := m.compact(6)
	set := append([]string{
		"ST*835*0001", "BPR*I*" + total + "*C*CHK************" + today, "TRN*1*" + trace + "*1999999999", "DTM*405*" + today, "N1*PR*AETNA*XV*60054", "N3*1 MAIN ST",
		"N4*TULSA*OK*741010001", "PER*BL*HELP*TE*8005550100", "N1*PE*MAIN STREET*XX*1234567893", "LX*1",
	}, claims...)
	control := fmt.Sprintf("%09d", m.sent)
	text := "ISA*00*          *00*          *ZZ*AETNA          *ZZ*US             *260102*1000*^*00501*" + control + "*0*P*:~GS*HP*AETNA*US*20260102*1000*1*X*005010X221A1~" +
		strings.Join(set, "~") + "~SE*" + strconv.Itoa(len(set)+1) + "*0001~GE*1*1~IEA*1*" + control + "~"
	m.post("/sandbox/eras", map[string]any{"x12": text})
}

// banksTheRest imports the file of the bank: the money of every remittance since the rent of a
// month ago but two, the money of one of these under another name, and money that no remittance
// explains.
func (m *monday) banksTheRest() {
	m.t.Helper()
	rows := []string{"Date,Description,Amount", m.day(30) + ",RENT,-1800.00", m.day(7) + ",HCCLAIMPMT SUNNY DENTAL,61.50"}
	missing := 0
	for _, e := range m.list("/eras") {
		p := e["payment"].(map[string]any)
		date, total := p["date"].(string), p["total"].(string)
		if date < m.day(30) || total == "0.00" || strings.HasPrefix(p["trace_number"].(string), "CHECK-") {
			continue
		}
		if missing < 2 && date <= m.day(9) {
			if missing++; missing == 1 {
				rows = append(rows, fmt.Sprintf("%s,HCCLAIMPMT SOMEBODY ELSE,%s", date, total))
			}
			continue
		}
		rows = append(rows, fmt.Sprintf("%s,HCCLAIMPMT TRN*1*%s*1999999999,%s", date, p["trace_number"], total))
	}
	if missing != 2 {
		m.t.Fatalf("the money of %d remittances is missing, want 2", missing)
	}
	file := filepath.Join(m.t.TempDir(), "bank.csv")
	if err := os.WriteFile(file, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.uploads("/deposits/import", file, map[string]string{"account": "6789"})
}

// uploads sends a file with fields of a form.
func (m *monday) uploads(path, file string, fields map[string]string) {
	m.t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		m.t.Fatal(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		_ = form.WriteField(name, value) // a bytes.Buffer never fails
	}
	part, _ := form.CreateFormFile("file", filepath.Base(file))
	_, _ = part.Write(content)
	_ = form.Close()
	r, err := http.NewRequestWithContext(m.t.Context(), http.MethodPost, m.s.origin+"/api/v1"+path, &body)
	if err != nil {
		m.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+m.key)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Idempotency-Key", "upload-"+filepath.Base(file))
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	var text bytes.Buffer
	if _, err := text.ReadFrom(got.Body); err != nil || got.StatusCode >= http.StatusBadRequest {
		m.t.Fatalf("%s: %d %s %v", path, got.StatusCode, text.Bytes(), err)
	}
}
