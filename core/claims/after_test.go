package claims_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/intake"
)

func TestReconcile(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for _, state := range []claim.State{claim.Paid, claim.Denied} {
		in := b.good()
		in.Subscriber.MemberID = "OF-" + string(state[:2]) // another plan, so that it is no duplicate
		c := b.put(b.does(b.make(in)).ID, state)
		events := b.events(c.ID)
		for amount, code := range map[string]string{"": "CONFLICT", "1309.99": "INVALID_REQUEST accept_open.lines conflict"} {
			if got := b.refused(b.accept(c.ID, amount)); got != code {
				t.Errorf("%q accepted: %q, want %q", amount, got, code)
			}
		}
		c = b.does(b.reconcile(c.ID))
		if a := c.Accepted; len(a) != 1 || a[0].ID.IsZero() || a[0].As != claim.AcceptWriteOff || !a[0].At.Equal(c.ReconciledAt) || c.Open() != 0 {
			t.Errorf("accepted %+v, open %s", a, c.Open())
		}
		if c.State != claim.Reconciled || !c.ReconciledAt.Equal(c.UpdatedAt) || !c.ReconciledAt.After(c.CreatedAt) {
			t.Errorf("%s at %s", c.State, c.ReconciledAt)
		}
		if !strings.HasSuffix(history(c), ", reconcile>reconciled") || b.events(c.ID) != events {
			t.Errorf("history %q, events %q", history(c), b.events(c.ID))
		}
		if got := b.refused(b.reconcile(c.ID)); got != "CONFLICT" {
			t.Errorf("again: %q", got)
		}
		if c = b.does(b.reopen(c.ID)); len(c.Accepted) > 0 || b.get(c.ID).Open() != 1310_00 {
			t.Errorf("reopened: accepted %+v", c.Accepted)
		}
	}
	if got := b.refused(b.reconcile(billing.ClaimID{1})); got != "NOT_FOUND" {
		t.Errorf("no claim: %q", got)
	}
}

