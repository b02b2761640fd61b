package claims_test

import (
	"context"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// TestDraft takes a claim from an office and a payer to the queue.
func TestDraft(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.does(b.make(intake.ClaimRequest{OfficeID: new(b.office.ID.String()), PayerID: new("CHTEST"), Draft: true}))
	const lacks = "subscriber.first_name required, subscriber.last_name required, subscriber.date_of_birth required, " +
		"subscriber.member_id required, subscriber.address required, lines required"
	if c.State != claim.Draft || found(c) != lacks || !c.PatientID.IsZero() || c.Provider.ID != b.provider.ID || c.PatientControlNumber == "" {
		t.Errorf("%s with %q, patient %s", c.State, found(c), c.PatientID)
	}
	if got := b.events(c.ID); got != "" || history(c) != "draft>draft" {
		t.Errorf("events %q, history %q", got, history(c))
	}
	if got := b.refused(b.submit(c.ID)); got != "CONFLICT" {
		t.Errorf("a draft is submitted: %q", got)
	}

	in := b.good()
	in.Draft = true
	number := c.PatientControlNumber
	c = b.does(b.change(c.ID, given(in, "subscriber")))
	if c.State != claim.Draft || found(c) != "lines required" || c.PatientID.IsZero() || c.PatientControlNumber != number {
		t.Errorf("%s with %q", c.State, found(c))
	}
	// Without draft it is validated.
	if c = b.does(b.change(c.ID, given(intake.ClaimRequest{}))); c.State != claim.NeedsAttention || found(c) != "lines required" {
		t.Errorf("%s with %q", c.State, found(c))
	}
	if c = b.does(b.change(c.ID, given(intake.ClaimRequest{Draft: true}))); c.State != claim.Draft {
		t.Errorf("%s, want a draft again", c.State)
	}
	if c = b.does(b.change(c.ID, given(b.good(), "lines"))); c.State != claim.Validated || found(c) != "" {
		t.Errorf("%s with %q", c.State, found(c))
	}
	if c = b.does(b.submit(c.ID)); c.State != claim.Queued {
		t.Errorf("%s, want it queued", c.State)
	}
	want := "draft>draft, edit>draft, findings>needs_attention, draft>draft, validation>validated, submit>queued"
	if got := history(c); got != want {
		t.Errorf("history %q, want %q", got, want)
	}
	want = "claim.needs_attention draft>needs_attention, claim.validated draft>validated, claim.queued validated>queued"
	if got := b.events(c.ID); got != want {
		t.Errorf("events %q, want %q", got, want)
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	in := b.good()
	in.Lines[0].Tooth = nil
	in.RenderingProviderID, in.Note, in.TenantReference = new(b.second.ID.String()), new("see chart"), new("mine")
	c := b.does(b.make(in))
	// A finding that stays has no event.
	before := c.UpdatedAt
	c = b.does(b.change(c.ID, given(intake.ClaimRequest{PlaceOfService: new("22")}, "place_of_service")))
	if c.State != claim.NeedsAttention || found(c) != "lines.0.tooth tooth_required" || c.PlaceOfService != "22" || !c.UpdatedAt.After(before) {
		t.Errorf("%s with %q at %q", c.State, found(c), c.PlaceOfService)
	}
	if c.Provider.ID != b.second.ID || c.Note != "see chart" || *c.TenantReference != "mine" || len(c.Lines) != 2 {
		t.Errorf("what was not given has changed: %+v", c.Claim)
	}
	// Null clears, and sets a provider to its default.
	change := given(child(b.good()), "patient", "lines", "rendering_provider_id", "note", "tenant_reference", "patient_control_number", "payer_id")
	change.PatientControlNumber, change.PayerID = new("PCN-7"), new("AETNA")
	c = b.does(b.change(c.ID, change))
	if c.State != claim.Validated || c.Provider.ID != b.provider.ID || c.Note != "" || c.TenantReference != nil || c.PatientControlNumber != "PCN-7" {
		t.Errorf("%s with %q: %+v", c.State, found(c), c.Claim)
	}
	if c.Payer.PayerID != "60054" || b.patient(c.PatientID).FirstName != "Tim" {
		t.Errorf("payer %v, patient %s", c.Payer, c.PatientID)
	}
	if got := b.events(c.ID); got != "claim.needs_attention none>needs_attention, claim.validated needs_attention>validated" {
		t.Errorf("events %q", got)
	}
}

// TestChangeAndSubmit corrects a rejected claim and sends it again.
func TestChangeAndSubmit(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.at(claim.Rejected)
	in := given(b.good(), "lines")
	in.Submit, in.Lines[0].Tooth = true, new("40")
	if c = b.does(b.change(c.ID, in)); c.State != claim.NeedsAttention || found(c) != "lines.0.tooth tooth_unknown" {
		t.Errorf("%s with %q", c.State, found(c))
	}
	in.Lines[0].Tooth = new("15")
	if c = b.does(b.change(c.ID, in)); c.State != claim.Queued || found(c) != "" || c.Lines[0].Tooth != "15" {
		t.Errorf("%s with %q", c.State, found(c))
	}
	want := "claim.validated none>validated, claim.needs_attention rejected>needs_attention, " +
		"claim.validated needs_attention>validated, claim.queued validated>queued"
	if got := b.events(c.ID); got != want {
		t.Errorf("events %q, want %q", got, want)
	}
}

func TestChangesThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	taken := b.good()
	taken.PatientControlNumber, taken.Draft = new("Taken-1"), true
	b.does(b.make(taken))
	in := b.good()
	in.Draft = true
	c := b.does(b.make(in))
	asked := b.asking()
	asked.Draft = true
	predetermination := b.does(b.make(asked))
	sent := b.at(claim.Rejected)
	absent := billing.NewID[billing.ClaimID](billing.RealAt(start()))
	other := newFixtureBeside(b)

	number := given(intake.ClaimRequest{PatientControlNumber: new("TAKEN-1")}, "patient_control_number")
	long := given(intake.ClaimRequest{OfficeID: new("off_1"), PlaceOfService: new("1")}, "office_id", "place_of_service")
	for name, x := range map[string]struct {
		of   *fixture
		id   billing.ClaimID
		in   intake.ClaimRequest
		want string
	}{
		"nothing is right":                {b, c.ID, long, "INVALID_REQUEST office_id format, place_of_service format"},
		"no claim":                        {b, absent, given(intake.ClaimRequest{}), "NOT_FOUND"},
		"no claim, and nothing is right":  {b, absent, long, "INVALID_REQUEST office_id format, place_of_service format"},
		"another organization's claim":    {other, c.ID, given(intake.ClaimRequest{}), "NOT_FOUND"},
		"no office":                       {b, c.ID, given(intake.ClaimRequest{}, "office_id", "payer_id"), "INVALID_REQUEST office_id required, payer_id required"},
		"another organization's office":   {b, c.ID, given(intake.ClaimRequest{OfficeID: new(other.office.ID.String())}, "office_id"), "NOT_FOUND office_id not_found"},
		"another organization's provider": {b, c.ID, given(intake.ClaimRequest{RenderingProviderID: new(other.provider.ID.String())}, "rendering_provider_id"), "NOT_FOUND rendering_provider_id not_found"},
		"an unknown payer":                {b, c.ID, given(intake.ClaimRequest{PayerID: new("UNKNOWN")}, "payer_id"), "NOT_FOUND payer_id not_found"},
		"a control number that is taken":  {b, c.ID, number, "CONFLICT patient_control_number conflict"},
		"another kind":                    {b, c.ID, given(intake.ClaimRequest{Kind: new("predetermination")}, "kind"), "INVALID_REQUEST kind not_allowed"},
		"a day of a predetermination":     {b, predetermination.ID, given(b.good(), "lines"), "INVALID_REQUEST lines.0.service_date not_allowed, lines.1.service_date not_allowed"},
		"another number of what was sent": {b, sent.ID, number, "INVALID_REQUEST patient_control_number not_allowed"},
		"a draft to submit":               {b, c.ID, given(intake.ClaimRequest{Draft: true, Submit: true}), "INVALID_REQUEST submit conflict"},
	} {
		if got := x.of.refused(x.of.change(x.id, x.in)); got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
	if now := b.get(c.ID); text(t, now) != text(t, c) || b.events(c.ID) != "" {
		t.Errorf("the claim has changed: %s", text(t, now))
	}
}

// TestChangeInEachState tries to change, submit, reconcile, void and replace a
// claim in each state.
func TestChangeInEachState(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	may := map[claim.State]string{
		claim.Draft: "change", claim.NeedsAttention: "change", claim.Rejected: "change void", claim.Validated: "submit void",
		claim.AcceptedClearinghouse: "void", claim.AcceptedPayer: "replace void",
		claim.Paid: "reconcile replace void", claim.Denied: "reconcile replace void", claim.Reconciled: "reconcile",
	}
	for _, state := range claim.States() {
		if state == claim.Returned {
			continue // of predeterminations
		}
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			b := newFixtureBeside(b).with(t)
			c := b.at(state)
			allowed := ""
			for _, x := range []struct {
				name string
				use  use
			}{
				{"change", b.change(c.ID, given(intake.ClaimRequest{}))},
				{"submit", b.submit(c.ID)},
				{"reconcile", b.reconcile(c.ID)},
				{"replace", b.replace(c.ID, b.good())},
				{"void", b.void(c.ID)},
				{"convert", b.convert(c.ID, intake.ConvertLineInput{LineNumber: 1, ServiceDate: "2026-03-04"})},
			} {
				before, events := text(t, b.get(c.ID)), b.events(c.ID)
				switch _, err := x.use(render); {
				case err == nil:
					allowed += " " + x.name
					b.put(c.ID, state)
				case billing.CodeOf(err) != billing.CodeConflict:
					t.Errorf("%s: %v", x.name, err)
				case text(t, b.get(c.ID)) != before, b.events(c.ID) != events:
					t.Errorf("%s was refused, and changed the claim: %s", x.name, text(t, b.get(c.ID)))
				}
			}
			if want := may[state]; allowed != "" && allowed[1:] != want || allowed == "" && want != "" {
				t.Errorf("it may%s, want %q", allowed, want)
			}
		})
	}
}

