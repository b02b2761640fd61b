package httpapi

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

// query reads the parameters of a request by name and type, and collects their
// faults. A missing parameter reads as the zero value.
type query struct {
	values url.Values
	all    url.Values // including those already read
	words  []string   // the parameters whose values are words of people, which the audit does not keep
	faults billing.Faults
}

func (x *exchange) query() *query {
	q := &query{}
	var err error
	if q.values, err = url.ParseQuery(string(x.req.URI().QueryString())); err != nil {
		q.faults.Add("query", billing.FaultFormat, "The query string is not valid. Percent-encode its values.")
	}
	q.all = maps.Clone(q.values)
	return q
}

// noQuery adds the faults of a query to an operation without parameters.
func (x *exchange) noQuery(faults *billing.Faults) {
	for _, f := range x.query().end() {
		faults.Add(f.Field, f.Code, f.Message)
	}
}

// end returns all faults, with one for each unknown parameter.
func (q *query) end() billing.Faults {
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		q.faults.Add(cmp.Or(name, "query"), billing.FaultUnknown, "Unknown parameter.")
	}
	return q.faults
}

// free is text of a parameter whose value is any words, such as a number of the office.
func (q *query) free(name string) string {
	q.words = append(q.words, name)
	value, _ := q.text(name)
	return value
}

// text returns the value of a parameter. Given is false if the parameter is
// missing or wrong.
func (q *query) text(name string) (value string, given bool) {
	values := q.values[name]
	delete(q.values, name)
	switch {
	case len(values) == 0:
		return "", false
	case len(values) > 1:
		q.faults.Add(name, billing.FaultTooMany, "Duplicate parameter. Send it once.")
	case values[0] == "":
		q.faults.Add(name, billing.FaultRequired, "A value is required. Send one, or leave out the parameter.")
	case !utf8.ValidString(values[0]) || strings.Contains(values[0], "\x00"):
		q.faults.Add(name, billing.FaultFormat, "The value must be UTF-8 text without U+0000.")
	default:
		return values[0], true
	}
	return "", false
}

func (q *query) limit() int {
	s, given := q.text("limit")
	if !given {
		return billing.DefaultPageLimit
	}
	n, err := strconv.Atoi(s) // for a number that is too large, n is the largest int
	switch {
	case s[0] == '+', err != nil && !errors.Is(err, strconv.ErrRange):
		q.faults.Add("limit", billing.FaultType, "The limit must be a number from 1 to 100.")
	case n < 1 || n > billing.MaxPageLimit:
		q.faults.Add("limit", billing.FaultRange, "The limit must be a number from 1 to 100.")
	}
	return n
}

// days returns a number of days; nil if none is given.
func (q *query) days(name string) *int {
	s, given := q.text(name)
	if !given {
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		q.faults.Add(name, billing.FaultType, "The value must be a number of days.")
	}
	return &n
}

// instant returns a date-time with an offset. A plus that was not escaped
// arrives as a space, and is read as a plus.
func (q *query) instant(name string) time.Time {
	s, given := q.text(name)
	if !given {
		return time.Time{}
	}
	t, err := jsonbody.ParseInstant(s)
	if err != nil {
		q.faults.Add(name, billing.FaultFormat, "A date-time must have an offset, such as 2026-01-02T03:04:05Z or 2026-01-02T03:04:05-05:00.")
	}
	return t
}

// date returns a calendar day.
func (q *query) date(name string) billing.Date {
	s, given := q.text(name)
	if !given {
		return billing.Date{}
	}
	d, err := billing.ParseDate(s)
	if err != nil {
		q.faults.Add(name, billing.FaultFormat, "The value must be a valid date in the form YYYY-MM-DD.")
	}
	return d
}

// timeZone returns the name of a time zone; empty if it is not given.
func (q *query) timeZone(name string) string {
	zone, _ := q.text(name)
	if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
		q.faults.Add(name, billing.FaultFormat, "The value must be an IANA name of a time zone, such as America/New_York.")
	}
	return zone
}

// money returns an amount that is not negative.
func (q *query) money(name string) billing.Money {
	s, given := q.text(name)
	if !given {
		return 0
	}
	m, err := billing.ParseMoney(s)
	if err != nil || m < 0 {
		q.faults.Add(name, billing.FaultFormat, "The value must be an amount in dollars, such as 150.00.")
	}
	return m
}

