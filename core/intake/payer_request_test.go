package intake_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/intake"
)

func TestPayerRequestRecords(t *testing.T) {
	t.Parallel()
	claimID := billing.ClaimID{15: 12}
	for name, c := range map[string]struct {
		change func(*intake.PayerRequestRecord)
		want   []string
	}{
		"for a claim":        {func(*intake.PayerRequestRecord) {}, nil},
		"for a payer":        {func(r *intake.PayerRequestRecord) { r.ClaimID, r.PayerID = nil, new("CHTEST") }, nil},
		"for both":           {func(r *intake.PayerRequestRecord) { r.PayerID = new("CHTEST") }, nil},
		"with a due date":    {func(r *intake.PayerRequestRecord) { r.DueDate = new("2026-04-01") }, nil},
		"overdue":            {func(r *intake.PayerRequestRecord) { r.DueDate = new("2020-02-29") }, nil},
		"reference of 50":    {func(r *intake.PayerRequestRecord) { r.ReferenceNumber = strings.Repeat("é", 50) }, nil},
		"words of 2000":      {func(r *intake.PayerRequestRecord) { r.Requested = strings.Repeat("é", 2000) }, nil},
		"for no payer":       {func(r *intake.PayerRequestRecord) { r.ClaimID = nil }, []string{"payer_id required"}},
		"for an empty payer": {func(r *intake.PayerRequestRecord) { r.ClaimID, r.PayerID = nil, new("") }, []string{"payer_id required"}},
		"for no claim ID":    {func(r *intake.PayerRequestRecord) { r.ClaimID = new("clm_1") }, []string{"claim_id format"}},
		"for an empty claim": {func(r *intake.PayerRequestRecord) { r.ClaimID = new("") }, []string{"claim_id required"}},
		"reference of 51":    {func(r *intake.PayerRequestRecord) { r.ReferenceNumber = strings.Repeat("é", 51) }, []string{"reference_number too_long"}},
		"blank reference":    {func(r *intake.PayerRequestRecord) { r.ReferenceNumber = " " }, []string{"reference_number required"}},
		"words of 2001":      {func(r *intake.PayerRequestRecord) { r.Requested = strings.Repeat("é", 2001) }, []string{"requested too_long"}},
		"blank words":        {func(r *intake.PayerRequestRecord) { r.Requested = "\n" }, []string{"requested required"}},
		"a day that is none": {func(r *intake.PayerRequestRecord) { r.DueDate = new("2026-02-29") }, []string{"due_date format"}},
		"an empty due date":  {func(r *intake.PayerRequestRecord) { r.DueDate = new("") }, []string{"due_date required"}},
		"form comes first": {func(r *intake.PayerRequestRecord) {
			r.Faults.Add("requested", billing.FaultType, "")
			r.Requested = ""
		}, []string{"requested type"}},
		"everything is wrong": {func(r *intake.PayerRequestRecord) {
			*r = intake.PayerRequestRecord{ClaimID: new("x"), DueDate: new("x")}
		}, []string{"claim_id format", "reference_number required", "requested required", "due_date format"}},
		"nothing at all": {func(r *intake.PayerRequestRecord) { *r = intake.PayerRequestRecord{} }, []string{"payer_id required", "reference_number required", "requested required"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := intake.PayerRequestRecord{ClaimID: new(claimID.String()), ReferenceNumber: "R1", Requested: "The periodontal chart."}
			c.change(&r)
			got, faults := r.PayerRequest()
			if !slices.Equal(found(faults), c.want) {
				t.Fatalf("faults %v, want %v", found(faults), c.want)
			}
			if len(c.want) > 0 {
				return
			}
			want := attachment.PayerRequest{
				State: attachment.PayerRequestOpen, Source: attachment.SourceStaff, ReferenceNumber: r.ReferenceNumber, Requested: r.Requested,
			}
			if r.ClaimID != nil {
				want.ClaimID = claimID
			}
			if r.DueDate != nil {
				want.DueDate, _ = billing.ParseDate(*r.DueDate)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("payer request %+v, want %+v", got, want)
			}
		})
	}
}
