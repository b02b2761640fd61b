package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
)

// The limits of the file of a schedule, and of a part of it that one request has, with room to spare.
const (
	maxScheduleFile = 20 << 20
	maxPartBytes    = maxTableFile - 10_000
)

// readParts reads the file, in parts if it is long, and returns it as a whole.
func (s *scheduleCheck) readParts(ctx context.Context, csv, office string) (*molar.Schedule, error) {
	var whole *molar.Schedule
	for _, part := range intake.ScheduleParts(csv, intake.MaxScheduleRows, maxPartBytes, sizeInJSON) {
		in := molar.ScheduleRequest{CSV: part}
		if office != "" {
			in.OfficeID = molar.Value(office)
		}
		read, err := s.api.Eligibility.ReadSchedule(ctx, in)
		switch {
		case err != nil:
			return nil, s.api.inWords(ctx, err)
		case whole == nil:
			whole = read
		default: // the columns are the same
			whole.Rows = append(whole.Rows, read.Rows...)
		}
		if len(whole.Faults) > 0 { // of the columns
			break
		}
	}
	apartRows(whole)
	return whole, nil
}

// sizeInJSON returns how many bytes a text takes in a body.
func sizeInJSON(text string) int {
	b, _ := json.Marshal(text) // a text can always be written
	return len(b)
}

// apartRows notes rows of different parts that have one item ID, as reading a part does for its own rows.
func apartRows(file *molar.Schedule) {
	lines := map[string]int{}
	for i := range file.Rows {
		r := &file.Rows[i]
		if r.Item == nil {
			continue
		}
		line, twice := lines[r.Item.ItemID]
		if !twice {
			lines[r.Item.ItemID] = r.Line
			continue
		}
		f := molar.CellFault{Field: "item_id", Code: molar.CellFaultCode(billing.FaultConflict), Message: "Line " + strconv.Itoa(line) + " has the same item ID. Each row needs its own."}
		if at := slices.IndexFunc(file.Columns, func(c molar.ScheduleColumn) bool { return c.Field != nil && *c.Field == "item_id" }); at >= 0 {
			f.Column = new(at + 1)
		}
		r.Item, r.Faults = nil, append(r.Faults, f)
	}
}
