package batches_test

import (
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/billing"
)

// submitted makes a claim of the practice that is out in a batch of its own.
func (b *bench) submitted(p *practice) (*billing.Claim, *billing.Batch) {
	b.t.Helper()
	c := b.queue(p, "")[0]
	b.cut(1)
	b.send()
	return c, b.batch(p, b.get(p, c.ID).BatchID)
}

// TestOneFileForSeveralOrganizations gives everybody what is theirs, and sets
// aside the file for what is nobody's. It comes again after the process died
// between two of them.
func TestOneFileForSeveralOrganizations(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	second, third := b.newPractice("1679576722"), b.newPractice("1003000126")
	one, oneFile := b.submitted(b.practice)
	two, _ := b.submitted(second)
	three, threeFile := b.submitted(third)
	f := b.report("PR", 1,
		b.about(b.practice, oneFile, said{control: one.PatientControlNumber, category: "A2"}),
		b.about(second, nil, said{control: two.PatientControlNumber, category: "A2"}), // by its NPI
		b.about(&practice{office: &billing.Office{NPI: "1902809049"}}, nil, said{control: one.PatientControlNumber, category: "A7"}),
		b.about(b.practice, threeFile, said{control: three.PatientControlNumber, category: "A7"}), // the batch counts, not the NPI
	)
	for commit := range 3 {
		dies(func() {
			_, _ = b.build(fatedStore{b.store, &fate{only: "InTx", at: commit, how: diesAfter}}, inbox{b.network, []billing.IncomingFile{f}}).Receive(t.Context())
		})
	}
	b.give(f, f)
	b.told(b.practice, one.ID, billing.ClaimAcceptedPayer, "queued submitted accepted")
	b.told(second, two.ID, billing.ClaimAcceptedPayer, "queued submitted accepted")
	b.told(third, three.ID, billing.ClaimRejected, "queued submitted rejected")
	aside := b.quarantined()
	if len(aside) != 1 || aside[0].Name != f.Name || !strings.HasPrefix(aside[0].Reason, "1 of the parts") {
		t.Errorf("in quarantine: %+v", aside)
	}
}

// TestStrays sets files aside that cannot be read, or are nobody's.
func TestStrays(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	twin := b.newPractice(b.office.NPI)
	c, sent := b.submitted(b.practice)
	nobodys := *sent
	nobodys.File.ControlNumbers = billing.ControlNumbers{Interchange: "987654321", Group: "987654321", Transaction: "987654321"}
	for i, f := range []billing.IncomingFile{
		{Name: "empty"},
		{Name: "page", Content: []byte("<html>Jane Doe</html>")},
		{Name: "claims", Content: []byte(b.network.sent[sent.File.Name])},
		{Name: "half", Content: b.functional(sent, "R", 1).Content[:150]},
		b.functional(&nobodys, "R", 2),
		b.report("PR", 3, b.about(twin, nil, said{control: c.PatientControlNumber, category: "A7"})),                                 // two organizations have the NPI
		b.report("PR", 4, b.about(&practice{office: &billing.Office{}}, nil, said{control: c.PatientControlNumber, category: "A7"})), // none is named
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
	b.told(b.practice, c.ID, billing.ClaimSubmitted, "queued submitted")
	if f := b.batch(b.practice, sent.ID); f.State != billing.BatchSent {
		t.Errorf("the batch is %s", f.State)
	}
}

// TestSameNumbersOfTwoOrganizations keeps claims apart that have one control
// number.
func TestSameNumbersOfTwoOrganizations(t *testing.T) {
	t.Parallel()
	b := newBench(t)
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
	b.told(b.practice, mine.ID, billing.ClaimSubmitted, "queued submitted")
	b.told(other, theirs.ID, billing.ClaimRejected, "queued submitted rejected")
}

// TestRejectionOfALevel has a 277CA reject all claims of a batch, or of one
// provider in it, without naming them.
func TestRejectionOfALevel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	branch := &practice{scope: b.scope, provider: b.provider}
	branch.office = b.newOffice(b.scope, "1679576722")
	all := [][]*billing.Claim{b.queue(b.practice, "", ""), b.queue(branch, "", "")}
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
		b.told(b.practice, c.ID, billing.ClaimRejected, "queued submitted rejected")
	}
	b.told(b.practice, all[1][0].ID, billing.ClaimAcceptedPayer, "queued submitted accepted")
	b.told(b.practice, all[1][1].ID, billing.ClaimSubmitted, "queued submitted")

	whole := b.about(b.practice, sent)
	whole.Providers, whole.Statuses = nil, b.status("A8")
	b.give(b.report("AY", 2, whole))
	b.told(b.practice, all[0][0].ID, billing.ClaimRejected, "queued submitted rejected")
	b.told(b.practice, all[1][1].ID, billing.ClaimRejected, "queued submitted rejected")
	if c := b.get(b.practice, all[1][1].ID); len(c.Findings) != 1 || !strings.Contains(c.Findings[0].Message, "clearinghouse") {
		t.Errorf("findings %+v", c.Findings)
	}
}

