package edi

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// Codec writes and reads X12, version 005010. It implements ports.ClaimsEDI and ports.Origins.
type Codec struct {
	log *slog.Logger
}

var (
	_ ports.ClaimsEDI = (*Codec)(nil)
	_ ports.Origins   = (*Codec)(nil)
)

// New returns a Codec that logs nothing.
func New() *Codec { return NewLogging(slog.New(slog.DiscardHandler)) }

// NewLogging returns a Codec that logs the harmless faults of incoming messages.
func NewLogging(log *slog.Logger) *Codec { return &Codec{log} }

// warned logs each reason of a decoder's warnings once, with the position of the
// first. A warning has no data of the message.
func (c *Codec) warned(message, name string, warnings []x12.Warning) {
	for i, w := range warnings {
		if !slices.ContainsFunc(warnings[:i], func(o x12.Warning) bool { return o.Reason == w.Reason }) {
			c.log.Warn("an incoming message has a harmless fault", "message", message, "name", name, "segment", w.Segment, "reason", w.Reason)
		}
	}
}

// The errors for an unusable reply, in addition to those of the x12 codecs.
var (
	errNoReply     = errors.New("edi: there is no reply to read")
	errSaysNothing = errors.New("edi: the 271 has neither benefits nor a rejection in any segment")
	errTooLong     = errors.New("edi: the 271 has more benefits (EB) than any reply about one patient")
	errForeign     = errors.New("the trace numbers (TRN) of the patient belong to another inquiry")
)

// maxRows bounds the EBs of one check, because the time to combine them grows with
// the square of their number. The longest public dental reply has 270.
const maxRows = 2000

// Answer reads the 271s of one check. If the first reply is unusable, Answer returns
// its error. Each later reply is about one other question. Answer skips it if it is
// unusable, belongs to another inquiry or is a rejection. The caller sets Network
// and LatencyMS.
func (c *Codec) Answer(q network.Inquiry, replies [][]byte) (coverage.CheckResponse, error) {
	if len(replies) == 0 {
		return coverage.CheckResponse{}, errNoReply
	}
	main, err := c.read(q, replies[0])
	if err != nil {
		return coverage.CheckResponse{}, err
	}
	member := patientOf(q, main)
	if rejection := rejectionOf(q, main, member); rejection != nil {
		outcome := coverage.OutcomeRejected
		if rejection.Kind == coverage.RejectionPayerUnavailable {
			outcome = coverage.OutcomePayerUnavailable
		}
		return coverage.CheckResponse{Outcome: outcome, Rejection: rejection}, nil
	}
	if member == nil {
		return coverage.CheckResponse{}, errSaysNothing
	}
	if len(member.Benefits) > maxRows {
		return coverage.CheckResponse{}, errTooLong
	}
	a := newAnswer(q, main, member)
	for _, b := range replies[1:] {
		more, err := c.read(q, b)
		if err != nil {
			continue
		}
		if m := patientOf(q, more); answers(m) && len(a.rows)+len(m.Benefits) <= maxRows {
			a.add(m)
		}
	}
	return coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: a.benefits()}, nil
}

// read decodes a reply and verifies that it belongs to the check. A trace of type 2
// repeats the inquiry's trace number, so read rejects a reply whose type 2 traces
// all differ from it. Type 1 traces are the payer's own. Payers may omit traces, so
// a reply without any passes. By the network's options any trace passes, because the
// reply came for the request.
func (c *Codec) read(q network.Inquiry, b []byte) (*eligibility.Reply, error) {
	r, err := eligibility.Decode(b)
	if err != nil {
		return nil, err
	}
	c.warned("271", q.CheckID.String(), r.Warnings)
	foreign := 0
	ours := traceBase(q.CheckID)
	for _, m := range []*eligibility.Member{r.Subscriber, r.Dependent} {
		if m == nil {
			continue
		}
		for _, t := range m.Traces {
			switch number := strings.ToUpper(strings.TrimSpace(t.Number)); {
			case strings.HasPrefix(number, ours):
				return r, nil
			case t.Type == "2" && foreign == 0 && !q.Options.TraceByExchange:
				foreign = max(m.Segment, 1)
			}
		}
	}
	if foreign > 0 {
		return nil, fmt.Errorf("edi: segment %d: %w", foreign, errForeign)
	}
	return r, nil
}

// patientOf returns the loop with the patient's benefits, or nil if no loop has an
// EB. If a dependent has their own member ID, payers use the subscriber's loop. A
// dependent's loop never holds a subscriber's benefits: see rejectionOf.
func patientOf(q network.Inquiry, r *eligibility.Reply) *eligibility.Member {
	candidates := []*eligibility.Member{r.Subscriber}
	if q.Inquiry.Patient != nil {
		candidates = []*eligibility.Member{r.Dependent}
		if r.Dependent == nil || len(r.Dependent.Rejections) == 0 {
			candidates = append(candidates, r.Subscriber)
		}
	}
	if i := slices.IndexFunc(candidates, answers); i >= 0 {
		return candidates[i]
	}
	if i := slices.IndexFunc(candidates, func(m *eligibility.Member) bool { return m != nil && len(m.Benefits) > 0 }); i >= 0 {
		return candidates[i]
	}
	return nil
}

// answers reports whether the loop states benefits. An EB that has only a
// disclaimer or a contact does not count.
func answers(m *eligibility.Member) bool {
	return m != nil && slices.ContainsFunc(m.Benefits, func(b eligibility.Benefit) bool {
		switch b.Code {
		case "", "L", "P", "R", "U", "V", "W", "X":
			return false
		default:
			return true
		}
	})
}
