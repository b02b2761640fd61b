// Package sandboxnet simulates the payers and their networks in test mode. It
// speaks real X12: it decodes a 270 and returns the bytes of a 271, so that
// test mode runs the same code as live mode.
//
// The ending of the subscriber's member ID selects the payer's reply; the table
// in scenarios.go lists the endings for inquiries. No state is kept between
// calls, and the same inquiry always gets the same reply.
//
// Attachments are checked and accepted, unless the narrative selects a failure;
// see scenarioOf. A transmission is kept in memory until its commit.
//
// Send reads a file of claims (837) and puts the messages about it into the
// mail (Mail) until they are due: a 997 after 0.3 seconds, a 277CA of the
// clearinghouse after 0.6 and one of each payer after 1 second. One ERA delay
// later follows an 835 of each payer for each payee. The ending of the
// subscriber's member ID decides a claim; the table in claimscenarios.go has
// all endings, of which these are the main ones:
//
//	-REJECTED        the payer rejects the claim for an unknown member ID
//	-BATCH-REJECTED  the 997 rejects the file, the first time it has the claim
//	-INFO-REQUEST    the payer asks for a document 5 seconds after it has
//	                 accepted the claim (277, 005010X213), due in 30 days
//	-PAID-ERA        paid in part: 80 percent of the fee are allowed, and the
//	                 patient owes 20 percent of that
//	-DENIED          denied; the patient owes nothing
//	-REVERSED        paid like -PAID-ERA; one ERA delay later an 835 reverses it,
//	                 and its negative balance is forwarded to the next payment
//	-UNBALANCED      paid like -PAID-ERA, in a separate 835 in which the payments
//	                 of a line and of the claim are 1.00 too high
//	-ESTIMATE        a predetermination is estimated like -PAID-ERA
//	-STATUS-...      paid in full; when the payer is asked where the claim is, it
//	                 finds none (-NOT-FOUND), asks for documents (-REQUESTED), or
//	                 cannot respond (-DOWN)
//
// Without an ending, the test payer, CHTEST, pays a claim in full; other payers
// accept it and send nothing more. Predeterminations are never paid or
// reversed: they get an estimate of the payment. A claim with -ESTIMATE is
// decided like one without an ending. A void is always accepted and has no 835.
// A replacement is decided like a new claim, under the payer's number of the
// original. The payer remembers for 90 days what it decided to pay under that
// number, and the 835 reverses that payment just before the new decision. Some
// payments are not reversed this way: one that is reversed anyway (-REVERSED),
// one that cannot be posted (-UNBALANCED), and a denial, which paid nothing. A
// replacement without a decision reverses nothing.
//
// Simulate writes the message of a step that a developer asks for, and takes the claim out
// of the messages that wait; see ADR 117.
package sandboxnet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/ports"
)

// errNetworkDown is the error of -NETWORK-ERROR.
var errNetworkDown = errors.New("sandboxnet: the network failed, as the member ID asked for")

// Eligibility replies to inquiries for every payer.
type Eligibility struct {
	clock ports.Clock
}

var _ ports.Inquire = (*Eligibility)(nil).Inquire

// NewEligibility returns the network. The clock decides when a slow reply is
// due.
func NewEligibility(clock ports.Clock) *Eligibility { return &Eligibility{clock: clock} }

// Name is the name of the sandbox's networks.
const Name = "sandbox"

// pollInterval is the time between two receipts of files.
const pollInterval = 200 * time.Millisecond

// Networks returns the sandbox's networks: its payers, which accept inquiries
// and attachments under their own payer IDs, and its clearinghouse, which
// accepts files of claims for all payers. Over asks in the 270s that the payers
// take. The clock decides when a message is due.
func Networks(over func(ports.Inquire) ports.Eligibility, clock ports.Clock, mail Mail, o Options) []*ports.Network {
	route := network.Route{Mode: billing.ModeTest}
	sender := network.End{Qualifier: "ZZ", ID: "MOLAR"}
	house := NewClearinghouse(clock, mail, o)
	payer := &ports.Network{
		Name: Name, Route: route, Envelope: network.Envelope{Sender: sender},
		Eligibility: patient{over, o.Own}, Attachments: NewAttachments(clock),
	}
	if o.Sent != nil {
		payer.ClaimStatus = payers{o}
	}
	return []*ports.Network{
		payer,
		{
			Name: Name, Route: route, Poll: pollInterval,
			Envelope: network.Envelope{Sender: sender, Receiver: network.End{Qualifier: "ZZ", ID: "CLEARINGHOUSE"}},
			Claims:   house, Replies: house,
		},
	}
}

// patient lets slow payers reply in real time: a clock of the sandbox that stands, or is
// ahead, changes nothing.
type patient struct {
	over func(ports.Inquire) ports.Eligibility
	own  Own // nil for none
}

