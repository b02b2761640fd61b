package edi_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
)

func TestInquiry(t *testing.T) {
	t.Parallel()
	subscriber := inquiry270()
	subscriber.Inquiry.ProcedureCodes = []string{"D1110", "D2740", "D1110"}
	subscriber.Inquiry.Subscriber.GroupNumber = new("G*100")
	dependent := withPatient(inquiry270())
	dependent.Scope.Mode = billing.ModeLive
	dependent.Inquiry.Office.TaxID = ""
	dependent.Inquiry.Subscriber.LastName = "Straße~Müller"
	dependent.Inquiry.Subscriber.MemberID = "w.12 34/5-active-full"
	for _, c := range []struct {
		name     string
		question network.Question
		sequence int
		q        network.Inquiry
	}{
		{"subscriber", subscriber.Questions()[0], 0, subscriber},
		{"procedure", network.Question{Procedures: []string{"D2740"}}, 2, subscriber},
		{"dependent", dependent.Questions()[0], 0, dependent},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := edi.New().Inquiry(c.q, c.question, c.sequence)
			if err != nil {
				t.Fatal(err)
			}
			x12test.Golden(t, filepath.Join("270", c.name+".txt"), x12test.Lines(got))
			again, err := edi.New().Inquiry(c.q, c.question, c.sequence)
			if err != nil || !bytes.Equal(got, again) {
				t.Errorf("the same inquiry gives other bytes: %v", err)
			}
		})
	}
}

func TestInquirySaysWhatThePayerNeeds(t *testing.T) {
	t.Parallel()
	q := withPatient(inquiry270())
	for relationship, code := range map[coverage.Relationship]string{
		coverage.RelationSpouse: "01", coverage.RelationChild: "19", coverage.RelationOther: "34",
	} {
		q := q
		q.Inquiry.Patient = new(*q.Inquiry.Patient)
		q.Inquiry.Patient.Relationship = relationship
		got := decodeInquiry(t, q, 3)
		equal(t, "relationship", got.Dependent.Relationship, code)
	}
	got := decodeInquiry(t, q, 3)
	equal(t, "test", got.Interchange.Test, true)
	equal(t, "control numbers", got.Interchange.Control, got.Group.Control)
	if got.Interchange.Control < 1 || got.Interchange.Control > 999_999_999 {
		t.Errorf("control number %d", got.Interchange.Control)
	}
	trace := got.Patient().Traces[0]
	equal(t, "trace", trace, eligibility.Trace{Type: "1", Number: "ELG01JZ000000000000000000004203", Originator: "1123456789"})
	equal(t, "service date", got.Patient().Dates[0], eligibility.On("291", q.Inquiry.ServiceDate))
	equal(t, "date of birth", got.Dependent.BirthDate, q.Inquiry.Patient.DateOfBirth)
	equal(t, "created", got.CreatedAt, q.CreatedAt)
	equal(t, "subscriber has no trace", len(got.Subscriber.Traces), 0)

	seen := map[int]bool{}
	for sequence := range 11 {
		seen[decodeInquiry(t, q, sequence).Interchange.Control] = true
	}
	q.Attempt = network.NewAttempt()
	equal(t, "trace of an attempt", decodeInquiry(t, q, 3).Patient().Traces[0].Number, trace.Number+q.Attempt)
	equal(t, "reference of an attempt", decodeInquiry(t, q, 3).Reference, trace.Number+q.Attempt)
	for sequence := range 11 {
		seen[decodeInquiry(t, q, sequence).Interchange.Control] = true
	}
	equal(t, "control numbers of one check, asked twice", len(seen), 22)
}

func TestInquiryFitsTheLongestValues(t *testing.T) {
	t.Parallel()
	q := withPatient(inquiry270())
	long := strings.Repeat("Ä", 120)
	q.Inquiry.Subscriber.FirstName, q.Inquiry.Subscriber.LastName = long, long
	q.Inquiry.Subscriber.MemberID = strings.Repeat("1", 80)
	q.Inquiry.Subscriber.GroupNumber = new(strings.Repeat("G", 80))
	q.Inquiry.Patient.LastName = "李"
	got := decodeInquiry(t, q, 0)
	equal(t, "last name", got.Subscriber.Name.Last, strings.Repeat("A", 60))
	equal(t, "first name", got.Subscriber.Name.First, strings.Repeat("A", 35))
	equal(t, "member ID", got.Subscriber.Name.ID, strings.Repeat("1", 80))
	equal(t, "group", got.Subscriber.Reference("6P"), strings.Repeat("G", 50))
	if got.Dependent.Name.Last == "" {
		t.Error("the dependent has no name")
	}
}

func decodeInquiry(t *testing.T, q network.Inquiry, sequence int) *eligibility.Inquiry {
	t.Helper()
	b, err := edi.New().Inquiry(q, q.Questions()[0], sequence)
	if err != nil {
		t.Fatal(err)
	}
	got, err := eligibility.DecodeInquiry(b)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestInquiryRefusesWhatCannotBeAsked(t *testing.T) {
	t.Parallel()
	q := inquiry270()
	if _, err := edi.New().Inquiry(q, network.Question{Procedures: []string{"1110"}}, 1); err == nil {
		t.Error("1110 is a procedure")
	}
	if _, err := edi.New().Inquiry(q, network.Question{}, 0); err == nil {
		t.Error("nothing can be asked")
	}
	if _, err := edi.New().Inquiry(q, q.Questions()[0], -1); err == nil {
		t.Error("-1 is a sequence")
	}
	q.CheckID = billing.CheckID{}
	if _, err := edi.New().Inquiry(q, q.Questions()[0], 0); err == nil {
		t.Error("a check without an ID can be asked")
	}
}
