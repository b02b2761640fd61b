package edi_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

// TestClaimsCorpus gives every public sample to every reader: each is read or
// refused with a position.
func TestClaimsCorpus(t *testing.T) {
	t.Parallel()
	x12test.EachOfCorpus(t, "*/*", func(t *testing.T, kind string, b []byte) {
		t.Helper()
		a, payments := tryAcknowledgement(t, b), tryPayments(t, b)
		found, err := edi.New().Kind(b)
		if err != nil {
			positioned(t, err, len(b))
		}
		want := billing.FileKind("")
		switch kind {
		case "835":
			want = billing.FileRemittance
		case "277", "277ca", "997", "999":
			want = billing.FileAcknowledgement
		}
		if found != want && err == nil || a != nil && want != billing.FileAcknowledgement || len(payments) > 0 && want != billing.FileRemittance {
			t.Errorf("kind %q, %d payments, want %q", found, len(payments), want)
		}
		t.Logf("kind %q, %d payments, error %v", found, len(payments), err)
		if a != nil {
			t.Logf("%d verdicts, %d reports", len(a.Verdicts), len(a.Reports))
		}
	})
}

// tryAcknowledgement proves that an acknowledgement is refused with a position,
// or says only what the core can use.
func tryAcknowledgement(t *testing.T, b []byte) *billing.Acknowledgement {
	t.Helper()
	a, err := edi.New().Acknowledgement("file", b)
	if err != nil {
		positioned(t, err, len(b))
		return nil
	}
	for _, v := range a.Verdicts {
		if v.Result != billing.BatchAccepted && v.Result != billing.BatchRejected {
			t.Fatalf("verdict %+v", v)
		}
	}
	for i := range a.Reports {
		r := &a.Reports[i]
		named := r.ControlNumber+r.PayerClaimNumber != "" || r.Batch != "" && r.Outcome == billing.ReportRejected
		if !named || r.Side != billing.SidePayer && r.Side != billing.SideClearinghouse || r.ControlNumber == "" && r.PayerClaimNumber != "" && r.Batch != "" {
			t.Fatalf("report %+v", r)
		}
		if r.Request == nil && r.Outcome == billing.ReportRequested {
			t.Fatalf("nothing is requested by %+v", r)
		}
	}
	return a
}

// tryPayments proves that a remittance is refused with a position, or that its
// payments and claims agree, alone as in their file.
func tryPayments(t *testing.T, b []byte) []billing.Remittance {
	t.Helper()
	payments, err := edi.New().Payments("file", b)
	if err != nil {
		positioned(t, err, len(b))
		if len(payments) > 0 {
			t.Fatalf("%d payments beside the error %v", len(payments), err)
		}
	}
	for c, err := range edi.New().Claims(b) {
		if err != nil {
			positioned(t, err, len(b))
		} else if c == nil {
			t.Fatal("neither a claim nor an error")
		}
	}
	for i := range payments {
		p := &payments[i]
		again, err := edi.New().Payments("file", p.Content)
		if err != nil || len(again) != 1 || again[0].Identity != p.Identity || again[0].Balanced != p.Balanced || again[0].ClaimCount != p.ClaimCount {
			t.Fatalf("alone there are %d payments, error %v", len(again), err)
		}
		claims, balanced := 0, p.Balance.Payment.Failed == 0
		for c, err := range edi.New().Claims(p.Content) {
			if err != nil {
				t.Fatal(err)
			}
			claims++
			balanced = balanced && c.Balanced
			for _, l := range c.Lines {
				if l.Number < 1 {
					t.Fatalf("line %+v", l)
				}
			}
			c.Payment(billing.ERAID{})
			c.Estimate(billing.ERAID{})
		}
		if claims != p.ClaimCount || balanced != p.Balanced {
			t.Fatalf("%d claims, balanced %v, want %d, %v", claims, balanced, p.ClaimCount, p.Balanced)
		}
	}
	return payments
}

// TestBalancedCorpus compares with a table that another program made.
func TestBalancedCorpus(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("MOLAR_CORPUS_DIR")
	if dir == "" {
		t.Log("MOLAR_CORPUS_DIR is not set: no balance is compared")
		return
	}
	table, err := os.ReadFile(filepath.Join(dir, "x12", "balance835.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for row := range bytes.SplitSeq(bytes.TrimSpace(table), []byte("\n")) {
		f := strings.Split(string(row), "\t")
		if f[0] == "file" {
			continue
		}
		t.Run(f[0]+" "+f[1], func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(filepath.Join(dir, "x12", "835", f[0]))
			if err != nil {
				t.Fatal(err)
			}
			all := tryPayments(t, b)
			n, _ := strconv.Atoi(f[1])
			if n < 1 || n > len(all) {
				t.Fatalf("%d payments", len(all))
			}
			p := &all[n-1]
			if got := map[bool]string{true: "yes", false: "no"}[p.Balanced]; got != f[5] {
				t.Errorf("balanced %s, want %s: %+v", got, f[5], p.Balance)
			}
		})
	}
}
