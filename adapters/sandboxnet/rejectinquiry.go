package sandboxnet

import (
	"bytes"
	"errors"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
)

// inquirySet is the transaction set that the payers accept.
const inquirySet = "270"

// RejectInquiry returns what the payers send in place of a 271: a TA1 if a note
// (TA105) says why the envelope is refused, else a 999. The 999 names the fault for
// which Inquire returns an error; the first NM1 is at fault if there is none. The
// result is nil if the request has no interchange, because then there is no sender
// to reply to.
func RejectInquiry(request []byte, note string, at time.Time) []byte {
	_, err := eligibility.DecodeInquiry(request)
	fault, _ := errors.AsType[*x12.Error](err)
	if fault == nil {
		fault = &x12.Error{Segment: firstName(request)}
	}
	var f sentFile
	whole, segment := f.scan(request, fault)
	if f.interchange == (x12.Interchange{}) {
		return nil
	}
	if len(f.groups) == 0 && f.damage == "" {
		f.damage = interchangeContent
	}
	i, g := f.interchange, f.group
	i.Sender, i.SenderQualifier, i.Receiver, i.ReceiverQualifier = i.Receiver, i.ReceiverQualifier, i.Sender, i.SenderQualifier
	g.Sender, g.Receiver = g.Receiver, g.Sender
	i.Created, g.Created = at, at
	if note != "" {
		return acknowledgements.EncodeFunctional(&acknowledgements.Functional{
			Interchange: i, Interchanges: []acknowledgements.InterchangeVerdict{f.onInterchange(verdictRejected, note)},
		})
	}
	if whole {
		f.reject(fault.Segment, segment)
	}
	for n := range f.sets {
		if v := f.verdict(&f.sets[n]); v.ID != inquirySet {
			v.Code, v.Faults, v.Segments = verdictRejected, []string{setUnsupported}, nil
		} else {
			v.Code = verdictRejected
		}
	}
	return acknowledgements.EncodeFunctional(f.verdicts(i, g, acknowledgements.Standard999))
}

// firstName returns the ordinal of the first NM1, or 0.
func firstName(content []byte) int {
	r := x12.NewReader(bytes.NewReader(content), x12.Limits{})
	for {
		s, err := r.Next()
		if err != nil {
			return 0
		}
		if s.ID == "NM1" {
			return s.Ordinal
		}
	}
}
