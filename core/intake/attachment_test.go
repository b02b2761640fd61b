package intake_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/intake"
)

// The parts of requests, complete.
func subjectInput() intake.SubjectInput {
	return intake.SubjectInput{
		Patient:      &intake.AttachmentPatientInput{FirstName: "Kim", LastName: "Poe", DateOfBirth: "2016-05-06"},
		Subscriber:   &intake.AttachmentSubscriberInput{FirstName: "Jane", LastName: "Roe", MemberID: "W1", Relationship: "child"},
		ServiceDates: &intake.DateSpanInput{From: "2026-03-02", To: "2026-03-09"},
	}
}

// claim is the claim that the attachments of these tests are about.
func newClaim() *claim.Claim {
	return &claim.Claim{ID: billing.ClaimID{15: 12}, Content: claim.Content{
		Subscriber: claim.Subscriber{FirstName: "Jane", LastName: "Roe", MemberID: "W1"},
		Patient: &claim.Patient{
			FirstName: "Kim", LastName: "Poe", DateOfBirth: billing.Date{Year: 2016, Month: 5, Day: 6}, Relationship: coverage.RelationChild,
		},
		Lines: []claim.Line{
			{ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 9}}, {ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 2}},
		},
	}}
}

func payerRequest(about billing.ClaimID) *attachment.PayerRequest {
	return &attachment.PayerRequest{ID: billing.PayerRequestID{15: 11}, ReferenceNumber: "R1", ClaimID: about}
}

// asking is a request of one of the three kinds, with what it names.
func asking(kind string) (r intake.AttachmentRequest, c *claim.Claim, p *attachment.PayerRequest) {
	switch kind {
	case "claim":
		c = newClaim()
		r.ClaimID = new(c.ID.String())
	case "request about a claim":
		c = newClaim()
		p = payerRequest(c.ID)
	case "request":
		p = payerRequest(billing.ClaimID{})
		r.OfficeID, r.About = new(billing.OfficeID{15: 3}.String()), subjectInput()
	case "own":
		r.OfficeID, r.PayerID, r.About = new(billing.OfficeID{15: 3}.String()), new("CHTEST"), subjectInput()
	}
	if p != nil {
		r.Kind, r.PayerRequestID = new("solicited"), new(p.ID.String())
	}
	return r, c, p
}

func TestAttachmentRequests(t *testing.T) {
	t.Parallel()
	today := billing.Date{Year: 2026, Month: 3, Day: 20}
	for _, kind := range []string{"claim", "request about a claim", "request", "own"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r, c, p := asking(kind)
			r.Narrative = new(strings.Repeat("é", 2000))
			a, faults := r.Attachment(c, p, today)
			if len(faults) > 0 {
				t.Fatal(found(faults))
			}
			want := attachment.Attachment{
				State: attachment.Open, Kind: attachment.Unsolicited, Narrative: *r.Narrative, About: newClaim().Subject(),
			}
			if c != nil {
				want.ClaimID = c.ID
			}
			if p != nil {
				want.Kind, want.PayerRequestID, want.PayerReference = attachment.Solicited, p.ID, "R1"
			}
			if a.State != want.State || a.Kind != want.Kind || a.Narrative != want.Narrative || a.About != want.About ||
				a.ClaimID != want.ClaimID || a.PayerRequestID != want.PayerRequestID || a.PayerReference != want.PayerReference {
				t.Errorf("attachment %+v, want %+v", a, want)
			}
			names := r.IDs()
			if names.Office.IsZero() != (r.OfficeID == nil) ||
				names.Claim.IsZero() != (r.ClaimID == nil) || names.PayerRequest.IsZero() != (p == nil) {
				t.Errorf("names %+v", names)
			}
		})
	}
}

