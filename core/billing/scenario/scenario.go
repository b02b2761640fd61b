// Package scenario has what the sandbox's payers can be made to do.
package scenario

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing/event"
)

// Operation is what a scenario decides.
type Operation string

// The operations.
const (
	Eligibility Operation = "eligibility"
	Claim       Operation = "claim"
	Attachment  Operation = "attachment"
)

// Scenario is what the payers of the sandbox do with a check, a claim or an attachment.
type Scenario struct {
	Ending    string // of a member ID; for an attachment, a word of its narrative
	Operation Operation
	Summary   string
	Follows   []Step // in their order
	BuiltIn   bool

	Example          string // the ending as an example has it; empty for Ending
	Predetermination bool   // it needs a predetermination
}

// Has reports whether the scenario has the ending. One that ends in n stands for every
// number.
func (s *Scenario) Has(ending string) bool {
	if numbered, ok := strings.CutSuffix(s.Ending, "-n"); ok {
		digits, found := strings.CutPrefix(ending, numbered+"-")
		return found && digits != "" && strings.Trim(digits, "0123456789") == ""
	}
	return s.Ending == ending
}

// Shown returns the ending as an example has it.
func (s *Scenario) Shown() string { return cmp.Or(s.Example, s.Ending) }

// Step is something that happens.
type Step struct {
	Awaits Act           // what the caller has to do before; empty for nothing
	After  time.Duration // since the step before, or since Awaits; for the first one since the message is sent
	Event  event.Type    // that shows it
	What   string        // a sentence
}

// Act is something that only the caller does.
type Act string

// The acts.
const (
	Close Act = "close" // the attachment with its documents, which sends it
	Void  Act = "void"  // the claim
)

// Period writes a duration as ISO 8601 does, such as PT0.3S, PT2M or P30D.
func Period(d time.Duration) string {
	if d == 0 {
		return "PT0S"
	}
	date, clock := "P", ""
	for _, unit := range units {
		n := int(d / unit.of)
		if d %= unit.of; n == 0 {
			continue
		}
		if part := strconv.Itoa(n) + unit.name; unit.name == "D" {
			date += part
		} else {
			clock += part
		}
	}
	if d > 0 {
		clock += strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "S"
	}
	if clock != "" {
		date += "T"
	}
	return date + clock
}

// units are the parts of a period but the seconds, which may have a fraction.
//
//nolint:gochecknoglobals // a constant table
var units = []struct {
	of   time.Duration
	name string
}{{24 * time.Hour, "D"}, {time.Hour, "H"}, {time.Minute, "M"}}
