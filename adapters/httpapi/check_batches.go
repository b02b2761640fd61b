package httpapi

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/intake"
)

// cancelCheckItem handles POST /eligibility/batches/{id}/items/{item_id}/cancel.
func (a *api) cancelCheckItem(x *exchange) (*reply, error) {
	_ = readBody[struct{ Faults billing.Faults }](x)
	name := pathText(x, "item_id")
	return kept(a.eligibility.CancelItem(x.ctx, replying(x, http.StatusOK, checkBatchShape), pathID[billing.CheckBatchID](x, "id"), name))
}

// listCheckItems handles GET /eligibility/batches/{id}/items. A CSV file has all items that the
// filters select.
func (a *api) listCheckItems(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("check_items", x.call.Scope, "limit", "cursor")
	f := coverage.ItemFilter{BatchID: pathID[billing.CheckBatchID](x, "id"), Outcome: oneOf(q, "outcome", coverage.ItemOutcomes()...), NeedsAPerson: q.flag("needs_a_person")}
	f.ItemID = q.free("item_id")
	p := billing.Page{Limit: q.limit(), After: q.cursor(a.cursors, l), Oldest: true}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	x.resource = f.BatchID.String()
	if !x.prefersTable() {
		found, next, err := a.eligibility.Items(x.ctx, x.call.Scope, f, p)
		if err != nil {
			return nil, err
		}
		return page(found, checkItemShape, a.cursors.encode(l, next)), nil
	}
	x.exports(q, l)
	var all []*eligibility.Item
	for p = (billing.Page{Limit: billing.MaxPageLimit, Oldest: true}); ; {
		found, next, err := a.eligibility.Items(x.ctx, x.call.Scope, f, p)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		if p.After = next; next == nil {
			break
		}
	}
	return &reply{status: http.StatusOK, raw: checkItemsFile(all), mime: "text/csv; charset=utf-8", fileName: f.BatchID.String() + ".csv"}, nil
}

type checkBatchJSON struct {
	ID           billing.CheckBatchID `json:"id"`
	Object       string               `json:"object"`
	Name         string               `json:"name"`
	State        coverage.BatchState  `json:"state"`
	Items        int                  `json:"items"`
	Pending      int                  `json:"pending"`
	Waiting      int                  `json:"waiting"`
	Outcomes     outcomesJSON         `json:"outcomes"`
	NeedsAPerson int                  `json:"needs_a_person"`
	NotAfter     string               `json:"not_after"`
	Recheck      *string              `json:"recheck"`
	CreatedAt    string               `json:"created_at"`
	ExpectedAt   *string              `json:"expected_at"`
	CompletedAt  *string              `json:"completed_at"`
	CanceledAt   *string              `json:"canceled_at"`
}

type outcomesJSON struct {
	Answered         int `json:"answered"`
	Rejected         int `json:"rejected"`
	PayerUnavailable int `json:"payer_unavailable"`
	Error            int `json:"error"`
	Invalid          int `json:"invalid"`
	NotAsked         int `json:"not_asked"`
	Canceled         int `json:"canceled"`
}

// checkBatchShape shows a batch that was just made or changed.
func checkBatchShape(b *coverage.Batch) checkBatchJSON {
	return batchedShape(&eligibility.Batched{Batch: b, Now: b.CreatedAt})
}

func batchedShape(b *eligibility.Batched) checkBatchJSON {
	of := b.Counts.Outcomes
	shape := checkBatchJSON{
		ID: b.ID, Object: "eligibility_batch", Name: b.Name, State: b.State(), Items: b.Counts.Items(), Pending: b.Counts.Pending, Waiting: b.Counts.Waiting,
		Outcomes: outcomesJSON{
			of[coverage.ItemAnswered], of[coverage.ItemRejected], of[coverage.ItemPayerUnavailable], of[coverage.ItemError],
			of[coverage.ItemInvalid], of[coverage.ItemNotAsked], of[coverage.ItemCanceled],
		},
		NeedsAPerson: b.Counts.NeedsAPerson, NotAfter: event.Timestamp(b.NotAfter), CreatedAt: event.Timestamp(b.CreatedAt),
		ExpectedAt: timeOrNull(b.ExpectedAt(b.Now)), CompletedAt: timeOrNull(b.CompletedAt()), CanceledAt: timeOrNull(b.CanceledAt),
	}
	if b.Recheck > 0 {
		shape.Recheck = new(scenario.Period(b.Recheck))
	}
	return shape
}

