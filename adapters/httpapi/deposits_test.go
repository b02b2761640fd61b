package httpapi

import (
	"database/sql"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// banking is the call that imports a bank's file. Parts are names and values.
func banking(file string, parts ...string) call {
	all := []string{"Content-Disposition: form-data; name=\"file\"; filename=\"march.csv\"\r\n\r\n" + file}
	for i := 0; i < len(parts); i += 2 {
		all = append(all, "Content-Disposition: form-data; name=\""+parts[i]+"\"\r\n\r\n"+parts[i+1])
	}
	return call{
		method: http.MethodPost, path: "/deposits/import", header: map[string]string{"Content-Type": "multipart/form-data; boundary=" + boundary}, body: formOf(all...),
	}
}

// bankDay is a CSV file of account 6789.
func bankDay(rows ...string) call {
	return banking("Date,Amount,Description\n"+strings.Join(rows, "\n")+"\n", "account", "6789")
}

// paidBy imports payments of 1.00 with the trace numbers, and returns their paths.
func (s *service) paidBy(t *testing.T, traces ...string) (paths []string) {
	t.Helper()
	var pairs []string
	for _, trace := range traces {
		pairs = append(pairs, trace, ourNPI)
	}
	_, all := s.must(t, 201, importing(payingTo(pairs...))).payments(t)
	for _, p := range all {
		paths = append(paths, "/eras/"+p["era_id"].(string))
		s.until(t, paths[len(paths)-1], "needs_review")
	}
	return paths
}

// deposit returns the path of the only deposit of a query.
func (s *service) deposit(t *testing.T, query string) string {
	t.Helper()
	all := s.must(t, 200, call{path: "/deposits" + query}).get(t, "data").([]any)
	if len(all) != 1 {
		t.Fatalf("%s: %d deposits", query, len(all))
	}
	return "/deposits/" + all[0].(anObject)["id"].(string)
}

// TestDeposits follows money from the bank's file to remittances and back.
func TestDeposits(t *testing.T) {
	t.Parallel()
	s := startService(t)
	eras := s.paidBy(t, "EFT-1", "EFT-2", "EFT-3", "EFT-4")
	s.must(t, 200, call{path: eras[0]}).shows(t, "bank.status", "unknown", "bank.summary", "Balanced, not posted, deposit unknown.", "bank.payable", "1.00")
	if got := s.tasks(t, ""); got["deposit_missing"] != nil {
		t.Errorf("before the first file: %v", got)
	}
	day := []string{"2026-03-09,1.00,EXAMPLE DENTAL HCCLAIMPMT TRN*1*EFT-1*1512345678", "2026-03-10,3.00,EXAMPLE DENTAL HCCLAIMPMT", "2026-03-10,-100.00,RENT", "2026-03-05,-12.00,FEE"}
	s.must(t, 200, bankDay(day...)).shows(t, "object", "deposit_import", "format", "csv", "entries", 4.0, "added", 4.0, "known", 0.0, "matched", 1.0, "waiting", 1.0,
		"accounts.0.account", "6789", "accounts.0.from", "2026-03-05", "accounts.0.to", "2026-03-10", "warnings", []any{})
	s.must(t, 200, bankDay(append(day, "2026-03-10,-100.00,RENT")...)).shows(t, "added", 1.0, "known", 4.0, "matched", 0.0) // the second rent of that day
	s.must(t, 200, call{path: eras[0]}).shows(t, "bank.status", "received", "bank.summary", "Balanced, not posted, in the bank.", "bank.deposits.0.amount", "1.00")
	s.must(t, 200, call{path: "/eras?trace_number=EFT-2"}).shows(t, "data.0.bank.status", "awaited")
	got := s.tasks(t, "")
	if got["deposit_missing"]["amount"] != "1.00" || got["deposit_unmatched"]["amount"] != "3.00" || len(s.must(t, 200, call{path: "/tasks?kind=deposit_missing"}).get(t, "data").([]any)) != 3 {
		t.Errorf("tasks %v", got)
	}

	bulk := s.deposit(t, "?state=unmatched")
	candidates := s.must(t, 200, call{path: bulk})
	candidates.shows(t, "amount", "3.00", "rest", "3.00", "method", "ach", "text", "EXAMPLE DENTAL HCCLAIMPMT", "candidates.0.total", "3.00")
	var parts []any
	for _, e := range candidates.get(t, "candidates", "0", "eras").([]any) {
		parts = append(parts, anObject{"era_id": e.(anObject)["era_id"]})
	}
	match := func(parts any) call { return call{path: bulk + "/match", body: jsonOf(anObject{"parts": parts}, nil)} }
	s.must(t, 200, match(parts)).shows(t, "state", "matched", "rest", "0.00", "parts.2.matched_by", "user", "candidates", []any{})
	wantStatus(t, s.do(t, match(parts)), 409, billing.CodeConflict)
	if got := s.tasks(t, ""); got["deposit_missing"] != nil || got["deposit_unmatched"] != nil {
		t.Errorf("tasks %v", got)
	}
	s.must(t, 200, call{path: "/deposits?era_id=" + strings.TrimPrefix(eras[1], "/eras/")}).shows(t, "data.0.id", strings.TrimPrefix(bulk, "/deposits/"))
	s.must(t, 200, call{method: "POST", path: bulk + "/unmatch"}).shows(t, "state", "unmatched", "parts", []any{})
	wantStatus(t, s.do(t, call{method: "POST", path: bulk + "/unmatch"}), 409, billing.CodeConflict)
	s.must(t, 200, call{path: eras[1]}).shows(t, "bank.status", "awaited", "bank.deposits", []any{})

	// A part, a fee of a card, and what does not fit.
	s.must(t, 200, match([]any{anObject{"era_id": strings.TrimPrefix(eras[1], "/eras/"), "amount": "0.97", "fee": "0.03"}})).shows(t,
		"state", "unmatched", "rest", "2.03", "parts.0.fee", "0.03")
	s.must(t, 200, call{path: eras[1]}).shows(t, "bank.status", "received", "bank.received", "0.97", "bank.fee", "0.03")
	for field, p := range map[string]anObject{
		"parts.0.era_id not_allowed": {"era_id": strings.TrimPrefix(eras[1], "/eras/")},
		"parts.0.amount range":       {"era_id": strings.TrimPrefix(eras[2], "/eras/"), "amount": "1.01"},
		"parts.0.fee range":          {"era_id": strings.TrimPrefix(eras[2], "/eras/"), "fee": "-0.01"},
		"parts.0.amount format":      {"era_id": strings.TrimPrefix(eras[2], "/eras/"), "amount": "1"},
		"parts.0.era_id required":    {"amount": "1.00"},
	} {
		c := match([]any{p})
		c.bad = true
		if a := s.do(t, c); a.StatusCode != 422 || a.fields(t)[0] != field {
			t.Errorf("%s: %d %s", field, a.StatusCode, a.body)
		}
	}
	none := match([]any{anObject{"era_id": strings.TrimPrefix(eras[2], "/eras/"), "amount": "0.00"}})
	if a := s.do(t, none); a.StatusCode != 422 || !strings.Contains(a.body, "Send an amount above zero, or leave it out") {
		t.Errorf("an amount of nothing: %d %s", a.StatusCode, a.body)
	}
	wantStatus(t, s.do(t, match([]any{anObject{"era_id": "era_01JGFJJZ00FC1R3ZY5N7Q8Z4VK"}})), 404, billing.CodeNotFound)

	// The bank takes the first one back.
	s.must(t, 200, bankDay("2026-03-12,-1.00,EXAMPLE DENTAL RETURN TRN*1*EFT-1*1512345678")).shows(t, "returned", 1.0)
	s.must(t, 200, call{path: s.deposit(t, "?state=returned")}).shows(t, "amount", "1.00", "trace_number", "EFT-1", "parts", []any{})
	s.must(t, 200, call{path: eras[0]}).shows(t, "bank.status", "awaited", "bank.summary", "Balanced, not posted, not in the bank.")
}

// TestDepositFirst has the money before the remittance, and people who decide.
func TestDepositFirst(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 200, bankDay("2026-03-05,-12.00,FEE", "2026-03-09,1.00,EXAMPLE DENTAL HCCLAIMPMT TRN*1*EFT-9*1512345678", "2026-03-09,5.00,HCCLAIMPMT OF JANE DOE")).shows(t, "matched", 0.0, "waiting", 2.0)
	era := s.paidBy(t, "EFT-9")[0]
	s.must(t, 200, call{path: era}).shows(t, "bank.status", "received", "bank.deposits.0.date", "2026-03-09")
	s.must(t, 200, call{path: s.deposit(t, "?state=matched&trace_number=EFT-9")}).shows(t, "parts.0.matched_by", "trace_number", "parts.0.by", nil)

	// The payer, the amount and the days alone, of a deposit that nothing else says anything of.
	by := s.paidBy(t, "EFT-10")[0]
	s.must(t, 200, bankDay("2026-03-11,1.00,EXAMPLE DENTAL PLAN DES MOINES")).shows(t, "matched", 1.0)
	s.must(t, 200, call{path: by}).shows(t, "bank.status", "received")

	// A person decides about what is left.
	waiting := s.tasks(t, "?kind=deposit_unmatched")["deposit_unmatched"]
	s.must(t, 200, call{path: "/tasks/" + waiting["id"].(string) + "/settle", body: `{"as":"not_insurance"}`}).shows(t, "state", "done")
	s.must(t, 200, call{path: s.deposit(t, "?amount=5.00")}).shows(t, "state", "other", "rest", "0.00")
	missing := s.paidBy(t, "EFT-11")[0]
	task := s.tasks(t, "?kind=deposit_missing")["deposit_missing"]
	s.must(t, 200, call{path: "/tasks/" + task["id"].(string) + "/settle", body: `{"as":"received_elsewhere"}`}).shows(t, "state", "done")
	s.must(t, 200, call{path: missing}).shows(t, "bank.status", "awaited", "bank.summary", "Balanced, not posted, received elsewhere.")
	s.must(t, 200, call{method: "POST", path: "/tasks/" + task["id"].(string) + "/wake"}).shows(t, "state", "open")
	s.must(t, 200, call{path: missing}).shows(t, "bank.summary", "Balanced, not posted, not in the bank.")

	// Names of payers, kept with the account; the account of another file.
	named := banking("Date,Amount,Description,Account\n2026-03-12,8.00,SUNNY DENTAL CO,000111222\n", "payer_names", "Sunny dental\n")
	s.must(t, 200, named).shows(t, "waiting", 1.0, "accounts.0.account", "1222", "accounts.0.payer_names.0", "Sunny dental")
	s.must(t, 200, banking("Date,Amount,Description,Account\n2026-03-13,8.00,SUNNY DENTAL CO,000111222\n")).shows(t, "waiting", 1.0)

	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var stored string
	if err := db.QueryRowContext(t.Context(), "SELECT string_agg(d::text, ' ') FROM deposits d").Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(stored, "JANE") || strings.Contains(stored, "000111222") {
		t.Errorf("stored: %s", stored)
	}
}

