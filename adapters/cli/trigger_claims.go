package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
)

// claimPlan is the claim that causes an event in the sandbox.
type claimPlan struct {
	how      string
	ending   string        // of the member ID
	kind     claim.Kind    // empty for a claim
	stays    bool          // the claim is not submitted
	odd      bool          // validation has findings
	patience time.Duration // for the event, once the claim is created
	then     func(t *eventMaker, ctx context.Context, c string) (resource string, err error)
}

// How long the effects of a claim may take with the sandbox's own delays: a
// batch goes out every 10 seconds, and a remittance comes 2 minutes after the
// payer has accepted the claim.
const (
	untilSent = time.Minute
	untilPaid = 8 * time.Minute
)

// claimPlan returns the plan for an event that a claim causes.
func (t *eventMaker) claimPlan(kind event.Type) (claimPlan, bool) {
	plan := claimPlan{patience: untilSent}
	const made = "creates a claim (POST /claims)"
	switch kind { //nolint:exhaustive // the others are not about claims
	case event.ClaimValidated:
		plan.how, plan.stays = made, true
	case event.ClaimNeedsAttention:
		plan.how, plan.odd = "creates a claim for a tooth that does not exist (POST /claims)", true
	case event.ClaimQueued:
		plan.how = "creates a claim and submits it (POST /claims)"
	case event.ClaimSubmitted, event.ClaimAccepted:
		plan.how = "submits a claim and waits for its batch; 10 seconds or so"
	case event.ClaimRejected:
		plan.how, plan.ending = "submits a claim for a member unknown to the payer; 10 seconds or so", "-REJECTED"
	case event.ClaimStatusUpdated:
		plan.how, plan.ending = "submits a claim for which the payer requests more information; 20 seconds or so", "-INFO-REQUEST"
	case event.ClaimVoided:
		plan.how, plan.then = "submits a claim and voids it once the payer has it; 30 seconds or so", (*eventMaker).voidIt
	case event.BatchAcknowledged:
		plan.how, plan.then = "submits a claim and waits for its batch; 10 seconds or so", (*eventMaker).batchOf
	case event.ERAReceived:
		plan.how, plan.then, plan.patience = "submits a claim and waits for its remittance; 2 minutes or so", (*eventMaker).eraOf, untilPaid
	case event.ClaimPaid:
		plan.how, plan.ending, plan.patience = "submits a claim that is paid in part; 2 minutes or so", "-PAID-ERA", untilPaid
	case event.ClaimDenied:
		plan.how, plan.ending, plan.patience = "submits a claim that is denied; 2 minutes or so", "-DENIED", untilPaid
	case event.ClaimPaymentReversed:
		plan.how, plan.ending, plan.patience = "submits a claim whose payment is reversed; 4 minutes or so", "-REVERSED", untilPaid
	case event.PredeterminationReturned:
		plan.how, plan.ending, plan.patience = "submits a predetermination; 2 minutes or so", "-ESTIMATE", untilPaid
		plan.kind = claim.KindPredetermination
	default:
		return claimPlan{}, false
	}
	return plan, true
}

type claimBody struct {
	Kind       claim.Kind          `json:"kind,omitempty"`
	OfficeID   string              `json:"office_id"`
	PayerID    string              `json:"payer_id"`
	Subscriber claimSubscriberBody `json:"subscriber"`
	Lines      []claimLineBody     `json:"lines"`
	Submit     bool                `json:"submit"`
}

type claimSubscriberBody struct {
	subscriberBody

	Address map[string]string `json:"address"`
}

type claimLineBody struct {
	ProcedureCode string `json:"procedure_code"`
	ServiceDate   string `json:"service_date,omitempty"`
	Fee           string `json:"fee"`
	Tooth         string `json:"tooth"`
}

// claimSeen has the fields of a claim that the command reads.
type claimSeen struct {
	ID      string      `json:"id"`
	State   claim.State `json:"state"`
	BatchID string      `json:"batch_id"`
	Payment struct {
		ERAID string `json:"era_id"`
	} `json:"payment"`
	Findings []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
		Fix     string `json:"fix"`
	} `json:"findings"`
}

// claim creates a claim by the plan. Each has a new patient, because validation
// reports a service that was billed before.
func (t *eventMaker) claim(ctx context.Context, p claimPlan) (string, error) {
	line := claimLineBody{"D2740", t.now.AddDate(0, 0, -1).Format(time.DateOnly), "1250.00", "14"}
	if p.kind == claim.KindPredetermination {
		line.ServiceDate = ""
	}
	if p.odd {
		line.Tooth = "99"
	}
	var c claimSeen
	err := t.api.post(ctx, "/claims", claimBody{
		Kind: p.kind, OfficeID: t.office, PayerID: testPayer, Lines: []claimLineBody{line}, Submit: !p.stays && !p.odd,
		Subscriber: claimSubscriberBody{
			subscriberBody{FirstName: "Jane", LastName: "Doe " + rand.Text()[:8], DateOfBirth: "1985-04-12", MemberID: "SANDBOX" + p.ending},
			map[string]string{"line1": "2 Oak Street", "city": "Albany", "state": "NY", "zip": "12207"},
		},
	}, &c)
	switch {
	case err != nil:
		return "", err
	case c.State == claim.NeedsAttention && !p.odd:
		return "", c.attention()
	}
	if p.stays || p.odd {
		return c.ID, nil
	}
	t.patience = p.patience
	_, _ = fmt.Fprintf(t.progress, "%s is made; waiting for its event. Ctrl-C ends only the waiting.\n", c.ID)
	if p.then == nil {
		return c.ID, nil
	}
	return p.then(t, ctx, c.ID)
}

// attention returns why a claim does not proceed.
func (c *claimSeen) attention() error {
	all := []error{fmt.Errorf("%s is made, but needs attention", c.ID)}
	for _, f := range c.Findings {
		all = append(all, fmt.Errorf("  %s: %s %s", f.Field, f.Message, f.Fix))
	}
	return errors.Join(all...)
}

// watch reads the claim until wanted returns true.
func (t *eventMaker) watch(ctx context.Context, cl string, wanted func(c *claimSeen) bool) (claimSeen, error) {
	for range t.tries() {
		var c claimSeen
		if err := t.api.get(ctx, "/claims/"+cl, nil, &c); err != nil || wanted(&c) {
			return c, err
		}
		if err := pause(ctx, eventPause); err != nil {
			return c, err
		}
	}
	return claimSeen{}, fmt.Errorf("%s is made, but its event did not come in time; see: molar events list --resource %s", cl, cl)
}

// voidIt voids the claim once the payer has it.
func (t *eventMaker) voidIt(ctx context.Context, cl string) (string, error) {
	_, err := t.watch(ctx, cl, func(c *claimSeen) bool {
		return c.State == claim.AcceptedPayer || c.State == claim.Paid
	})
	if err != nil {
		return "", err
	}
	return cl, t.api.post(ctx, "/claims/"+cl+"/void", struct{}{}, &made{})
}

// batchOf returns the batch of the claim.
func (t *eventMaker) batchOf(ctx context.Context, cl string) (string, error) {
	c, err := t.watch(ctx, cl, func(c *claimSeen) bool { return c.BatchID != "" })
	return c.BatchID, err
}

// eraOf returns the remittance that pays the claim.
func (t *eventMaker) eraOf(ctx context.Context, cl string) (string, error) {
	c, err := t.watch(ctx, cl, func(c *claimSeen) bool { return c.Payment.ERAID != "" })
	return c.Payment.ERAID, err
}
