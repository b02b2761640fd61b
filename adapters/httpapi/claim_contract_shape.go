package httpapi

import (
	"github.com/molar-billing/molar/core/billing"
	terms "github.com/molar-billing/molar/core/billing/contract"
)

// claimContractJSON is a claim beside its contract.
type claimContractJSON struct {
	Underpaid string                  `json:"underpaid"`
	Lines     []claimContractLineJSON `json:"lines"`
}

type claimContractLineJSON struct {
	LineNumber      int                    `json:"line_number"`
	Expected        *string                `json:"expected"`
	Allowed         *string                `json:"allowed"`
	Difference      *string                `json:"difference"`
	NotCompared     *terms.Apart           `json:"not_compared"`
	FeeScheduleID   *billing.FeeScheduleID `json:"fee_schedule_id"`
	FeeScheduleName *string                `json:"fee_schedule_name"`
}

func claimContractShape(k *terms.Comparison) *claimContractJSON {
	if k == nil {
		return nil
	}
	out := &claimContractJSON{Underpaid: k.Underpaid.String(), Lines: make([]claimContractLineJSON, len(k.Lines))}
	for i := range k.Lines {
		l := &k.Lines[i]
		out.Lines[i] = claimContractLineJSON{
			i + 1, money(l.Expected), money(l.Allowed), money(l.Difference()), orNull(l.Apart), orNull(l.ScheduleID), orNull(l.ScheduleName),
		}
	}
	return out
}