// TestDepositParts has one payment that came in two deposits, and what is proposed for each.
func TestDepositParts(t *testing.T) {
	t.Parallel()
	s := startService(t)
	era := s.paidBy(t, "EFT-20")[0]
	s.must(t, 200, bankDay("2026-03-09,0.60,EXAMPLE DENTAL HCCLAIMPMT", "2026-03-09,0.40,EXAMPLE DENTAL PLAN HCCLAIMPMT", "2026-03-09,0.40,SOMEBODY ELSE HCCLAIMPMT")).shows(t,
		"matched", 0.0, "waiting", 3.0)
	first := s.deposit(t, "?amount=0.60")
	found := s.must(t, 200, call{path: first})
	found.shows(t, "candidates.0.total", "1.00", "candidates.0.eras.0.era_id", strings.TrimPrefix(era, "/eras/"),
		"candidates.0.other_deposits.0.rest", "0.40", "candidates.0.other_deposits.0.account", "6789", "candidates.0.other_deposits.0.company", nil,
		"candidates.0.other_deposits.0.text", "EXAMPLE DENTAL PLAN HCCLAIMPMT")
	if all := found.get(t, "candidates").([]any); len(all) != 1 {
		t.Errorf("candidates %v", all)
	}
	other := "/deposits/" + found.text(t, "candidates", "0", "other_deposits", "0", "deposit_id")
	body := jsonOf(anObject{"parts": []any{anObject{"era_id": strings.TrimPrefix(era, "/eras/")}}}, nil)
	s.must(t, 200, call{path: other + "/match", body: body}).shows(t, "state", "matched", "parts.0.amount", "0.40", "candidates", []any{})
	s.must(t, 200, call{path: era}).shows(t, "bank.status", "partly", "bank.received", "0.40")
	s.must(t, 200, call{path: first}).shows(t, "candidates.0.total", "0.60", "candidates.0.other_deposits", []any{})
	s.must(t, 200, call{path: first + "/match", body: body}).shows(t, "state", "matched", "rest", "0.00")
	s.must(t, 200, call{path: era}).shows(t, "bank.status", "received", "bank.received", "1.00", "bank.deposits.1.amount", "0.60")
}

