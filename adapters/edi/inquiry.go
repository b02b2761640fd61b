package edi

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
)

// dental is the service type of all dental benefits.
const dental = "35"

// errInquiry is the error for an inquiry that cannot be written as a 270.
var errInquiry = errors.New("edi: an inquiry needs a check ID, a sender, and a question whose procedures are D and four digits")

// Inquiry writes a 270 with one question of a check. The same arguments always produce
// the same bytes.
func (*Codec) Inquiry(q network.Inquiry, question network.Question, sequence int) ([]byte, error) {
	unknown := func(code string) bool { return !coverage.ValidProcedureCode(code) }
	empty := len(question.ServiceTypes)+len(question.Procedures) == 0
	if q.CheckID.IsZero() || q.Envelope.Sender.ID == "" || sequence < 0 || empty || slices.ContainsFunc(question.Procedures, unknown) {
		return nil, errInquiry
	}
	trace := fmt.Sprintf("%s%02d%s", traceBase(q.CheckID), sequence, q.Attempt)
	control := controlNumber(trace)
	created := q.CreatedAt.UTC()
	from, to := q.Envelope.Sender, q.Envelope.Receiver
	if to.ID == "" {
		to = network.End{Qualifier: "ZZ", ID: q.Payer.PayerID}
	}
	out := &eligibility.Inquiry{
		Interchange: x12.Interchange{
			SenderQualifier: from.Qualifier, Sender: from.ID, ReceiverQualifier: to.Qualifier, Receiver: to.ID,
			Created: created, Control: control, Test: q.Envelope.Test(q.Scope.Mode),
		},
		Group: x12.Group{
			Sender: cmp.Or(q.Options.GroupSender, from.ID), Receiver: cmp.Or(q.Options.GroupReceiver, to.ID), Created: created, Control: control,
		},
		Reference:  trace,
		CreatedAt:  created,
		Payer:      eligibility.Party{Name: eligibility.Name{Entity: "PR", Kind: "2", Last: q.Payer.Name, IDQualifier: "PI", ID: q.Payer.PayerID}},
		Provider:   provider(q.Inquiry.Office),
		Subscriber: subscriber(q.Inquiry.Subscriber),
		Dependent:  dependent(q.Inquiry.Patient),
		Queries:    queries(question),
	}
	patient := out.Patient()
	patient.Traces = []eligibility.Trace{{Type: "1", Number: trace, Originator: originator(q.Inquiry.Office)}}
	patient.Dates = []eligibility.Date{eligibility.On("291", q.Inquiry.ServiceDate)}
	return eligibility.EncodeInquiry(out), nil
}

// traceBase returns the common prefix of the check's trace numbers. It consists of
// upper-case letters and digits, which payers return unchanged.
func traceBase(id billing.CheckID) string {
	return strings.ToUpper(strings.ReplaceAll(id.String(), "_", ""))
}

// controlNumber derives a control number of one to nine digits from the trace.
func controlNumber(trace string) int {
	sum := sha256.Sum256([]byte(trace))
	return int(binary.BigEndian.Uint32(sum[:])%999_999_999) + 1
}

// originator returns TRN03, which has ten characters: 1 and the office's tax ID. If
// there is no tax ID, it is 9 and the first digits of the NPI.
func originator(o coverage.InquiringOffice) string {
	tax := keep(o.TaxID, isDigit)
	if len(tax) == 9 {
		return "1" + tax
	}
	return "9" + (keep(o.NPI, isDigit) + "000000000")[:9]
}

func provider(o coverage.InquiringOffice) eligibility.Party {
	p := eligibility.Party{Name: eligibility.Name{Entity: "1P", Kind: "2", Last: o.Name, IDQualifier: "XX", ID: o.NPI}}
	if tax := keep(o.TaxID, isDigit); tax != "" {
		p.References = []eligibility.Reference{{Qualifier: "TJ", Value: tax}}
	}
	return p
}

func subscriber(s coverage.Subscriber) eligibility.Party {
	p := eligibility.Party{
		Name: eligibility.Name{
			Entity: "IL", Kind: "1", Last: s.LastName, First: s.FirstName, IDQualifier: "MI", ID: memberID(s.MemberID),
		},
		BirthDate: s.DateOfBirth, Gender: inquiredGender(s.Gender),
	}
	if s.GroupNumber != nil && strings.TrimSpace(*s.GroupNumber) != "" {
		p.References = []eligibility.Reference{{Qualifier: "6P", Value: *s.GroupNumber}}
	}
	return p
}

// inquiredGender returns DMG03, which an inquiry leaves out if the gender is not known.
func inquiredGender(g coverage.Gender) string {
	return map[coverage.Gender]string{coverage.GenderFemale: "F", coverage.GenderMale: "M"}[g]
}

// memberID removes the punctuation that insurance cards print and payers do not
// store. It keeps hyphens, which some payers and the sandbox use in their IDs.
func memberID(s string) string {
	return keep(string(x12.Text(s)), func(c byte) bool { return c == '-' || isDigit(c) || 'A' <= c && c <= 'Z' })
}

func dependent(d *coverage.Dependent) *eligibility.Party {
	if d == nil {
		return nil
	}
	relationship := "34" // other adult, the only "other" in a 270
	switch d.Relationship {
	case coverage.RelationSpouse:
		relationship = "01"
	case coverage.RelationChild:
		relationship = "19"
	case coverage.RelationOther, coverage.RelationSelf:
	}
	return &eligibility.Party{
		Name:      eligibility.Name{Entity: "03", Kind: "1", Last: d.LastName, First: d.FirstName},
		BirthDate: d.DateOfBirth, Gender: inquiredGender(d.Gender), Insured: "N", Relationship: relationship,
	}
}

func queries(question network.Question) (all []eligibility.Query) {
	if len(question.ServiceTypes) > 0 {
		all = append(all, eligibility.Query{ServiceTypes: question.ServiceTypes})
	}
	for _, code := range question.Procedures {
		all = append(all, eligibility.Query{Procedure: eligibility.Procedure{Qualifier: "AD", Code: code}})
	}
	return all
}

func keep(s string, wanted func(byte) bool) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if wanted(s[i]) {
			out = append(out, s[i])
		}
	}
	return string(out)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
