package batches_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// TestTurn sends claims and receives the responses.
func TestTurn(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	taken, refused := b.queue(b.practice, "")[0], b.queue(b.practice, "-REJECTED")[0]
	b.cut(1)
	b.wantClaim(b.practice, taken.ID, claim.Queued, "queued") // it is not out yet
	b.cut(0)
	b.clock.Advance(time.Second)
	b.send()
	b.wantClaim(b.practice, taken.ID, claim.Submitted, "queued submitted")
	f := b.batch(b.practice, b.get(b.practice, taken.ID).BatchID)
	if f.State != clearing.BatchSent || f.ClaimCount != 2 || !f.SentAt.Equal(b.clock.Now()) || f.File.Name != "20260304050607008.837" {
		t.Errorf("the batch is %+v", f)
	}
	if c := b.get(b.practice, taken.ID); !c.SentAt.Equal(b.clock.Now()) {
		t.Errorf("the claim was sent at %s", c.SentAt)
	}
	b.clock.Advance(untilAll)
	b.receive()
	b.wantClaim(b.practice, taken.ID, claim.AcceptedPayer, "queued submitted accepted accepted")
	b.wantClaim(b.practice, refused.ID, claim.Rejected, "queued submitted accepted rejected")
	if c := b.get(b.practice, taken.ID); c.PayerClaimNumber == "" || len(c.Findings) > 0 {
		t.Errorf("the payer's number is %q, and there are %d findings", c.PayerClaimNumber, len(c.Findings))
	}
	if c := b.get(b.practice, refused.ID); len(c.Findings) != 1 || !strings.Contains(c.Findings[0].Message, "A7") {
		t.Errorf("the rejected claim has the findings %+v", c.Findings)
	}
	f = b.batch(b.practice, f.ID)
	if f.State != clearing.BatchAcknowledged || f.Result != clearing.BatchAccepted || !strings.HasSuffix(f.Acknowledgement, ".997") {
		t.Errorf("the batch is %+v", f)
	}
	if got := b.story(b.practice, f.ID); got != "batch.acknowledged" {
		t.Errorf("the batch's events are %q", got)
	}
	for _, e := range b.events(b.practice, taken.ID)[1:] {
		if !strings.Contains(string(e.Data), `"interchange_control_number":"`) {
			t.Errorf("%s names no file: %s", e.Type, e.Data)
		}
	}
}

// TestFileHasThePartiesOfItsClaims proves that the file has what the claims only name:
// the payers of the directory, and the providers of lines.
func TestFileHasThePartiesOfItsClaims(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	if err := b.payers.Extend(strings.NewReader("MEDI1\tState Medicaid\t\tclaims\tMC\n")); err != nil {
		t.Fatal(err)
	}
	medicaid, _ := b.payers.Find("MEDI1")
	c := b.claim(b.practice, "")
	c.Payer, c.Coverage = medicaid.PayerSummary, billing.SequenceSecondary
	c.OtherCoverage = []claim.OtherCoverage{
		{Sequence: billing.SequencePrimary, Payer: medicaid.PayerSummary, Relationship: coverage.RelationSelf},
		{Sequence: billing.SequenceTertiary, Payer: directory.PayerSummary{Name: "A payer elsewhere"}, Relationship: coverage.RelationSelf},
	}
	c.Lines[0].ProviderID, c.ProviderID = c.ProviderID, billing.ProviderID{}
	b.keep(b.practice, c)
	b.turn(1)
	files, content := b.batches(b.practice)
	read, _, err := claims.Decode(strings.NewReader(content[files[0].File.Name]))
	if err != nil || len(read) != 1 || len(read[0].Claims) != 1 {
		t.Fatalf("%d sets, %v", len(read), err)
	}
	got := read[0].Claims[0]
	if o := got.OtherPayers; got.FilingIndicator != "MC" || len(o) != 2 || o[0].FilingIndicator != "MC" || o[1].FilingIndicator != "CI" {
		t.Errorf("filing indicator %s, other payers %+v", got.FilingIndicator, o)
	}
	if p := got.Lines[0].Rendering; got.Rendering.NPI != "" || p.NPI != b.provider.NPI {
		t.Errorf("the line's provider is %+v, the claim's %+v", p, got.Rendering)
	}
}

// TestFileIsWhatWasSent compares the file at the network with the stored one.
func TestFileIsWhatWasSent(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	all := b.queue(b.practice, "", "", "")
	b.turn(1)
	files, content := b.batches(b.practice)
	sent := b.network.sent[files[0].File.Name]
	if sent == "" || sent != content[files[0].File.Name] || len(b.network.sent) != 1 {
		t.Errorf("the network has %q, kept is %q", sent, content[files[0].File.Name])
	}
	read, _, err := claims.Decode(bytes.NewReader([]byte(sent)))
	if err != nil || len(read) != 1 || len(read[0].Claims) != len(all) {
		t.Fatalf("the file has %d sets, %v", len(read), err)
	}
	slices.SortFunc(all, func(a, b *claim.Claim) int { return slices.Compare(a.ID[:], b.ID[:]) })
	for i, c := range all {
		if got := read[0].Claims[i].PatientControlNumber; got != c.PatientControlNumber {
			t.Errorf("claim %d is %s, want %s: the oldest first", i, got, c.PatientControlNumber)
		}
	}
	numbers := files[0].File.ControlNumbers
	if numbers.Interchange != numbers.Group || numbers.Group != numbers.Transaction || len(numbers.Interchange) != 9 || read[0].Reference != numbers.Transaction {
		t.Errorf("the control numbers are %+v, the file's reference %s", numbers, read[0].Reference)
	}
}