// TestPayerAsksOnce makes one payer request of what a payer asks for, however
// often it does, and one more when it asks for something else.
func TestPayerAsksOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c, _ := b.accepted()
	for i, reference := range []string{"REF-1", "REF-1", "REF-2", "REF-1"} {
		b.clock.advance(time.Second)
		b.give(b.request(b.practice, i+1, c, reference))
	}
	all := b.requests(b.practice)
	if len(all) != 2 || all[0].ReferenceNumber != "REF-2" || all[1].ReferenceNumber != "REF-1" || all[1].ClaimID != c.ID {
		t.Errorf("payer requests %+v", all)
	}
	// About a claim that is not ours; the payer is known.
	nobodys := b.claim(b.practice, "")
	b.clock.advance(time.Second)
	b.give(b.request(b.practice, 10, nobodys, "REF-1"))
	b.give(b.request(b.practice, 11, nobodys, "REF-1"))
	all = b.requests(b.practice)
	if len(all) != 3 || !all[0].ClaimID.IsZero() || all[0].Payer.PayerID != quietPayer || b.story(b.practice, all[0].ID) != "payer_request.received" {
		t.Errorf("payer requests %+v", all)
	}
}

// TestRemittancesGoOn passes remittances on, and gives them again until they
// are taken.
func TestRemittancesGoOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.queue(b.practice, "-PAID-ERA")
	b.turn(1)
	if len(b.remitted) != 1 || len(b.quarantined()) > 0 {
		t.Errorf("remittances %v, in quarantine %d", b.remitted, len(b.quarantined()))
	}
}

// interchangeRejected is a TA1 that rejects the file.
func (b *bench) interchangeRejected(about *billing.Batch, control int) billing.IncomingFile {
	f := acknowledgements.Functional{Interchanges: []acknowledgements.InterchangeVerdict{{Control: about.File.ControlNumbers.Interchange, Code: "R", Note: "024"}}}
	f.Interchange, f.Group = b.envelope(control)
	return fileOf(control, acknowledgements.EncodeFunctional(&f))
}

// TestInterchangeRejected takes a TA1 for what it says.
func TestInterchangeRejected(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c, sent := b.submitted(b.practice)
	rejected := b.give(b.interchangeRejected(sent, 1))
	if len(rejected) != 1 || rejected[0].Batch != sent.ID || !strings.Contains(strings.Join(rejected[0].Why, " "), "(024)") {
		t.Errorf("rejected is %+v", rejected)
	}
	if again := b.give(b.interchangeRejected(sent, 2)); len(again) != 0 {
		t.Errorf("told once more: %+v", again)
	}
	b.told(b.practice, c.ID, billing.ClaimQueued, "queued submitted queued")
	if f := b.batch(b.practice, sent.ID); f.Result != billing.BatchRejected {
		t.Errorf("the batch is %+v", f)
	}
}