// Ask asks a payer. A slow reply is due as many seconds after the check was made as the
// member ID states. Before that the error is a *billing.LaterError.
func (p patient) Ask(ctx context.Context, q network.Inquiry) (coverage.CheckResponse, []coverage.Exchange, error) {
	_, wait := find(q.Inquiry.Subscriber.MemberID)
	if until := q.Asked.Add(wait); q.Clock.Now().Before(until) && wait > 0 {
		return coverage.CheckResponse{}, nil, &billing.LaterError{Until: until}
	}
	own, err := p.scenario(ctx, q)
	if err != nil {
		return coverage.CheckResponse{}, nil, err
	}
	return p.over(func(ctx context.Context, request []byte) ([]byte, error) {
		q, _, err := read(ctx, request)
		if err != nil {
			return nil, err
		}
		return replyTo(q, own)
	}).Ask(ctx, q)
}

// scenario returns the organization's own scenario for the member ID; nil if there is
// none. It does not look for one if no longer ending could match than that of the sandbox.
func (p patient) scenario(ctx context.Context, q network.Inquiry) (*scenario.Own, error) {
	endings := scenario.Endings(q.Inquiry.Subscriber.MemberID)
	if p.own == nil || len(endings) == 0 {
		return nil, nil // there may be none
	}
	for _, s := range scenarios {
		if length, _ := s.match(endings[0]); length == len(endings[0]) {
			return nil, nil // as above
		}
	}
	own, err := p.own(ctx, q.Scope, scenario.Eligibility, endings)
	if own != nil && longest(endings[0]) > len(own.Ending) {
		own = nil
	}
	return own, err
}

// Inquire returns the 271 for a 270. A slow reply is due as many seconds after
// the time in the 270's BHT as the member ID states. Before that the error is a
// *billing.LaterError. A request that is not a 270 is an error.
func (e *Eligibility) Inquire(ctx context.Context, request []byte) ([]byte, error) {
	q, wait, err := read(ctx, request)
	if err != nil {
		return nil, err
	}
	if until := q.CreatedAt.Add(wait); e.clock.Now().Before(until) && wait > 0 {
		return nil, &billing.LaterError{Until: until}
	}
	return replyTo(q, nil)
}

// read reads a 270, and how long its payer takes.
func read(ctx context.Context, request []byte) (*eligibility.Inquiry, time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	q, err := eligibility.DecodeInquiry(request)
	if err != nil {
		return nil, 0, fmt.Errorf("sandboxnet: %w", err)
	}
	_, wait := find(q.Subscriber.Name.ID)
	return q, wait, nil
}

// replyTo returns the 271 of the organization's own scenario, or of the sandbox's.
func replyTo(q *eligibility.Inquiry, own *scenario.Own) ([]byte, error) {
	s, wait := find(q.Subscriber.Name.ID)
	switch {
	case own != nil:
		a := newAnswer(q, 0)
		err := a.stored(own)
		return eligibility.Encode(&a.reply), err
	case s.fails:
		return nil, errNetworkDown
	case s.raw != "":
		return []byte(s.raw), nil
	}
	a := newAnswer(q, wait)
	s.answer(a)
	return eligibility.Encode(&a.reply), nil
}

// mostBenefits is the capacity for the EBs of the longest reply without
// procedures.
const mostBenefits = 64

// answer builds a reply.
type answer struct {
	inquiry *eligibility.Inquiry
	date    billing.Date // of service; all other dates are relative to it
	reply   eligibility.Reply
}

// newAnswer starts a reply with the parties, the reference and the trace number
// of the inquiry.
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

// serviceDate returns the service date of the inquiry, or else the day of the
// inquiry.
func serviceDate(q *eligibility.Inquiry) billing.Date {
	for _, d := range q.Patient().Dates {
		if from, _, ok := d.Span(); ok {
			return from
		}
	}
	return billing.DateOf(q.CreatedAt)
}

// reject adds an AAA and drops the loops below it, as a payer does that stops
// there.
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

// traces returns the traces of the inquiry as type 2, which marks them as the
// sender's.
func (a *answer) traces() []eligibility.Trace {
	var all []eligibility.Trace
	for _, t := range a.inquiry.Patient().Traces {
		t.Type = "2"
		all = append(all, t)
	}
	return all
}

// rejectPerson rejects in the patient's loop, with the dependent's code if the
// patient is a dependent.
func (a *answer) rejectPerson(reason, dependentReason, followUp string) {
	if a.inquiry.Dependent != nil {
		a.reject(patientLoop, dependentReason, followUp)
		return
	}
	a.reject(subscriberLoop, reason, followUp)
}
