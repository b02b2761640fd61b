package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/intake"
)

// scheduleCheck checks the patients of a schedule's file.
type scheduleCheck struct {
	out  io.Writer // for people
	api  *client
	skip bool   // rows with faults are left out
	run  string // the idempotency keys of the batches begin with it
	batchBody

	file    *molar.Schedule
	sent    int // requests for a batch
	batches []*molar.EligibilityBatch
	invalid map[string]*molar.EligibilityBatchItem // of files that the API refused since every item is invalid
}

// batchBody is the body of a batch.
type batchBody struct {
	Name     string            `json:"name"`
	NotAfter string            `json:"not_after,omitempty"`
	Recheck  string            `json:"recheck,omitempty"`
	Items    []json.RawMessage `json:"items"`
}

func checkFile(b Backend) *cobra.Command {
	var f connection
	var s scheduleCheck
	var office, result string
	c := &cobra.Command{
		Use: "batch FILE.csv", Short: "Check every patient of a schedule", Args: exactlyOne("name the file with the schedule, such as tomorrow.csv (- for standard input)"),
		Long: "Checks every patient of a schedule that another program exported as a CSV file, waits for the outcomes, and writes them into a\n" +
			"CSV file that only you can read.\n\n" +
			"The first line of the file names the columns. It needs a name, a date of birth, a member ID and a payer; names of columns that\n" +
			"common programs use are known. molar import-mappings set says what other columns and payers' names mean. What is wrong is\n" +
			"listed by line and column, with what the cell may mean, and then nothing is sent. --skip-faults sends the other rows.\n\n" +
			"The command may be stopped at any time. The same command goes on with the same batches within 7 days, and asks no payer twice:\n" +
			"it knows the file by its content. To check the same file anew, give the run another --name.\n\n" +
			"A long file is read in parts of 5,000 rows, and sent as batches of 1,000 patients. It has one result.\n\n" +
			"A payer that does not respond is asked again until --not-after. The command ends with 0 if every item has an outcome. In the\n" +
			"result, needs_a_person marks the patients to look at, and what_to_do says what to do first.\n\n" + batchesKey,
		Example: "  molar eligibility batch tomorrow.csv --office off_... --out result.csv\n" +
			"  molar eligibility batch tomorrow.csv --office off_... --out result.csv --skip-faults --recheck PT2H --name 'January 3'",
		RunE: func(c *cobra.Command, args []string) error {
			if err := absent(result); err != nil {
				return err
			}
			content, err := tableFile(c, "schedule", args[0], maxScheduleFile)
			if err != nil {
				return err
			}
			if s.api, err = f.open(c, b); err != nil {
				return err
			}
			s.out = c.ErrOrStderr()
			s.Name = cmp.Or(s.Name, strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0])))
			s.run = fmt.Sprintf("schedule-%x-", sha256.Sum256(append(content, "\n"+s.Name...)))
			return s.check(c, string(intake.Text(content)), office, result)
		},
	}
	f.on(c)
	flags := c.Flags()
	flags.StringVar(&result, "out", "", "the file to write the outcomes to, which must not exist")
	flags.StringVar(&office, "office", "", "office (off_...) of the rows, unless the file has a column for it; see: molar offices list")
	flags.StringVar(&s.Name, "name", "", "name of the batch, never a patient's (default: that of the file)")
	flags.StringVar(&s.NotAfter, "not-after", "", "the payers are not asked after it, such as 2026-01-03T08:00:00-05:00 (default: a day from now)")
	flags.StringVar(&s.Recheck, "recheck", "", "how long before each appointment the patient is checked again, such as PT2H (default: never)")
	flags.BoolVar(&s.skip, "skip-faults", false, "leave rows with faults out, and check the others")
	_ = c.MarkFlagRequired("out")
	return c
}

// check reads the file, asks, waits and writes the result.
func (s *scheduleCheck) check(c *cobra.Command, csv, office, result string) error {
	if err := s.read(c.Context(), csv, office); err != nil {
		return err
	}
	err := s.send(c.Context())
	if err == nil {
		err = s.wait(c)
	}
	var items map[string]*molar.EligibilityBatchItem
	if err == nil {
		items, err = s.outcomes(c.Context())
	}
	if err != nil {
		if len(s.batches) > 0 {
			s.say("Run the same command again to go on. No payer is asked twice.")
		}
		return err
	}
	person, err := writeFile(result, func(w *os.File) (int, error) { return s.write(w, items) })
	if err != nil {
		return err
	}
	s.say("%s has %d patients. %d need a person.", result, len(s.file.Rows), person)
	if n := s.unasked(items); n > 0 {
		s.say("%d of them are invalid, and no payer was asked about them. The column what_to_do says what to correct.", n)
	}
	for _, b := range s.batches {
		if b.State == molar.EligibilityBatchState(coverage.BatchWaiting) {
			s.say("Patients are checked again before their appointments; see: molar eligibility batches items %s", b.ID)
		}
	}
	return nil
}

