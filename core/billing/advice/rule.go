package advice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// When is the point at which a payer wants to see something.
type When string

// The points.
const (
	Initial   When = "initial"   // a claim to the first payer
	Secondary When = "secondary" // a claim to a payer after another one
	Rejected  When = "rejected"  // a rejected claim
	Always    When = "always"
)

// Whens returns every point.
func Whens() []When { return []When{Initial, Secondary, Rejected, Always} }

// Rule is an organization's own rule about what goes with claims. It ranks above what payers
// publish.
type Rule struct {
	ID        billing.AttachmentRuleID
	Scope     billing.Scope
	CreatedAt time.Time
	Payer     directory.PayerSummary `field:"payer_id"`        // zero for all payers
	Codes     []string               `field:"procedure_codes"` // such as D2740, D2710-D2794 or Dxx99; empty for all
	Needs     []Need                 `field:"needs"`           // empty for nothing
	When      When                   `field:"when"`
	Note      string                 `field:"note"` // which advice shows, too
	UpdatedAt time.Time
	Edits     billing.Edits
}

// Position returns the place in a list, by the time and the ID.
func (r *Rule) Position() billing.Position { return billing.Position{Time: r.CreatedAt, ID: r.ID} }

// Changed returns the rule with the values of another, which were asked for at a time.
func (r *Rule) Changed(to Rule, by string, at time.Time) *Rule {
	to.Edits = r.Edits.After(*r, to, by, at)
	to.ID, to.Scope, to.CreatedAt, to.UpdatedAt = r.ID, r.Scope, r.CreatedAt, at
	return &to
}

// The limits of rules.
const (
	MaxRules = 200 // of an organization in a mode: a claim reads those for its payer

	maxCodes = 50
	maxNote  = 500
)

// ErrTooMany returns the error for one rule more than an organization may have.
func ErrTooMany() error {
	return &billing.Error{Code: billing.CodeConflict, Message: fmt.Sprintf(
		"Your organization has %d attachment rules, and may have no more. Delete one, or add procedure codes to one.", MaxRules)}
}

var (
	pattern = regexp.MustCompile(`^D[0-9x]{4}$`)
	span    = regexp.MustCompile(`^(D[0-9]{4})-(D[0-9]{4})$`)
)

// Judge adds the faults of a rule.
func (r *Rule) Judge(f *billing.Faults) {
	r.judgeCodes(f)
	r.judgeNeeds(f)
	if !slices.Contains(Whens(), r.When) {
		f.Add("when", billing.FaultNotAllowed, "The value must be one of "+joined(Whens())+".")
	}
	f.Optional("note", &r.Note, maxNote)
}

func (r *Rule) judgeCodes(f *billing.Faults) {
	if len(r.Codes) > maxCodes {
		f.Add("procedure_codes", billing.FaultTooMany, fmt.Sprintf("A rule may have at most %d procedure codes and ranges. Use ranges, or make another rule.", maxCodes))
		return
	}
	for i, c := range r.Codes {
		at := fmt.Sprintf("procedure_codes.%d", i)
		ends := span.FindStringSubmatch(c)
		switch {
		case ends == nil && !pattern.MatchString(c):
			f.Add(at, billing.FaultFormat, "Send a procedure code such as D2740, a range such as D2710-D2794, or a pattern such as Dxx99.")
		case ends != nil && ends[2] < ends[1]:
			f.Add(at, billing.FaultRange, "The range ends before it begins. Send the lower code first.")
		case slices.Contains(r.Codes[:i], c):
			f.Add(at, billing.FaultConflict, "The code is there already. Send it once.")
		}
	}
}

func (r *Rule) judgeNeeds(f *billing.Faults) {
	if len(r.Needs) > len(Needs()) {
		f.Add("needs", billing.FaultTooMany, "Send each value once.")
		return
	}
	for i, n := range r.Needs {
		at := fmt.Sprintf("needs.%d", i)
		switch {
		case !slices.Contains(Needs(), n):
			f.Add(at, billing.FaultNotAllowed, "The value must be one of "+joined(Needs())+".")
		case slices.Contains(r.Needs[:i], n):
			f.Add(at, billing.FaultConflict, "The value is there already. Send it once.")
		}
	}
}

func joined[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// includes reports whether codes, ranges and patterns include a procedure; none include all.
func includes(codes []string, code string) bool {
	return len(codes) == 0 || slices.ContainsFunc(codes, func(c string) bool {
		if ends := strings.SplitN(c, "-", 2); len(ends) == 2 {
			return ends[0] <= code && code <= ends[1]
		}
		return fits(c, code)
	})
}

// fits reports whether a code fits a pattern, in which x is any digit.
func fits(pattern, code string) bool {
	if len(pattern) != len(code) {
		return false
	}
	for i := range len(code) {
		if pattern[i] != code[i] && pattern[i] != 'x' {
			return false
		}
	}
	return true
}

func (r *Rule) source() Source {
	return Source{Origin: Organization, ID: r.ID, needs: r.Needs, note: r.Note}
}
