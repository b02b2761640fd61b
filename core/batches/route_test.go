package batches_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// submitted returns a claim of the practice that is out in its own batch.
func (b *fixture) submitted(p *practice) (*claim.Claim, *clearing.Batch) {
	b.t.Helper()
	c := b.queue(p, "")[0]
	b.cut(1)
	b.send()
	return c, b.batch(p, b.get(p, c.ID).BatchID)
}

// TestOneFileForSeveralOrganizations routes each part of a file to its
// organization, and quarantines the file for the parts of none. The file comes
// again after the process died between two organizations.
func TestOneFileForSeveralOrganizations(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	second, third := b.newPractice("1679576722"), b.newPractice("1003000126")
	one, oneFile := b.submitted(b.practice)
	two, _ := b.submitted(second)
	three, threeFile := b.submitted(third)
	f := b.report("PR", 1,
		b.about(b.practice, oneFile, said{control: one.PatientControlNumber, category: "A2"}),
		b.about(second, nil, said{control: two.PatientControlNumber, category: "A2"}), // by its NPI
		b.about(&practice{office: &directory.Office{NPI: "1902809049"}}, nil, said{control: one.PatientControlNumber, category: "A7"}),
		b.about(b.practice, threeFile, said{control: three.PatientControlNumber, category: "A7"}), // the batch counts, not the NPI
	)
	for commit := range 3 {
		porttest.Dies(func() {
			_, _ = b.build(porttest.Store{Store: b.store, Fault: &porttest.Fault{Only: "InTx", At: commit, How: porttest.DiesAfter}}, inbox{b.network, []clearing.IncomingFile{f}}).Receive(t.Context(), sandboxnet.Name)
		})
	}
	b.give(f, f)
	b.wantClaim(b.practice, one.ID, claim.AcceptedPayer, "queued submitted accepted")
	b.wantClaim(second, two.ID, claim.AcceptedPayer, "queued submitted accepted")
	b.wantClaim(third, three.ID, claim.Rejected, "queued submitted rejected")
	aside := b.quarantined()
	if len(aside) != 1 || aside[0].Name != f.Name || !strings.HasPrefix(aside[0].Reason, "1 of the parts") {
		t.Errorf("in quarantine: %+v", aside)
	}
	// One transaction set names the patients of all of them, so none may read it.
	if got := b.readable(b.practice, oneFile.ID) + b.readable(third, threeFile.ID); got != "" {
		t.Errorf("organizations read %s", got)
	}
}

// TestOrganizationsReadTheirOwnPart sends one file with a transaction set for each of two
// organizations. Each reads its own set, and not a word about the other.
func TestOrganizationsReadTheirOwnPart(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	second := b.newPractice("1679576722")
	one, oneFile := b.submitted(b.practice)
	two, twoFile := b.submitted(second)
	mine := b.report("PR", 1, b.about(b.practice, oneFile, said{control: one.PatientControlNumber, category: "A2"}))
	theirs := b.report("PR", 2, b.about(second, twoFile, said{control: two.PatientControlNumber, category: "A7"}))
	file, set := string(mine.Content), string(theirs.Content)
	set = set[strings.Index(set, "ST*277"):strings.Index(set, "GE*")]
	at := strings.Index(file, "GE*")
	both := clearing.IncomingFile{Name: "both.277", Content: []byte(file[:at] + set + strings.Replace(file[at:], "GE*1*", "GE*2*", 1))}
	b.give(b.functional(oneFile, "A", 3), both, both, b.functional(twoFile, "A", 4))
	b.wantClaim(b.practice, one.ID, claim.AcceptedPayer, "queued submitted accepted")
	b.wantClaim(second, two.ID, claim.Rejected, "queued submitted rejected")
	for _, r := range []struct {
		p           *practice
		batch       *clearing.Batch
		kinds       string
		has, hasNot *claim.Claim
	}{{b.practice, oneFile, "999 277CA", one, two}, {second, twoFile, "277CA 999", two, one}} {
		var kinds []string
		for _, a := range b.batch(r.p, r.batch.ID).Acknowledgements {
			kinds = append(kinds, string(a.Kind))
		}
		if got := strings.Join(kinds, " "); got != r.kinds {
			t.Errorf("acknowledgements %s, want %s", got, r.kinds)
		}
		all := b.readable(r.p, r.batch.ID)
		if !strings.Contains(all, "*"+r.has.PatientControlNumber+"~") || strings.Contains(all, r.hasNot.PatientControlNumber) || strings.Contains(all, r.hasNot.Subscriber.MemberID) {
			t.Errorf("the organization reads %s", all)
		}
		if _, err := b.codec.Acknowledgement("", []byte(all[strings.LastIndex(all, "ISA*"):])); err != nil {
			t.Errorf("what it reads: %v", err)
		}
	}
}

