package corenet_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

// TestStatusOfSimulator asks the payers of the simulator about claims, in each envelope.
func TestStatusOfSimulator(t *testing.T) {
	t.Parallel()
	config := simulator(t)
	for _, envelope := range []corenet.Envelope{corenet.SOAP220, corenet.MIME220, corenet.SOAPPhase4} {
		e, err := corenet.New(config(envelope))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		for member, want := range map[string]claimstatus.Outcome{"W1": claimstatus.NotFound, "W1-STATUS-NOT-FOUND": claimstatus.NotFound, "W1-STATUS-DOWN": claimstatus.Unavailable} {
			now := time.Now()
			q := network.StatusInquiry{
				Scope: billing.Scope{Mode: billing.ModeTest}, ID: billing.NewID[billing.StatusInquiryID](billing.RealAt(now)), Attempt: network.NewAttempt(), CreatedAt: now,
				Clock: network.ClockAt(now), Envelope: network.Envelope{Sender: network.End{Qualifier: "ZZ", ID: "MOLAR"}, Receiver: network.End{Qualifier: "ZZ", ID: "CH"}},
				Payer: directory.PayerSummary{PayerID: "CHTEST", Name: "Molar Test Payer"}, Office: coverage.InquiringOffice{Name: "Bright Smiles", NPI: "1234567893"},
				Claim: &claim.Claim{Content: claim.Content{
					Subscriber: claim.Subscriber{FirstName: "Sam", LastName: "Example", DateOfBirth: billing.Date{Year: 1984, Month: 2, Day: 29}, MemberID: member},
					Lines:      []claim.Line{{ProcedureCode: "D2740", ServiceDate: billing.DateOf(now).AddDays(-9), Fee: 1250_00}},
				}},
			}
			a, sent, err := edi.New().StatusOver(e.InquireStatus).AskStatus(t.Context(), q)
			if err != nil || a.Outcome != want || len(sent) == 0 || !strings.Contains(string(sent[0].Reply), "ST*277*") {
				t.Errorf("%s, %s: %s, %v, %d messages; want %s", envelope, member, a.Outcome, err, len(sent), want)
			}
		}
		if _, err := e.InquireStatus(t.Context(), []byte("hello")); err == nil {
			t.Error("a text was sent as a 276")
		}
	}
}

// TestStatusRefused reports a 999 in place of a 277.
func TestStatusRefused(t *testing.T) {
	t.Parallel()
	e, err := corenet.New(simulator(t, "core:999")(corenet.SOAP220))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	now := time.Now()
	q := network.StatusInquiry{
		ID: billing.StatusInquiryID{1}, Attempt: "A", CreatedAt: now, Clock: network.ClockAt(now), Envelope: network.Envelope{Sender: network.End{Qualifier: "ZZ", ID: "MOLAR"}},
		Claim: &claim.Claim{Content: claim.Content{Lines: []claim.Line{{ServiceDate: billing.DateOf(now)}}}},
	}
	_, sent, err := edi.New().StatusOver(e.InquireStatus).AskStatus(t.Context(), q)
	fault, is := errors.AsType[*network.Error](err)
	if !is || fault.Reason != network.ReasonRejected || len(sent) != 1 || !strings.Contains(string(sent[0].Reply), "ST*999*") {
		t.Errorf("%v, %d messages", err, len(sent))
	}
}