// TestNoteBesideAttachments changes a claim whose note fits until attachments need
// some of its room.
func TestNoteBesideAttachments(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	in := b.good()
	in.Note, in.Draft = new(strings.Repeat("x", 330)), true
	c := b.does(b.make(in))
	attached := &attachment.Attachment{
		ID: billing.NewID[billing.AttachmentID](billing.RealAt(start())), Scope: b.scope, State: attachment.Open, Kind: attachment.Unsolicited,
		OfficeID: b.office.ID, Payer: c.Payer, ClaimID: c.ID, About: c.Subject(), CreatedAt: start(), UpdatedAt: start(),
	}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Attachments.Insert(ctx, attached) })
	fee := func(cents string) intake.ClaimRequest {
		lines := b.good().Lines
		lines[1].Fee = "60." + cents
		return given(intake.ClaimRequest{Lines: lines, Draft: true}, "lines")
	}
	if c = b.does(b.change(c.ID, fee("01"))); found(c) != "" {
		t.Errorf("beside an open attachment: %q", found(c))
	}
	attached.State, attached.Number, attached.ClosedAt = attachment.Closed, "MOLAR-1", start()
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Attachments.Save(ctx, attached) })
	if c = b.does(b.change(c.ID, fee("02"))); found(c) != "note note_too_long" {
		t.Errorf("beside a closed attachment: %q", found(c))
	}
	if c = b.does(b.change(c.ID, given(intake.ClaimRequest{Note: new(strings.Repeat("x", 320))}, "note"))); found(c) != "" {
		t.Errorf("a shorter note: %q", found(c))
	}
}
