package scenario

import (
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// Own is a scenario that an organization has made for itself.
type Own struct {
	Scope     billing.Scope
	Ending    string
	Operation Operation
	Summary   string
	Dates     Dates
	Content   []byte // the reply of a payer, without the people in it; for claims see Steps
	CreatedAt time.Time

	Messages []string // what the payer says in words, once: for the reply to the caller that sent it
}

// Dates is what becomes of the dates of a stored reply.
type Dates string

// The values of Dates.
const (
	Move Dates = "move" // they move to the day of the check
	Keep Dates = "keep"
)

// LogValue hides the content.
func (o *Own) LogValue() slog.Value { return slog.StringValue(o.Ending) }

// The limits of an organization's own scenarios.
const (
	MaxOwn     = 200
	MaxX12     = 256 << 10 // bytes of a reply
	MaxSummary = 200       // characters
)

var ending = regexp.MustCompile(`^-[A-Z0-9-]{2,30}$`)

// ValidEnding reports whether an organization may use the ending.
func ValidEnding(s string) bool { return ending.MatchString(s) }

// Endings returns the endings of a member ID that a scenario can have, the longest first.
func Endings(memberID string) (all []string) {
	id := strings.ToUpper(memberID)
	for i := range len(id) {
		if id[i] == '-' && ValidEnding(id[i:]) {
			all = append(all, id[i:])
		}
	}
	return all
}

// Listed returns the scenario as a list has it.
func (o *Own) Listed() Scenario {
	shown := Scenario{Ending: o.Ending, Operation: o.Operation, Summary: o.Summary}
	if o.Operation == Eligibility {
		shown.Follows = []Step{{Event: event.EligibilityCompleted, What: "The payer sends the reply that you stored."}}
	} else if steps, err := o.Steps(); err == nil {
		shown.Follows = follows(steps)
		shown.Predetermination = slices.ContainsFunc(steps, func(s ClaimStep) bool { return s.Do == Estimate })
	}
	return shown
}
