package httpapi

import (
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/report"
)

// figuresJSON are the amounts by which reports count a claim.
type figuresJSON struct {
	PatientOwes string        `json:"patient_owes"`
	Paid        string        `json:"paid"`
	Contractual string        `json:"contractual"`
	WriteOff    string        `json:"write_off"`
	BillPatient string        `json:"bill_patient"`
	Other       string        `json:"other"`
	DecidedOn   *billing.Date `json:"decided_on"`
	FirstPass   *bool         `json:"first_pass"`
	Refused     []refusalJSON `json:"refused"`
}

type refusalJSON struct {
	Group  string    `json:"group"`
	Reason string    `json:"reason"`
	Act    remit.Act `json:"act"`
	Amount string    `json:"amount"`
}

func figuresShape(c *claim.Claim) *figuresJSON {
	f := report.FiguresOf(c)
	if f == nil {
		return nil
	}
	out := &figuresJSON{
		PatientOwes: f.Owed.String(), Paid: f.Paid.String(), Contractual: f.Contractual.String(), WriteOff: f.WriteOff.String(),
		BillPatient: f.Billed.String(), Other: f.Other.String(), DecidedOn: orNull(f.DecidedOn),
		Refused: mapped(f.Refused, func(r remit.Refusal) refusalJSON { return refusalJSON{r.Group, r.Reason, r.Act, r.Amount.String()} }),
	}
	if out.DecidedOn != nil {
		out.FirstPass = new(f.FirstPass)
	}
	return out
}

// noProvider is the value of provider_id for claims that name no provider.
const noProvider = "none"

// denialCode is a group and a reason of adjustments that refuse to pay. Of what payers leave to the patient, only a
// missed filing limit does.
var denialCode = regexp.MustCompile(`^(?:(CO|OA|PI)-([0-9A-Z]{1,5})|(PR)-(29))$`)

// figureFilter reads the filters of lists of claims by their figures.
func (a *api) figureFilter(q *query, f *claim.Filter) {
	if len(q.values["provider_id"]) == 1 && q.values["provider_id"][0] == noProvider {
		delete(q.values, "provider_id")
		f.NoProvider = true
	}
	f.ProviderID = id[billing.ProviderID](q, "provider_id")
	f.Sent, f.Decided, f.FirstPass = q.flag("sent"), q.flag("decided"), q.flag("first_pass")
	f.DecidedFrom, f.DecidedTo = q.date("decided_from"), q.date("decided_to")
	f.Last = oneOf(q, "last_payer", "true") != ""
	f.Figure = string(oneOf(q, "figure", report.Columns()...))
	f.Refused.Act = oneOf(q, "act", remit.ActCorrect, remit.ActSend, remit.ActAppeal, remit.ActBillPatient, remit.ActBillNext, remit.ActWriteOff, remit.ActNone)
	if s, given := q.text("denial"); given {
		m := denialCode.FindStringSubmatch(s)
		if m == nil {
			q.faults.Add("denial", billing.FaultFormat, "The value must be a group and a reason of an adjustment, such as CO-16.")
			return
		}
		f.Refused.Group, f.Refused.Reason = m[1]+m[3], m[2]+m[4]
	}
}

// claimsPath returns the path of the list of claims with the filter, as claimFilter reads it.
func claimsPath(f claim.Filter) string {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	flag := func(name string, is *bool) {
		if is != nil {
			v.Set(name, strconv.FormatBool(*is))
		}
	}
	instant := func(name string, t time.Time) {
		if !t.IsZero() {
			v.Set(name, event.Timestamp(t))
		}
	}
	date := func(name string, d billing.Date) {
		if !d.IsZero() {
			v.Set(name, d.String())
		}
	}
	set("office_id", idText(f.OfficeID))
	set("payer_id", idText(f.PayerID))
	if set("provider_id", idText(f.ProviderID)); f.NoProvider {
		v.Set("provider_id", noProvider)
	}
	instant("sent_from", f.SentFrom)
	instant("sent_to", f.SentTo)
	date("service_from", f.ServiceFrom)
	date("service_to", f.ServiceTo)
	date("decided_from", f.DecidedFrom)
	date("decided_to", f.DecidedTo)
	flag("sent", f.Sent)
	flag("decided", f.Decided)
	flag("first_pass", f.FirstPass)
	for name, is := range map[string]bool{"open": f.Open, "last_payer": f.Last} {
		if is {
			v.Set(name, "true")
		}
	}
	set("figure", f.Figure)
	set("act", string(f.Refused.Act))
	if f.Refused.Reason != "" {
		v.Set("denial", f.Refused.Group+"-"+f.Refused.Reason)
	}
	if len(v) == 0 {
		return root + "/claims"
	}
	return root + "/claims?" + v.Encode()
}

// erasPath returns the path of the list of remittances that a figure of a report is of.
func erasPath(f remit.Filter) string {
	v := url.Values{"unapplied": {string(f.With)}}
	for name, value := range map[string]string{"payer_id": idText(f.PayerID), "office_id": idText(f.OfficeID)} {
		if value != "" {
			v.Set(name, value)
		}
	}
	for name, d := range map[string]billing.Date{"paid_from": f.PaidFrom, "paid_to": f.PaidTo} {
		if !d.IsZero() {
			v.Set(name, d.String())
		}
	}
	return root + "/eras?" + v.Encode()
}

// idText returns an ID as text; empty for the zero ID.
func idText[K billing.Kind](id billing.ID[K]) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}
