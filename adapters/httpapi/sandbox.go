package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
)

// getSandboxClock handles GET /sandbox/clock.
func (a *api) getSandboxClock(x *exchange) (*reply, error) {
	status, err := a.sandbox.Clock(x.ctx, x.call.Scope)
	if err != nil {
		return nil, err
	}
	return rawReply(status.Data()), nil
}

// setSandboxClock handles PATCH /sandbox/clock.
func (a *api) setSandboxClock(x *exchange) (*reply, error) {
	doc := x.document(&x.call.Request.Faults)
	running := doc.OptionalFlag("running")
	doc.End()
	if running == nil {
		x.call.Request.Faults.Add("running", billing.FaultRequired, "A value is required.")
		running = new(bool)
	}
	return kept(a.sandbox.Set(x.ctx, showingClock(x), *running))
}

// advanceSandboxClock handles POST /sandbox/clock/advance.
func (a *api) advanceSandboxClock(x *exchange) (*reply, error) {
	var in intake.AdvanceRequest
	doc := x.document(&in.Faults)
	in.By, in.To, in.Until = doc.OptionalText("by"), doc.Instant("to"), doc.OptionalText("until")
	doc.End()
	return kept(a.sandbox.Advance(x.ctx, showingClock(x), in))
}

// stopSandboxClock handles POST /sandbox/clock/stop.
func (a *api) stopSandboxClock(x *exchange) (*reply, error) {
	return kept(a.sandbox.Stop(x.ctx, showingClock(x)))
}

// resetSandbox handles POST /sandbox/reset.
func (a *api) resetSandbox(x *exchange) (*reply, error) {
	doc := x.document(&x.call.Request.Faults)
	confirm := doc.Text("confirm")
	doc.End()
	return kept(a.sandbox.Reset(x.ctx, showingClock(x), confirm))
}

// showingClock replies with the clock. What still goes on is accepted, not done.
func showingClock(x *exchange) idempotency.Write[*sandbox.Status] {
	w := replying(x, http.StatusOK, func(s *sandbox.Status) json.RawMessage { return s.Data() })
	render := w.Render
	w.Render = func(s *sandbox.Status, failure error) caller.Reply {
		r := render(s, failure)
		if failure == nil && s.Clock.State() != sandbox.Ready {
			r.Status = http.StatusAccepted
		}
		return r
	}
	return w
}
