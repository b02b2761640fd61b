package claims_test

import (
	"context"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

func TestMake(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	req := b.request()
	in := b.good()
	in.TenantReference = new("mine")
	c := b.does(func(r rendering) (caller.Reply, error) {
		return b.service.Make(t.Context(), b.write(req, r), in)
	})
	if c.State != claim.Validated || c.Kind != claim.KindClaim || c.Frequency != claim.FrequencyOriginal || found(c) != "" {
		t.Errorf("%s %s %s with %q", c.State, c.Kind, c.Frequency, found(c))
	}
	payer, _ := b.payers.Find("CHTEST")
	ann := claim.ProviderSummary{ID: b.provider.ID, FirstName: "Ann", LastName: "Lee", NPI: "1234567893"}
	if c.OfficeID != b.office.ID || c.OfficeName != "Main Street" || c.Payer != payer.PayerSummary || c.Provider != ann {
		t.Errorf("office %s %q, payer %v, provider %v", c.OfficeID, c.OfficeName, c.Payer, c.Provider)
	}
	if c.Scope != b.scope || c.RequestID != req.ID || *c.TenantReference != "mine" || c.PlaceOfService != "11" || c.Charge() != 131000 || len(c.Lines) != 2 {
		t.Errorf("%+v", c.Claim)
	}
	if c.PatientControlNumber != claim.NewControlNumber(c.ID) || len(c.PatientControlNumber) > 20 {
		t.Errorf("control number %q", c.PatientControlNumber)
	}
	if !c.CreatedAt.Equal(c.UpdatedAt) || c.CreatedAt.Before(start()) || !c.SentAt.IsZero() || len(c.Attachments) != 0 {
		t.Errorf("%+v", c.Claim)
	}
	if got := history(c); got != "validation>validated" {
		t.Errorf("history %q", got)
	}
	if got := b.events(c.ID); got != "claim.validated none>validated" {
		t.Errorf("events %q", got)
	}
}

func TestMakeAndSubmit(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	in := b.good()
	in.Submit = true
	c := b.does(b.make(in))
	if c.State != claim.Queued || history(c) != "validation>validated, submit>queued" {
		t.Errorf("%s by %q", c.State, history(c))
	}
	if got := b.events(c.ID); got != "claim.validated none>validated, claim.queued validated>queued" {
		t.Errorf("events %q", got)
	}
	in.Lines[0].Tooth, in.Lines[1].ServiceDate = nil, new("2026-03-03")
	c = b.does(b.make(in))
	if c.State != claim.NeedsAttention || found(c) != "lines.0.tooth tooth_required" || history(c) != "findings>needs_attention" {
		t.Errorf("%s with %q by %q", c.State, found(c), history(c))
	}
	if got := b.events(c.ID); got != "claim.needs_attention none>needs_attention" {
		t.Errorf("events %q", got)
	}
}

// TestNamed creates claims that name their parts in other ways.
func TestNamed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	in := child(b.good())
	in.RenderingProviderID, in.PayerID, in.PatientControlNumber = new(b.second.ID.String()), new(" molartest "), new("mine-1")
	c := b.does(b.make(in))
	if c.Provider.ID != b.second.ID || c.Provider.LastName != "Ng" || c.Payer.PayerID != "CHTEST" || c.PatientControlNumber != "mine-1" {
		t.Errorf("provider %v, payer %v, control number %q", c.Provider, c.Payer, c.PatientControlNumber)
	}
	who := b.patient(c.PatientID)
	if who.FirstName != "Tim" || who.DateOfBirth.String() != "2015-06-07" {
		t.Errorf("patient %+v, want the dependent", who)
	}
	in = b.good() // the subscriber, and another name of the same person
	first := b.does(b.make(in))
	in.Subscriber.FirstName, in.Subscriber.LastName, in.Lines = "JANE", "Doe ", in.Lines[:1]
	in.Lines[0].ServiceDate = new("2026-02-01")
	second := b.does(b.make(in))
	if first.PatientID != second.PatientID || first.PatientID == c.PatientID || b.patient(first.PatientID).LastName != "Doe" {
		t.Errorf("patients %s and %s, of the dependent %s", first.PatientID, second.PatientID, c.PatientID)
	}
	asked := b.does(b.make(b.asking()))
	if asked.Kind != claim.KindPredetermination || asked.State != claim.Validated || asked.ServiceDates() != (billing.DateSpan{}) {
		t.Errorf("%s %s with %q", asked.Kind, asked.State, found(asked))
	}
}

