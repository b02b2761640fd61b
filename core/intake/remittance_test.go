package intake_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/intake"
)

func TestMatchRequests(t *testing.T) {
	t.Parallel()
	claimID := billing.ClaimID{15: 12}
	one, two := intake.MatchLineInput{ERALine: 1, LineNumber: new(2)}, intake.MatchLineInput{ERALine: 2}
	for name, c := range map[string]struct {
		in   intake.MatchRequest
		want []string
	}{
		"a claim":           {intake.MatchRequest{ClaimID: new(claimID.String())}, nil},
		"a claim and lines": {intake.MatchRequest{ClaimID: new(claimID.String()), Lines: []intake.MatchLineInput{one, two}}, nil},
		"999 lines":         {intake.MatchRequest{ClaimID: new(claimID.String()), Lines: lineInputs(999)}, nil},
		"1000 lines":        {intake.MatchRequest{ClaimID: new(claimID.String()), Lines: lineInputs(1000)}, []string{"lines too_many"}},
		"nothing":           {intake.MatchRequest{}, []string{"claim_id required"}},
		"an empty claim":    {intake.MatchRequest{ClaimID: new("")}, []string{"claim_id required"}},
		"another ID":        {intake.MatchRequest{ClaimID: new(billing.ERAID{15: 1}.String())}, []string{"claim_id format"}},
		"form comes first":  {intake.MatchRequest{Faults: billing.Faults{{Field: "claim_id", Code: billing.FaultType}}}, []string{"claim_id type"}},
		"lines that are none": {intake.MatchRequest{ClaimID: new(claimID.String()), Lines: []intake.MatchLineInput{
			one, {ERALine: 0, LineNumber: new(1)}, {ERALine: 3, LineNumber: new(-1)}, {ERALine: 1, LineNumber: new(0)},
		}}, []string{"lines.1.era_line range", "lines.2.line_number range", "lines.3.era_line conflict"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, faults := c.in.Match()
			if !slices.Equal(found(faults), c.want) {
				t.Fatalf("faults %v, want %v", found(faults), c.want)
			}
			if c.want == nil && (m.ClaimID != claimID || len(m.Lines) != len(c.in.Lines)) {
				t.Errorf("match %+v", m)
			}
		})
	}
}

func lineInputs(n int) []intake.MatchLineInput {
	lines := make([]intake.MatchLineInput, n)
	for i := range lines {
		lines[i].ERALine = i + 1
	}
	return lines
}

// A match by hand wins over the content of the lines that it names. The other
// lines keep the match that their content gives.
func TestAMatchByHandNumbersLines(t *testing.T) {
	t.Parallel()
	c := &claim.Claim{Content: claim.Content{Lines: []claim.Line{
		{ProcedureCode: "D1110", Fee: 100_00}, {ProcedureCode: "D0120", Fee: 50_00}, {ProcedureCode: "D0274", Fee: 60_00},
	}}}
	r := &remit.Claim{Lines: []remit.Line{
		{ProcedureCode: "D0120", Charge: 50_00}, {ProcedureCode: "D1110", Charge: 100_00}, {ProcedureCode: "D9999", Charge: 1_00},
	}}
	for name, x := range map[string]struct {
		lines []intake.LineMatch
		want  []int
		fault []string
	}{
		"none named":  {nil, []int{2, 1, 0}, nil},
		"one by hand": {[]intake.LineMatch{{ERALine: 3, LineNumber: 3}}, []int{2, 1, 3}, nil},
		"one to none": {[]intake.LineMatch{{ERALine: 2}}, []int{2, 0, 0}, nil},
		"two of one":  {[]intake.LineMatch{{ERALine: 3, LineNumber: 1}}, []int{2, 1, 1}, nil},
		"absent lines": {
			[]intake.LineMatch{{ERALine: 3, LineNumber: 4}, {ERALine: 4, LineNumber: 1}},
			nil,
			[]string{"lines.0.line_number range", "lines.1.era_line range"},
		},
	} {
		numbers, faults := (&intake.RemittanceMatch{Lines: x.lines}).Numbers(c, r)
		if !slices.Equal(found(faults), x.fault) || x.fault == nil && !slices.Equal(numbers, x.want) {
			t.Errorf("%s: %v, faults %v, want %v", name, numbers, found(faults), x.want)
		}
	}
}

func TestNoteRequests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   intake.NoteRequest
		note string
		want []string
	}{
		"none":             {intake.NoteRequest{}, "", nil},
		"a blank one":      {intake.NoteRequest{Note: new(" \n")}, "", nil},
		"one":              {intake.NoteRequest{Note: new(" The payer confirmed it. ")}, "The payer confirmed it.", nil},
		"400 characters":   {intake.NoteRequest{Note: new(strings.Repeat("é", 400))}, strings.Repeat("é", 400), nil},
		"401 characters":   {intake.NoteRequest{Note: new(strings.Repeat("é", 401))}, "", []string{"note too_long"}},
		"form comes first": {intake.NoteRequest{Faults: billing.Faults{{Field: "note", Code: billing.FaultType}}}, "", []string{"note type"}},
	} {
		note, faults := c.in.Text()
		if note != c.note || !slices.Equal(found(faults), c.want) {
			t.Errorf("%s: %q, faults %v, want %v", name, note, found(faults), c.want)
		}
	}
}