// unasked returns how many rows of the file are invalid, by their cells or as items.
func (s *scheduleCheck) unasked(items map[string]*molar.EligibilityBatchItem) (n int) {
	for _, r := range s.file.Rows {
		if r.Item == nil {
			n++
		} else if i := items[r.Item.ItemID]; i != nil && coverage.ItemOutcome(shownOr(i.Outcome, "")) == coverage.ItemInvalid {
			n++
		}
	}
	return n
}

func (s *scheduleCheck) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
}

// read reads the file, and lists what is wrong with it. Faults are an error, unless they are
// left out.
func (s *scheduleCheck) read(ctx context.Context, csv, office string) (err error) {
	if s.file, err = s.readParts(ctx, csv, office); err != nil {
		return err
	}
	for _, f := range s.file.Faults {
		s.fault("The columns", &f)
	}
	var faulty []string
	for _, r := range s.file.Rows {
		if r.Item == nil {
			faulty = append(faulty, strconv.Itoa(r.Line))
		}
		for _, f := range r.Faults {
			s.fault("Line "+strconv.Itoa(r.Line), &f)
		}
	}
	switch {
	case len(s.file.Faults) > 0:
		return errors.New("the columns of the file have faults, and nothing was sent. Say what a column means with molar import-mappings set")
	case len(s.file.Rows) == 0:
		return errors.New("the file has no row that can be checked, and nothing was sent")
	case len(faulty) > 0 && !s.skip:
		return fmt.Errorf("%d of %d rows have faults, and nothing was sent. Correct the file; or say what names of payers mean with molar import-mappings set;\n"+
			"or leave these rows out with --skip-faults", len(faulty), len(s.file.Rows))
	case len(faulty) > 0:
		s.say("Lines left out: %s.", strings.Join(faulty, ", "))
	}
	return nil
}

// fault prints what is wrong with a cell, and what it may mean.
func (s *scheduleCheck) fault(where string, f *molar.CellFault) {
	if f.Column != nil {
		where += ", column " + strconv.Itoa(*f.Column)
		if *f.Column <= len(s.file.Columns) {
			where += " (" + oneLine(s.file.Columns[*f.Column-1].Name) + ")"
		}
	}
	s.say("%s: %s", where, f.Message)
	for _, may := range f.Candidates {
		if line := "  It may mean " + oneLine(may.Value); may.Label == may.Value {
			s.say("%s", line)
		} else {
			s.say("%s (%s)", line, oneLine(may.Label))
		}
	}
}

// The limits of a request for a batch, which the API has, with room to spare.
const (
	maxBatchBytes  = 900_000
	maxBatchValues = 38_000
	valuesOfItem   = 25  // besides procedure codes
	mostFaults     = 100 // that a reply has
)