// before returns the coverage by a payer before the claim's.
func before(payer string) intake.OtherCoverageInput {
	return intake.OtherCoverageInput{
		Sequence: "primary", PayerID: payer, Relationship: "self",
		Subscriber: &intake.ClaimSubscriberInput{PersonInput: intake.PersonInput{FirstName: "Jane", LastName: "Doe"}, MemberID: "A-1"},
	}
}

// TestNamedOthers creates and changes a claim that names other payers, and a
// provider of its own for a line.
func TestNamedOthers(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	in := b.good()
	in.Coverage, in.OtherCoverage = new("secondary"), []intake.OtherCoverageInput{before(" aetna"), before(" FAR01 ")}
	in.OtherCoverage[1].Sequence, in.OtherCoverage[1].PayerName = "tertiary", "Far Away Dental"
	in.Lines[1].RenderingProviderID, in.Draft = new(b.second.ID.String()), true
	c := b.does(b.make(in))
	aetna, _ := b.payers.Find("60054")
	named := func(c *claim.Record) bool {
		return len(c.OtherCoverage) == 2 && c.OtherCoverage[0].Payer == aetna.PayerSummary &&
			c.OtherCoverage[1].Payer == directory.PayerSummary{PayerID: "FAR01", Name: "Far Away Dental"} && c.Lines[1].ProviderID == b.second.ID
	}
	if !named(c) {
		t.Errorf("others %+v, lines %+v", c.OtherCoverage, c.Lines)
	}
	if c = b.does(b.change(c.ID, given(intake.ClaimRequest{Note: new("n"), Draft: true}, "note", "draft"))); !named(c) {
		t.Errorf("after another change: others %+v, lines %+v", c.OtherCoverage, c.Lines)
	}
}

func (b *fixture) patient(id billing.PatientID) (p *directory.Patient) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		p, err = tx.Patients.Get(ctx, id)
		return err
	})
	return p
}

func TestLiveMode(t *testing.T) {
	t.Parallel()
	b := newFixture(t).of(billing.ModeLive)
	c := b.does(b.make(b.good()))
	if c = b.does(b.submit(c.ID)); c.State != claim.Queued || !strings.Contains(c.NextStep(), "live mode") {
		t.Errorf("%s: %s", c.State, c.NextStep())
	}
}

func TestClaimsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	taken := b.good()
	taken.PatientControlNumber = new("Taken-1")
	b.does(b.make(taken))
	other := newFixtureBeside(b)
	for name, c := range map[string]struct {
		change func(*intake.ClaimRequest)
		want   string
	}{
		"nothing": {
			func(in *intake.ClaimRequest) { *in = intake.ClaimRequest{} },
			"INVALID_REQUEST office_id required, payer_id required, subscriber required, lines required",
		},
		"what the form lacks": {
			func(in *intake.ClaimRequest) { in.Faults.Add("x", billing.FaultUnknown, "?"); in.Lines[0].Fee = "1" },
			"INVALID_REQUEST x unknown, lines.0.fee format",
		},
		"form before absence": {func(in *intake.ClaimRequest) {
			in.OfficeID, in.PayerID, in.Note = new(other.office.ID.String()), new("UNKNOWN"), new(strings.Repeat("é", 401))
		}, "INVALID_REQUEST note too_long"},
		"a draft to submit":    {func(in *intake.ClaimRequest) { in.Draft, in.Submit = true, true }, "INVALID_REQUEST submit conflict"},
		"an ill-formed office": {func(in *intake.ClaimRequest) { in.OfficeID = new("off_1") }, "INVALID_REQUEST office_id format"},
		"an unknown office": {func(in *intake.ClaimRequest) {
			in.OfficeID = new(billing.NewID[billing.OfficeID](billing.RealAt(start())).String())
		}, "NOT_FOUND office_id not_found"},
		"another organization's office":   {func(in *intake.ClaimRequest) { in.OfficeID = new(other.office.ID.String()) }, "NOT_FOUND office_id not_found"},
		"an unknown payer":                {func(in *intake.ClaimRequest) { in.PayerID = new("UNKNOWN") }, "NOT_FOUND payer_id not_found"},
		"another organization's provider": {func(in *intake.ClaimRequest) { in.RenderingProviderID = new(other.provider.ID.String()) }, "NOT_FOUND rendering_provider_id not_found"},
		"absent others": {func(in *intake.ClaimRequest) {
			in.OtherCoverage = []intake.OtherCoverageInput{before("aetna"), before("UNKNOWN")}
			in.OtherCoverage[0].Sequence, in.OtherCoverage[0].PayerName = "tertiary", "Named Too"
			in.Lines[0].RenderingProviderID, in.Lines[1].RenderingProviderID = new(other.provider.ID.String()), new(other.provider.ID.String())
			in.Coverage = new("secondary")
		}, "NOT_FOUND other_coverage.1.payer_id not_found, lines.0.rendering_provider_id not_found, lines.1.rendering_provider_id not_found"},
		"a control number that is taken": {func(in *intake.ClaimRequest) { in.PatientControlNumber = new("TAKEN-1") }, "CONFLICT patient_control_number conflict"},
		"a draft with one that is taken": {func(in *intake.ClaimRequest) { in.PatientControlNumber, in.Draft = new("taken-1"), true }, "CONFLICT patient_control_number conflict"},
		"a day of a predetermination":    {func(in *intake.ClaimRequest) { in.Kind = new("predetermination") }, "INVALID_REQUEST lines.0.service_date not_allowed, lines.1.service_date not_allowed"},
		"a draft's fault":                {func(in *intake.ClaimRequest) { in.Draft, in.Lines[0].ServiceDate = true, new("2026-02-30") }, "INVALID_REQUEST lines.0.service_date format"},
		"absent before taken":            {func(in *intake.ClaimRequest) { in.PatientControlNumber, in.PayerID = new("taken-1"), new("UNKNOWN") }, "NOT_FOUND payer_id not_found"},
	} {
		in := b.good()
		c.change(&in)
		if got := b.refused(b.make(in)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if n := b.count(); n != 1 {
		t.Errorf("%d claims, want one", n)
	}
	// A control number is unique within the organization and mode.
	if c := other.does(other.make(func() intake.ClaimRequest { in := other.good(); in.PatientControlNumber = new("Taken-1"); return in }())); c.State != claim.Validated {
		t.Errorf("another organization's claim with the control number: %s", found(c))
	}
}

// TestRefusalsKeepNoKey uses the key of a refused request again.
func TestRefusalsKeepNoKey(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	in := b.good()
	in.PayerID = new("UNKNOWN")
	if _, err := b.service.Make(t.Context(), b.write(call("k"), render), in); billing.CodeOf(err) != billing.CodeNotFound {
		t.Fatal(err)
	}
	first, err := b.service.Make(t.Context(), b.write(call("k"), render), b.good())
	if err != nil || first.Replayed {
		t.Fatalf("replayed %t, %v", first.Replayed, err)
	}
	again, err := b.service.Make(t.Context(), b.write(call("k"), render), b.good())
	if err != nil || !again.Replayed || again.Status != 201 || string(again.Body) != string(first.Body) {
		t.Errorf("again: %s, replayed %t, %v", again.Body, again.Replayed, err)
	}
	other := call("k")
	other.Fingerprint = [32]byte{2}
	if _, err := b.service.Make(t.Context(), b.write(other, render), b.good()); billing.CodeOf(err) != billing.CodeIdempotencyKeyReused {
		t.Errorf("another claim with the key: %v", err)
	}
	if n := b.count(); n != 1 {
		t.Errorf("%d claims, want one", n)
	}
}

// TestFindings triggers a rule for each part of a claim.
func TestFindings(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	bad := &directory.Provider{
		ID: billing.NewID[billing.ProviderID](billing.RealAt(start())), Scope: b.scope, FirstName: "Cy", LastName: "Om", NPI: "1234567890", CreatedAt: start(),
	}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Providers.Insert(ctx, bad) })
	for name, c := range map[string]struct {
		change func(*intake.ClaimRequest)
		want   string
	}{
		"the provider":         {func(in *intake.ClaimRequest) { in.RenderingProviderID = new(bad.ID.String()) }, "rendering_provider_id provider_npi"},
		"the subscriber":       {func(in *intake.ClaimRequest) { in.Subscriber.MemberID = "é" }, "subscriber.member_id member_id_form"},
		"the address":          {func(in *intake.ClaimRequest) { in.Subscriber.Address.State = "XX" }, "subscriber.address.state state_unknown"},
		"a patient yet unborn": {func(in *intake.ClaimRequest) { *in = child(*in); in.Patient.DateOfBirth = "2026-03-03" }, "patient.date_of_birth date_of_birth_late"},
		"an accident to come": {func(in *intake.ClaimRequest) {
			in.Accident = &intake.AccidentInput{Type: "other", Date: "2026-03-05"}
		}, "accident.date accident_date_future"},
		"a tooth that is none":   {func(in *intake.ClaimRequest) { in.Lines[0].Tooth = new("33") }, "lines.0.tooth tooth_unknown"},
		"a service tomorrow":     {func(in *intake.ClaimRequest) { in.Lines[0].ServiceDate = new("2026-03-05") }, "lines.0.service_date service_date_future"},
		"the same service twice": {func(in *intake.ClaimRequest) { in.Lines = append(in.Lines, in.Lines[0]) }, "lines.2.procedure_code duplicate_line"},
	} {
		in := b.good()
		in.Subscriber.MemberID = "ID-" + name[len(name)-3:] // plans of their own, so that none is a duplicate
		c.change(&in)
		got := b.does(b.make(in))
		if got.State != claim.NeedsAttention || found(got) != c.want {
			t.Errorf("%s: %s with %q, want %q", name, got.State, found(got), c.want)
		}
		if f := got.Findings; len(f) > 0 && (f[0].Message == "" || f[0].Fix == "") {
			t.Errorf("%s: a finding without words: %+v", name, f[0])
		}
	}
}

