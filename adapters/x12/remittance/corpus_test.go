package remittance_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

// TestCorpus reads every remittance and every other sample, which has none.
func TestCorpus(t *testing.T) {
	t.Parallel()
	x12test.EachOfCorpus(t, "*/*", func(t *testing.T, kind string, b []byte) {
		t.Helper()
		check(t, b)
		all, warnings, err := readAll(bytes.NewReader(b))
		if _, refused := errors.AsType[*x12.Error](err); err != nil && !refused {
			t.Errorf("error %v without a position", err)
		}
		if kind != "835" {
			if len(all) > 0 {
				t.Errorf("%d payments where there are none", len(all))
			}
			return
		}
		t.Logf("%d payments, %d warnings, error %v", len(all), len(warnings), err)
	})
}

// TestBalanceCorpus compares with a table that another program made: file,
// transaction, claims, BPR02, sum of PLB, balanced, why not.
//
// One row differs in more than words: Example1 of 5010 ends with a CLP without
// amounts, which that program could not read, so that it counted the nine claims
// before it and no PLB. Here it is a tenth claim, which does not add up.
func TestBalanceCorpus(t *testing.T) {
	t.Parallel()
	tables := x12test.Corpus(t, "balance835.tsv")
	if tables == nil {
		return
	}
	dir := filepath.Dir(tables[0])
	table, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		f := append(strings.Split(row, "\t"), "")
		t.Run(f[0]+" "+f[1], func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(filepath.Join(dir, "835", f[0]))
			if err != nil {
				t.Fatal(err)
			}
			all, _, err := readAll(bytes.NewReader(b))
			n, _ := strconv.Atoi(f[1])
			if err != nil || n < 1 || n > len(all) {
				t.Fatalf("%d payments, error %v", len(all), err)
			}
			compareRow(t, f, &all[n-1])
		})
	}
}

func compareRow(t *testing.T, f []string, r *remittance.Remittance) {
	t.Helper()
	amount := func(s string) billing.Money {
		m, err := billing.ParseX12Money(s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	claims, total, plb, verdict := f[2], amount(f[3]), amount(f[4]), f[5]
	unreadable := strings.HasPrefix(f[6], "unreadable")
	if got := map[bool]string{true: "yes", false: "no"}[r.Balance.Holds()]; got != verdict || r.Total != total {
		t.Errorf("balanced %s and total %s, want %s and %s", got, r.Total, verdict, total)
	}
	if !unreadable && (strconv.Itoa(len(r.Claims)) != claims || r.AdjustmentsTotal() != plb) {
		t.Errorf("%d claims and provider adjustments of %s, want %s and %s", len(r.Claims), r.AdjustmentsTotal(), claims, plb)
	}
	// The levels that the table complains of are those found here.
	for level, word := range map[remittance.Level]string{remittance.LevelPayment: "payment: ", remittance.LevelLine: " line "} {
		found := false
		for _, finding := range r.Balance.Findings {
			found = found || finding.Level == level
		}
		if strings.Contains(f[6], word) && !found {
			t.Errorf("nothing found at the level of the %s, which the table names", level)
		}
	}
	b := &r.Balance
	why := ""
	if len(b.Findings) > 0 {
		why = b.Findings[len(b.Findings)-1].String()
	}
	t.Logf("%d claims (%d off), %d lines (%d off), payment off by %s, %d unread, balanced %s as in the table: %s",
		b.Claims.Checked, b.Claims.Failed, b.Lines.Checked, b.Lines.Failed, b.Payment.Off(), b.Unread, verdict, why)
}
