package sandboxnet_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// practice is an office whose claims go to the sandbox through the use cases,
// on a real database.
type practice struct {
	t       *testing.T
	store   pgtest.Clocked
	now     *porttest.Clock
	batches *batches.Service
	eras    *remittances.Service
	scope   billing.Scope
	office  billing.OfficeID
	doctor  billing.ProviderID
	payer   directory.PayerSummary
}

// eraDelay is the payers' delay in these tests.
const eraDelay = time.Minute

func newPractice(t *testing.T) *practice {
	t.Helper()
	payers := porttest.Payers(t)
	payer, ok := payers.Find("CHTEST")
	if !ok {
		t.Fatal("there is no test payer")
	}
	p := &practice{t: t, now: porttest.At(asked, 0), payer: payer.PayerSummary}
	p.store = pgtest.Clocked{Store: pgtest.Open(t), Clock: p.now}
	p.eras = remittances.New(p.store, edi.New(), payers)
	open := sandboxnet.Networks(edi.New().Over, p.now, p.store.SandboxMail(), sandboxnet.Options{ERADelay: eraDelay})
	p.batches = batches.New(p.store, batches.Outside{
		EDI: edi.New(), Remit: p.eras.Receive, Networks: routing.New(open...),
	}, payers)
	p.scope = porttest.Organization(t, p.store, billing.ModeTest)
	p.office = porttest.Office(t, p.store, p.scope, func(o *directory.Office) {
		o.TaxID, o.Phone, o.TimeZone = "12-3456789", "555-010-0100", "America/Chicago"
		o.Address = directory.Address{Line1: "1 Main St", City: "Tulsa", State: "OK", ZIP: "74101-0001"}
	}).ID
	doctor := directory.Provider{
		ID: billing.NewID[billing.ProviderID](billing.RealAt(asked)), Scope: p.scope, FirstName: "Ada", LastName: "Molina", NPI: "1467560003",
		Taxonomy: "1223G0001X", CreatedAt: asked,
	}
	p.doctor = doctor.ID
	p.in(func(ctx context.Context, tx ports.Tx) error { return tx.Providers.Insert(ctx, &doctor) })
	return p
}

func (p *practice) in(fn func(ctx context.Context, tx ports.Tx) error) {
	p.t.Helper()
	porttest.In(p.t, p.store, p.scope, fn)
}

// content returns a claim for a service with each of the fees.
func (p *practice) content(ending string, fees ...billing.Money) claim.Content {
	var lines []claim.Line
	for i, fee := range fees {
		lines = append(lines, claim.Line{ProcedureCode: []string{"D1110", "D2392", "D0120"}[i], ServiceDate: on(3, 2), Fee: fee, Quantity: 1})
	}
	return claim.Content{
		OfficeID: p.office, Payer: p.payer, ProviderID: p.doctor, PlaceOfService: "11",
		Subscriber: claim.Subscriber{
			FirstName: "Jane", LastName: "Roe", DateOfBirth: on(1, 2), MemberID: "SANDBOX" + ending, GroupNumber: "G-100", Gender: claim.GenderFemale,
			Address: directory.Address{Line1: "5 Elm St", City: "Tulsa", State: "OK", ZIP: "74103"},
		},
		Lines: lines,
	}
}

// makes creates a queued claim.
func (p *practice) makes(ending string, fees ...billing.Money) billing.ClaimID {
	p.t.Helper()
	now := p.now.Now()
	c := &claim.Claim{
		ID: billing.NewID[billing.ClaimID](billing.RealAt(now)), Scope: p.scope, Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal,
		PatientControlNumber: "PCN-1", CreatedAt: now, Content: p.content(ending, fees...),
		Progress: claim.Progress{State: claim.Queued, UpdatedAt: now},
	}
	p.in(func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Claims.Insert(ctx, c); err != nil {
			return err
		}
		return tx.Events.Append(ctx, c.Event(event.ClaimQueued, claim.Cause{At: now}))
	})
	return c.ID
}

// replaces replaces the claim.
func (p *practice) replaces(id billing.ClaimID, ending string, fee billing.Money) {
	p.t.Helper()
	p.in(func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		e, err := c.Replace(p.content(ending, fee), p.now.Now())
		if err != nil {
			return err
		}
		if err := tx.Claims.Save(ctx, c.Claim); err != nil {
			return err
		}
		return tx.Events.Append(ctx, e)
	})
}

// sends sends the queued claims.
func (p *practice) sends() {
	p.t.Helper()
	if n, err := p.batches.Cut(p.t.Context()); err != nil || n != 1 {
		p.t.Fatalf("%d batches, %v", n, err)
	}
	p.works()
}

