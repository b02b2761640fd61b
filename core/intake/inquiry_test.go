package intake_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/intake"
)

func request() intake.EligibilityRequest {
	return intake.EligibilityRequest{
		OfficeID: billing.NewID[billing.OfficeID](billing.RealAt(time.Now())).String(),
		PayerID:  "CHTEST",
		Subscriber: intake.SubscriberInput{
			FirstName: "Ada", LastName: "Byron", DateOfBirth: "1985-12-10", MemberID: "M1",
		},
	}
}

func TestParseGoodRequest(t *testing.T) {
	t.Parallel()
	today := on(2026, 11, 21)
	r := request()
	q, office, _, faults := r.Inquiry(today)
	if len(faults) != 0 {
		t.Fatalf("faults %v", faults)
	}
	if office.String() != r.OfficeID || q.ServiceDate != today || q.DetailLevel != coverage.DetailStandard || q.Patient != nil {
		t.Errorf("Parse = %+v %v, want the defaults", q, office)
	}
}

func TestParseNamesEveryFault(t *testing.T) {
	t.Parallel()
	today := on(2026, 11, 21)
	for name, c := range map[string]struct {
		change func(*intake.EligibilityRequest)
		want   []string // field code
	}{
		"nothing at all": {func(r *intake.EligibilityRequest) { *r = intake.EligibilityRequest{} }, []string{
			"office_id required", "payer_id required", "subscriber.first_name required", "subscriber.last_name required",
			"subscriber.member_id required", "subscriber.date_of_birth required",
		}},
		"blank is missing":   {func(r *intake.EligibilityRequest) { r.Subscriber.LastName = " \t " }, []string{"subscriber.last_name required"}},
		"ID of another kind": {func(r *intake.EligibilityRequest) { r.OfficeID = "pyr_" + r.OfficeID[4:] }, []string{"office_id format"}},
		"name of 121":        {func(r *intake.EligibilityRequest) { r.Subscriber.FirstName = strings.Repeat("é", 121) }, []string{"subscriber.first_name too_long"}},
		"name of 120":        {func(r *intake.EligibilityRequest) { r.Subscriber.FirstName = strings.Repeat("é", 120) }, nil},
		"member ID of 81":    {func(r *intake.EligibilityRequest) { r.Subscriber.MemberID = strings.Repeat("1", 81) }, []string{"subscriber.member_id too_long"}},
		"group of 81":        {func(r *intake.EligibilityRequest) { r.Subscriber.GroupNumber = new(strings.Repeat("1", 81)) }, []string{"subscriber.group_number too_long"}},
		"day that is none":   {func(r *intake.EligibilityRequest) { r.Subscriber.DateOfBirth = "2025-02-29" }, []string{"subscriber.date_of_birth format"}},
		"born tomorrow":      {func(r *intake.EligibilityRequest) { r.Subscriber.DateOfBirth = "2026-11-22" }, []string{"subscriber.date_of_birth range"}},
		"13 months on":       {func(r *intake.EligibilityRequest) { r.ServiceDate = new("2027-11-22") }, []string{"service_date range"}},
		"12 months on":       {func(r *intake.EligibilityRequest) { r.ServiceDate = new("2027-11-21") }, nil},
		"12 months back":     {func(r *intake.EligibilityRequest) { r.ServiceDate = new("2025-11-21") }, nil},
		"more than 12 back":  {func(r *intake.EligibilityRequest) { r.ServiceDate = new("2025-11-20") }, []string{"service_date range"}},
		"11 codes":           {func(r *intake.EligibilityRequest) { r.ProcedureCodes = slices.Repeat([]string{"D1110"}, 11) }, []string{"procedure_codes too_many"}},
		"11 bad codes": {func(r *intake.EligibilityRequest) {
			r.ProcedureCodes = append(slices.Repeat([]string{"D1110"}, 10), "x")
		}, []string{"procedure_codes too_many", "procedure_codes.10 format"}},
		"no code":             {func(r *intake.EligibilityRequest) { r.ProcedureCodes = []string{"D1110", "1110"} }, []string{"procedure_codes.1 format"}},
		"no level":            {func(r *intake.EligibilityRequest) { r.DetailLevel = new("full") }, []string{"detail_level not_allowed"}},
		"reference of 256":    {func(r *intake.EligibilityRequest) { r.TenantReference = new(strings.Repeat("r", 256)) }, []string{"tenant_reference too_long"}},
		"parent of no kind":   {func(r *intake.EligibilityRequest) { r.ParentID = new("elg_1") }, []string{"parent_id format"}},
		"patient without all": {func(r *intake.EligibilityRequest) { r.Patient = &intake.PatientInput{} }, []string{"patient.first_name required", "patient.last_name required", "patient.date_of_birth required", "patient.relationship required"}},
		"patient is subscriber": {func(r *intake.EligibilityRequest) {
			r.Patient = &intake.PatientInput{FirstName: "A", LastName: "B", DateOfBirth: "2010-01-01", Relationship: "self"}
		}, []string{"patient.relationship not_allowed"}},
		"names of no Latin letter": {func(r *intake.EligibilityRequest) {
			r.Subscriber.FirstName, r.Subscriber.LastName = "小明", "Παπαδόπουλος"
			r.Patient = &intake.PatientInput{FirstName: "Ян", LastName: "王-明", DateOfBirth: "2010-01-01", Relationship: "child"}
		}, []string{"patient.first_name format", "patient.last_name format", "subscriber.first_name format", "subscriber.last_name format"}},
		"names with accents": {func(r *intake.EligibilityRequest) {
			r.Subscriber.FirstName, r.Subscriber.LastName = "Łukasz", "D'Ambrosio-李"
		}, nil},
		"member ID that is changed": {func(r *intake.EligibilityRequest) { r.Subscriber.MemberID = "W12٣45" }, []string{"subscriber.member_id format"}},
		"form comes first":          {func(r *intake.EligibilityRequest) { r.PayerID = ""; r.Faults.Add("payer_id", billing.FaultType, "") }, []string{"payer_id type"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request()
			c.change(&r)
			_, _, _, faults := r.Inquiry(today)
			got := found(faults)
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("faults %v, want %v", got, c.want)
			}
		})
	}
}

