package intake

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claimstatus"
)

// StatusPolicyRequest is a policy as a caller wrote it. Nil is a value that was left out or
// null.
type StatusPolicyRequest struct {
	StatusAfter, StatusEvery *string
	Faults                   billing.Faults // found when the body was decoded
}

// Policy validates the request and returns the policy, with its days alone.
func (r StatusPolicyRequest) Policy() (claimstatus.Policy, billing.Faults) {
	f := slices.Clone(r.Faults)
	p := claimstatus.Policy{After: claimstatus.DefaultAfter, Every: claimstatus.DefaultEvery}
	days := func(field string, text *string, into *int) {
		if text == nil {
			return
		}
		d, fault := Duration(*text)
		switch {
		case fault != "":
			f.Add(field, billing.FaultFormat, "Send whole days as a duration of ISO 8601, such as P14D.")
		case d%(24*time.Hour) != 0:
			f.Add(field, billing.FaultRange, "Send whole days, such as P14D.")
		default:
			*into = int(d / (24 * time.Hour))
		}
	}
	days("status_after", r.StatusAfter, &p.After)
	days("status_every", r.StatusEvery, &p.Every)
	p.Judge(&f)
	return p, f
}
