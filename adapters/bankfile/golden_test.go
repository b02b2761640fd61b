package bankfile_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/bankfile"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden reads every file of testdata. What it says is in the file beside it.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) < 9 {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".json") || name == "testdata/fuzz" {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, faults := bankfile.Reader{}.Read(content, deposit.Reading{Account: "6789"})
		if len(faults) > 0 {
			t.Errorf("%s: %v", name, faults)
		}
		got, err := json.MarshalIndent(f, "", "\t") //nolint:musttag // the golden has the names of the fields
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(got), "000123456789") {
			t.Errorf("%s: the whole number of the account is kept", name)
		}
		golden := name + ".json"
		if *update {
			if err := os.WriteFile(golden, append(got, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != string(got)+"\n" {
			t.Errorf("%s: %v\n%s", golden, err, got)
		}
	}
}

// TestCutFiles has the same entries, whatever is missing at the end, and says so.
func TestCutFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		whole, cut string
		entries    int
		codes      []deposit.WarningCode
	}{
		{"ccd.ach", "ccd-one-line.ach", 4, nil},
		{"ccd.ach", "ccd-wrong-hash.ach", 4, []deposit.WarningCode{deposit.ControlDiffers}},
		{"ccd.ach", "ccd-cut.ach", 2, []deposit.WarningCode{deposit.TrailerMissing, deposit.TrailerMissing}},
		{"day.bai2", "day-wrong-total.bai2", 5, []deposit.WarningCode{deposit.ControlDiffers}},
		{"day.bai2", "day-cut.bai2", 5, []deposit.WarningCode{deposit.TrailerMissing}},
	} {
		whole, cut := read(t, c.whole), read(t, c.cut)
		if len(whole.Warnings) != 0 {
			t.Errorf("%s: %v", c.whole, whole.Warnings)
		}
		if len(cut.Entries) != c.entries {
			t.Fatalf("%s has %d entries", c.cut, len(cut.Entries))
		}
		for i, e := range cut.Entries {
			if e != whole.Entries[i] {
				t.Errorf("%s: %+v, want %+v", c.cut, e, whole.Entries[i])
			}
		}
		var codes []deposit.WarningCode
		for _, w := range cut.Warnings {
			codes = append(codes, w.Code)
		}
		if len(codes) != len(c.codes) || len(codes) > 0 && codes[0] != c.codes[0] {
			t.Errorf("%s: %v, want %v", c.cut, codes, c.codes)
		}
	}
}

func read(t *testing.T, name string) deposit.File {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f, faults := bankfile.Reader{}.Read(content, deposit.Reading{Account: "6789"})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return f
}

// TestMappedColumns reads columns with names of their own.
func TestMappedColumns(t *testing.T) {
	t.Parallel()
	f, faults := bankfile.Reader{}.Read([]byte("When,Was,Was wo\n2026-12-01,12.5,X\n"), deposit.Reading{
		Account: "6789", Columns: map[deposit.Column]string{deposit.ColumnDate: "when", deposit.ColumnAmount: "WAS", deposit.ColumnText: "was wo"},
	})
	if len(faults) > 0 || len(f.Entries) != 1 || f.Entries[0].Amount != 1250 || f.Entries[0].Text != "X" {
		t.Errorf("%v %+v", faults, f)
	}
	for _, file := range []string{"date,amount\n2026-12-01,1\n", "when,how much\n2026-12-01,1\n", ""} {
		_, faults := bankfile.Reader{}.Read([]byte(file), deposit.Reading{
			Account: "6789", Columns: map[deposit.Column]string{deposit.ColumnAmount: "sum", deposit.ColumnText: "words"},
		})
		if len(faults) != 2 || faults[0].Field != "amount_column" || faults[1].Field != "text_column" {
			t.Errorf("%q without the columns that were named: %v", file, faults)
		}
	}
	for _, c := range []struct{ file, account, field string }{
		{"a,b\n1,2\n", "6789", "file"}, {"date,amount\n2026-12-01,1\n", "", "account"}, {"", "6789", "file"},
	} {
		_, faults := bankfile.Reader{}.Read([]byte(c.file), deposit.Reading{Account: c.account})
		if len(faults) == 0 || faults[0].Field != c.field {
			t.Errorf("%q: %v, want %s", c.file, faults, c.field)
		}
	}
}

// TestRows reads what single banks write into a row.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		want []billing.Money
	}{
		{"Date,Type,Amount\n2026-12-01,Debit,88.80\n2026-12-01,Credit,99.90\n", []billing.Money{-8880, 9990}}, // the type is the sign
		{"Date,Transaction Type,Transaction Amount\n2026-12-01,ACH Withdrawal,1\n2026-12-01,DR,2\n", []billing.Money{-100, -200}},
		{"Date,Type,Amount\n2026-12-01,Debit,-88.80\n2026-12-01,Debit Card Refund,5\n", []billing.Money{-8880, 500}},
		{"Date,Type,Credit,Debit\n2026-12-01,Debit,,3\n2026-12-01,Debit,4,\n", []billing.Money{-300, 400}},
		{"Date,Amount\n\"Dec 1, 2026\",1\n\"December 1, 2026\",2\n01-Dec-2026,3\n1 Dec 2026,4\n01-DEC-26,5\n2026-12-01 08:30:00,6\n", []billing.Money{100, 200, 300, 400, 500, 600}},
	} {
		f, faults := bankfile.Reader{}.Read([]byte(c.file), deposit.Reading{Account: "6789"})
		var got []billing.Money
		for _, e := range f.Entries {
			if got = append(got, e.Amount); e.Date.String() != "2026-12-01" {
				t.Errorf("%q: the day %s", c.file, e.Date)
			}
		}
		if len(faults)+len(f.Warnings) > 0 || !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v; %v %v", c.file, got, c.want, faults, f.Warnings)
		}
	}
}

// TestNoReference knows equal entries apart whose reference says nothing.
func TestNoReference(t *testing.T) {
	t.Parallel()
	for _, reference := range []string{"", "0", "0000000000"} {
		row := "2026-12-01,77.70,HCCLAIMPMT," + reference + "\n"
		f, _ := bankfile.Reader{}.Read([]byte("Date,Amount,Description,Reference\n"+row+row), deposit.Reading{Account: "6789"})
		if ids := deposit.Number(f.Entries); len(ids) != 2 || ids[0] == ids[1] {
			t.Errorf("%q: two entries have one identity", reference)
		}
	}
}