func TestAttachmentRequestsNameEveryFault(t *testing.T) {
	t.Parallel()
	today := billing.Date{Year: 2026, Month: 3, Day: 20}
	type request = intake.AttachmentRequest
	for name, c := range map[string]struct {
		kind   string
		change func(*request)
		want   []string // in their order
	}{
		"nothing at all": {"", func(*request) {}, []string{
			"office_id required", "payer_id required", "patient required", "subscriber required", "service_dates required",
		}},
		"empty objects": {"own", func(r *request) {
			r.About = intake.SubjectInput{
				Patient: &intake.AttachmentPatientInput{}, Subscriber: &intake.AttachmentSubscriberInput{}, ServiceDates: &intake.DateSpanInput{},
			}
		}, []string{
			"patient.first_name required", "patient.last_name required", "patient.date_of_birth required",
			"subscriber.first_name required", "subscriber.last_name required", "subscriber.member_id required", "subscriber.relationship required",
			"service_dates.from required", "service_dates.to required",
		}},
		"everything is wrong": {"own", func(r *request) {
			r.OfficeID, r.Kind, r.Narrative = new("off_1"), new("x"), new(strings.Repeat("n", 2001))
			r.About.Patient = &intake.AttachmentPatientInput{FirstName: strings.Repeat("é", 121), LastName: " ", DateOfBirth: "2026-03-21"}
			r.About.Subscriber = &intake.AttachmentSubscriberInput{FirstName: "\t", LastName: strings.Repeat("é", 121), MemberID: strings.Repeat("1", 81), Relationship: "parent"}
			r.About.ServiceDates = &intake.DateSpanInput{From: "2026-02-30", To: "03/02/2026"}
		}, []string{
			"office_id format", "kind not_allowed", "narrative too_long",
			"patient.first_name too_long", "patient.last_name required", "patient.date_of_birth range",
			"subscriber.first_name required", "subscriber.last_name too_long", "subscriber.member_id too_long", "subscriber.relationship not_allowed",
			"service_dates.from format", "service_dates.to format",
		}},
		"form comes first": {"own", func(r *request) {
			r.About.Patient = nil
			r.Faults.Add("patient", billing.FaultType, "")
		}, []string{"patient type"}},
		"names of 120": {"own", func(r *request) {
			r.About.Patient.FirstName, r.About.Subscriber.LastName = strings.Repeat("é", 120), strings.Repeat("é", 120)
			r.About.Subscriber.MemberID = strings.Repeat("é", 80)
		}, nil},
		"born today":           {"own", func(r *request) { r.About.Patient.DateOfBirth = "2026-03-20" }, nil},
		"every relationship 1": {"own", func(r *request) { r.About.Subscriber.Relationship = "self" }, nil},
		"every relationship 2": {"own", func(r *request) { r.About.Subscriber.Relationship = "spouse" }, nil},
		"every relationship 3": {"own", func(r *request) { r.About.Subscriber.Relationship = "other" }, nil},
		"one day":              {"own", func(r *request) { r.About.ServiceDates.To = r.About.ServiceDates.From }, nil},
		"days the wrong way":   {"own", func(r *request) { r.About.ServiceDates.To = "2026-03-01" }, []string{"service_dates.to range"}},
		"no office":            {"own", func(r *request) { r.OfficeID = nil }, []string{"office_id required"}},
		"no payer":             {"own", func(r *request) { r.PayerID = nil }, []string{"payer_id required"}},

		"unsolicited by name":     {"own", func(r *request) { r.Kind = new("unsolicited") }, nil},
		"solicited, no request":   {"own", func(r *request) { r.Kind = new("solicited") }, []string{"payer_request_id required"}},
		"an answer unsolicited":   {"request", func(r *request) { r.Kind = new("unsolicited") }, []string{"kind required"}},
		"an answer of no kind":    {"request about a claim", func(r *request) { r.Kind = nil }, []string{"kind required"}},
		"an answer of some kind":  {"request", func(r *request) { r.Kind = new("") }, []string{"kind required"}},
		"an answer by its payer":  {"request", func(r *request) { r.PayerID = new("CHTEST") }, nil},
		"an answer of no office":  {"request", func(r *request) { r.OfficeID = nil }, []string{"office_id required"}},
		"an answer about nothing": {"request", func(r *request) { r.About = intake.SubjectInput{} }, []string{"patient required", "subscriber required", "service_dates required"}},
		"an answer, its claim": {
			"request about a claim", func(r *request) { r.ClaimID = new(newClaim().ID.String()) }, nil,
		},
		"an answer for an absent ID": {
			"request", func(r *request) { r.PayerRequestID = new("prq_1"); r.About = intake.SubjectInput{}; r.OfficeID = nil },
			[]string{"payer_request_id format"},
		},

		"a claim's subject": {
			"claim", func(r *request) { r.About = subjectInput() },
			[]string{"patient not_allowed", "subscriber not_allowed", "service_dates not_allowed"},
		},
		"an empty patient of a claim": {
			"claim", func(r *request) { r.About.Patient = &intake.AttachmentPatientInput{} }, []string{"patient not_allowed"},
		},
		"a claim request's subject": {
			"request about a claim", func(r *request) { r.About.ServiceDates = &intake.DateSpanInput{} }, []string{"service_dates not_allowed"},
		},
		"no claim ID": {
			"claim", func(r *request) { r.ClaimID = new("elg_1") }, []string{"claim_id format"},
		},
		"no ID at all": {
			"claim", func(r *request) {
				r.ClaimID, r.OfficeID, r.PayerRequestID, r.Kind = new(""), new(""), new(""), new("solicited")
			},
			[]string{"office_id required", "claim_id required", "payer_request_id required"},
		},
		"narrative of 2001": {"claim", func(r *request) { r.Narrative = new(strings.Repeat("é", 2001)) }, []string{"narrative too_long"}},
		"blank narrative":   {"claim", func(r *request) { r.Narrative = new(" ") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, cl, p := asking(c.kind)
			c.change(&r)
			names := r.IDs()
			if r.ClaimID != nil && names.Claim.IsZero() {
				cl = nil // a malformed ID names nothing
			}
			if r.PayerRequestID != nil && names.PayerRequest.IsZero() {
				p = nil
			}
			given := slices.Clone(r.Faults)
			_, faults := r.Attachment(cl, p, today)
			if !slices.Equal(found(faults), c.want) {
				t.Errorf("faults %v, want %v", found(faults), c.want)
			}
			if !slices.Equal(r.Faults, given) {
				t.Error("the request's own faults have changed")
			}
			for _, f := range faults {
				if f.Message == "" && len(given) == 0 {
					t.Errorf("%s has no message", f.Field)
				}
			}
		})
	}
}

