package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
)

// getSummary handles GET /summary.
func (a *api) getSummary(x *exchange) (*reply, error) {
	s, err := a.summary.Read(x.ctx, x.call.Scope)
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: summaryShape(s)}, nil
}

type summaryJSON struct {
	Object            string              `json:"object"`
	AsOf              string              `json:"as_of"`
	Claims            map[claim.State]int `json:"claims"`
	Predeterminations map[claim.State]int `json:"predeterminations"`
	Overpaid          countJSON           `json:"overpaid"`
	PaymentChanged    countJSON           `json:"payment_changed"`
	Waiting           []toSendJSON        `json:"waiting"`
	Money             moneyTotalsJSON     `json:"money"`
	ERAs              waitingERAsJSON     `json:"eras"`
	Quarantine        countJSON           `json:"quarantine"`
	OpenAttachments   countJSON           `json:"open_attachments"`
	PayerRequests     openRequestsJSON    `json:"payer_requests"`
	WebhookEndpoints  endpointCountsJSON  `json:"webhook_endpoints"`
	PendingOffices    []pendingOfficeJSON `json:"pending_offices"`
	Activity          []activityJSON      `json:"activity"`
}

type countJSON struct {
	Count int  `json:"count"`
	More  bool `json:"more"`
}

type claimMoneyJSON struct {
	Charged               string `json:"charged"`
	Paid                  string `json:"paid"`
	PaidElsewhere         string `json:"paid_elsewhere"`
	WrittenOff            string `json:"written_off"`
	PatientResponsibility string `json:"patient_responsibility"`
	BilledToPatient       string `json:"billed_to_patient"`
	Outstanding           string `json:"outstanding"`
	Overpaid              string `json:"overpaid"`
}

type moneyTotalsJSON struct {
	claimMoneyJSON

	ByAge []ageTotalJSON `json:"by_age"`
}

type ageTotalJSON struct {
	FromDays int     `json:"from_days"`
	ToDays   *int    `json:"to_days"`
	SentFrom *string `json:"sent_from"`
	SentTo   *string `json:"sent_to"`

	claimMoneyJSON
}

type waitingERAsJSON struct {
	NotPosted        countJSON `json:"not_posted"`
	NeedsAttention   countJSON `json:"needs_attention"`
	UnfinishedClaims countJSON `json:"unfinished_claims"`
}

type toSendJSON struct {
	PayerID   billing.PayerID `json:"payer_id"`
	PayerName string          `json:"payer_name"`
	Reason    claim.Hold      `json:"reason"`
	Claims    countJSON       `json:"claims"`
}

type openRequestsJSON struct {
	Open           countJSON      `json:"open"`
	ByDueDate      []dueCountJSON `json:"by_due_date"`
	Later          countJSON      `json:"later"`
	WithoutDueDate countJSON      `json:"without_due_date"`
}

type dueCountJSON struct {
	DueDate billing.Date `json:"due_date"`
	Count   int          `json:"count"`
}

type endpointCountsJSON struct {
	Working  int `json:"working"`
	Failing  int `json:"failing"`
	Disabled int `json:"disabled"`
}

type pendingOfficeJSON struct {
	OfficeID  billing.OfficeID `json:"office_id"`
	Name      string           `json:"name"`
	ChangedBy string           `json:"changed_by"`
	ChangedAt string           `json:"changed_at"`
}

type activityJSON struct {
	Date   billing.Date `json:"date"`
	Claims int          `json:"claims"`
	Checks countJSON    `json:"checks"`
}

func summaryShape(s *claim.Summary) summaryJSON {
	out := summaryJSON{
		Object: "summary", AsOf: event.Timestamp(s.At),
		Claims:            stateCounts(claim.KindClaim, s.Claims.States),
		Predeterminations: stateCounts(claim.KindPredetermination, s.Claims.States),
		Overpaid:          countJSON(s.Overpaid), PaymentChanged: countJSON(s.Changed),
		Waiting: mapped(s.Unrouted, func(w claim.ToSend) toSendJSON {
			return toSendJSON{w.PayerID, w.PayerName, w.Hold, countJSON(w.Count)}
		}),
		ERAs:       waitingERAsJSON{countJSON(s.Waiting.NotPosted), countJSON(s.Waiting.NeedAttention), countJSON(s.Waiting.UnfinishedClaims)},
		Quarantine: countJSON(s.Waiting.Quarantined), OpenAttachments: countJSON(s.Waiting.OpenAttachments),
		PendingOffices: mapped(s.PendingOffices, func(o *directory.Office) pendingOfficeJSON {
			return pendingOfficeJSON{o.ID, o.Name, o.Pending.By, event.Timestamp(o.Pending.At)}
		}),
		PayerRequests: openRequestsJSON{
			Open: countJSON(s.PayerRequests.Open), Later: countJSON(s.PayerRequests.Later), WithoutDueDate: countJSON(s.PayerRequests.Undated),
			ByDueDate: mapped(s.PayerRequests.Due, func(d claim.DayCount) dueCountJSON { return dueCountJSON{d.Day, d.Count.Count} }),
		},
		WebhookEndpoints: endpointCountsJSON{s.EndpointsWorking, s.EndpointsFailing, s.EndpointsDisabled},
	}
	var all claim.ClaimMoney
	for _, age := range s.Claims.Ages {
		from, before := age.Sent(billing.DateOf(s.At))
		out.Money.ByAge = append(out.Money.ByAge, ageTotalJSON{
			FromDays: age.From, ToDays: orNull(age.To), SentFrom: timeOrNull(from), SentTo: timeOrNull(before), claimMoneyJSON: claimMoneyShape(age.ClaimMoney),
		})
		all = all.Add(age.ClaimMoney)
	}
	out.Money.claimMoneyJSON = claimMoneyShape(all)
	for i, day := range s.Claims.Sent {
		out.Activity = append(out.Activity, activityJSON{day.Day, day.Count.Count, countJSON(s.Checks[i].Count)})
	}
	return out
}

// stateCounts returns a count for every state that the kind can have.
func stateCounts(kind claim.Kind, counted map[claim.Kind]map[claim.State]int) map[claim.State]int {
	out := map[claim.State]int{}
	for _, state := range claim.States() {
		out[state] = counted[kind][state]
	}
	return out
}

func claimMoneyShape(m claim.ClaimMoney) claimMoneyJSON {
	return claimMoneyJSON{
		m.Charged.String(), m.Paid.String(), m.PaidElsewhere.String(), m.WrittenOff().String(), m.PatientResponsibility.String(),
		m.BilledToPatient.String(), m.Outstanding.String(), m.Overpaid.String(),
	}
}