// due returns the jobs that exist.
func (p *practice) due() []jobs.Job { return porttest.Due(p.t, p.store, 0) }

// works runs all jobs.
func (p *practice) works() {
	p.t.Helper()
	for _, j := range p.due() {
		do := p.eras.Apply
		if j.Kind == jobs.KindBatchSend {
			do = p.batches.Send
		}
		if err := do(p.t.Context(), j); err != nil {
			p.t.Fatal(err)
		}
	}
	if left := p.due(); len(left) > 0 {
		p.t.Fatalf("%d jobs are left", len(left))
	}
}

// passes advances the time, and receives the due messages.
func (p *practice) passes(d time.Duration) {
	p.t.Helper()
	p.now.Advance(d)
	for more := true; more; {
		got, err := p.batches.Receive(p.t.Context(), sandboxnet.Name)
		if err != nil {
			p.t.Fatal(err)
		}
		more = got.Files > 0
	}
	p.works()
}

// stands returns the claim's state, its payment, and its events about payments.
func (p *practice) stands(id billing.ClaimID) string {
	p.t.Helper()
	c, paid := porttest.Claim(p.t, p.store, p.scope, id), "nothing"
	if s := c.Standing; s != nil {
		paid = s.Paid.String()
	}
	said := string(c.State) + " " + paid + ":"
	for _, e := range porttest.Events(p.t, p.store, p.scope, id) {
		if about := strings.TrimPrefix(string(e.Type), "claim."); about == "paid" || about == "denied" || about == "payment_reversed" {
			said += " " + about
		}
	}
	return said
}

// TestPaidAmountIsTheLastDecision replaces a claim before and after the payer's
// decision. At the end the payment is that of the last decision.
func TestPaidAmountIsTheLastDecision(t *testing.T) {
	t.Parallel()
	const all = 3 * eraDelay // until no more messages come
	for name, c := range map[string]struct {
		ending string
		wait   time.Duration // until the claim is replaced
		queued time.Duration // until the replacement is sent
		fees   []billing.Money
		want   string
	}{
		"paid":              {"", all, 0, []billing.Money{80_00}, "paid 80.00: paid payment_reversed paid"},
		"paid, for more":    {"", all, 0, []billing.Money{130_00}, "paid 130.00: paid payment_reversed paid"},
		"paid, for as much": {"", all, 0, []billing.Money{100_00}, "paid 100.00: paid payment_reversed paid"},
		"twice": {
			"", all, 0,
			[]billing.Money{80_00, 70_00},
			"paid 70.00: paid payment_reversed paid payment_reversed paid",
		},
		"before the payment":     {"", 2 * time.Second, 0, []billing.Money{80_00}, "paid 80.00: paid payment_reversed paid"},
		"the payment comes amid": {"", 2 * time.Second, 2 * eraDelay, []billing.Money{80_00}, "paid 80.00: paid payment_reversed paid"},
		"denied":                 {"-DENIED", all, 0, []billing.Money{80_00}, "paid 80.00: denied paid"},
		"unbalanced":             {"-UNBALANCED", all, 0, []billing.Money{80_00}, "paid 80.00: paid"},
		"taken back":             {"-REVERSED", all, 0, []billing.Money{80_00}, "paid 80.00: paid payment_reversed paid"},
		"to be taken back":       {"-REVERSED", 2 * time.Second, 0, []billing.Money{80_00}, "paid 80.00: paid paid payment_reversed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPractice(t)
			id := p.makes(c.ending, 100_00)
			p.sends()
			p.passes(c.wait)
			for _, fee := range c.fees {
				p.replaces(id, "", fee)
				p.passes(c.queued)
				p.sends()
				p.passes(2 * time.Second)
				p.passes(eraDelay - 2*time.Second)
				p.passes(all)
			}
			if got := p.stands(id); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestLastDecisions replaces a paid claim by one that is not paid.
func TestLastDecisions(t *testing.T) {
	t.Parallel()
	for ending, want := range map[string]string{
		"-DENIED":       "denied 0.00: paid payment_reversed denied",
		"-REVERSED":     "accepted_payer nothing: paid payment_reversed paid payment_reversed",
		"-UNBALANCED":   "accepted_payer nothing: paid payment_reversed",
		"-INFO-REQUEST": "accepted_payer 100.00: paid",
		"-REJECTED":     "rejected 100.00: paid",
	} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			p := newPractice(t)
			id := p.makes("", 100_00)
			p.sends()
			p.passes(3 * eraDelay)
			p.replaces(id, ending, 90_00)
			p.sends()
			p.passes(eraDelay + 2*time.Second)
			p.passes(2 * eraDelay)
			if got := p.stands(id); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