type checkItemJSON struct {
	ID                  billing.CheckItemID   `json:"id"`
	ItemID              string                `json:"item_id"`
	Object              string                `json:"object"`
	BatchID             billing.CheckBatchID  `json:"batch_id"`
	State               coverage.ItemState    `json:"state"`
	Outcome             *coverage.ItemOutcome `json:"outcome"`
	NeedsAPerson        bool                  `json:"needs_a_person"`
	AppointmentAt       *string               `json:"appointment_at"`
	AppointmentID       *string               `json:"appointment_id"`
	EligibilityID       *billing.CheckID      `json:"eligibility_id"`
	PatientID           *billing.PatientID    `json:"patient_id"`
	Status              *coverage.Status      `json:"status"`
	Verdict             *itemVerdictJSON      `json:"verdict"`
	MaximumRemaining    *string               `json:"maximum_remaining"`
	DeductibleRemaining *string               `json:"deductible_remaining"`
	Attempts            int                   `json:"attempts"`
	NextAttemptAt       *string               `json:"next_attempt_at"`
	CompletedAt         *string               `json:"completed_at"`
	Settled             *settledJSON          `json:"settled"`
	Errors              []faultJSON           `json:"errors"`
	Request             json.RawMessage       `json:"request"`
}

type itemVerdictJSON struct {
	Standing coverage.Standing `json:"standing"`
	Text     string            `json:"text"`
	Also     []string          `json:"also"`
}

func checkItemShape(i *eligibility.Item) checkItemJSON {
	shape := checkItemJSON{
		ID: i.ID, ItemID: i.ItemID, Object: "eligibility_batch_item", BatchID: i.BatchID, State: i.State(), Outcome: orNull(i.Outcome), NeedsAPerson: i.NeedsAPerson,
		AppointmentAt: timeOrNull(i.AppointmentAt), AppointmentID: i.AppointmentID, EligibilityID: orNull(i.CheckID), Attempts: i.Attempts,
		NextAttemptAt: timeOrNull(i.NextAt), CompletedAt: timeOrNull(i.CompletedAt), Settled: settledShape(i.Decisions.Of(string(task.CheckNeedsPerson))), Request: i.Request,
		Errors: mapped(i.Faults, func(f billing.FieldFault) faultJSON { return faultJSON{f.Field, f.Code, f.Message} }),
	}
	if i.Check == nil || i.Outcome == "" {
		return shape
	}
	s := i.Check.Summary()
	shape.PatientID, shape.Status = orNull(i.Check.PatientID), orNull(i.Check.Status)
	shape.MaximumRemaining, shape.DeductibleRemaining = money(s.MaximumLeft), money(s.DeductibleLeft)
	if v := s.Verdict; v != nil {
		shape.Verdict = &itemVerdictJSON{v.Standing, v.Text, listOf(v.Also)}
	}
	return shape
}

// checkItemsFile returns items as a CSV file, whose last line counts them.
func checkItemsFile(all []*eligibility.Item) []byte {
	var out strings.Builder
	w := csv.NewWriter(&out)
	w.UseCRLF = true
	_ = w.Write([]string{
		"item_id", "appointment_at", "appointment_id", "last_name", "first_name", "date_of_birth", "payer_id", "member_id", "state", "outcome", "needs_a_person",
		"status", "verdict", "maximum_remaining", "deductible_remaining", "attempts", "next_attempt_at", "eligibility_id", "errors",
	}) // a strings.Builder takes everything
	for _, item := range all {
		s := checkItemShape(item)
		asked, _ := intake.RequestOf(item.BatchItem) // our own
		first, last, born := asked.Subscriber.FirstName, asked.Subscriber.LastName, asked.Subscriber.DateOfBirth
		if who := asked.Patient; who != nil {
			first, last, born = who.FirstName, who.LastName, who.DateOfBirth
		}
		verdict, errs := "", make([]string, len(s.Errors))
		if s.Verdict != nil {
			verdict = strings.Join(append([]string{s.Verdict.Text}, s.Verdict.Also...), " ")
		}
		for i, e := range s.Errors {
			errs[i] = e.Field + ": " + e.Message
		}
		check := ""
		if s.EligibilityID != nil {
			check = s.EligibilityID.String()
		}
		_ = w.Write([]string{
			intake.Guarded(s.ItemID), shownTime(item.AppointmentAt), intake.Guarded(deref(s.AppointmentID)), intake.Guarded(last), intake.Guarded(first), intake.Guarded(born),
			intake.Guarded(asked.PayerID), intake.Guarded(asked.Subscriber.MemberID), string(s.State), string(item.Outcome), strconv.FormatBool(s.NeedsAPerson),
			string(deref(s.Status)), verdict, deref(s.MaximumRemaining), deref(s.DeductibleRemaining), strconv.Itoa(s.Attempts), shownTime(item.NextAt),
			check, intake.Guarded(strings.Join(errs, " ")),
		})
	}
	w.Flush()
	fmt.Fprintf(&out, "# %d rows\r\n", len(all))
	return []byte(out.String())
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func shownTime(t time.Time) string { return deref(timeOrNull(t)) }
