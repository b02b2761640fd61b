package edi_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestClaimsCorpus gives every public sample to every reader: each is read or
// refused with a position.
func TestClaimsCorpus(t *testing.T) {
	t.Parallel()
	x12test.EachOfCorpus(t, "*/*", func(t *testing.T, kind string, b []byte) {
		t.Helper()
		a, payments := tryAcknowledgement(t, b), tryPayments(t, b)
		found, want := tryParts(t, b), clearing.FileOther
		switch kind {
		case "835":
			want = clearing.FileRemittance
		case "277", "277ca", "997", "999":
			want = clearing.FileAcknowledgement
		}
		for _, p := range found {
			if p.Err == nil && p.Kind != want {
				t.Errorf("a part is %s, want %q", p.Kind, want)
			}
		}
		if a != nil && want != clearing.FileAcknowledgement || len(payments) > 0 && want != clearing.FileRemittance {
			t.Errorf("%d payments, want %q", len(payments), want)
		}
		t.Logf("parts: %s; %d payments", kinds(slices.Values(found)), len(payments))
		if a != nil {
			t.Logf("%d verdicts, %d reports", len(a.Verdicts), len(a.Reports))
		}
	})
}

// tryAcknowledgement proves that an acknowledgement is refused with a position,
// or says only what the core can use.
func tryAcknowledgement(t *testing.T, b []byte) *clearing.Acknowledgement {
	t.Helper()
	a, err := edi.New().Acknowledgement("file", b)
	if err != nil {
		positioned(t, err, len(b))
		return nil
	}
	for _, v := range a.Verdicts {
		interchange := v.Result == "" && v.About.Group+v.About.Transaction == ""
		if v.Result != clearing.BatchAccepted && v.Result != clearing.BatchRejected && !interchange {
			t.Fatalf("verdict %+v", v)
		}
	}
	for i := range a.Reports {
		r := &a.Reports[i]
		named := r.ControlNumber+r.PayerClaimNumber != "" || r.Batch != "" && r.Outcome == clearing.ReportRejected
		if !named || r.Side != clearing.SidePayer && r.Side != clearing.SideClearinghouse || r.ControlNumber == "" && r.PayerClaimNumber != "" && r.Batch != "" {
			t.Fatalf("report %+v", r)
		}
		if r.Request == nil && r.Outcome == clearing.ReportRequested {
			t.Fatalf("nothing is requested by %+v", r)
		}
	}
	return a
}

// tryPayments proves that a remittance is refused with a position, or that its
// payments and claims agree, alone as in their file.
func tryPayments(t *testing.T, b []byte) []remit.Remittance {
	t.Helper()
	payments, err := edi.New().Payments("file", b, 0)
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
		again, err := edi.New().Payments("file", p.Content, 0)
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
			c.Estimate(billing.ERAID{}, make([]int, len(c.Lines)))
		}
		if claims != p.ClaimCount || balanced != p.Balanced {
			t.Fatalf("%d claims, balanced %v, want %d, %v", claims, balanced, p.ClaimCount, p.Balanced)
		}
	}
	return payments
}

// figures are what the claims and lines of a remittance add up to.
type figures struct {
	claims, lines         int
	claimsPaid, linesPaid billing.Money
}

// rawFigures adds up the CLP and SVC segments of an 835 without the codec. It splits
// the bytes at the delimiters that the ISA states.
func rawFigures(t *testing.T, b []byte) (f figures) {
	t.Helper()
	at := bytes.Index(b, []byte("ISA"))
	if at < 0 || len(b) < at+106 {
		t.Fatal("there is no ISA of 106 bytes")
	}
	element, segment := b[at+3:at+4], b[at+105:at+106]
	amount := func(of [][]byte, n int) billing.Money {
		if n >= len(of) {
			return 0
		}
		m, err := billing.ParseX12Money(strings.TrimSpace(string(of[n])))
		if err != nil {
			return 0
		}
		return m
	}
	for s := range bytes.SplitSeq(b[at:], segment) {
		switch of := bytes.Split(bytes.TrimSpace(s), element); string(of[0]) {
		case "CLP":
			f.claims++
			f.claimsPaid += amount(of, 4)
		case "SVC":
			f.lines++
			f.linesPaid += amount(of, 3)
		}
	}
	return f
}

// TestNoLineIsLost compares the claims and lines of each public remittance that is
// read with those in its bytes.
func TestNoLineIsLost(t *testing.T) {
	t.Parallel()
	x12test.EachOfCorpus(t, "835/*", func(t *testing.T, _ string, b []byte) {
		t.Helper()
		payments, err := edi.New().Payments("file", b, 0)
		if err != nil {
			t.Logf("refused: %v", err)
			return
		}
		var got figures
		for i := range payments {
			for c, err := range edi.New().Claims(payments[i].Content) {
				if err != nil {
					t.Fatal(err)
				}
				got.claims++
				got.claimsPaid += c.Paid
				for k := range c.Lines {
					got.lines++
					got.linesPaid += c.Lines[k].Paid
				}
			}
		}
		if want := rawFigures(t, b); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		t.Logf("%d payments, %d claims paid %s, %d lines paid %s", len(payments), got.claims, got.claimsPaid, got.lines, got.linesPaid)
	})
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