// readable returns what the practice can read of the files about its batch.
func (b *fixture) readable(p *practice, id billing.FileID) string {
	b.t.Helper()
	var all strings.Builder
	for _, a := range b.batch(p, id).Acknowledgements {
		_, content, err := b.service.Acknowledgement(b.t.Context(), p.scope, id, a.Number)
		if err != nil {
			b.t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

// TestUnrouted quarantines files that cannot be read, or belong to no
// organization.
func TestUnrouted(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	twin := b.newPractice(b.office.NPI)
	c, sent := b.submitted(b.practice)
	unknown := *sent
	unknown.File.ControlNumbers = clearing.ControlNumbers{Interchange: "987654321", Group: "987654321", Transaction: "987654321"}
	for i, f := range []clearing.IncomingFile{
		{Name: "empty"},
		{Name: "page", Content: []byte("<html>Jane Doe</html>")},
		{Name: "claims", Content: []byte(b.network.sent[sent.File.Name])},
		{Name: "half", Content: b.functional(sent, "R", 1).Content[:150]},
		b.functional(&unknown, "R", 2),
		b.report("PR", 3, b.about(twin, nil, said{control: "PCN-999999", category: "A7"})),                                             // two organizations have the NPI, and neither the claim
		b.report("PR", 4, b.about(&practice{office: &directory.Office{}}, nil, said{control: c.PatientControlNumber, category: "A7"})), // none is named
	} {
		b.give(f)
		b.give(f)
		aside := b.quarantined()
		if len(aside) != i+1 {
			t.Fatalf("file %d, %s: %d files in quarantine", i, f.Name, len(aside))
		}
		for _, q := range aside {
			if strings.Contains(q.Reason, "Jane") || strings.Contains(q.Reason, "Doe") || strings.Contains(q.Reason, c.PatientControlNumber) || q.Reason == "" {
				t.Errorf("the reason for %s is %q", q.Name, q.Reason)
			}
		}
	}
	b.wantClaim(b.practice, c.ID, claim.Submitted, "queued submitted")
	if f := b.batch(b.practice, sent.ID); f.State != clearing.BatchSent {
		t.Errorf("the batch is %s", f.State)
	}
}

// TestAnothersNPI has another organization create an office with our NPI and
// use our control numbers. Responses to our claims stay ours.
func TestAnothersNPI(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	twin := b.newPractice(b.office.NPI)
	scenarios := []string{"-PAID-ERA", "-REJECTED", "-INFO-REQUEST"}
	b.made = 100
	theirs := b.queue(twin, scenarios...)
	b.turn(1)
	b.made = 100
	mine := b.queue(b.practice, scenarios...)
	b.payees = nil
	b.turn(1)
	for i, story := range []string{"queued submitted accepted accepted", "queued submitted accepted rejected", "queued submitted accepted accepted status_updated"} {
		if mine[i].PatientControlNumber != theirs[i].PatientControlNumber {
			t.Fatal("the claims have other numbers")
		}
		for p, c := range map[*practice]*claim.Claim{b.practice: mine[i], twin: theirs[i]} {
			if got := b.story(p, c.ID); got != story {
				t.Errorf("%s: %q, want %q", scenarios[i], got, story)
			}
		}
	}
	for _, p := range []*practice{b.practice, twin} {
		if n := len(b.requests(p)); n != 1 {
			t.Errorf("%d payer requests, want 1", n)
		}
	}
	if len(b.payees) != 1 || b.payees[0] != b.scope || len(b.quarantined()) > 0 {
		t.Errorf("remittances for %v, %d files in quarantine", b.payees, len(b.quarantined()))
	}
}

// TestReportsFromOutside routes reports that name no batch by the provider: to
// verified offices alone, and of several to the sender of the claim.
func TestReportsFromOutside(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const unregistered = "1902809049"
	thief := b.newPractice("1679576722")
	b.in(thief, func(ctx context.Context, tx ports.Tx) error {
		o := *thief.office
		o.VerifiedAt = time.Time{}
		for _, npi := range []string{b.office.NPI, unregistered} {
			o.ID, o.NPI = billing.NewID[billing.OfficeID](billing.RealAt(b.clock.Now())), npi
			if err := tx.Offices.Insert(ctx, &o); err != nil {
				return err
			}
		}
		return nil
	})
	c, _ := b.submitted(b.practice)
	b.give(b.request(b.practice, 1, c, "REF-1"), b.request(&practice{office: &directory.Office{NPI: unregistered}}, 2, c, "REF-2"))
	if mine, theirs := len(b.requests(b.practice)), len(b.requests(thief)); mine != 1 || theirs != 0 || len(b.quarantined()) != 1 {
		t.Fatalf("%d payer requests are ours, %d theirs, %d files in quarantine", mine, theirs, len(b.quarantined()))
	}

	twin := b.newPractice(b.office.NPI) // verified
	other, _ := b.submitted(twin)
	b.give(
		b.request(b.practice, 3, c, "REF-3"), b.request(twin, 4, other, "REF-4"),
		b.report("PR", 5, b.about(twin, nil, said{control: strings.ToLower(other.PatientControlNumber), category: "A7"})),
	)
	if mine, theirs := len(b.requests(b.practice)), len(b.requests(twin)); mine != 2 || theirs != 1 || len(b.quarantined()) != 1 {
		t.Errorf("%d payer requests are ours, %d the twin's, %d files in quarantine", mine, theirs, len(b.quarantined()))
	}
	if s := b.get(twin, other.ID).State; s != claim.Rejected {
		t.Errorf("the twin's claim is %s", s)
	}
}

// TestFileOfAScope applies a file of one scope to no other.
func TestFileOfAScope(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	other := b.newPractice("1679576722")
	_, sent := b.submitted(other)
	rejects := b.functional(sent, "R", 1)
	rejects.Scope = b.scope
	b.give(rejects)
	if f := b.batch(other, sent.ID); f.State != clearing.BatchSent || len(f.Acknowledgements) != 0 {
		t.Errorf("the batch of another is %s, with %v", f.State, f.Acknowledgements)
	}
	if aside := b.quarantined(); len(aside) != 1 || aside[0].Scope != b.scope {
		t.Errorf("in quarantine: %+v", aside)
	}
	rejects.Scope = other.scope
	b.give(rejects)
	if f := b.batch(other, sent.ID); f.Result != clearing.BatchRejected {
		t.Errorf("the batch is %s", f.State)
	}
}

// TestSameNumbersOfTwoOrganizations separates claims with the same control
// number.
func TestSameNumbersOfTwoOrganizations(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	other := b.newPractice("1679576722")
	mine := b.queue(b.practice, "")[0]
	b.made--
	theirs := b.queue(other, "")[0]
	if mine.PatientControlNumber != theirs.PatientControlNumber {
		t.Fatal("the claims have two numbers")
	}
	b.cut(2)
	b.send()
	b.give(b.report("PR", 1, b.about(other, nil, said{control: theirs.PatientControlNumber, category: "A7"})))
	b.wantClaim(b.practice, mine.ID, claim.Submitted, "queued submitted")
	b.wantClaim(other, theirs.ID, claim.Rejected, "queued submitted rejected")
}

// TestRejectionOfALevel has a 277CA reject all claims of a batch, or of one
// provider in it, without naming them.
func TestRejectionOfALevel(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	branch := &practice{scope: b.scope, provider: b.provider}
	branch.office = b.newOffice(b.scope, "1679576722")
	all := [][]*claim.Claim{b.queue(b.practice, "", ""), b.queue(branch, "", "")}
	other := b.newPractice("1003000126")
	b.queue(other, "")
	b.cut(2)
	b.send()
	sent := b.batch(b.practice, b.get(b.practice, all[0][0].ID).BatchID)

	here, there := b.about(b.practice, sent), b.about(branch, sent, said{control: all[1][0].PatientControlNumber, category: "A2"})
	here.Providers[0].Statuses = b.status("A3")
	here.Providers = append(here.Providers, there.Providers...)
	b.give(b.report("PR", 1, here))
	for _, c := range all[0] {
		b.wantClaim(b.practice, c.ID, claim.Rejected, "queued submitted rejected")
	}
	b.wantClaim(b.practice, all[1][0].ID, claim.AcceptedPayer, "queued submitted accepted")
	b.wantClaim(b.practice, all[1][1].ID, claim.Submitted, "queued submitted")

	whole := b.about(b.practice, sent)
	whole.Providers, whole.Statuses = nil, b.status("A8")
	b.give(b.report("AY", 2, whole))
	b.wantClaim(b.practice, all[0][0].ID, claim.Rejected, "queued submitted rejected")
	b.wantClaim(b.practice, all[1][1].ID, claim.Rejected, "queued submitted rejected")
	if c := b.get(b.practice, all[1][1].ID); len(c.Findings) != 1 || !strings.Contains(c.Findings[0].Message, "clearinghouse") {
		t.Errorf("findings %+v", c.Findings)
	}
}

// TestPayerAsksOnce creates one payer request for a payer's repeated request,
// and another for a different one.
func TestPayerAsksOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, _ := b.accepted()
	for i, reference := range []string{"REF-1", "REF-1", "REF-2", "REF-1"} {
		b.clock.Advance(time.Second)
		b.give(b.request(b.practice, i+1, c, reference))
	}
	// However many have come since.
	b.in(b.practice, func(ctx context.Context, tx ports.Tx) error {
		for n := range 120 {
			b.clock.Advance(time.Second)
			now := b.clock.Now()
			err := tx.PayerRequests.Insert(ctx, &attachment.PayerRequest{
				ID: billing.NewID[billing.PayerRequestID](billing.RealAt(now)), Scope: c.Scope, State: attachment.PayerRequestOpen, Source: attachment.SourceNetwork,
				ClaimID: c.ID, Payer: c.Payer, ReferenceNumber: fmt.Sprint("LATER-", n), Requested: "All.", CreatedAt: now,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	b.give(b.request(b.practice, 5, c, "REF-1"))
	b.give(b.request(b.practice, 6, c, "LATER-60"))
	all := b.requests(b.practice)
	if len(all) != 122 {
		t.Errorf("%d payer requests, want 122", len(all))
	}
	all = all[len(all)-2:]
	if len(all) != 2 || all[0].ReferenceNumber != "REF-2" || all[1].ReferenceNumber != "REF-1" || all[1].ClaimID != c.ID {
		t.Errorf("payer requests %+v", all)
	}
	// About a claim that is not ours; the payer is known.
	unknown := b.claim(b.practice, "")
	b.clock.Advance(time.Second)
	b.give(b.request(b.practice, 10, unknown, "REF-1"))
	b.give(b.request(b.practice, 11, unknown, "REF-1"))
	all = b.requests(b.practice)
	if len(all) != 123 || !all[0].ClaimID.IsZero() || all[0].Payer.PayerID != quietPayer || b.story(b.practice, all[0].ID) != "payer_request.received" {
		t.Errorf("payer requests %+v", all)
	}
}

// TestRemittancesArePassedOn passes remittances on, and repeats them until they are
// imported.
func TestRemittancesArePassedOn(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.queue(b.practice, "-PAID-ERA")
	b.turn(1)
	if len(b.remitted) != 1 || len(b.quarantined()) > 0 {
		t.Errorf("remittances %v, in quarantine %d", b.remitted, len(b.quarantined()))
	}
}

// interchangeRejected returns a TA1 that rejects the file.
func (b *fixture) interchangeRejected(about *clearing.Batch, control int) clearing.IncomingFile {
	return b.interchange(about, control, "R", "024")
}

// interchange returns a TA1 about the file.
func (b *fixture) interchange(about *clearing.Batch, control int, code, note string) clearing.IncomingFile {
	f := acknowledgements.Functional{Interchanges: []acknowledgements.InterchangeVerdict{{Control: about.File.ControlNumbers.Interchange, Code: code, Note: note}}}
	f.Interchange, f.Group = b.envelope(control)
	return fileOf(control, acknowledgements.EncodeFunctional(&f))
}

// TestInterchangeRejected applies a TA1 that rejects a file.
func TestInterchangeRejected(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, sent := b.submitted(b.practice)
	rejected := b.give(b.interchangeRejected(sent, 1))
	if len(rejected) != 1 || rejected[0].Batch != sent.ID || !strings.Contains(strings.Join(rejected[0].Why, " "), "(024)") {
		t.Errorf("rejected is %+v", rejected)
	}
	if again := b.give(b.interchangeRejected(sent, 2)); len(again) != 0 {
		t.Errorf("rejected once more: %+v", again)
	}
	b.wantClaim(b.practice, c.ID, claim.Queued, "queued submitted queued")
	if f := b.batch(b.practice, sent.ID); f.Result != clearing.BatchRejected {
		t.Errorf("the batch is %+v", f)
	}
}