func TestDigestIsOfTheQuestion(t *testing.T) {
	t.Parallel()
	check := func(change func(*coverage.Check)) [32]byte {
		c := &coverage.Check{
			OfficeID: billing.OfficeID{1}, Payer: directory.PayerSummary{ID: billing.PayerID{2}},
			Inquiry: coverage.Inquiry{
				Subscriber:     coverage.Subscriber{FirstName: "Ada", LastName: "Byron", MemberID: "m1", DateOfBirth: billing.Date{Year: 1985, Month: 12, Day: 10}},
				ProcedureCodes: []string{"D1110", "D0120"}, DetailLevel: coverage.DetailStandard, ServiceDate: billing.Date{Year: 2026, Month: 1, Day: 2},
			},
		}
		change(c)
		return c.Digest()
	}
	base := check(func(*coverage.Check) {})
	for name, same := range map[string]func(*coverage.Check){
		"case of names":       func(c *coverage.Check) { c.Inquiry.Subscriber.FirstName = " ADA " },
		"case of IDs":         func(c *coverage.Check) { c.Inquiry.Subscriber.MemberID = "M1" },
		"folded case":         func(c *coverage.Check) { c.Inquiry.Subscriber.LastName = "BYRON" },
		"order of codes":      func(c *coverage.Check) { c.Inquiry.ProcedureCodes = []string{"D0120", "D1110", "D0120"} },
		"the caller's own":    func(c *coverage.Check) { c.TenantReference = new("x"); c.IdempotencyKey = "k" },
		"an empty group":      func(c *coverage.Check) { c.Inquiry.Subscriber.GroupNumber = new("") },
		"the parent, the NPI": func(c *coverage.Check) { c.ParentID = billing.CheckID{9}; c.Inquiry.Office.NPI = "1" },
	} {
		if check(same) != base {
			t.Errorf("%s makes another question", name)
		}
	}
	for name, other := range map[string]func(*coverage.Check){
		"office": func(c *coverage.Check) { c.OfficeID = billing.OfficeID{7} },
		"payer":  func(c *coverage.Check) { c.Payer.ID = billing.PayerID{7} },
		"name":   func(c *coverage.Check) { c.Inquiry.Subscriber.LastName = "Lovelace" },
		"names moved": func(c *coverage.Check) {
			c.Inquiry.Subscriber.FirstName, c.Inquiry.Subscriber.LastName = "AdaB", "yron"
		},
		"group":   func(c *coverage.Check) { c.Inquiry.Subscriber.GroupNumber = new("G") },
		"patient": func(c *coverage.Check) { c.Inquiry.Patient = &coverage.Dependent{FirstName: "Ada"} },
		"day":     func(c *coverage.Check) { c.Inquiry.ServiceDate.Day++ },
		"codes":   func(c *coverage.Check) { c.Inquiry.ProcedureCodes = nil },
		"level":   func(c *coverage.Check) { c.Inquiry.DetailLevel = coverage.DetailEnhanced },
	} {
		if check(other) == base {
			t.Errorf("another %s makes the same question", name)
		}
	}
}
