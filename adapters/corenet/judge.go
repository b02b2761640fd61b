package corenet

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/adapters/x12/statusrequest"
	"github.com/molar-billing/molar/core/billing/network"
)

// inquiry is what identifies a 270.
type inquiry struct {
	reference string   // BHT03
	traces    []string // TRN02
	members   []person
}

func inquiryOf(request []byte) (inquiry, error) {
	q, err := eligibility.DecodeInquiry(request)
	if err != nil {
		return inquiry{}, fmt.Errorf("corenet: the request is no 270: %w", err)
	}
	ours := inquiry{reference: q.Reference}
	for _, t := range q.Patient().Traces {
		ours.traces = append(ours.traces, t.Number)
	}
	ours.members = append(ours.members, personOf(&q.Subscriber))
	if q.Dependent != nil {
		ours.members = append(ours.members, personOf(q.Dependent))
	}
	return ours, nil
}

// judge returns the 271 of a reply. What comes in place of one is an error; a 999 or
// a TA1 is returned with it.
func (e *Eligibility) judge(ours inquiry, payloadID string, r *reply) ([]byte, error) {
	x12, beside, err := r.interchange()
	if err != nil {
		return nil, err
	}
	response, err := eligibility.Decode(x12)
	if err != nil {
		if refused := rejection(x12); refused != "" {
			return x12, fault(network.ReasonRejected, "the network rejected the inquiry: %s%s", refused, beside)
		}
		return nil, fault(network.ReasonProtocol, "the payload is no 271: %w%s", err, beside)
	}
	if other := e.contradiction(ours, payloadID, r, response); other != "" {
		return nil, fault(network.ReasonMismatch, "the reply belongs to another inquiry: its %s is not ours", other)
	}
	return x12, nil
}

// judgeStatus returns the 277 of a reply, as judge returns a 271. Which of its claims belong
// to the inquiry is for its reader: it may have several.
func (e *Eligibility) judgeStatus(payloadID string, r *reply) ([]byte, error) {
	x12, beside, err := r.interchange()
	if err != nil {
		return nil, err
	}
	if _, _, err := statusrequest.DecodeResponse(x12); err != nil {
		if refused := rejection(x12); refused != "" {
			return x12, fault(network.ReasonRejected, "the network rejected the inquiry about a claim: %s%s", refused, beside)
		}
		return nil, fault(network.ReasonProtocol, "the payload is no 277 that responds to an inquiry: %w%s", err, beside)
	}
	if !e.config.PayloadIDByExchange && r.payloadID != "" && !strings.EqualFold(r.payloadID, payloadID) {
		return nil, fault(network.ReasonMismatch, "the reply belongs to another inquiry: its PayloadID is not ours")
	}
	return x12, nil
}

// interchange returns the X12 of a reply, and what the envelope says beside it.
func (r *reply) interchange() (x12 []byte, beside string, err error) {
	if err := r.refusal(); err != nil {
		return nil, "", err
	}
	x12, form := unwrap(r.payload)
	if r.errorCode != "" {
		beside = ", and the error code is " + word(r.errorCode)
	}
	if x12 == nil && r.errorCode != "" && !strings.EqualFold(r.errorCode, "Success") {
		return nil, "", fault(network.ReasonRefused, "the network refused the request with the error code %s", word(r.errorCode))
	}
	if x12 == nil {
		return nil, "", fault(network.ReasonProtocol, "the payload is %s%s", form, beside)
	}
	return x12, beside, nil
}

// refusal returns the error of a reply that cannot have a response.
func (r *reply) refusal() error {
	switch {
	case isUnauthorized(r.errorCode):
		return unauthorized("error code " + word(r.errorCode))
	case isUnauthorized(r.fault):
		return unauthorized("SOAP fault " + r.fault)
	case r.status == 401 || r.status == 403:
		return unauthorized(fmt.Sprintf("HTTP status %d", r.status))
	case r.fault != "":
		return fault(network.ReasonRefused, "the network refused the request with the SOAP fault %s", r.fault)
	case r.status/100 == 3:
		return fault(network.ReasonRefused, "HTTP status %d: the network redirects elsewhere, which is not followed", r.status)
	case r.status/100 != 2 && r.errorCode != "":
		return fault(network.ReasonRefused, "HTTP status %d with the error code %s", r.status, word(r.errorCode))
	case r.status/100 != 2:
		return fault(network.ReasonRefused, "HTTP status %d", r.status)
	default:
		return nil
	}
}

// isUnauthorized reports whether one of the codes is about the sign-in: that of CORE,
// or those of WS-Security.
func isUnauthorized(codes string) bool {
	for each := range strings.FieldsSeq(strings.ToLower(codes)) {
		switch each {
		case "unauthorized", "notauthorized", "accessdenied", "failedauthentication", "failedcheck", "invalidsecurity", "invalidsecuritytoken":
			return true
		}
	}
	return false
}

// rejection describes a 999, a 997 or a TA1 by its codes; it is empty for anything
// else. Values and contexts in it may be patient data.
func rejection(x12 []byte) string {
	f, _, err := acknowledgements.DecodeFunctional(bytes.NewReader(x12))
	if err != nil {
		return ""
	}
	var all []string
	for _, i := range f.Interchanges {
		all = append(all, "TA1 "+word(i.Code)+" note "+word(i.Note))
	}
	for _, g := range f.Groups {
		all = append(all, "999 "+word(g.Code))
		for _, s := range g.Sets {
			for _, at := range s.Segments {
				text := fmt.Sprintf("segment %s at %d: %s", word(at.ID), at.Position, word(at.Code))
				for _, el := range at.Elements {
					text += fmt.Sprintf(", element %d: %s", el.Position, word(el.Code))
				}
				all = append(all, text)
			}
		}
	}
	const most = 8
	return strings.Join(all[:min(len(all), most)], "; ")
}

// contradiction returns what in the reply is not ours. The exchange comes first: it has
// a PayloadID. Then BHT03, which a payer repeats in real time, and TRN02 of the traces
// that repeat ours (type 2), and at last the member. What is absent contradicts nothing.
func (e *Eligibility) contradiction(ours inquiry, payloadID string, r *reply, response *eligibility.Reply) string {
	if !e.config.PayloadIDByExchange && r.payloadID != "" && !strings.EqualFold(r.payloadID, payloadID) {
		return "PayloadID"
	}
	if !e.config.ReferenceByExchange && response.Reference != "" && !strings.EqualFold(response.Reference, ours.reference) {
		return "BHT03"
	}
	if !e.config.TraceByExchange && foreignTrace(ours.traces, response) {
		return "TRN02"
	}
	var theirs []person
	benefits := 0 // a rejection may have words in place of the member
	for _, m := range members(response) {
		theirs = append(theirs, personOf(&m.Party))
		benefits += len(m.Benefits)
	}
	if benefits > 0 && strangers(ours.members, theirs) {
		return "member"
	}
	return ""
}

// members returns the members of a response.
func members(response *eligibility.Reply) (all []*eligibility.Member) {
	for _, m := range []*eligibility.Member{response.Subscriber, response.Dependent} {
		if m != nil {
			all = append(all, m)
		}
	}
	return all
}

// foreignTrace reports whether the response repeats traces, and none of ours.
func foreignTrace(ours []string, response *eligibility.Reply) (foreign bool) {
	for _, m := range members(response) {
		for _, t := range m.Traces {
			for _, number := range ours {
				if strings.EqualFold(t.Number, number) {
					return false
				}
			}
			foreign = foreign || t.Type == "2"
		}
	}
	return foreign
}