func TestVoid(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.at(claim.Paid)
	req := b.request()
	v := b.does(func(r rendering) (caller.Reply, error) {
		return b.service.Void(t.Context(), b.write(req, r), c.ID)
	})
	if v.ID == c.ID || v.ParentID != c.ID || v.Frequency != claim.FrequencyVoid || v.State != claim.Queued || v.RequestID != req.ID {
		t.Errorf("%+v", v.Claim)
	}
	if v.PatientControlNumber == c.PatientControlNumber || v.PayerClaimNumber != "PAYER-1" || !v.SentAt.IsZero() || v.Charge() != c.Charge() ||
		v.OfficeName != c.OfficeName || v.Provider != c.Provider {
		t.Errorf("%+v", v.Claim)
	}
	if got := history(v); got != "void>queued" {
		t.Errorf("history %q", got)
	}
	if got := b.events(v.ID); got != "claim.queued none>queued" {
		t.Errorf("events %q", got)
	}
	c.HasVoid = true
	if now := b.get(c.ID); text(t, now) != text(t, c) || b.events(c.ID) != "claim.validated none>validated" {
		t.Errorf("the claim has changed: %s", text(t, now))
	}
	if got := b.refused(b.void(c.ID)); got != "CONFLICT" {
		t.Errorf("a second void: %q", got)
	}
	// A rejected one no longer blocks.
	b.put(v.ID, claim.Rejected)
	if again := b.does(b.void(c.ID)); again.PatientControlNumber == v.PatientControlNumber {
		t.Errorf("another void has the control number of the first")
	}
	for name, use := range map[string]use{
		"void": b.void(v.ID), "replace": b.replace(v.ID, b.good()), "change": b.change(v.ID, given(intake.ClaimRequest{})), "submit": b.submit(v.ID),
	} {
		if got := b.refused(use); got != "CONFLICT" {
			t.Errorf("%s a void: %q", name, got)
		}
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.at(claim.Denied)
	in := child(b.good())
	in.Lines = in.Lines[:1]
	in.Lines[0].Fee, in.RenderingProviderID, in.PayerID = "1200.00", new(b.second.ID.String()), new("MOLARTEST")
	r := b.does(b.replace(c.ID, in))
	if r.ID != c.ID || r.PatientControlNumber != c.PatientControlNumber || r.State != claim.Queued || r.Frequency != claim.FrequencyReplacement {
		t.Errorf("%+v", r.Claim)
	}
	if r.Charge() != 120000 || r.Provider.LastName != "Ng" || r.Payer != c.Payer || r.Patient == nil || r.PatientID == c.PatientID {
		t.Errorf("the content is not the new one: %+v", r.Claim)
	}
	if r.PayerClaimNumber != "PAYER-1" || !r.SentAt.Equal(c.SentAt) || r.RequestID != c.RequestID || !r.CreatedAt.Equal(c.CreatedAt) {
		t.Errorf("what the payer knows it by is lost: %+v", r.Claim)
	}
	if got := history(r); got != "validation>validated, replace>queued" {
		t.Errorf("history %q", got)
	}
	if got := b.events(c.ID); got != "claim.validated none>validated, claim.queued denied>queued" {
		t.Errorf("events %q", got)
	}
}

func TestReplacementsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.at(claim.Paid)
	waits := b.does(b.make(child(b.good())))
	asked := b.put(b.does(b.make(b.asking())).ID, claim.AcceptedPayer)
	absent := billing.NewID[billing.ClaimID](billing.RealAt(start()))
	other := newFixtureBeside(b)
	for name, x := range map[string]struct {
		of     *fixture
		id     billing.ClaimID
		change func(*intake.ClaimRequest)
		want   string
	}{
		"form": {
			b, c.ID, func(in *intake.ClaimRequest) { in.Subscriber.DateOfBirth, in.Lines = "", nil },
			"INVALID_REQUEST subscriber.date_of_birth required, lines required",
		},
		"findings": {
			b, c.ID, func(in *intake.ClaimRequest) { in.Subscriber.MemberID, in.Lines[0].Tooth = "é", nil },
			"INVALID_REQUEST subscriber.member_id not_allowed, lines.0.tooth not_allowed",
		},
		"a draft":                       {b, c.ID, func(in *intake.ClaimRequest) { in.Draft = true }, "INVALID_REQUEST draft not_allowed"},
		"another control number":        {b, c.ID, func(in *intake.ClaimRequest) { in.PatientControlNumber = new("X") }, "INVALID_REQUEST patient_control_number not_allowed"},
		"another kind":                  {b, c.ID, func(in *intake.ClaimRequest) { *in = b.asking() }, "INVALID_REQUEST kind not_allowed"},
		"another payer":                 {b, c.ID, func(in *intake.ClaimRequest) { in.PayerID = new("AETNA") }, "INVALID_REQUEST payer_id not_allowed"},
		"an unknown payer":              {b, c.ID, func(in *intake.ClaimRequest) { in.PayerID = new("UNKNOWN") }, "NOT_FOUND payer_id not_found"},
		"no claim":                      {b, absent, func(*intake.ClaimRequest) {}, "NOT_FOUND"},
		"no claim, form":                {b, absent, func(in *intake.ClaimRequest) { in.Lines = nil }, "INVALID_REQUEST lines required"},
		"another organization's claim":  {other, c.ID, func(in *intake.ClaimRequest) { in.OfficeID = new(other.office.ID.String()) }, "NOT_FOUND"},
		"one that the payer has not":    {b, waits.ID, func(*intake.ClaimRequest) {}, "CONFLICT"},
		"its state before its findings": {b, waits.ID, func(in *intake.ClaimRequest) { in.Lines[0].Tooth = nil }, "CONFLICT"},
		"a predetermination":            {b, asked.ID, func(in *intake.ClaimRequest) { *in = b.asking() }, "CONFLICT"},
	} {
		in := b.good()
		x.change(&in)
		if got := x.of.refused(x.of.replace(x.id, in)); got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
	if now := b.get(c.ID); text(t, now) != text(t, c) || b.events(c.ID) != "claim.validated none>validated" {
		t.Errorf("the claim has changed: %s", text(t, now))
	}
}

// A rejected replacement is still one of the claim that the payer has.
func TestRejectedReplacementStaysWithItsPayer(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.at(claim.Paid)
	b.does(b.replace(c.ID, b.good()))
	b.put(c.ID, claim.Rejected)
	if got := b.refused(b.change(c.ID, given(intake.ClaimRequest{PayerID: new("AETNA")}))); got != "INVALID_REQUEST payer_id not_allowed" {
		t.Errorf("another payer: %q", got)
	}
	if r := b.does(b.change(c.ID, given(intake.ClaimRequest{PayerID: new("MOLARTEST")}))); r.Frequency != claim.FrequencyReplacement {
		t.Errorf("%+v", r.Claim)
	}
}

// While a payer has a void request for a claim, it gets no replacement, unless
// it refuses the void.
func TestReplacementWhileAVoidIsOnItsWay(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.at(claim.AcceptedPayer)
	v := b.does(b.void(c.ID))
	for _, state := range []claim.State{claim.Queued, claim.Submitted, claim.AcceptedClearinghouse} {
		b.put(v.ID, state)
		if got := b.refused(b.replace(c.ID, b.good())); got != "CONFLICT" {
			t.Errorf("the void is %s: %q", state, got)
		}
	}
	b.put(v.ID, claim.Rejected)
	if r := b.does(b.replace(c.ID, b.good())); r.State != claim.Queued {
		t.Errorf("the void was rejected, and the claim is %s", r.State)
	}
}

func TestConvert(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	in := child(b.asking())
	in.TenantReference = new("mine")
	asked := b.put(b.does(b.make(in)).ID, claim.Returned)
	req := b.request()
	c := b.does(func(r rendering) (caller.Reply, error) {
		lines := []intake.ConvertLineInput{{LineNumber: 2, ServiceDate: "2026-03-04"}}
		return b.service.Convert(t.Context(), b.write(req, r), asked.ID, intake.ConvertRequest{Lines: lines})
	})
	if c.Kind != claim.KindClaim || c.State != claim.Validated || c.ConvertedFrom != asked.ID || c.RequestID != req.ID ||
		c.PatientControlNumber == asked.PatientControlNumber {
		t.Errorf("%+v with %q", c.Claim, found(c))
	}
	if len(c.Lines) != 1 || c.Lines[0].ProcedureCode != "D0120" || c.Lines[0].ServiceDate != day(3, 4) || c.PatientID != asked.PatientID ||
		c.Provider != asked.Provider || c.OfficeName != asked.OfficeName || !c.SentAt.IsZero() || c.PayerClaimNumber != "" {
		t.Errorf("%+v", c.Claim)
	}
	if history(c) != "validation>validated" || b.events(c.ID) != "claim.validated none>validated" {
		t.Errorf("history %q, events %q", history(c), b.events(c.ID))
	}
	now := b.get(asked.ID)
	if now.ConvertedTo != c.ID || now.State != claim.Returned || history(now) != history(asked) ||
		b.events(asked.ID) != "claim.validated none>validated" || !now.UpdatedAt.After(asked.UpdatedAt) {
		t.Errorf("the predetermination: %+v, events %q", now.Claim, b.events(asked.ID))
	}
	if got := b.refused(b.convert(asked.ID, intake.ConvertLineInput{LineNumber: 1, ServiceDate: "2026-03-04"})); got != "CONFLICT" {
		t.Errorf("again: %q", got)
	}

	// The claim that it is converted to may need attention.
	in.Subscriber.MemberID = "ANOTHER"
	asked = b.put(b.does(b.make(in)).ID, claim.AcceptedPayer)
	c = b.does(b.convert(asked.ID, intake.ConvertLineInput{LineNumber: 1, ServiceDate: "2026-03-05"}))
	if c.State != claim.NeedsAttention || found(c) != "lines.0.service_date service_date_future" ||
		b.events(c.ID) != "claim.needs_attention none>needs_attention" {
		t.Errorf("%s with %q, events %q", c.State, found(c), b.events(c.ID))
	}
}

func TestConversionsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	asked := b.put(b.does(b.make(b.asking())).ID, claim.Returned)
	waits := b.does(b.make(child(b.asking())))
	c := b.at(claim.AcceptedPayer)
	absent := billing.NewID[billing.ClaimID](billing.RealAt(start()))
	other := newFixtureBeside(b)
	line := func(n int, day string) intake.ConvertLineInput {
		return intake.ConvertLineInput{LineNumber: n, ServiceDate: day}
	}
	done := line(1, "2026-03-04")
	for name, x := range map[string]struct {
		use  use
		want string
	}{
		"nothing is done":            {b.convert(asked.ID), "INVALID_REQUEST lines required"},
		"lines that are none":        {b.convert(asked.ID, line(3, "2026-03-04"), line(0, "2026-02-30")), "INVALID_REQUEST lines.0.line_number range, lines.1.line_number range, lines.1.service_date format"},
		"a line twice":               {b.convert(asked.ID, done, done), "INVALID_REQUEST lines.1.line_number conflict"},
		"none":                       {b.convert(absent, done), "NOT_FOUND"},
		"none, and nothing is right": {b.convert(absent, line(1, "soon")), "INVALID_REQUEST lines.0.service_date format"},
		"another organization's":     {other.convert(asked.ID, done), "NOT_FOUND"},
		"one that the payer has not": {b.convert(waits.ID, done), "CONFLICT"},
		"a claim":                    {b.convert(c.ID, done), "CONFLICT"},
	} {
		if got := b.refused(x.use); got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
	if now := b.get(asked.ID); text(t, now) != text(t, asked) || b.count() != 3 {
		t.Errorf("%d claims, and the predetermination is %s", b.count(), text(t, now))
	}
}
