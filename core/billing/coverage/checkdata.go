package coverage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// A check as the API contract shows it. It is encoded once, when the check is completed,
// because its replies must stay as they are when a later release shows more.

// checkData is a check without its benefits. Every field is present; fields without a
// value are null.
type checkData struct {
	ID              billing.CheckID       `json:"id"`
	Object          string                `json:"object"`
	OfficeID        billing.OfficeID      `json:"office_id"`
	PatientID       *billing.PatientID    `json:"patient_id"`
	Payer           event.PayerData       `json:"payer"`
	State           CheckState            `json:"state"`
	Outcome         *Outcome              `json:"outcome"`
	Status          *Status               `json:"status"`
	Billing         *usageData            `json:"billing"`
	Cache           cacheData             `json:"cache"`
	ParentID        *billing.CheckID      `json:"parent_id"`
	BatchID         *billing.CheckBatchID `json:"batch_id"`
	RequestID       *billing.RequestID    `json:"request_id"`
	IdempotencyKey  *string               `json:"idempotency_key"`
	Source          *sourceData           `json:"source"`
	TenantReference *string               `json:"tenant_reference"`
	CreatedAt       string                `json:"created_at"`
	Request         inquiryData           `json:"request"`
	Rejection       *rejectionData        `json:"rejection"`
	Verdict         *verdictData          `json:"verdict"`
	ComparedWith    *billing.CheckID      `json:"compared_with"`
	Changes         []Change              `json:"changes"`
}

type verdictData struct {
	Standing Standing `json:"standing"`
	Text     string   `json:"text"`
	Also     []string `json:"also"`
}

type sourceData struct {
	Network     string `json:"network"`
	LatencyMS   *int   `json:"latency_ms"`
	CompletedAt string `json:"completed_at"`
}

type inquiryData struct {
	Subscriber     subscriberData `json:"subscriber"`
	Patient        *dependentData `json:"patient"`
	ServiceDate    billing.Date   `json:"service_date"`
	ProcedureCodes []string       `json:"procedure_codes"`
	DetailLevel    DetailLevel    `json:"detail_level"`
	OfficeNPI      string         `json:"office_npi"`
}

type subscriberData struct {
	FirstName   string       `json:"first_name"`
	LastName    string       `json:"last_name"`
	DateOfBirth billing.Date `json:"date_of_birth"`
	MemberID    string       `json:"member_id"`
	GroupNumber *string      `json:"group_number"`
	Gender      *Gender      `json:"gender"`
}

type dependentData struct {
	FirstName    string       `json:"first_name"`
	LastName     string       `json:"last_name"`
	DateOfBirth  billing.Date `json:"date_of_birth"`
	Relationship Relationship `json:"relationship"`
	Gender       *Gender      `json:"gender"`
}

type rejectionData struct {
	Kind      RejectionKind `json:"kind"`
	PayerCode string        `json:"payer_code"`
	Reasons   []reasonData  `json:"reasons"`
}

type reasonData struct {
	Code           ReasonCode `json:"code"`
	About          About      `json:"about"`
	Field          *string    `json:"field"`
	Message        string     `json:"message"`
	Fix            string     `json:"fix"`
	SuggestedValue string     `json:"suggested_value,omitempty"`
}

// failureData is the reply to the request for a failed check, without the check.
type failureData struct {
	Error     billing.Code      `json:"error"`
	Message   string            `json:"message"`
	Errors    []string          `json:"errors"` // none
	RequestID billing.RequestID `json:"request_id"`
	DocURL    string            `json:"doc_url"`

	NeedsNewKey bool `json:"needs_new_key,omitempty"`
}

// show encodes a completed check and its failure, with the verdict of the benefits. The reply
// to an internal failure is not kept, because its key may be used again.
func (c *Check) show(b *Benefits) {
	c.Shown, c.ShownFailure = c.data(c.verdict(b)), nil
	if e, ok := errors.AsType[*billing.Error](c.Failure()); ok && !c.Forgotten() {
		c.ShownFailure = event.Encode(failureData{e.Code, e.Message, []string{}, cmp.Or(c.RequestID, c.OfPerson), e.Code.DocURL(), e.Code.NeedsNewKey()})
	}
}

