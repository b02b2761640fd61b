package batches_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// own returns a network of the practice's own, to one payer.
func (b *fixture) own(p *practice, payer billing.PayerID, clearinghouse ports.Clearinghouse) *ports.Network {
	n := sandbox(clearinghouse)
	n.Name, n.Envelope.Receiver.ID = "own", "OWNHOUSE"
	n.Route = network.Route{Mode: p.scope.Mode, Org: p.scope.Org, Payers: map[billing.PayerID][]network.Transaction{payer: {network.Claims}}}
	return n
}

// TestABatchIsForOneNetwork cuts the claims of a practice for the networks of
// their payers. A claim for a payer that no network reaches waits.
func TestABatchIsForOneNetwork(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	payer := func(number string) directory.PayerSummary {
		t.Helper()
		found, ok := b.payers.Find(number)
		if !ok {
			t.Fatalf("there is no payer %s", number)
		}
		return found.PayerSummary
	}
	quiet, mine, nowhere := payer(quietPayer), payer("CHTEST"), payer("62308")
	shared, private := newHouse(b.network), newHouse(b.network)
	everyone, own := sandbox(shared), b.own(b.practice, mine.ID, private)
	everyone.Route.Payers = map[billing.PayerID][]network.Transaction{quiet.ID: {network.Claims}, mine.ID: {network.Claims}}
	both, alone := b.buildOn(b.store, everyone, own), b.buildOn(b.store, everyone)

	var claims []*claim.Claim
	for _, to := range []directory.PayerSummary{nowhere, quiet, mine, quiet} {
		c := b.claim(b.practice, "")
		c.Payer = to
		claims = append(claims, c)
	}
	b.keep(b.practice, claims...)
	if n, err := both.Cut(t.Context()); n != 2 || err != nil {
		t.Fatalf("%d batches, %v", n, err)
	}
	all, content := b.batches(b.practice)
	byNetwork := map[string]*clearing.Batch{}
	for _, f := range all {
		byNetwork[f.Network] = f
	}
	first, second := byNetwork[sandboxnet.Name], byNetwork["own"]
	if len(all) != 2 || first == nil || second == nil || first.ClaimCount != 2 || second.ClaimCount != 1 {
		t.Fatalf("batches %+v", all)
	}
	for i, want := range []billing.FileID{{}, first.ID, second.ID, first.ID} {
		if c := b.get(b.practice, claims[i].ID); c.BatchID != want {
			t.Errorf("claim %d is in batch %s, want %s", i, c.BatchID, want)
		}
	}
	if f := content[second.File.Name]; !strings.Contains(f, "*ZZ*OWNHOUSE ") || strings.Contains(content[first.File.Name], "OWNHOUSE") {
		t.Error("the interchanges do not name the receivers of their networks")
	}

	for _, j := range b.due() { // the practice's own network is closed
		err := alone.Send(t.Context(), j)
		_, rests := errors.AsType[*jobs.DoneError](err)
		if closed := billing.FileID(j.Subject) == second.ID; rests != closed || network.Observed(err) != closed {
			t.Errorf("the batch of %s rests: %v", j.Subject, err)
		}
	}
	if _, err := alone.Receive(t.Context(), "own"); !errors.Is(err, batches.ErrClosed) {
		t.Errorf("receive from a closed network: %v", err)
	}
	for _, j := range b.due() {
		if err := both.Send(t.Context(), j); err != nil {
			t.Error(err)
		}
	}
	if len(shared.sent) != 1 || shared.sent[first.File.Name] == "" || len(private.sent) != 1 || private.sent[second.File.Name] == "" {
		t.Errorf("sent %d and %d files", len(shared.sent), len(private.sent))
	}
}

// TestAcknowledgementsAreOfTheirNetwork applies the files of a network to its
// batches alone, and those of a practice's own network to the practice alone.
func TestAcknowledgementsAreOfTheirNetwork(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	other := b.newPractice("1679576722")
	c, batch := b.submitted(b.practice)
	theirs, _ := b.submitted(other)
	receive := func(f clearing.IncomingFile) {
		t.Helper()
		s := b.buildOn(b.store, sandbox(b.network), b.own(b.practice, c.Payer.ID, inbox{b.network, []clearing.IncomingFile{f}}))
		if got, err := s.Receive(t.Context(), "own"); got.Files != 1 || err != nil {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	receive(b.functional(batch, "R", 1)) // of a batch that went through the sandbox
	b.wantClaim(b.practice, c.ID, claim.Submitted, "queued submitted")
	receive(b.report("PR", 2, b.about(other, nil, said{control: theirs.PatientControlNumber, category: "A7"})))
	b.wantClaim(other, theirs.ID, claim.Submitted, "queued submitted")
	if aside := b.quarantined(); len(aside) != 1 {
		t.Errorf("in quarantine: %+v", aside)
	}
	b.give(b.functional(batch, "R", 1)) // the same on the sandbox
	b.wantClaim(b.practice, c.ID, claim.Queued, "queued submitted queued")
}
