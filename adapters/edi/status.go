package edi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/statusrequest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// statusAsker asks payers about claims in 276s, and reads their 277s.
type statusAsker struct {
	codec *Codec
	carry ports.Inquire
}

// StatusOver returns what asks payers about claims through a network that carries X12.
func (c *Codec) StatusOver(carry ports.Inquire) ports.ClaimStatus { return &statusAsker{c, carry} }

// AskStatus asks a payer. While it finds nothing, the next question is asked.
func (a *statusAsker) AskStatus(ctx context.Context, q network.StatusInquiry) (answer claimstatus.Answer, sent []coverage.Exchange, err error) {
	for n, question := range q.Questions() {
		request, err := a.codec.StatusInquiry(q, question, n)
		if err != nil {
			return answer, sent, &network.UnaskableError{Err: err}
		}
		reply, err := a.carry(ctx, request)
		sent = append(sent, coverage.Exchange{MediaType: coverage.MediaX12, Request: request, Reply: reply})
		var next claimstatus.Answer
		if err == nil {
			if next, err = a.codec.StatusAnswer(q, reply); err != nil { // the bytes are no 277: the network corrupted them
				err = &network.UnreadableError{Err: err}
			}
		}
		switch _, later := errors.AsType[*billing.LaterError](err); {
		case err != nil && n == 0:
			return answer, sent, err
		case later:
			return answer, sent, nil // the payer found nothing with the question before
		case err != nil:
			return answer, sent, fmt.Errorf("ask the payer again about the claim: %w", err)
		}
		if answer = next; answer.Outcome != claimstatus.NotFound {
			break
		}
	}
	return answer, sent, nil
}

// errStatusInquiry is the error for an inquiry that cannot be written as a 276.
var errStatusInquiry = errors.New("edi: an inquiry about a claim needs an ID, a sender, a claim and its service dates")

// StatusInquiry writes a 276 with one question of an inquiry. The same arguments always
// produce the same bytes. It has little about the claim: each number that is stated must
// match for the payer to find it.
func (*Codec) StatusInquiry(q network.StatusInquiry, question network.StatusQuestion, sequence int) ([]byte, error) {
	if q.ID.IsZero() || q.Envelope.Sender.ID == "" || q.Claim == nil || sequence < 0 || question.Service.From.IsZero() {
		return nil, errStatusInquiry
	}
	trace := fmt.Sprintf("%s%02d%s", statusTrace(q.ID), sequence, q.Attempt)
	control := controlNumber(trace)
	created := q.CreatedAt.UTC()
	from, to := q.Envelope.Sender, q.Envelope.Receiver
	if to.ID == "" {
		to = network.End{Qualifier: "ZZ", ID: q.Payer.PayerID}
	}
	out := &statusrequest.Inquiry{
		Interchange: x12.Interchange{
			SenderQualifier: from.Qualifier, Sender: from.ID, ReceiverQualifier: to.Qualifier, Receiver: to.ID,
			Created: created, Control: control, Test: q.Envelope.Test(q.Scope.Mode),
		},
		Group: x12.Group{
			Sender: cmp.Or(q.Options.GroupSender, from.ID), Receiver: cmp.Or(q.Options.GroupReceiver, to.ID), Created: created, Control: control,
		},
		Reference: trace, CreatedAt: created,
		Payer:    statusrequest.Name{Entity: "PR", Kind: "2", Last: q.Payer.Name, IDQualifier: "PI", ID: q.Payer.PayerID},
		Receiver: statusrequest.Name{Entity: "41", Kind: "2", Last: q.Office.Name, IDQualifier: "46", ID: from.ID},
		Provider: billedBy(q.Office),
		Claims:   []statusrequest.Claim{{Trace: trace, Service: question.Service}},
	}
	s, p := &q.Claim.Subscriber, q.Claim.Patient
	out.Subscriber = statusrequest.Person{
		Name: statusrequest.Name{
			Entity: "IL", Kind: "1", Last: s.LastName, First: s.FirstName, Middle: s.MiddleName, Suffix: s.Suffix, IDQualifier: "MI", ID: memberID(s.MemberID),
		},
		BirthDate: s.DateOfBirth, Gender: statusGender(s.Gender),
	}
	if p != nil {
		dependent := statusrequest.Person{
			Name:      statusrequest.Name{Entity: "QC", Kind: "1", Last: p.LastName, First: p.FirstName, Middle: p.MiddleName, Suffix: p.Suffix},
			BirthDate: p.DateOfBirth, Gender: statusGender(p.Gender),
		}
		if !question.AsSubscriber {
			out.Subscriber.BirthDate, out.Subscriber.Gender = billing.Date{}, "" // the guide has those of the patient alone
			out.Dependent = &dependent
		} else {
			dependent.Name.Entity, dependent.Name.IDQualifier, dependent.Name.ID = "IL", "MI", out.Subscriber.Name.ID
			out.Subscriber = dependent
		}
	}
	return statusrequest.Encode(out), nil
}

// statusTrace returns the common prefix of the trace numbers of an inquiry.
func statusTrace(id billing.StatusInquiryID) string {
	return strings.ToUpper(strings.ReplaceAll(id.String(), "_", ""))
}

// billedBy names the office that billed: by its NPI, or else by its tax ID.
func billedBy(o coverage.InquiringOffice) statusrequest.Name {
	n := statusrequest.Name{Entity: "1P", Kind: "2", Last: o.Name, IDQualifier: "XX", ID: o.NPI}
	if o.NPI == "" {
		n.IDQualifier, n.ID = "FI", keep(o.TaxID, isDigit)
	}
	return n
}

// statusGender returns DMG03, which an inquiry leaves out if the gender is not known.
func statusGender(g claim.Gender) string {
	return map[claim.Gender]string{claim.GenderFemale: "F", claim.GenderMale: "M"}[g]
}
