package batches_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// setOptions gives the fixture's network options, in a document's form.
func (b *fixture) setOptions(document string) {
	b.t.Helper()
	options, faults := network.ReadOptions([]byte(document), nil, "")
	if len(faults) > 0 {
		b.t.Fatal(faults)
	}
	b.options = options
	b.service = b.build(b.store, b.network)
}

// TestBatchSize cuts several batches of at most as many claims as the network takes.
func TestBatchSize(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.setOptions(`{"batch_size": 2}`)
	b.queue(b.practice, "", "", "", "")
	b.cut(2)
	b.queue(b.practice, "", "", "")
	b.cut(2)
	var sizes []int
	all, _ := b.batches(b.practice)
	for _, f := range all {
		sizes = append(sizes, f.ClaimCount)
	}
	if slices.Sort(sizes); !slices.Equal(sizes, []int{1, 2, 2, 2}) {
		t.Errorf("batches of %v claims", sizes)
	}
}

// TestBatchSchedule cuts the claims that were queued before the last time of the
// network's schedule, and leaves later ones for the next.
func TestBatchSchedule(t *testing.T) {
	t.Parallel()
	b := newFixture(t) // at 05:06:07
	b.setOptions(`{"batch_schedule": {"every": "15m"}}`)
	early := b.queue(b.practice, "")[0]
	b.cut(0)
	b.clock.Advance(9 * time.Minute) // 05:15:07
	late := b.queue(b.practice, "")[0]
	b.cut(1)
	if first, second := b.get(b.practice, early.ID), b.get(b.practice, late.ID); first.BatchID.IsZero() || !second.BatchID.IsZero() {
		t.Errorf("batches %v and %v", first.BatchID, second.BatchID)
	}
	b.cut(0)
	b.clock.Advance(time.Hour) // past a time at which nothing ran
	b.cut(1)
}

// TestFileNames names batches by the network's pattern, each once.
func TestFileNames(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for _, c := range []struct{ pattern, first, second string }{
		{"OATEST_837D_{time}.{usage}", "OATEST_837D_20260304050607008.T", "OATEST_837D_20260304050607009.T"},
		{"LOGIN.{serial}.{date}.txt", "LOGIN.%s.20260304.txt", "LOGIN.%s.20260304.txt"},
	} {
		b.setOptions(`{"file_name": "` + c.pattern + `"}`)
		var names []string
		for _, want := range []string{c.first, c.second} {
			made := b.queue(b.practice, "")[0]
			b.cut(1)
			f := b.batch(b.practice, b.get(b.practice, made.ID).BatchID).File
			if strings.Contains(want, "%s") {
				want = fmt.Sprintf(want, f.ControlNumbers.Interchange)
			}
			if f.Name != want || slices.Contains(names, f.Name) {
				t.Errorf("%s: %s, want %s", c.pattern, f.Name, want)
			}
			names = append(names, f.Name)
		}
	}
	b.send()
	for name := range b.network.sent {
		if !strings.HasPrefix(name, "OATEST_837D_") && !strings.HasPrefix(name, "LOGIN.") {
			t.Errorf("the network has %s", name)
		}
	}
}

// TestFileNameTaken does not wait for a name that stays taken: the next cut has another
// serial number.
func TestFileNameTaken(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.setOptions(`{"file_name": "A{serial}"}`)
	b.in(b.practice, func(ctx context.Context, tx ports.Tx) error {
		serial, err := tx.Clearing.Serial(ctx)
		if err != nil {
			return err
		}
		other := clearing.NewBatch(b.scope, "another", serial, 1, billing.RealAt(b.clock.Now()), b.clock.Now())
		other.File.Name = fmt.Sprintf("A%09d", serial+1)
		_, err = tx.Batches.Insert(ctx, other, []byte("ISA"))
		return err
	})
	made := b.queue(b.practice, "")[0]
	if n, err := b.service.Cut(t.Context()); n != 0 || err == nil || !strings.Contains(err.Error(), "has the name") {
		t.Fatalf("%d batches, %v", n, err)
	}
	b.cut(1)
	if b.get(b.practice, made.ID).BatchID.IsZero() {
		t.Error("the claim is in no batch")
	}
}

// TestShortNumbers sends claims to a network that takes short numbers without dashes,
// and applies what comes back: by the number of the file, to the claim.
func TestShortNumbers(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.setOptions(`{"claim_number_length": 17, "claim_number_characters": "letters_digits"}`)
	fits, taken, refused := b.claim(b.practice, ""), b.claim(b.practice, ""), b.claim(b.practice, "-REJECTED")
	fits.PatientControlNumber = "FITS1"
	refused.PatientControlNumber = strings.Repeat("9", 20)
	b.keep(b.practice, fits, taken, refused)
	b.turn(1)
	_, content := b.batches(b.practice)
	var sent []string
	for _, file := range content {
		read, _, err := claims.Decode(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for i := range read[0].Claims {
			sent = append(sent, read[0].Claims[i].PatientControlNumber)
		}
	}
	for _, c := range []*claim.Claim{fits, taken, refused} {
		got := b.get(b.practice, c.ID)
		if got.PatientControlNumber != c.PatientControlNumber || !slices.Contains(sent, got.Numbers()[len(got.Numbers())-1]) {
			t.Errorf("the claim %+v is in the file as one of %v", got.Numbers(), sent)
		}
		if n := got.SubmittedNumber; (n == "") != (c == fits) || n != "" && (len(n) != 17 || strings.Contains(n, "-")) {
			t.Errorf("%s is submitted as %q", c.PatientControlNumber, n)
		}
	}
	b.wantClaim(b.practice, fits.ID, claim.AcceptedPayer, "queued submitted accepted accepted")
	b.wantClaim(b.practice, taken.ID, claim.AcceptedPayer, "queued submitted accepted accepted")
	b.wantClaim(b.practice, refused.ID, claim.Rejected, "queued submitted accepted rejected")
}

// TestInterchangeAccepted reads an accepted TA1. It proves that the file arrived. It is
// the verdict only of a network that sends no other.
func TestInterchangeAccepted(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{}`: "sent ", `{"acknowledgements": ["TA1", "999"]}`: "sent ", `{"acknowledgements": ["TA1", "277CA"]}`: "acknowledged accepted",
	} {
		b := newFixture(t)
		b.setOptions(document)
		c := b.queue(b.practice, "")[0]
		b.cut(1)
		id := b.get(b.practice, c.ID).BatchID
		b.give(b.interchange(b.batch(b.practice, id), 1, "A", "000"))
		f := b.batch(b.practice, id)
		if got := string(f.State) + " " + string(f.Result); got != want {
			t.Errorf("%s: %s, want %s", document, got, want)
		}
		if len(f.Acknowledgements) != 1 || f.Acknowledgements[0].Kind != clearing.AcknowledgementTA1 {
			t.Errorf("%s: acknowledgements %+v", document, f.Acknowledgements)
		}
		b.wantClaim(b.practice, c.ID, claim.Submitted, "queued submitted")
	}
}
