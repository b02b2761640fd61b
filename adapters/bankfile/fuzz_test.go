package bankfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/bankfile"
	"github.com/molar-billing/molar/core/billing/deposit"
)

// fuzz reads anything as a format. What it reads has an account of four digits, a day, an amount
// and bounded texts, and is read again alike.
func fuzz(f *testing.F, format deposit.Format) {
	f.Helper()
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if b, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, ".json") {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		how := deposit.Reading{Format: format, Account: "6789"}
		got, faults := bankfile.Reader{}.Read(b, how)
		if len(faults) == 0 && len(got.Entries) == 0 {
			t.Fatal("nothing was read, and nothing is wrong")
		}
		for _, e := range got.Entries {
			if len(e.Account) != 4 || e.Date.IsZero() || e.Amount == 0 || len([]rune(e.Text)) > 500 || len([]rune(e.Trace)) > 80 || len([]rune(e.Reference)) > 80 {
				t.Fatalf("%+v", e)
			}
		}
		if len(deposit.Number(got.Entries)) != len(got.Entries) || len(got.Warnings) > deposit.MaxWarnings {
			t.Fatal(len(got.Entries), len(got.Warnings))
		}
		again, _ := bankfile.Reader{}.Read(b, how)
		if len(again.Entries) != len(got.Entries) {
			t.Fatal("another number of entries")
		}
	})
}

func FuzzNACHA(f *testing.F) { fuzz(f, deposit.NACHA) }

func FuzzBAI2(f *testing.F) { fuzz(f, deposit.BAI2) }

func FuzzCSV(f *testing.F) { fuzz(f, deposit.CSV) }
