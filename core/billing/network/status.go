package network

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

// StatusInquiry is the question of an inquiry about a claim to a network: what is asked, the
// office that asks, and when.
type StatusInquiry struct {
	Scope     billing.Scope
	ID        billing.StatusInquiryID // the trace number comes from it
	Attempt   string                  // and from this; see NewAttempt
	CreatedAt time.Time               // when the inquiry was made
	Asked     time.Time               // the same, in real time
	Clock     Clock
	Envelope  Envelope // of the network that carries it
	Options   Options
	Claim     *claim.Claim
	Office    coverage.InquiringOffice
	Payer     directory.PayerSummary // with its payer ID on the network
}

// The service dates that are asked about. Payers want dates around the service, of at most 30
// days in all, and may have another service date than the claim.
const (
	aroundService = 7  // days before and after
	mostDays      = 30 // from the first to the last
)

// StatusQuestion is what one 276 asks with.
type StatusQuestion struct {
	Service      billing.DateSpan
	AsSubscriber bool // a dependent is asked about as if they held the plan
}

// Questions lists the 276s of an inquiry, each for when the payer finds nothing by the one
// before: little about the claim, with dates around the service; wider dates; a dependent as
// the subscriber. No numbers and no charge are asked with, since each must match.
func (q *StatusInquiry) Questions() []StatusQuestion {
	span := q.Claim.ServiceDates()
	if span.From.IsZero() {
		return []StatusQuestion{{}} // which no network can ask
	}
	if days(span) > mostDays-2*aroundService {
		span.To = span.From
	}
	near := around(span, aroundService, aroundService)
	all := []StatusQuestion{{Service: near}}
	if rest := mostDays - days(span); rest > 2*aroundService {
		all = append(all, StatusQuestion{Service: around(span, rest/2, rest-rest/2)})
	}
	if q.Claim.Patient != nil {
		all = append(all, StatusQuestion{Service: near, AsSubscriber: true})
	}
	return all
}

// days counts the days of a span, with both ends.
func days(s billing.DateSpan) int { return int(s.To.Time().Sub(s.From.Time()).Hours()/24) + 1 }

func around(s billing.DateSpan, before, after int) billing.DateSpan {
	return billing.DateSpan{From: s.From.AddDays(-before), To: s.To.AddDays(after)}
}