// Data returns the JSON of the check: as the release shows it that completed it. A pending
// one is encoded now. The benefits are the stored bytes: a page has 25 checks, and decoding
// and encoding them took most of its time.
func (c *Check) Data() json.RawMessage {
	shown, benefits := c.Shown, c.Benefits
	if shown == nil {
		b, _ := c.Answer() // the verdict is the same without benefits that cannot be read
		shown = c.data(c.verdict(b))
	}
	if benefits == nil {
		benefits = (*Benefits)(nil).Data()
	}
	return bytes.Join([][]byte{bytes.TrimSuffix(shown, []byte("}")), bytes.TrimPrefix(benefits, []byte("{"))}, []byte(","))
}

func (c *Check) data(v *Verdict) []byte {
	q := c.Inquiry
	out := checkData{
		ID:              c.ID,
		Object:          "eligibility_check",
		OfficeID:        c.OfficeID,
		PatientID:       event.OrNull(c.PatientID),
		Payer:           event.PayerData(c.Payer),
		State:           c.State,
		Outcome:         event.OrNull(c.Outcome),
		Status:          event.OrNull(c.Status),
		Cache:           cacheData{c.CacheState(), event.OrNull(c.CacheSource)},
		ParentID:        event.OrNull(c.ParentID),
		BatchID:         event.OrNull(c.BatchID),
		RequestID:       event.OrNull(c.RequestID),
		IdempotencyKey:  event.OrNull(c.IdempotencyKey),
		TenantReference: c.TenantReference,
		CreatedAt:       event.Timestamp(c.CreatedAt),
		Request: inquiryData{
			Subscriber:     q.Subscriber.data(),
			Patient:        q.Patient.data(),
			ServiceDate:    q.ServiceDate,
			ProcedureCodes: append([]string{}, q.ProcedureCodes...),
			DetailLevel:    q.DetailLevel,
			OfficeNPI:      q.Office.NPI,
		},
	}
	out.ComparedWith, out.Changes = event.OrNull(c.ComparedWith), c.Changes
	if u := c.Usage(); u != nil {
		out.Billing = (*usageData)(u)
	}
	if c.State == CheckCompleted {
		out.Source = &sourceData{c.Network, c.LatencyMS, event.Timestamp(c.CompletedAt)}
	}
	if r := c.Rejection; r != nil {
		out.Rejection = &rejectionData{r.Kind, r.PayerCode, listed(r.Reasons, RejectionReason.data)}
	}
	out.Verdict = v.data()
	return event.Encode(out)
}

func (v *Verdict) data() *verdictData {
	if v == nil {
		return nil
	}
	return &verdictData{v.Standing, v.Text, append([]string{}, v.Also...)}
}

// judged returns the check with its verdict. Releases before 0.5 showed none, and replays keep
// what they showed.
func (c *Check) judged() *Check {
	if c.Shown == nil || bytes.Contains(c.Shown, []byte(`"verdict":`)) {
		return c
	}
	b, _ := c.Answer() // as in Data
	out := *c
	out.Shown = slices.Concat(bytes.TrimSuffix(c.Shown, []byte("}")), []byte(`,"verdict":`), event.Encode(c.verdict(b).data()), []byte("}"))
	return &out
}

func (s *Subscriber) data() subscriberData {
	return subscriberData{s.FirstName, s.LastName, s.DateOfBirth, s.MemberID, s.GroupNumber, event.OrNull(s.Gender)}
}

func (d *Dependent) data() *dependentData {
	if d == nil {
		return nil
	}
	return &dependentData{d.FirstName, d.LastName, d.DateOfBirth, d.Relationship, event.OrNull(d.Gender)}
}

func (r RejectionReason) data() reasonData {
	return reasonData{r.Code, r.About, event.OrNull(r.Field), r.Message, r.Fix, r.SuggestedValue}
}