func TestNoProvider(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	lone := billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}
	office := *b.office
	office.ID, office.Scope = billing.NewID[billing.OfficeID](billing.RealAt(start())), lone
	b.scope = lone
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Offices.Insert(ctx, &office) })
	b.office = &office
	c := b.does(b.make(b.good()))
	if c.State != claim.NeedsAttention || found(c) != "rendering_provider_id required" || c.Provider != (claim.ProviderSummary{}) {
		t.Errorf("%s with %q, provider %v", c.State, found(c), c.Provider)
	}
	hired := *b.provider
	hired.ID, hired.Scope = billing.NewID[billing.ProviderID](billing.RealAt(start())), lone
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Providers.Insert(ctx, &hired) })
	if c = b.does(b.change(c.ID, given(intake.ClaimRequest{}))); c.State != claim.Validated || c.Provider.ID != hired.ID {
		t.Errorf("once there is a provider: %s with %q, provider %v", c.State, found(c), c.Provider)
	}
}

// TestDuplicates bills a service twice.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first := b.does(b.make(b.good()))
	in := b.good()
	in.Lines[1].ServiceDate = new("2026-03-01")
	c := b.does(b.make(in))
	if c.State != claim.NeedsAttention || found(c) != "lines.0.procedure_code duplicate_service" {
		t.Errorf("a service of another claim: %s with %q", c.State, found(c))
	}
	if c := b.does(b.make(child(b.good()))); found(c) != "" {
		t.Errorf("the service of another patient: %q", found(c))
	}
	if c := b.does(b.make(b.asking())); found(c) != "" {
		t.Errorf("a predetermination of the service: %q", found(c))
	}
	beside := newFixtureBeside(b)
	if c := beside.does(beside.make(beside.good())); found(c) != "" {
		t.Errorf("another organization's claim: %q", found(c))
	}
	b.put(first.ID, claim.Voided)
	if c = b.does(b.change(c.ID, given(intake.ClaimRequest{}))); c.State != claim.Validated {
		t.Errorf("once the other claim is voided: %s with %q", c.State, found(c))
	}
}