// TestDepositFiles imports the formats of banks, and refuses what is none.
func TestDepositFiles(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for name, want := range map[string][]any{
		"ccd.ach":      {"format", "nacha", "entries", 4.0, "added", 4.0, "waiting", 1.0, "returned", 1.0},
		"day-cut.bai2": {"format", "bai2", "entries", 5.0, "warnings.0.code", "trailer_missing", "warnings.0.line", nil},
		"signed.csv":   {"format", "csv", "entries", 3.0, "waiting", 0.0, "returned", 1.0},
	} {
		content, err := os.ReadFile("../bankfile/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		s.must(t, 200, banking(string(content))).shows(t, want...)
		s.must(t, 200, banking(string(content))).shows(t, "added", 0.0, "matched", 0.0, "returned", 0.0)
	}
	for field, c := range map[string]call{
		"file format":        banking("nothing"),
		"account required":   banking("Date,Amount\n2026-03-12,8.00\n"),
		"account format":     banking("Date,Amount\n2026-03-12,8.00\n", "account", "123456789"),
		"format not_allowed": banking("x", "format", "mt940"),
		"other unknown":      banking("x", "other", "x"),
		"payer_names format": banking("x", "payer_names", "--"),
	} {
		c.bad = true
		if a := s.do(t, c); a.StatusCode != 422 || a.fields(t)[0] != field {
			t.Errorf("%s: %d %s", field, a.StatusCode, a.body)
		}
	}
}

// cutFile is a file of a bank, and its beginning, which ends within its first entry.
func cutFile() (cut, whole string) {
	whole = strings.Join([]string{
		"101 091000019 1234567892603090930A094101RECEIVING BANK         PAYER BANK                     ",
		"5220EXAMPLE DENTAL                      1946032529CCDHCCLAIMPMT260309260309   1091000010000001",
		"622122105278000123456789     00000001001234567893     BRIGHT SMILES DENTAL    1091000010000001",
		"705TRN*1*EFT-2*1512345678~                                                         00010000001",
		"622122105278000123456789     00000001001234567893     BRIGHT SMILES DENTAL    1091000010000002",
		"705TRN*1*EFT-9*1512345678~                                                         00010000002",
	}, "\n") + "\n"
	cut, _, _ = strings.Cut(whole, "705")
	return cut, whole
}

// TestDepositOfACutFileIsMistaken matches the deposit by its figures, until its trace number says that it pays another
// remittance.
func TestDepositOfACutFileIsMistaken(t *testing.T) {
	t.Parallel()
	s := startService(t)
	cut, whole := cutFile()
	first := s.paidBy(t, "EFT-1")[0]
	s.must(t, 200, banking(cut)).shows(t, "matched", 1.0)
	s.must(t, 200, call{path: first}).shows(t, "bank.status", "received")
	second := s.paidBy(t, "EFT-2")[0]
	s.must(t, 200, banking(whole)).shows(t, "traced", 1.0, "matched", 1.0, "waiting", 1.0)
	s.must(t, 200, call{path: first}).shows(t, "bank.received", "0.00", "bank.deposits", []any{})
	s.must(t, 200, call{path: second}).shows(t, "bank.status", "received")
}

// TestFreedRemittanceIsOffered gives a remittance that the deposit of a cut file does not pay after all to the stored deposit
// that has its trace number.
func TestFreedRemittanceIsOffered(t *testing.T) {
	t.Parallel()
	s := startService(t)
	cut, whole := cutFile()
	first := s.paidBy(t, "EFT-1")[0]
	s.must(t, 200, banking(cut)).shows(t, "matched", 1.0)
	s.must(t, 200, bankDay("2026-03-10,1.00,HCCLAIMPMT TRN*1*EFT-1*1512345678")).shows(t, "matched", 0.0, "waiting", 1.0)
	path := s.deposit(t, "?trace_number=EFT-1")
	s.must(t, 200, call{path: path}).shows(t, "state", "unmatched")
	s.must(t, 200, banking(whole)).shows(t, "traced", 1.0, "matched", 0.0, "waiting", 2.0)
	s.must(t, 200, call{path: path}).shows(t, "state", "matched", "parts.0.era_id", strings.TrimPrefix(first, "/eras/"), "parts.0.matched_by", "trace_number")
	s.must(t, 200, call{path: first}).shows(t, "bank.status", "received", "bank.received", "1.00")
	second := s.paidBy(t, "EFT-2")[0]
	s.must(t, 200, call{path: second}).shows(t, "bank.status", "received")
	s.must(t, 200, call{path: first}).shows(t, "bank.received", "1.00")

	// The bank writes the number without the zero before it, and the file also has the debit that takes the stored deposit back.
	for _, back := range []bool{false, true} {
		day := startService(t)
		first = day.paidBy(t, "0EFT-1")[0]
		day.must(t, 200, banking(cut)).shows(t, "matched", 1.0)
		day.must(t, 200, bankDay("2026-03-10,1.00,HCCLAIMPMT TRN*1*EFT-1*1512345678")).shows(t, "matched", 0.0, "waiting", 1.0)
		path = day.deposit(t, "?trace_number=EFT-1")
		file, state, received, returned := whole, "matched", "1.00", 0.0
		if back {
			file += "5220EXAMPLE DENTAL                      1946032529CCDHCCLAIMPMT260311260311   1091000010000002\n" +
				"627122105278000123456789     00000001001234567893     BRIGHT SMILES DENTAL    1091000010000004\n" +
				"705TRN*1*EFT-1*1512345678~                                                         00010000004\n"
			state, received, returned = "returned", "0.00", 1.0
		}
		day.must(t, 200, banking(file)).shows(t, "traced", 1.0, "matched", 0.0, "returned", returned)
		day.must(t, 200, call{path: path}).shows(t, "state", state)
		day.must(t, 200, call{path: first}).shows(t, "bank.received", received)
	}
}

// TestDepositOfACutFileIsReturned completes a deposit with the file that also takes it back, and a return that was cut.
func TestDepositOfACutFileIsReturned(t *testing.T) {
	t.Parallel()
	s := startService(t)
	cut, whole := cutFile()
	eras := s.paidBy(t, "EFT-1", "EFT-2")
	s.must(t, 200, banking(cut)).shows(t, "added", 1.0)
	path := s.deposit(t, "?state=unmatched")
	back := "621122105278000123456789     00000001001234567893     BRIGHT SMILES DENTAL    1091000010000003\n"
	named := back + "799R01091000010000001      09100001                                            091000010000003\n"
	s.must(t, 200, banking(whole+back)).shows(t, "added", 2.0, "traced", 1.0, "matched", 1.0, "returned", 0.0) // of two deposits of 1.00
	s.must(t, 200, call{path: eras[1]}).shows(t, "bank.status", "received")
	s.must(t, 200, banking(whole+named)).shows(t, "added", 0.0, "traced", 1.0, "returned", 1.0)
	s.must(t, 200, call{path: path}).shows(t, "state", "returned", "trace_number", "EFT-2", "parts", []any{})
	s.must(t, 200, call{path: eras[1]}).shows(t, "bank.received", "0.00")
	for _, file := range []string{cut, whole, whole + named} {
		s.must(t, 200, banking(file)).shows(t, "added", 0.0, "traced", 0.0, "matched", 0.0, "returned", 0.0)
	}

	// A debit that names the deposit by the trace number, with the file that has that, and before.
	for _, before := range []bool{false, true} {
		day := startService(t)
		day.paidBy(t, "EFT-2")
		row, debit := "2026-03-09,1.00,PAYMENT,R1", "2026-03-10,-1.00,TRN*1*EFT-2*1512345678,R2"
		file := func(rows ...string) call {
			return banking("Date,Amount,Description,Reference\n"+strings.Join(rows, "\n")+"\n", "account", "6789")
		}
		first := []string{row}
		if before {
			first = append(first, debit)
		}
		day.must(t, 200, file(first...)).shows(t, "added", float64(len(first)), "returned", 0.0)
		row = "2026-03-09,1.00,PAYMENT TRN*1*EFT-2*1512345678,R1"
		day.must(t, 200, file(row, debit)).shows(t, "traced", 1.0, "matched", 0.0, "returned", 1.0)
		day.deposit(t, "?state=returned")
	}

	// The same money, in the same two files, and both at once.
	other := startService(t)
	other.paidBy(t, "EFT-2")
	other.must(t, 200, banking(strings.Replace(cut, "HCCLAIMPMT", "PAYMENT   ", 1))).shows(t, "added", 1.0)
	other.must(t, 200, banking(whole+named)).shows(t, "added", 2.0, "traced", 1.0, "matched", 0.0, "returned", 1.0, "waiting", 1.0)
	other.deposit(t, "?state=returned")
}

// TestDepositOfACutFile has an entry whose trace number only the whole file has. Until then two remittances fit it.
func TestDepositOfACutFile(t *testing.T) {
	t.Parallel()
	s := startService(t)
	eras := s.paidBy(t, "EFT-1", "EFT-2")
	cut, whole := cutFile()
	s.must(t, 200, banking(cut)).shows(t, "entries", 1.0, "added", 1.0, "traced", 0.0, "matched", 0.0, "waiting", 1.0, "warnings.0.code", "trailer_missing")
	path := s.deposit(t, "?state=unmatched")
	s.must(t, 200, call{path: path}).shows(t, "trace_number", nil)
	s.must(t, 200, banking(whole)).shows(t, "entries", 2.0, "added", 1.0, "known", 1.0, "traced", 1.0, "matched", 1.0, "waiting", 1.0)
	s.must(t, 200, call{path: path}).shows(t, "state", "matched", "trace_number", "EFT-2", "parts.0.era_id", strings.TrimPrefix(eras[1], "/eras/"), "parts.0.matched_by", "trace_number")
	s.must(t, 200, call{path: eras[1]}).shows(t, "bank.status", "received")
	for _, file := range []string{whole, cut} { // nothing is new, and nothing is lost again
		s.must(t, 200, banking(file)).shows(t, "added", 0.0, "traced", 0.0, "matched", 0.0)
	}
	s.must(t, 200, call{path: path}).shows(t, "trace_number", "EFT-2")
}

// TestDepositsStayInTheirScope imports one file for three scopes, each of which has its own.
func TestDepositsStayInTheirScope(t *testing.T) {
	t.Parallel()
	s := startService(t)
	era := s.paidBy(t, "EFT-1")[0]
	for _, key := range []string{s.other, s.live, s.key} {
		c := bankDay("2026-03-05,-12.00,FEE", "2026-03-09,1.00,EXAMPLE DENTAL HCCLAIMPMT TRN*1*EFT-1*1512345678")
		matched := 0.0
		if c.key = key; key == s.key {
			matched = 1
		}
		s.must(t, 200, c).shows(t, "added", 2.0, "matched", matched)
	}
	s.must(t, 200, call{path: era}).shows(t, "bank.status", "received")
}

// TestDepositIsOneOfSeveral imports deposits that fit one remittance in files of their own: none is
// the single candidate.
func TestDepositIsOneOfSeveral(t *testing.T) {
	t.Parallel()
	s := startService(t)
	era := s.paidBy(t, "EFT-30")[0]
	s.must(t, 200, bankDay("2026-03-09,1.00,EXAMPLE DENTAL HCCLAIMPMT A", "2026-03-10,1.00,EXAMPLE DENTAL HCCLAIMPMT B")).shows(t, "matched", 0.0, "waiting", 2.0)
	s.must(t, 200, bankDay("2026-03-11,1.00,EXAMPLE DENTAL HCCLAIMPMT C")).shows(t, "matched", 0.0, "waiting", 1.0)
	s.must(t, 200, call{path: era}).shows(t, "bank.deposits", []any{})
	s.must(t, 200, bankDay("2026-03-12,1.00,EXAMPLE DENTAL HCCLAIMPMT TRN*1*EFT-30*1512345678")).shows(t, "matched", 1.0, "waiting", 0.0)
	s.must(t, 200, call{path: era}).shows(t, "bank.status", "received", "bank.deposits.0.date", "2026-03-12")
}

// TestReturnComesFirst imports a return before the file that has its deposit. The order of files
// makes no difference.
func TestReturnComesFirst(t *testing.T) {
	t.Parallel()
	s := startService(t)
	era := s.paidBy(t, "T1")[0]
	s.must(t, 200, bankDay("2026-03-12,-1.00,REVERSAL TRN*1*T1*1512345678")).shows(t, "added", 1.0, "returned", 0.0)
	by := strings.TrimPrefix(s.deposit(t, "?from=2026-03-12"), "/deposits/")
	s.must(t, 200, bankDay("2026-03-09,1.00,EXAMPLE DENTAL TRN*1*T1*1512345678", "2026-03-01,-2.00,FEE")).shows(t, "added", 2.0, "matched", 0.0, "waiting", 0.0, "returned", 1.0)
	s.must(t, 200, call{path: s.deposit(t, "?amount=1.00")}).shows(t, "state", "returned", "returned_by", by, "parts", []any{})
	s.must(t, 200, call{path: era}).shows(t, "bank.deposits", []any{})

	// It took one deposit back, and the next is the money that came again.
	s.must(t, 200, bankDay("2026-03-10,1.00,EXAMPLE DENTAL AGAIN TRN*1*T1*1512345678")).shows(t, "matched", 1.0, "returned", 0.0)
	s.must(t, 200, call{path: era}).shows(t, "bank.status", "received")
}

// TestReturnedMoneyIsAwaited takes back the deposit of a remittance that is older than the first entry
// of the account: it was seen there, so it is missing now.
func TestReturnedMoneyIsAwaited(t *testing.T) {
	t.Parallel()
	s := startService(t)
	era := s.paidBy(t, "EFT-40")[0]
	day := s.must(t, 200, call{path: era}).text(t, "payment", "date")
	at, err := billing.ParseDate(day)
	if err != nil {
		t.Fatal(err)
	}
	s.must(t, 200, bankDay(at.AddDays(1).String()+",1.00,EXAMPLE DENTAL HCCLAIMPMT TRN*1*EFT-40*1512345678")).shows(t, "matched", 1.0)
	s.must(t, 200, bankDay(at.AddDays(3).String()+",-1.00,EXAMPLE DENTAL RETURN TRN*1*EFT-40*1512345678")).shows(t, "returned", 1.0)
	s.must(t, 200, call{path: era}).shows(t, "bank.status", "awaited", "bank.summary", "Balanced, not posted, not in the bank.")
	if got := s.tasks(t, "?kind=deposit_missing")["deposit_missing"]; got["amount"] != "1.00" {
		t.Errorf("the task of the money that was taken back: %v", got)
	}
}

// TestSurplusOfCorrection replaces a remittance, whose money came, with one that pays less: the rest is
// of the deposit again, and the remittance says so until it is explained.
func TestSurplusOfCorrection(t *testing.T) {
	t.Parallel()
	s := startService(t)
	first := s.paidBy(t, "EFT-50")[0]
	s.must(t, 200, bankDay("2026-03-05,-12.00,FEE", "2026-03-09,1.00,EXAMPLE DENTAL HCCLAIMPMT TRN*1*EFT-50*1512345678")).shows(t, "matched", 1.0)
	_, all := s.must(t, 201, importing(correctedPayment("EFT-50"))).payments(t)
	second := "/eras/" + all[0]["era_id"].(string)
	s.until(t, second, "needs_review")
	s.must(t, 200, call{method: "POST", path: second + "/replace"})
	s.must(t, 200, call{path: second}).shows(t, "bank.payable", "0.50", "bank.received", "0.50", "bank.status", "received",
		"bank.summary", "Balanced, not posted, in the bank, and $0.50 more than it pays.")
	s.must(t, 200, call{path: first}).shows(t, "bank.deposits", []any{})
	deposit := s.deposit(t, "?trace_number=EFT-50")
	s.must(t, 200, call{path: deposit}).shows(t, "state", "unmatched", "rest", "0.50", "parts.0.era_id", second[6:], "parts.0.amount", "0.50")
	if got := s.tasks(t, "?kind=deposit_unmatched")["deposit_unmatched"]; got["amount"] != "0.50" {
		t.Errorf("the task of the rest: %v", got)
	}
	other := s.paidBy(t, "EFT-51")[0]
	s.must(t, 200, call{path: deposit + "/match", body: jsonOf(anObject{"parts": []any{anObject{"era_id": other[6:], "amount": "0.50"}}}, nil)}).shows(t, "state", "matched")
	s.must(t, 200, call{path: second}).shows(t, "bank.summary", "Balanced, not posted, in the bank.")
	s.must(t, 200, call{method: "POST", path: deposit + "/unmatch"})
	s.must(t, 200, call{path: second}).shows(t, "bank.status", "awaited", "bank.received", "0.00")
}

// TestNegativeCredit imports a row that takes money out of the account in the column of credits.
func TestNegativeCredit(t *testing.T) {
	t.Parallel()
	s := startService(t)
	era := s.paidBy(t, "EFT-60")[0]
	const words = ",,EXAMPLE DENTAL HCCLAIMPMT TRN*1*EFT-60*1512345678\n"
	file := banking("Date,Credit,Debit,Description\n2026-03-09,1.00"+words+"2026-03-11,-1.00"+words, "account", "6789")
	s.must(t, 200, file).shows(t, "added", 2.0, "returned", 1.0, "waiting", 0.0, "matched", 0.0)
	s.must(t, 200, call{path: era}).shows(t, "bank.deposits", []any{})
}