// id reads an ID of one kind.
func id[T billing.ID[K], K billing.Kind](q *query, name string) T {
	s, given := q.text(name)
	if !given {
		return T{}
	}
	v, err := billing.ParseID[T, K](s)
	if err != nil {
		q.faults.Add(name, billing.FaultFormat, "The value is not an ID of the right kind.")
	}
	return v
}

// payer reads the payer of a list's filter: its ID, its payer ID or an alias.
func (q *query) payer(dir *directory.PayerDirectory) billing.PayerID {
	s, given := q.text("payer_id")
	if !given {
		return billing.PayerID{}
	}
	if p, found := dir.Find(s); found {
		return p.ID
	}
	v, err := billing.ParseID[billing.PayerID](s)
	if err != nil {
		q.faults.Add("payer_id", billing.FaultFormat, "No payer has this ID or alias. GET /payers lists them.")
	}
	return v
}

// resourceID reads the ID of a resource of any kind.
func (q *query) resourceID() [16]byte {
	v, _ := q.named("resource_id")
	return v
}

// resource reads an ID of any kind, as its text.
func (q *query) resource(name string) string {
	_, text := q.named(name)
	return text
}

func (q *query) named(name string) (v [16]byte, text string) {
	s, given := q.text(name)
	if !given {
		return v, ""
	}
	v, text, ok := anyID(s)
	if !ok {
		q.faults.Add(name, billing.FaultFormat, "The value is not an ID.")
	}
	return v, text
}

// anyID reads an ID of any kind. It returns also the text that String returns.
func anyID(s string) (v [16]byte, text string, ok bool) {
	for _, parse := range []func(string) ([16]byte, string, error){
		bare[billing.CheckID], bare[billing.AttachmentID], bare[billing.PayerRequestID], bare[billing.ClaimID],
		bare[billing.ERAID], bare[billing.FileID], bare[billing.KeyID], bare[billing.OrgID], bare[billing.OfficeID],
		bare[billing.PayerID], bare[billing.ProviderID], bare[billing.PatientID], bare[billing.DocumentID],
		bare[billing.EventID], bare[billing.WebhookEndpointID], bare[billing.RequestID], bare[billing.DeliveryID],
		bare[billing.UserID], bare[billing.SessionID], bare[billing.EnrollmentID], bare[billing.TaskID], bare[billing.DepositID],
		bare[billing.CheckBatchID], bare[billing.CheckItemID], bare[billing.ConnectionID], bare[billing.StatusInquiryID],
		bare[billing.AppealID], bare[billing.AttachmentRuleID], bare[billing.FeeScheduleID], bare[billing.EstimateID],
	} {
		if v, text, err := parse(s); err == nil {
			return v, text, true
		}
	}
	return v, "", false
}

func bare[T billing.ID[K], K billing.Kind](s string) ([16]byte, string, error) {
	v, err := billing.ParseID[T, K](s)
	return [16]byte(v), billing.ID[K](v).String(), err
}

// flag reads true or false, or nil for a missing parameter.
func (q *query) flag(name string) *bool {
	switch oneOf(q, name, "true", "false") {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}

// oneOf reads one of a few words.
func oneOf[T ~string](q *query, name string, words ...T) T {
	s, given := q.text(name)
	if !given {
		return ""
	}
	if w, ok := oneWord(q, name, s, words); ok {
		return w
	}
	return ""
}

// someOf reads a parameter that may be repeated, with another of a few words each
// time.
func someOf[T ~string](q *query, name string, words ...T) (out []T) {
	values := q.values[name]
	for _, v := range values {
		q.values[name] = []string{v}
		s, given := q.text(name)
		if !given {
			continue
		}
		w, ok := oneWord(q, name, s, words)
		switch {
		case !ok:
		case slices.Contains(out, w):
			q.faults.Add(name, billing.FaultTooMany, "Duplicate value. Send each value once.")
		default:
			out = append(out, w)
		}
	}
	return out
}

// oneWord returns the word that s is. It adds a fault if s is none of the words.
func oneWord[T ~string](q *query, name, s string, words []T) (T, bool) {
	list := make([]string, len(words))
	for i, w := range words {
		if list[i] = string(w); s == list[i] {
			return w, true
		}
	}
	q.faults.Add(name, billing.FaultNotAllowed, "The value must be one of "+strings.Join(list, ", ")+".")
	return "", false
}

// procedure reads a procedure code.
func (q *query) procedure(name string) string {
	s, given := q.text(name)
	if given && !coverage.ValidProcedureCode(s) {
		q.faults.Add(name, billing.FaultFormat, "A procedure code must be D and four digits.")
	}
	return s
}
