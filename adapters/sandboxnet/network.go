// Package sandboxnet simulates the payers and their networks in test mode. It
// speaks real X12: it decodes the 270 that it is sent and answers with the
// bytes of a 271, so that test mode takes the very path that a clearinghouse
// will.
//
// What a payer answers is decided by the ending of the subscriber's member ID;
// the table in scenarios.go has every ending for inquiries. Nothing is kept
// between calls, and the same inquiry always gets the same answer.
//
// Attachments are checked and accepted, unless the narrative asks for trouble;
// see scenarioOf. Between their steps a transmission is kept in memory.
//
// A file of claims (837) is read, and what comes back for it waits in the mail
// (Mail) until it is due: a 997 after 0.3 seconds, a 277CA
// of the clearinghouse after 0.6 and one of each payer after 1 second, and, one
// ERA delay after that, an 835 of each payer for each payee. What comes of a
// claim is decided by the ending of the subscriber's member ID; the table in
// claimscenarios.go has every ending:
//
//	-REJECTED        the payer rejects the claim: it does not know the member ID
//	-BATCH-REJECTED  the 997 rejects the file, the first time it has the claim
//	-INFO-REQUEST    the payer asks for a document 5 seconds after it has
//	                 accepted the claim (277, 005010X213), and wants it in 30 days
//	-PAID-ERA        paid in part: 80 percent of the fee are allowed, the patient
//	                 owes 20 percent of those
//	-DENIED          denied; the patient owes nothing
//	-REVERSED        paid as -PAID-ERA; one ERA delay later an 835 takes it back,
//	                 and what it leaves owing is forwarded to the next payment
//	-UNBALANCED      paid as -PAID-ERA, in an 835 of its own that says of a line
//	                 and of the claim 1.00 more than adds up
//	-ESTIMATE        a predetermination is estimated as -PAID-ERA pays
//
// A member ID with none of them has its claim paid in full by the test payer,
// CHTEST; other payers accept it, and nothing more is heard. Predeterminations
// are never paid: what would be is an estimate, and nothing is reversed. Claims
// with -ESTIMATE are claims with no ending. A void is accepted, whatever the
// member ID says, and brings no 835. A replacement is decided like a new claim,
// under the payer's number of the one that it replaces. What the payer decided to
// pay under that number before is remembered for 90 days, and the 835 takes it
// back just before it tells the new decision; not so what it takes back anyway
// (-REVERSED), what nobody can post (-UNBALANCED), and a denial, which has paid
// nothing. A replacement that is not decided takes nothing back.
package sandboxnet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// errNetworkDown is what -NETWORK-ERROR asks for.
var errNetworkDown = errors.New("sandboxnet: the network failed, as the member ID asked for")

// Eligibility answers inquiries for every payer.
type Eligibility struct {
	clock ports.Clock
}

var _ ports.EligibilityNetwork = (*Eligibility)(nil)

// NewEligibility makes the network. The clock decides when a slow answer is
// there.
func NewEligibility(clock ports.Clock) *Eligibility { return &Eligibility{clock: clock} }

// Name is the name of the sandbox's networks.
const Name = "sandbox"

// look is how often the sandbox is asked for files.
const look = 200 * time.Millisecond

// Networks returns the sandbox as it is wired: its payers, which take inquiries
// and attachments under their own payer IDs, and its clearinghouse, which takes
// files of claims for all of them. The clock decides when what comes back is
// there.
func Networks(clock ports.Clock, mail Mail, o Options) []*ports.Network {
	route := billing.Route{Mode: billing.ModeTest}
	sender := billing.EnvelopeEnd{Qualifier: "ZZ", ID: "MOLAR"}
	return []*ports.Network{
		{
			Name: Name, Route: route, Envelope: billing.Envelope{Sender: sender},
			Eligibility: NewEligibility(clock), Attachments: NewAttachments(clock),
		},
		{
			Name: Name, Route: route, Poll: look,
			Envelope: billing.Envelope{Sender: sender, Receiver: billing.EnvelopeEnd{Qualifier: "ZZ", ID: "CLEARINGHOUSE"}},
			Claims:   NewClearinghouse(clock, mail, o),
		},
	}
}

