package cli

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/intake"
)

// write writes a row for each row of the file, in its order, and counts those that need a
// person.
func (s *scheduleCheck) write(out io.Writer, items map[string]*molar.EligibilityBatchItem) (person int, err error) {
	w := csv.NewWriter(out)
	w.UseCRLF = true
	_ = w.Write([]string{
		"line", "item_id", "appointment", "patient", "payer", "outcome", "verdict", "maximum_remaining", "deductible_remaining", "needs_a_person", "eligibility_id", "what_to_do",
	}) // Error has its error
	for i := range s.file.Rows {
		r := &s.file.Rows[i]
		row := []string{
			strconv.Itoa(r.Line), "", s.cells(r, "appointment_at", "appointment_date", "appointment_time"),
			s.cells(r, "name", "first_name", "last_name", "subscriber_name", "subscriber_first_name", "subscriber_last_name"), s.cells(r, "payer", "payer_id"),
		}
		needs := true
		var item *molar.EligibilityBatchItem
		if r.Item != nil {
			item = items[r.Item.ItemID]
		}
		switch {
		case r.Item == nil:
			row = append(row, "left_out", "", "", "", "yes", "", faultsOf(r.Faults, func(f molar.CellFault) (string, string) { return f.Field, f.Message }))
		case item == nil:
			row = append(row, "removed", "", "", "", "yes", "", "Check the patient again. What was known of the person was erased.")
		default:
			needs, row[1] = item.NeedsAPerson, intake.Guarded(item.ItemID)
			row = append(row, shownOr(item.Outcome, ""), verdictWords(item), shownOr(item.MaximumRemaining, ""), shownOr(item.DeductibleRemaining, ""),
				map[bool]string{true: "yes", false: "no"}[needs], shownOr(item.EligibilityID, ""), toDo(item))
		}
		if needs {
			person++
		}
		_ = w.Write(row) // as above
	}
	w.Flush()
	return person, w.Error()
}

// cells returns what a row has in the columns of fields, as the file has it. Names of the
// subscriber count only without one of the patient.
func (s *scheduleCheck) cells(r *molar.ScheduleRow, fields ...string) string {
	var all []string
	for _, field := range fields {
		if strings.HasPrefix(field, "subscriber_") && len(all) > 0 {
			break
		}
		i := slices.IndexFunc(s.file.Columns, func(c molar.ScheduleColumn) bool { return c.Field != nil && string(*c.Field) == field })
		if i >= 0 && i < len(r.Cells) && r.Cells[i] != "" {
			all = append(all, r.Cells[i])
		}
	}
	return intake.Guarded(strings.Join(all, " "))
}

// verdictWords returns the verdict of an item as sentences. What to do after a rejection is apart.
func verdictWords(i *molar.EligibilityBatchItem) string {
	switch {
	case i.Verdict == nil:
		return ""
	case *i.Outcome == molar.EligibilityItemOutcomeAnswered:
		return strings.Join(append([]string{i.Verdict.Text}, i.Verdict.Also...), " ")
	}
	return i.Verdict.Text
}

// toDo says what a person does first about an item that needs one.
func toDo(i *molar.EligibilityBatchItem) string {
	switch outcome := coverage.ItemOutcome(shownOr(i.Outcome, "")); {
	case !i.NeedsAPerson:
		return ""
	case outcome == coverage.ItemInvalid:
		return faultsOf(i.Errors, func(f molar.EligibilityBatchItemError) (string, string) { return f.Field, f.Message })
	case outcome == coverage.ItemRejected && i.Verdict != nil && len(i.Verdict.Also) > 0:
		return strings.Join(i.Verdict.Also, " ")
	case outcome != coverage.ItemAnswered:
		return "Call the payer, or ask again with molar eligibility batches retry " + i.BatchID + " --item " + i.ItemID + "."
	case shownOr(i.Status, "") == string(coverage.Inactive):
		return "Ask the patient for the current insurance."
	case shownOr(i.Status, "") != string(coverage.Active):
		return "Call the payer."
	}
	return "Compare the patient with the check. The payer has other data of the person."
}

// faultsOf returns faults as a text.
func faultsOf[F any](all []F, of func(F) (field, message string)) string {
	texts := make([]string, len(all))
	for i, f := range all {
		field, message := of(f)
		texts[i] = field + ": " + message
	}
	return strings.Join(texts, " ")
}
