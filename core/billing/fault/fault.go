// Package fault is the faults that an organization orders for its requests and webhooks in
// test mode, to test how its software handles them.
package fault

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Kind is the kind of a fault.
type Kind string

// The kinds. Those of deliveries strike webhooks, the others requests.
const (
	Delay     Kind = "delay"      // the request waits
	Error     Kind = "error"      // a status of the 500s, before anything is done
	DropReply Kind = "drop_reply" // the request is done, and the connection is cut
	RateLimit Kind = "rate_limit" // 429, before anything is done

	DuplicateDelivery Kind = "duplicate_delivery" // it comes twice
	ReorderDeliveries Kind = "reorder_deliveries" // it comes after the next one
	DelayDelivery     Kind = "delay_delivery"     // it comes later by the organization's clock
)

// Kinds returns every kind.
func Kinds() []Kind {
	return []Kind{Delay, Error, DropReply, RateLimit, DuplicateDelivery, ReorderDeliveries, DelayDelivery}
}

// kinds returns every kind in a sentence.
func kinds() string {
	var all []string
	for _, k := range Kinds() {
		all = append(all, string(k))
	}
	return strings.Join(all, ", ")
}

// OfDeliveries reports whether faults of the kind strike webhooks.
func (k Kind) OfDeliveries() bool {
	return slices.Contains([]Kind{DuplicateDelivery, ReorderDeliveries, DelayDelivery}, k)
}

// waits reports whether the kind has a number of milliseconds.
func (k Kind) waits() bool { return k == Delay || k == DelayDelivery }

// The limits of rules.
const (
	MaxRules        = 50
	MaxMilliseconds = 20_000
	MaxTimes        = 1_000_000
	MinDelivery     = 100 * time.Millisecond // by which a delivery is delayed
	Lasts           = time.Hour              // unless the rule says otherwise
	MaxLasts        = 24 * time.Hour
)

// AnyOperation is the operation of a rule that matches all.
const AnyOperation = "*"

// Rule is one rule. It strikes the first Times requests or deliveries that it matches, or
// each with a Probability.
type Rule struct {
	Serial       int64     `json:"-"`                      // in the store
	Operation    string    `json:"operation"`              // an operation ID of the contract, or AnyOperation
	Kind         Kind      `json:"kind"`                   //
	Status       int       `json:"status,omitempty"`       // of an Error
	Milliseconds int       `json:"milliseconds,omitempty"` // of Delay and DelayDelivery
	Times        int       `json:"times,omitempty"`        // zero with a probability
	Probability  float64   `json:"probability,omitempty"`  // from 0 to 1
	Seed         int       `json:"seed,omitempty"`         //
	ExpiresAt    time.Time `json:"-"`                      // in real time
	Matched      int       `json:"-"`                      // how many requests or deliveries it matched
}

// Statuses returns the statuses that an Error can have.
func Statuses() []int { return []int{500, 502, 503, 504} }

// Judge adds the faults of a rule at the path of its fields.
func (r Rule) Judge(f *billing.Faults, at string) {
	switch {
	case !slices.Contains(Kinds(), r.Kind):
		f.Add(at+"kind", billing.FaultNotAllowed, "The kind must be one of "+kinds()+".")
		return
	case r.Kind.OfDeliveries() && r.Operation != AnyOperation:
		f.Add(at+"operation", billing.FaultNotAllowed, "A fault of deliveries has the operation *.")
	}
	inRange := func(field string, value, least, most int, has bool, belongs string) {
		switch {
		case has && (value < least || value > most):
			f.Add(at+field, billing.FaultRange, fmt.Sprintf("The value must be %d to %d.", least, most))
		case !has && value != 0:
			f.Add(at+field, billing.FaultNotAllowed, "Only "+belongs+" have "+field+".")
		}
	}
	least := 1
	if r.Kind == DelayDelivery {
		least = int(MinDelivery.Milliseconds())
	}
	inRange("milliseconds", r.Milliseconds, least, MaxMilliseconds, r.Kind.waits(), "delay and delay_delivery")
	switch {
	case r.Kind == Error && !slices.Contains(Statuses(), r.Status):
		f.Add(at+"status", billing.FaultNotAllowed, "The status must be 500, 502, 503 or 504.")
	case r.Kind != Error && r.Status != 0:
		f.Add(at+"status", billing.FaultNotAllowed, "Only error has a status.")
	}
	switch {
	case r.Times != 0 && r.Probability != 0, r.Times == 0 && r.Probability == 0:
		f.Add(at+"times", billing.FaultConflict, "Send either times, or probability with seed.")
	case r.Probability < 0 || r.Probability > 1:
		f.Add(at+"probability", billing.FaultRange, "The probability must be above 0 and at most 1.")
	case r.Times < 0 || r.Times > MaxTimes:
		f.Add(at+"times", billing.FaultRange, "The value must be 1 to "+strconv.Itoa(MaxTimes)+".")
	case r.Times != 0 && r.Seed != 0:
		f.Add(at+"seed", billing.FaultNotAllowed, "Only a probability has a seed.")
	}
}

// Concerns reports whether the rule may strike at the time a request for the operation.
func (r Rule) Concerns(operation string, now time.Time) bool {
	return !r.Kind.OfDeliveries() && (r.Operation == AnyOperation || r.Operation == operation) && r.lives(now)
}

// ConcernsDeliveries reports whether the rule may strike a delivery at the time.
func (r Rule) ConcernsDeliveries(now time.Time) bool { return r.Kind.OfDeliveries() && r.lives(now) }

// lives reports whether the rule can strike again.
func (r Rule) lives(now time.Time) bool {
	return now.Before(r.ExpiresAt) && (r.Probability > 0 || r.Matched < r.Times)
}

// Strikes reports whether the rule strikes its n-th match, from 1.
func (r Rule) Strikes(n int) bool {
	if r.Probability == 0 {
		return n <= r.Times
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%d %d", r.Seed, n))
	return float64(binary.BigEndian.Uint64(hash[:])>>11)/(1<<53) < r.Probability // 53 bits are a fraction from 0 to 1
}

// Struck returns how many of its matches the rule has struck.
func (r Rule) Struck() (struck int) {
	if r.Probability == 0 {
		return min(r.Matched, r.Times)
	}
	for n := range r.Matched {
		if r.Strikes(n + 1) {
			struck++
		}
	}
	return struck
}
