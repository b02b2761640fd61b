package intake

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

// CheckBatchRequest is a batch of checks as a caller wrote it; nothing is parsed yet. Nil, or
// the zero time, is a value that was left out or null.
type CheckBatchRequest struct {
	Name     string
	Items    []CheckItemInput
	NotAfter time.Time
	Recheck  *string
	Faults   billing.Faults // found when the body was decoded
}

// CheckItemInput is an item as a caller wrote it: a request for a check, and the practice's own
// ID of it.
type CheckItemInput struct {
	ItemID        string
	AppointmentAt time.Time
	AppointmentID *string
	EligibilityRequest
}

// OwnFaults has the faults of reading, by the fields of the item.
func (i *CheckItemInput) OwnFaults() *billing.Faults { return &i.Faults }

// AskedItem is an item of a request. Its check is not validated yet.
type AskedItem struct {
	*coverage.BatchItem
	Check EligibilityRequest // with the faults of reading, by fields of a check
}

const maxItemID = 100

// Batch validates the request, but its checks. It returns the batch without ID and scope, and its
// items. Faults of items refuse a batch only if they leave open which item they are about.
func (r CheckBatchRequest) Batch(now time.Time) (*coverage.Batch, []AskedItem, billing.Faults) {
	faults := slices.Clone(r.Faults)
	b := &coverage.Batch{Name: r.Name, CreatedAt: now, NotAfter: now.Add(coverage.BatchPatience)}
	faults.Name("name", r.Name)
	latest := now.AddDate(0, 0, coverage.MaxBatchDays)
	switch at := r.NotAfter.UTC().Truncate(time.Microsecond); {
	case r.NotAfter.IsZero():
	case !at.After(now):
		faults.Add("not_after", billing.FaultRange, "The time is over. Send a later one, or leave not_after out for a day from now.")
	case at.After(latest):
		faults.Add("not_after", billing.FaultRange, "The time must be within 30 days.")
	default:
		b.NotAfter = at
	}
	if r.Recheck != nil {
		b.Recheck = recheck(&faults, *r.Recheck)
	}
	items := askedItems(r.Items, &faults)
	return b, items, faults
}

func recheck(faults *billing.Faults, text string) time.Duration {
	d, fault := Duration(text)
	switch {
	case fault != "":
		faults.Add("recheck", billing.FaultFormat, "Send a duration of ISO 8601, such as PT2H or P1D.")
	case d < time.Minute, d > coverage.MaxBatchDays*24*time.Hour:
		faults.Add("recheck", billing.FaultRange, "The duration must be from PT1M to P30D.")
	}
	return d
}

// askedItems reads items. A fault of an item_id is the request's, since it leaves open which item is meant.
func askedItems(all []CheckItemInput, faults *billing.Faults) []AskedItem {
	switch n := len(all); {
	case n == 0:
		faults.Add("items", billing.FaultTooFew, "A batch must have at least one item.")
	case n > coverage.MaxBatchItems:
		faults.Add("items", billing.FaultTooMany, "A batch may have at most 1,000 items. Send several batches.")
		return nil
	}
	items, seen := make([]AskedItem, len(all)), map[string]bool{}
	for i := range all {
		in := &all[i]
		at := item("items", i) + "."
		check := in.EligibilityRequest
		isID := func(f billing.FieldFault) bool { return f.Field == "item_id" }
		if k := slices.IndexFunc(in.Faults, isID); k >= 0 {
			faults.Add(at+"item_id", in.Faults[k].Code, in.Faults[k].Message)
			check.Faults = slices.DeleteFunc(slices.Clone(in.Faults), isID)
		}
		if faults.Required(at+"item_id", in.ItemID, maxItemID) {
			faults.Shown(at+"item_id", in.ItemID)
		}
		if seen[in.ItemID] {
			faults.Add(at+"item_id", billing.FaultConflict, "Another item has this item_id. Each must have its own.")
		}
		seen[in.ItemID] = true
		made := &coverage.BatchItem{ItemID: in.ItemID, AppointmentAt: in.AppointmentAt.UTC().Truncate(time.Microsecond), AppointmentID: in.AppointmentID}
		if in.AppointmentAt.IsZero() {
			made.AppointmentAt = time.Time{}
		}
		if !check.Faults.Optional("appointment_id", in.AppointmentID, maxItemID) {
			made.AppointmentID = nil // it makes the item invalid, and is not stored
		}
		items[i] = AskedItem{made, check}
		items[i].remember()
	}
	return items
}

// remember keeps the request in the item, with whom it is about.
func (i *AskedItem) remember() {
	i.Request, _ = json.Marshal(i.Check) // it has texts only
	first, last, birth := i.Check.Subscriber.FirstName, i.Check.Subscriber.LastName, i.Check.Subscriber.DateOfBirth
	if p := i.Check.Patient; p != nil {
		first, last, birth = p.FirstName, p.LastName, p.DateOfBirth
	}
	if born, err := billing.ParseDate(birth); err == nil {
		if key, ok := directory.PatientKey(first, last, born); ok {
			i.PersonKey, i.PersonBorn = key, born
		}
	}
}

// RequestOf returns the request for a check that an item keeps.
func RequestOf(i *coverage.BatchItem) (in EligibilityRequest, err error) {
	err = json.Unmarshal(i.Request, &in)
	in.NoCache = i.Fresh
	return in, err
}

// CheckRetryRequest names the items of a batch that are asked again, or has them with corrections.
type CheckRetryRequest struct {
	ItemIDs []string
	Items   []CheckItemInput
	Faults  billing.Faults // found when the body was decoded
}

// NamedItem is the ID of an item, and the field of the request that has it.
type NamedItem struct{ ItemID, Field string }

// Retry validates the request. It returns the names of the items, and the corrected ones.
func (r CheckRetryRequest) Retry() (named []NamedItem, corrected map[string]AskedItem, faults billing.Faults) {
	faults = slices.Clone(r.Faults)
	if len(r.ItemIDs)+len(r.Items) == 0 {
		faults.Add("", billing.FaultRequired, "Send item_ids, or items with corrections.")
		return nil, nil, faults
	}
	corrected = map[string]AskedItem{}
	if len(r.Items) > 0 {
		for n, i := range askedItems(r.Items, &faults) {
			corrected[i.ItemID] = i
			named = append(named, NamedItem{i.ItemID, item("items", n) + ".item_id"})
		}
	}
	for i, name := range r.ItemIDs {
		if slices.ContainsFunc(named, func(n NamedItem) bool { return n.ItemID == name }) {
			faults.Add(item("item_ids", i), billing.FaultConflict, "The request names this item twice. Name it once.")
			continue
		}
		named = append(named, NamedItem{name, item("item_ids", i)})
	}
	if len(named) > coverage.MaxBatchItems {
		faults.Add("", billing.FaultTooMany, "A batch has at most 1,000 items.")
	}
	return named, corrected, faults
}
