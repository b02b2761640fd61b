package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestCheckFile checks the patients of a file at the command line. A golden file has what the
// commands on batches of checks print, and the result.
func TestCheckFile(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), t.TempDir()
	_, r := startDev(t, nil, data)
	c := newCommand(t, "MOLAR_API_URL="+r.BaseURL, "MOLAR_API_KEY="+r.Keys["test"])
	day := time.Now().AddDate(0, 0, 1).Format("1/2/2006")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(text, "DAY", day)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tomorrow.csv", "Date;Time;Patient Name;DOB;Insurance;Subscriber ID;Chart\n"+
		"DAY;8:30 AM;\"Example, Sam\";2/29/1984;Molar Test Payer;W1-ACTIVE-FULL;1\n"+
		"DAY;9:15 AM;\"Sample, Ann\";4/30/80;MTP Dental;W2-INACTIVE;2\n"+
		"DAY;10:00 AM;\"N\xfa\xf1ez, Jos\xe9\";4/30/1980;Molar Test Payer;W3-INACTIVE;3\n"+
		"DAY;10:30 AM;\"=Roe, Kim\";4/30/1980;Molar Test Payer;W4-NOT-FOUND;4\n")
	write("unknown.csv", "Who,DOB,Payer,Member ID\nx,y,z,1\n")
	write("faulty.csv", "Patient,DOB,Payer,Member ID\nx,y,z,1\n")
	write("open.csv", "Patient,DOB\n\"x\n")
	var batch string
	var all strings.Builder
	run := func(line string) {
		t.Helper()
		args := strings.Fields(strings.NewReplacer("off_...", r.Offices["test"], "bat_...", batch).Replace(line))
		for i, a := range args {
			if strings.HasSuffix(a, ".csv") {
				args[i] = filepath.Join(dir, a)
			}
		}
		out, said, code := c.run(args...)
		fmt.Fprintf(&all, "$ molar %s\n%s%sends with %d\n\n", line, out, said, code)
		if id := regexp.MustCompile(`bat_\w{26}`).FindString(said); id != "" {
			batch = id
		}
	}
	for _, line := range []string{
		"eligibility batch tomorrow.csv --office off_... --out result.csv",
		"eligibility batches list",
		"eligibility batch unknown.csv --office off_... --out result.csv",
		"eligibility batch faulty.csv --office off_... --out result.csv",
		"eligibility batch faulty.csv --office off_... --out faulty_result.csv --skip-faults",
		"eligibility batch open.csv --office off_... --out result.csv",
		"eligibility batch tomorrow.csv --out result.csv",
		"eligibility batch none.csv --office off_... --out result.csv",
		"eligibility batch tomorrow.csv --office off_...",
		"eligibility batch",
		"eligibility batch tomorrow.csv --office off_... --out result.csv --skip-faults --recheck soon",
		"eligibility batch tomorrow.csv --office off_... --out result.csv --skip-faults --recheck PT5M",
		"eligibility batch tomorrow.csv --office off_... --out result.csv --skip-faults --recheck PT5M",
		"eligibility batch tomorrow.csv --office off_... --out again.csv --skip-faults --recheck PT5M",
		"eligibility batch tomorrow.csv --office off_... --out other.csv --skip-faults",
		"eligibility batches list",
		"eligibility batches items bat_...",
		"eligibility batches items bat_... --needs-a-person --outcome rejected",
		"eligibility batches show bat_...",
	} {
		run(line)
	}
	first, err := os.ReadFile(filepath.Join(dir, "result.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(filepath.Join(dir, "again.csv")); err != nil || string(again) != string(first) {
		t.Errorf("the second run wrote %s, %v", again, err)
	}
	if in, err := os.Stat(filepath.Join(dir, "result.csv")); err != nil || in.Mode().Perm() != 0o600 {
		t.Errorf("the result: %v, %v", in, err)
	}
	all.WriteString("result.csv\n" + strings.ReplaceAll(string(first), "\r\n", "\n"))
	got := strings.NewReplacer(dir+"/", "", day, "DAY").Replace(all.String())
	got = regexp.MustCompile(`\b(org|off|bat|elg|req|pat)_[0-9A-Z]{26}`).ReplaceAllString(got, "${1}_...")
	got = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T[0-9:.]+\+00:00|[A-Z][a-z]+ \d+, \d{4}`).ReplaceAllString(got, "TIME")
	got = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(got, "")
	got = regexp.MustCompile(`(?m)^Asking the payers: .*\n`).ReplaceAllString(got, "")
	const file = "testdata/check_file.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != got {
		t.Errorf("%s differs (%v); with -update it is written anew. Got:\n%s", file, err, got)
	}
}

// TestCheckFileGoesOn kills the command while the payers are asked. The next run goes on with
// its batch: every patient has an outcome, and no payer was asked twice.
func TestCheckFileGoesOn(t *testing.T) {
	t.Parallel()
	const patients = 24
	dir := t.TempDir()
	_, r := startDev(t, nil, t.TempDir())
	env := []string{"MOLAR_API_URL=" + r.BaseURL, "MOLAR_API_KEY=" + r.Keys["test"]}
	c := newCommand(t, env...)
	file, result := filepath.Join(dir, "tomorrow.csv"), filepath.Join(dir, "result.csv")
	text := "Patient,DOB,Payer,Member ID,Appointment ID\n"
	for n := range patients {
		text += fmt.Sprintf("\"Example, Sam\",2/29/1984,Molar Test Payer,W%d-SLOW-3,%d\n", n, n)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"eligibility", "batch", file, "--office", r.Offices["test"], "--out", result}
	for kill := range 3 { // at once, with the batch made, and with some asked
		p := newProcess(t, "molar", env, args...)
		p.start(&lockedBuffer{})
		await(t, "the run before it is killed", func() bool {
			log := p.log()
			return kill == 0 || kill == 1 && strings.Contains(log, "bat_") || regexp.MustCompile(`[1-9]\d* %`).MatchString(log)
		})
		p.kill()
		if err := os.Remove(result); err == nil {
			t.Logf("run %d was over before it was killed", kill+1)
		}
	}
	if _, said, code := c.run(args...); code != 0 || !strings.Contains(said, "Going on with batch") {
		t.Fatalf("the last run ended with %d: %s", code, said)
	}
	written, err := os.ReadFile(result)
	if err != nil || strings.Count(string(written), ",answered,") != patients {
		t.Errorf("the result is %s, %v", written, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	for path, want := range map[string]int{"/eligibility/batches": 1, "/eligibility?limit=100": patients} {
		var all struct {
			Data []json.RawMessage `json:"data"`
		}
		if _, body := get(t, r.BaseURL+path, r.Keys["test"]); json.Unmarshal([]byte(body), &all) != nil || len(all.Data) != want {
			t.Errorf("%s has %d, want %d", path, len(all.Data), want)
		}
	}
	items := c.good("eligibility", "batches", "items", regexp.MustCompile(`bat_\w{26}`).FindString(c.good("eligibility", "batches", "list")))
	if n := len(regexp.MustCompile(`(?m)elg_\w{26}  1 `).FindAllString(items, -1)); n != patients {
		t.Errorf("%d were asked once, want %d:\n%s", n, patients, items)
	}
}

// TestCheckFileInParts checks a file that has more bytes than a request and more rows than a batch may have. It has one
// result, in the order of the file.
func TestCheckFileInParts(t *testing.T) {
	t.Parallel()
	const patients = 1200
	dir := t.TempDir()
	_, r := startDev(t, nil, t.TempDir())
	c := newCommand(t, "MOLAR_API_URL="+r.BaseURL, "MOLAR_API_KEY="+r.Keys["test"])
	head, note := "Patient,DOB,Payer,Member ID,Note,Item ID\n", strings.Repeat("note ", 200)
	var text, twice strings.Builder
	text.WriteString(head)
	twice.WriteString(head)
	for n := range patients {
		fmt.Fprintf(&text, "\"Example, Sam\",2/29/1984,Molar Test Payer,W%d-INACTIVE,\"%s\",\n", n, note)
		fmt.Fprintf(&twice, "\"Example, Sam\",2/29/1984,Molar Test Payer,W%d-INACTIVE,\"%s\",%d\n", n, note, n%(patients-1))
	}
	for name, text := range map[string]string{"long.csv": text.String(), "twice.csv": twice.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(file, out string) (string, int) {
		_, said, code := c.run("eligibility", "batch", filepath.Join(dir, file), "--office", r.Offices["test"], "--out", filepath.Join(dir, out))
		return said, code
	}
	said, code := run("long.csv", "first.csv")
	if code != 0 || !strings.Contains(said, ": 1000 patients.") || !strings.Contains(said, ": 200 patients.") || !strings.Contains(said, "1200 of 1200") {
		t.Fatalf("it ended with %d: %s", code, said)
	}
	if said, code = run("long.csv", "again.csv"); code != 0 || strings.Count(said, "Going on with batch") != 2 {
		t.Errorf("the second run ended with %d: %s", code, said)
	}
	first, err := os.ReadFile(filepath.Join(dir, "first.csv"))
	if again, failed := os.ReadFile(filepath.Join(dir, "again.csv")); err != nil || failed != nil || string(again) != string(first) {
		t.Errorf("the two results differ: %v, %v", err, failed)
	}
	rows := strings.Split(strings.TrimSpace(string(first)), "\r\n")
	if len(rows) != patients+1 {
		t.Fatalf("%d rows", len(rows))
	}
	for n, row := range rows[1:] {
		if want := fmt.Sprintf("%d,line-%d,", n+2, n+2); !strings.HasPrefix(row, want) || !strings.Contains(row, ",answered,") {
			t.Errorf("row %d is %s", n, row)
		}
	}
	if said, code = run("twice.csv", "twice_result.csv"); code == 0 || !strings.Contains(said, "Line 1201, column 6 (Item ID): Line 2 has the same item ID.") {
		t.Errorf("an item ID twice: %d %s", code, said)
	}
}
