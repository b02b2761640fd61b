package httpapi

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
)

// checkJSON is an eligibility check as the API returns it, without its
// benefits. Every field is present; fields without a value are null.
type checkJSON struct {
	ID              billing.CheckID         `json:"id"`
	Object          string                  `json:"object"`
	OfficeID        billing.OfficeID        `json:"office_id"`
	PatientID       *billing.PatientID      `json:"patient_id"`
	Payer           payerJSON               `json:"payer"`
	State           billing.CheckState      `json:"state"`
	Outcome         *billing.Outcome        `json:"outcome"`
	Status          *billing.CoverageStatus `json:"status"`
	Billing         *usageJSON              `json:"billing"`
	Cache           cacheJSON               `json:"cache"`
	ParentID        *billing.CheckID        `json:"parent_id"`
	RequestID       *billing.RequestID      `json:"request_id"`
	IdempotencyKey  *string                 `json:"idempotency_key"`
	Source          *sourceJSON             `json:"source"`
	TenantReference *string                 `json:"tenant_reference"`
	CreatedAt       string                  `json:"created_at"`
	Request         inquiryJSON             `json:"request"`
	Rejection       *rejectionJSON          `json:"rejection"`
}

type usageJSON struct {
	Charged bool                `json:"charged"`
	State   billing.UsageState  `json:"state"`
	Reason  billing.UsageReason `json:"reason"`
	Label   string              `json:"label"`
}

type cacheJSON struct {
	State    string           `json:"state"`
	SourceID *billing.CheckID `json:"source_id"`
}

type sourceJSON struct {
	Network     string `json:"network"`
	LatencyMS   *int   `json:"latency_ms"`
	CompletedAt string `json:"completed_at"`
}

type inquiryJSON struct {
	Subscriber     subscriberJSON      `json:"subscriber"`
	Patient        *dependentJSON      `json:"patient"`
	ServiceDate    billing.Date        `json:"service_date"`
	ProcedureCodes []string            `json:"procedure_codes"`
	DetailLevel    billing.DetailLevel `json:"detail_level"`
	OfficeNPI      string              `json:"office_npi"`
}

type subscriberJSON struct {
	FirstName   string       `json:"first_name"`
	LastName    string       `json:"last_name"`
	DateOfBirth billing.Date `json:"date_of_birth"`
	MemberID    string       `json:"member_id"`
	GroupNumber *string      `json:"group_number"`
}

type dependentJSON struct {
	FirstName    string               `json:"first_name"`
	LastName     string               `json:"last_name"`
	DateOfBirth  billing.Date         `json:"date_of_birth"`
	Relationship billing.Relationship `json:"relationship"`
}

type rejectionJSON struct {
	Kind      billing.RejectionKind `json:"kind"`
	PayerCode string                `json:"payer_code"`
	Reasons   []reasonJSON          `json:"reasons"`
}

type reasonJSON struct {
	Code           billing.ReasonCode `json:"code"`
	About          billing.About      `json:"about"`
	Field          *string            `json:"field"`
	Message        string             `json:"message"`
	Fix            string             `json:"fix"`
	SuggestedValue string             `json:"suggested_value,omitempty"`
}

// checkShape builds the JSON of a check. It copies the benefits as the stored
// bytes: a page has 25 checks, and decoding and encoding the benefits took
// most of its time.
func checkShape(c *billing.EligibilityCheck) json.RawMessage {
	q := c.Inquiry
	out := checkJSON{
		ID:              c.ID,
		Object:          "eligibility_check",
		OfficeID:        c.OfficeID,
		PatientID:       orNull(c.PatientID),
		Payer:           payerJSON(c.Payer),
		State:           c.State,
		Outcome:         orNull(c.Outcome),
		Status:          orNull(c.Status),
		Cache:           cacheJSON{c.CacheState(), orNull(c.CacheSource)},
		ParentID:        orNull(c.ParentID),
		RequestID:       orNull(c.RequestID),
		IdempotencyKey:  orNull(c.IdempotencyKey),
		TenantReference: c.TenantReference,
		CreatedAt:       billing.Timestamp(c.CreatedAt),
		Request: inquiryJSON{
			Subscriber:     subscriberJSON(q.Subscriber),
			Patient:        (*dependentJSON)(q.Patient),
			ServiceDate:    q.ServiceDate,
			ProcedureCodes: listOf(q.ProcedureCodes),
			DetailLevel:    q.DetailLevel,
			OfficeNPI:      q.Office.NPI,
		},
	}
	if u := c.Usage(); u != nil {
		out.Billing = (*usageJSON)(u)
	}
	if c.State == billing.CheckCompleted {
		out.Source = &sourceJSON{c.Network, c.LatencyMS, billing.Timestamp(c.CompletedAt)}
	}
	if r := c.Rejection; r != nil {
		out.Rejection = &rejectionJSON{r.Kind, r.PayerCode, mapped(r.Reasons, reasonShape)}
	}
	benefits := c.Benefits
	if benefits == nil {
		benefits = (*billing.Benefits)(nil).Data()
	}
	shape := append(bytes.TrimSuffix(encoded(out), []byte("}\n")), ',')
	return append(shape, bytes.TrimPrefix(benefits, []byte("{"))...)
}

func reasonShape(r billing.RejectionReason) reasonJSON {
	return reasonJSON{r.Code, r.About, orNull(r.Field), r.Message, r.Fix, r.SuggestedValue}
}

func money(m *billing.Money) *string {
	if m == nil {
		return nil
	}
	return new(m.String())
}

// mapped returns an array, never null.
func mapped[T, J any](rows []T, shape func(T) J) []J {
	out := make([]J, len(rows))
	for i, row := range rows {
		out[i] = shape(row)
	}
	return out
}

type exchangeJSON struct {
	Object        string           `json:"object"`
	EligibilityID billing.CheckID  `json:"eligibility_id"`
	SourceID      *billing.CheckID `json:"source_id"`
	Messages      []messageJSON    `json:"messages"`
}

type messageJSON struct {
	Request  string  `json:"request"`
	Response *string `json:"response"`
}

func exchangeShape(c billing.CheckExchange) exchangeJSON {
	return exchangeJSON{"eligibility_exchange", c.Check, orNull(c.Source), mapped(c.Messages, func(m billing.Exchange) messageJSON {
		return messageJSON{legible(m.Request), orNull(legible(m.Reply))}
	})}
}

// legible returns a message as text. A message that is not UTF-8 is read as ISO
// 8859-1, which has a character for every byte.
func legible(message []byte) string {
	if utf8.Valid(message) {
		return string(message)
	}
	runes := make([]rune, len(message))
	for i, b := range message {
		runes[i] = rune(b)
	}
	return string(runes)
}