func TestAnAnswerIsAboutTheRequestsClaim(t *testing.T) {
	t.Parallel()
	for name, about := range map[string]billing.ClaimID{"another claim": {15: 99}, "none": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, c, p := asking("request about a claim")
			r.ClaimID, p.ClaimID = new(c.ID.String()), about
			if _, faults := r.Attachment(c, p, billing.Date{}); !slices.Equal(found(faults), []string{"claim_id conflict"}) {
				t.Errorf("faults %v", found(faults))
			}
		})
	}
}

func TestNarrativeRequests(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]intake.NarrativeRequest{
		"":                   {Narrative: new(strings.Repeat("é", 2000))},
		"narrative too_long": {Narrative: new(strings.Repeat("é", 2001))},
		"narrative required": {},
		"narrative type":     {Narrative: new(""), Faults: billing.Faults{{Field: "narrative", Code: billing.FaultType}}},
	} {
		text, faults := r.Text()
		if got := strings.Join(found(faults), ", "); got != want || want == "" && text != *r.Narrative {
			t.Errorf("%d bytes, faults %q, want %q", len(text), got, want)
		}
	}
}

func TestAnswerRequests(t *testing.T) {
	t.Parallel()
	id := billing.AttachmentID{15: 10}
	for name, c := range map[string]struct {
		r    intake.AnswerRequest
		id   billing.AttachmentID
		want []string
	}{
		"nothing":            {intake.AnswerRequest{}, billing.AttachmentID{}, nil},
		"an attachment":      {intake.AnswerRequest{AttachmentID: new(id.String())}, id, nil},
		"words":              {intake.AnswerRequest{Narrative: new("Words.")}, billing.AttachmentID{}, nil},
		"no ID":              {intake.AnswerRequest{AttachmentID: new("att_")}, billing.AttachmentID{}, []string{"attachment_id format"}},
		"words without end":  {intake.AnswerRequest{Narrative: new(strings.Repeat("é", 2001))}, billing.AttachmentID{}, []string{"narrative too_long"}},
		"form, words, an ID": {intake.AnswerRequest{Faults: billing.Faults{{Field: "x"}}, AttachmentID: new(""), Narrative: new(strings.Repeat("é", 2001))}, billing.AttachmentID{}, []string{"x ", "narrative too_long", "attachment_id required"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, faults := c.r.Named()
			if got != c.id || !slices.Equal(found(faults), c.want) {
				t.Errorf("attachment %v, faults %v, want %v", got, found(faults), c.want)
			}
		})
	}
}

func TestAnAnswerMakesWhatItNeeds(t *testing.T) {
	t.Parallel()
	today := billing.Date{Year: 2026, Month: 3, Day: 20}
	p := payerRequest(billing.ClaimID{})
	full := intake.AnswerRequest{OfficeID: new(billing.OfficeID{15: 3}.String()), Narrative: new("Words."), About: subjectInput()}
	a, faults := full.AttachmentRequest(p).Attachment(nil, p, today)
	if len(faults) > 0 || a.Kind != attachment.Solicited || a.PayerRequestID != p.ID || a.PayerReference != "R1" ||
		a.Narrative != "Words." || a.About != newClaim().Subject() || a.Answers(p) != nil {
		t.Errorf("attachment %+v, faults %v", a, found(faults))
	}
	_, faults = intake.AnswerRequest{}.AttachmentRequest(p).Attachment(nil, p, today)
	if want := []string{"office_id required", "patient required", "subscriber required", "service_dates required"}; !slices.Equal(found(faults), want) {
		t.Errorf("faults %v, want %v", found(faults), want)
	}
	c := newClaim()
	about := payerRequest(c.ID)
	a, faults = intake.AnswerRequest{}.AttachmentRequest(about).Attachment(c, about, today)
	if len(faults) > 0 || a.ClaimID != c.ID || a.About != c.Subject() {
		t.Errorf("attachment %+v, faults %v", a, found(faults))
	}
}