// TestNamesNeverRepeat cuts many batches in one millisecond, by several
// processes and for two practices.
func TestNamesNeverRepeat(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	other := b.newPractice("1679576722")
	const each, cutters = 100, 3
	var all sync.WaitGroup
	for range each {
		b.queue(b.practice, "")
		b.queue(other, "")
		for range cutters {
			all.Go(func() {
				if _, err := b.service.Cut(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	names, numbers := map[string]bool{}, map[string]bool{}
	last := ""
	for _, p := range []*practice{b.practice, other} {
		files, _ := b.batches(p)
		for _, f := range files {
			names[f.File.Name], numbers[f.File.ControlNumbers.Interchange] = true, true
			last = max(last, f.File.Name)
			if f.ClaimCount != 1 {
				t.Errorf("a batch of %d claims", f.ClaimCount)
			}
		}
	}
	if len(names) != 2*each || len(numbers) != 2*each {
		t.Errorf("%d names and %d control numbers of %d batches", len(names), len(numbers), 2*each)
	}
	if want := "20260304050607207.837"; last != want { // every millisecond is taken
		t.Errorf("the last name is %s, want %s", last, want)
	}
}

// TestTwoCutters cuts more claims than one file holds, in two processes at
// once.
func TestTwoCutters(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const many = 5200
	all := b.queue(b.practice, make([]string, many)...)
	b.analyze()
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, err := b.service.Cut(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	b.cut(0)
	files, content := b.batches(b.practice)
	count := 0
	whole := ""
	for _, f := range files {
		if n := strings.Count(content[f.File.Name], "~CLM*"); n != f.ClaimCount || n > clearing.MaxBatchClaims {
			t.Errorf("a file of %d claims, want %d", n, f.ClaimCount)
		}
		count += f.ClaimCount
		whole += content[f.File.Name]
	}
	if count != many || len(files) < 2 {
		t.Errorf("%d files have %d claims", len(files), count)
	}
	for _, c := range all {
		if !strings.Contains(whole, "~CLM*"+c.PatientControlNumber+"*") {
			t.Fatalf("%s is in no file", c.PatientControlNumber)
		}
	}
	b.send()
	for _, c := range []*claim.Claim{all[0], all[many/2], all[many-1]} {
		b.wantClaim(b.practice, c.ID, claim.Submitted, "queued submitted")
	}
	if n := b.stateCount(claim.Submitted); n != many {
		t.Errorf("%d claims are submitted", n)
	}
}

// analyze updates the statistics of a table, as the server does over time.
func (b *fixture) analyze() {
	b.t.Helper()
	db, err := sql.Open("postgres", b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(b.t.Context(), "ANALYZE"); err != nil {
		b.t.Fatal(err)
	}
}

// stateCount counts the claims of the practice in a state.
func (b *fixture) stateCount(state claim.State) (n int) {
	b.t.Helper()
	b.in(b.practice, func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Claims.List(ctx, claim.Filter{Kind: claim.KindClaim, States: []claim.State{state}}, billing.Page{Limit: 100_000})
		n = len(all)
		return err
	})
	return n
}

// refusing is a codec that cannot write the claims of one organization.
type refusing struct {
	ports.ClaimsEDI
	org billing.OrgID
}

func (r refusing) File(f network.ClaimsFile) ([]byte, error) {
	if f.Batch.Scope.Org == r.org {
		return nil, errors.New("not to be written")
	}
	return r.ClaimsEDI.File(f)
}

// TestOneOrganizationHoldsUpNoOther has an organization whose claims cannot be
// cut, between two whose claims can.
func TestOneOrganizationHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	all := []*practice{b.practice, b.newPractice("1679576722"), b.newPractice("1003000126")}
	for i, bad := range all { // whichever comes first
		for _, p := range all {
			b.queue(p, "")
		}
		s := batches.New(b.store, batches.Outside{
			EDI: refusing{b.codec, bad.scope.Org}, Networks: routing.New(sandbox(b.network)), Remit: b.remit,
		}, b.payers)
		if n, err := s.Cut(t.Context()); n != len(all)-1 || err == nil {
			t.Errorf("%d batches were cut beside that of organization %d, which cannot be; %v", n, i, err)
		}
		b.turn(1) // another process can
	}
	if names := slices.Sorted(maps.Keys(b.network.sent)); len(names) != len(all)*len(all) {
		t.Errorf("the network has %v", names)
	}
}