// Inquire answers a 270 with a 271. A slow answer is there as many seconds
// after the time in the 270's BHT as the member ID says; before that the error
// is a *billing.LaterError. What is no 270 is an error.
func (e *Eligibility) Inquire(ctx context.Context, request []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q, err := eligibility.DecodeInquiry(request)
	if err != nil {
		return nil, fmt.Errorf("sandboxnet: %w", err)
	}
	s, wait := find(q.Subscriber.Name.ID)
	if until := q.CreatedAt.Add(wait); e.clock.Now().Before(until) && wait > 0 {
		return nil, &billing.LaterError{Until: until}
	}
	switch {
	case s.fails:
		return nil, errNetworkDown
	case s.raw != "":
		return []byte(s.raw), nil
	}
	a := newAnswer(q, wait)
	s.answer(a)
	return eligibility.Encode(&a.reply), nil
}

// mostBenefits is room for the EBs of the longest answer that names no
// procedures of its own.
const mostBenefits = 64

// answer is a reply in the making.
type answer struct {
	inquiry *eligibility.Inquiry
	date    billing.Date // of service: everything in the answer is relative to it
	reply   eligibility.Reply
}

// newAnswer repeats of the inquiry what a payer repeats: the parties, the
// reference and the trace number.
func newAnswer(q *eligibility.Inquiry, wait time.Duration) *answer {
	a := &answer{inquiry: q, date: serviceDate(q)}
	i, g := q.Interchange, q.Group
	i.Sender, i.SenderQualifier, i.Receiver, i.ReceiverQualifier = i.Receiver, i.ReceiverQualifier, i.Sender, i.SenderQualifier
	g.Sender, g.Receiver = g.Receiver, g.Sender
	source, receiver := q.Payer, eligibility.Party{Name: q.Provider.Name}
	source.Contacts = []eligibility.Contact{help()}
	a.reply = eligibility.Reply{
		Interchange: i, Group: g, Reference: q.Reference, CreatedAt: q.CreatedAt.Add(wait),
		Source: &source, Receiver: &receiver,
		Subscriber: &eligibility.Member{Party: q.Subscriber},
	}
	a.reply.Subscriber.Dates = nil
	if q.Dependent != nil {
		a.reply.Dependent = &eligibility.Member{Party: *q.Dependent}
		a.reply.Dependent.Dates = nil
	}
	p := a.reply.Patient()
	p.Traces, p.Benefits = a.traces(), make([]eligibility.Benefit, 0, mostBenefits)
	return a
}

func help() eligibility.Contact {
	return eligibility.Contact{Function: "IC", Name: "Sandbox Help", Numbers: []eligibility.Number{{Qualifier: "TE", Value: "8005550100"}}}
}

// serviceDate is the inquiry's; without one it is the day of the inquiry.
func serviceDate(q *eligibility.Inquiry) billing.Date {
	for _, d := range q.Patient().Dates {
		if from, _, ok := d.Span(); ok {
			return from
		}
	}
	return billing.DateOf(q.CreatedAt)
}

// reject answers with an AAA and nothing else. The loops below the one that
// has it are left out, as a payer that stops there does.
func (a *answer) reject(loop, reason, followUp string) {
	r := &a.reply
	aaa := []eligibility.Rejection{{Loop: loop, Valid: "N", Reason: reason, FollowUp: followUp}}
	switch loop {
	case payerLoop:
		r.Source.Rejections, r.Receiver, r.Subscriber, r.Dependent = aaa, nil, nil, nil
	case providerLoop:
		r.Receiver.Rejections, r.Subscriber, r.Dependent = aaa, nil, nil
	case subscriberLoop:
		r.Subscriber.Rejections, r.Dependent = aaa, nil
		if r.Subscriber.Traces == nil {
			r.Subscriber.Traces = a.traces()
		}
	case patientLoop:
		r.Dependent.Rejections = aaa
	}
}

// traces are the inquiry's, as a reply repeats them: type 2 says whose they are.
func (a *answer) traces() []eligibility.Trace {
	var all []eligibility.Trace
	for _, t := range a.inquiry.Patient().Traces {
		t.Type = "2"
		all = append(all, t)
	}
	return all
}

// rejectPerson is reject in the loop of whom the inquiry is about, with the
// dependent's code where that is another.
func (a *answer) rejectPerson(reason, dependentReason, followUp string) {
	if a.inquiry.Dependent != nil {
		a.reject(patientLoop, dependentReason, followUp)
		return
	}
	a.reject(subscriberLoop, reason, followUp)
}
