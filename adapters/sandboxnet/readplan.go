package sandboxnet

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/ports"
)

// tried is the member ID of the check of a plan that is tried.
const tried = "-PLAN"

// ReadPlan returns what tries a plan: it makes a check of a payer with the plan, and
// compares the result with it. Over asks in the 270s that the payers take. The faults are
// what the check does not show, because a 271 cannot state it, or states it otherwise.
func ReadPlan(over func(ports.Inquire) ports.Eligibility) func(context.Context, *scenario.Plan, time.Time) error {
	return func(ctx context.Context, plan *scenario.Plan, now time.Time) error {
		day := billing.DateOf(now)
		want, _, _ := plan.On(day)
		q := network.Inquiry{
			CheckID: billing.CheckID{1}, CreatedAt: now, Asked: now, Clock: network.ClockAt(now),
			Envelope: network.Envelope{Sender: network.End{Qualifier: "ZZ", ID: "MOLAR"}}, Payer: directory.PayerSummary{PayerID: "CHTEST", Name: "Payer"},
			Inquiry: coverage.Inquiry{Subscriber: coverage.Subscriber{FirstName: "Sam", LastName: "Example", MemberID: tried}, ServiceDate: day},
		}
		for i := range want.Procedures {
			want.Procedures[i].Status = "" // it depends on the patient's age
			q.Inquiry.ProcedureCodes = append(q.Inquiry.ProcedureCodes, want.Procedures[i].Code)
		}
		for _, path := range want.NotReturned {
			if code, ok := strings.CutPrefix(path, "procedures."); ok {
				q.Inquiry.ProcedureCodes = append(q.Inquiry.ProcedureCodes, code)
			}
		}
		got, _, err := patient{over, func(context.Context, billing.Scope, scenario.Operation, []string) (*scenario.Own, error) {
			return &scenario.Own{Ending: tried, Operation: scenario.Eligibility, Content: plan.Stored()}, nil
		}}.Ask(ctx, q)
		var f billing.Faults
		if _, unreadable := errors.AsType[*network.UnreadableError](err); unreadable {
			f.Add("plan", billing.FaultTooMany, "The 271 of the plan is longer than a check reads. Leave out procedures or notes.")
			return f.Err()
		}
		if err != nil {
			return err
		}
		if want.Status != got.Benefits.Status {
			f.Add("plan.status", billing.FaultConflict, "A check of today would show another status. Compare the dates of the coverage, and whether a category is covered.")
		}
		var wanted, shown any
		if err := errors.Join(json.Unmarshal(want.Data(), &wanted), json.Unmarshal(got.Benefits.Data(), &shown)); err != nil {
			return err
		}
		unlike(&f, "plan", wanted, shown)
		return f.Err()
	}
}

// unlike adds a fault for each value of a plan that a check does not show. What the plan
// leaves out may be there, because a check computes some values.
func unlike(f *billing.Faults, at string, want, got any) {
	differs := false
	switch want := want.(type) {
	case nil:
	case map[string]any:
		shown, ok := got.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if ok {
				unlike(f, at+"."+name, want[name], shown[name])
			}
		}
		differs = !ok
	case []any:
		shown, _ := got.([]any)
		for i, item := range want {
			n := slices.IndexFunc(shown, func(o any) bool { return sameItem(item, o, false) })
			if n < 0 { // a network may be that of another list, or the only one
				n = slices.IndexFunc(shown, func(o any) bool { return sameItem(item, o, true) })
			}
			if n < 0 {
				unlike(f, at+"."+strconv.Itoa(i), item, nil)
			} else {
				unlike(f, at+"."+strconv.Itoa(i), item, shown[n])
			}
		}
	case string:
		if strings.HasPrefix(at, "plan.plan_rules.") || strings.HasSuffix(at, ".note") { // it may have more
			differs = slices.ContainsFunc(partsOf(want), func(part string) bool { return !strings.Contains(plain(got), plain(part)) })
		} else {
			differs = plain(got) != plain(want)
		}
		differs = differs || plain(want) == ""
	default:
		differs = want != got
	}
	if differs {
		f.Add(at, billing.FaultConflict, "A check with this plan would show something else here: a 271 cannot state the value so, "+
			"or not beside the other values. Change it, or leave it out.")
	}
}

// sameItem reports whether two items of a list are about the same, in any network or not.
func sameItem(want, got any, anyNetwork bool) bool {
	w, ok := want.(map[string]any)
	if !ok {
		return plain(want) == plain(got)
	}
	g, _ := got.(map[string]any)
	where := func(item map[string]any) string {
		applies := plain(item["applies_to"])
		if anyNetwork {
			applies, _ = cutNetwork(applies, "")
		}
		return applies
	}
	return where(w) == where(g) &&
		!slices.ContainsFunc([]string{"category", "code", "level", "period"}, func(key string) bool { return plain(w[key]) != plain(g[key]) })
}

// plain returns a text as X12 has it; empty if the value is no text.
func plain(value any) string {
	text, _ := value.(string)
	return string(x12.Text(text))
}
