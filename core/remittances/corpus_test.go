package remittances_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestCorpus imports every public sample, for an organization with a claim for
// each control number in them. Files other than an 835 are refused.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("MOLAR_CORPUS_DIR")
	if dir == "" {
		t.Log("MOLAR_CORPUS_DIR is not set: nothing was checked")
		return
	}
	files, err := filepath.Glob(filepath.Join(dir, "x12", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples in the corpus: %v", err)
	}
	b := newFixture(t)
	b.service.InPieces(5)
	ours := map[string]billing.ClaimID{}
	imported := 0
	for _, file := range files {
		name := filepath.Base(file)
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		payments, unreadable := edi.New().Payments(name, content, 0)
		for _, p := range payments {
			for c, err := range edi.New().Claims(p.Content) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				number := strings.ToUpper(c.ControlNumber)
				if _, have := ours[number]; have || number == "" {
					continue
				}
				ours[number] = b.claim(number, func(cl *claim.Claim) {
					if c.Estimates() {
						cl.Kind = claim.KindPredetermination
					}
				})
			}
		}
		for _, again := range []bool{false, true} {
			report, err := b.service.Import(t.Context(), b.scope, name, content)
			if (unreadable != nil || len(payments) == 0) != (codeOf(err) == billing.CodeInvalidRequest) || len(report) != len(payments) {
				t.Errorf("%s: %d payments of %d, %v", name, len(report), len(payments), err)
			}
			for _, made := range report {
				if again && made.New {
					t.Errorf("%s: a payment is new again", name)
				}
			}
			imported += len(report)
		}
	}
	b.settle()
	all := b.eras(b.scope)
	for _, e := range all {
		if e.Stage != remit.Done {
			t.Errorf("%s: %s", e.File.Name, e.Stage)
		}
	}
	var ids []billing.ClaimID
	for _, id := range ours {
		ids = append(ids, id)
	}
	b.agree(ids)
	t.Logf("%d remittances of %d imported, %d claims", len(all), imported/2, len(ids))
}