// send makes the batches, or finds those of an earlier run of the same file.
func (s *scheduleCheck) send(ctx context.Context) error {
	var rows []*molar.ScheduleRow
	size, values := 0, 0
	for i := range s.file.Rows {
		if r := &s.file.Rows[i]; r.Item != nil {
			item, err := json.Marshal(r.Item)
			if err != nil {
				return err
			}
			more := valuesOfItem + len(r.Item.ProcedureCodes)
			if len(rows) == coverage.MaxBatchItems || size+len(item) > maxBatchBytes || values+more > maxBatchValues {
				if err := s.submit(ctx, rows); err != nil {
					return err
				}
				s.Items, rows, size, values = nil, nil, 0, 0
			}
			s.Items, rows = append(s.Items, item), append(rows, r)
			size, values = size+len(item)+1, values+more
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return s.submit(ctx, rows)
}

// submit makes a batch of the items, which stand in rows of the file. If all are invalid, there is no batch, and
// they have this outcome.
func (s *scheduleCheck) submit(ctx context.Context, rows []*molar.ScheduleRow) error {
	var made molar.EligibilityBatch
	var got molar.Reply
	s.sent++
	key := molar.Key(s.run + strconv.Itoa(s.sent))
	err := s.api.inWords(ctx, s.api.Request(ctx, http.MethodPost, "/eligibility/batches", nil, s.batchBody, &made, key, molar.Capture(&got)))
	if e, ok := errors.AsType[*apiError](err); ok {
		if e.Code == "IDEMPOTENCY_KEY_REUSED" {
			return errors.New("this file was sent before with other options, or names in it meant something else.\n" +
				"Repeat the options of that run to go on with it, or give this one another --name to ask the payers again")
		}
		if s.refused(rows, e.Faults) {
			return nil
		}
		for i, f := range e.Faults {
			if n, field, ok := itemOf(f.Field); ok && n < len(rows) {
				e.Faults[i].Field = strings.TrimSuffix("line "+strconv.Itoa(rows[n].Line)+", "+field, ", ")
			}
		}
	}
	if err != nil {
		return err
	}
	s.batches = append(s.batches, &made)
	if got.Replayed {
		s.say("Going on with batch %s of an earlier run: %d patients.", made.ID, made.Items)
	} else {
		s.say("Batch %s: %d patients.", made.ID, made.Items)
	}
	return nil
}

// itemOf splits the field of a fault into the index of its item and the field in it.
func itemOf(field string) (n int, within string, ok bool) {
	rest, ok := strings.CutPrefix(field, "items.")
	index, within, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(index)
	return n, within, ok && err == nil && n >= 0
}

// refused records the faults as those of the rows' items, and reports whether all of the faults are of items. The
// API then made no batch, because every item is invalid; it names the first faults only.
func (s *scheduleCheck) refused(rows []*molar.ScheduleRow, faults []molar.Fault) bool {
	of := make([][]molar.EligibilityBatchItemError, len(rows))
	for _, f := range faults {
		n, field, ok := itemOf(f.Field)
		if !ok || field == "" || n >= len(rows) {
			return false
		}
		of[n] = append(of[n], molar.EligibilityBatchItemError{Field: field, Code: molar.EligibilityBatchItemErrorCode(f.Code), Message: f.Message})
	}
	if len(faults) < mostFaults && slices.ContainsFunc(of, func(f []molar.EligibilityBatchItemError) bool { return f == nil }) {
		return false
	}
	if s.invalid == nil {
		s.invalid = map[string]*molar.EligibilityBatchItem{}
	}
	invalid := molar.EligibilityItemOutcome(coverage.ItemInvalid)
	for i, r := range rows {
		if of[i] == nil {
			of[i] = []molar.EligibilityBatchItemError{{Field: "item", Message: "The check is invalid. Correct the rows above, and send the file again."}}
		}
		s.invalid[r.Item.ItemID] = &molar.EligibilityBatchItem{
			ItemID: r.Item.ItemID, Outcome: &invalid, NeedsAPerson: true, Errors: of[i],
		}
	}
	return true
}

// The pauses before the batches are read again.
const (
	firstLook = 250 * time.Millisecond
	lastLook  = 5 * time.Second
)

// wait waits until every item has an outcome, and shows how many have one.
func (s *scheduleCheck) wait(c *cobra.Command) error {
	if len(s.batches) == 0 {
		return nil
	}
	line := newBar(c, "Asking the payers")
	defer line.end()
	for look := firstLook; ; look = min(2*look, lastLook) {
		pending, all, person := 0, 0, 0
		for i, b := range s.batches {
			if look == firstLook || b.Pending > 0 {
				now, err := s.api.EligibilityBatches.Get(c.Context(), b.ID)
				if err != nil {
					return s.api.inWords(c.Context(), err)
				}
				s.batches[i] = now
			}
			b = s.batches[i]
			pending, all, person = pending+b.Pending, all+b.Items, person+b.NeedsAPerson
		}
		line.at(int64(all-pending), int64(all), fmt.Sprintf("%d of %d, %d need a person", all-pending, all, person))
		if pending == 0 {
			return nil
		}
		if err := pause(c.Context(), look); err != nil {
			return err
		}
	}
}

// outcomes reads the items of the batches, by their IDs.
func (s *scheduleCheck) outcomes(ctx context.Context) (map[string]*molar.EligibilityBatchItem, error) {
	items := maps.Clone(s.invalid)
	if items == nil {
		items = map[string]*molar.EligibilityBatchItem{}
	}
	for _, b := range s.batches {
		for i, err := range s.api.EligibilityBatches.ListItems(b.ID, molar.EligibilityBatchesListItemsParams{Limit: 100}).All(ctx) {
			if err != nil {
				return nil, s.api.inWords(ctx, err)
			}
			items[i.ItemID] = i
		}
	}
	return items, nil
}
