package httpapi

import (
	"net/http"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/fault"
	"github.com/molar-billing/molar/core/intake"
)

// putFaults handles PUT /sandbox/faults.
func (a *api) putFaults(x *exchange) (*reply, error) {
	var in intake.FaultsRequest
	doc := x.document(&in.Faults)
	if doc.IsMissing("rules") {
		in.Faults.Add("rules", billing.FaultRequired, "Send the rules; an empty array removes them all.")
	}
	for _, o := range doc.OptionalObjects("rules") {
		count := func(name string) int { return value(o.OptionalNumber(name)) }
		rule := intake.FaultRule{
			Rule: fault.Rule{
				Operation: o.Text("operation"), Kind: fault.Kind(o.Text("kind")), Status: count("status"), Milliseconds: count("milliseconds"),
				Times: count("times"), Probability: o.Fraction("probability"), Seed: count("seed"),
			},
			ExpiresIn: o.OptionalText("expires_in"),
		}
		if in.Faults.Required(o.Path+"operation", rule.Operation, 0) && rule.Operation != fault.AnyOperation && !x.s.mayFail(rule.Operation) {
			in.Faults.Add(o.Path+"operation", billing.FaultNotAllowed, "Send an operationId of the API contract, such as createClaim, or * for all. The sandbox's own operations do not fail.")
		}
		o.End()
		in.Rules = append(in.Rules, rule)
	}
	doc.End()
	return kept(a.faults.Replace(x.ctx, replying(x, http.StatusOK, faultsShape), in))
}

// getFaults handles GET /sandbox/faults.
func (a *api) getFaults(x *exchange) (*reply, error) {
	rules, err := a.faults.List(x.ctx, x.call.Scope)
	return &reply{status: http.StatusOK, body: faultsShape(rules)}, err
}

type faultsJSON struct {
	Object string          `json:"object"`
	Rules  []faultRuleJSON `json:"rules"`
}

type faultRuleJSON struct {
	Operation    string     `json:"operation"`
	Kind         fault.Kind `json:"kind"`
	Status       *int       `json:"status"`
	Milliseconds *int       `json:"milliseconds"`
	Times        *int       `json:"times"`
	Probability  *float64   `json:"probability"`
	Seed         *int       `json:"seed"`
	ExpiresAt    string     `json:"expires_at"`
	Struck       int        `json:"struck"`
}

func faultsShape(rules []fault.Rule) faultsJSON {
	return faultsJSON{"sandbox_faults", mapped(rules, func(r fault.Rule) faultRuleJSON {
		out := faultRuleJSON{
			r.Operation, r.Kind, orNull(r.Status), orNull(r.Milliseconds), orNull(r.Times), orNull(r.Probability), nil,
			event.Timestamp(r.ExpiresAt), r.Struck(),
		}
		if out.Probability != nil {
			out.Seed = &r.Seed
		}
		return out
	})}
}

// mayFail reports whether fault rules may name the operation.
func (s *Server) mayFail(operation string) bool {
	return slices.ContainsFunc(s.routes, func(r route) bool { return s.ids[r.operation()] == operation && r.mayFail() })
}

// mayFail reports whether faults may strike the operation: not one of the sandbox itself,
// by which a developer ends them.
func (r *route) mayFail() bool { return r.need != caller.NeedSandbox && r.need != caller.NeedNothing }

// strike lets a fault of the sandbox strike the request of a program, if a rule says so: it
// delays the request, replies in its place, or drops its reply. The fault is named in a
// header. A rule that cannot be counted strikes nothing.
func (x *exchange) strike() (*reply, error) {
	if x.caller == nil || x.caller.Key == nil || len(x.caller.Key.Faults) == 0 || !x.route.mayFail() {
		return nil, nil
	}
	rule, err := x.s.faulty(x.ctx, x.call.Scope, x.caller.Key.Faults, x.s.ids[x.route.operation()], x.s.now())
	if err != nil || rule == nil {
		return nil, err
	}
	x.set("Molar-Fault", string(rule.Kind))
	switch rule.Kind {
	case fault.Delay:
		select {
		case <-time.After(time.Duration(rule.Milliseconds) * time.Millisecond):
		case <-x.ctx.Done():
		}
	case fault.DropReply:
		x.atEnd = append(x.atEnd, x.req.Drop)
	case fault.RateLimit:
		return x.struck(http.StatusTooManyRequests, billing.CodeTooManyRequests), nil
	case fault.Error:
		code := map[int]billing.Code{
			http.StatusInternalServerError: billing.CodeInternal, http.StatusBadGateway: billing.CodeNetworkError,
			http.StatusServiceUnavailable: billing.CodeUnavailable, http.StatusGatewayTimeout: billing.CodeTimeout,
		}[rule.Status]
		return x.struck(rule.Status, code), nil
	case fault.DuplicateDelivery, fault.ReorderDeliveries, fault.DelayDelivery:
	}
	return nil, nil
}

// struck is the reply to a request that a fault ends before anything is done.
func (x *exchange) struck(status int, code billing.Code) *reply {
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		x.set("Retry-After", "1")
	}
	x.code = code
	return &reply{status: status, body: errorJSON{
		Error: code, Message: "A fault rule of the sandbox ended this request before anything was done.", Errors: []faultJSON{}, RequestID: x.id.String(), DocURL: code.DocURL(),
	}}
}
