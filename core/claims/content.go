package claims

import (
	"context"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// parties are the office and the provider that a claim names, with the rules of their scope.
type parties struct {
	follow   *ports.Followed     // the office, and what its claims to the payer follow
	provider *directory.Provider // nil when the scope has none
}

// name sets the office, the payers and the provider that the request names on a
// claim's content; the others stay. It reports the faults so far before absent
// resources.
func (s *Service) name(ctx context.Context, tx ports.Tx, c *claim.Content, in intake.ClaimRequest, faults billing.Faults) (p parties, err error) {
	names := in.IDs()
	if !names.Office.IsZero() {
		c.OfficeID = names.Office
	}
	if !names.Provider.IsZero() || in.Given["rendering_provider_id"] {
		c.ProviderID = names.Provider
	}
	if err := faults.Err(); err != nil {
		return p, err
	}
	payer, ok := s.payers.Find(names.Payer)
	if ok {
		c.Payer = payer.PayerSummary
	}
	var absent billing.Absent
	p.follow, err = tx.AttachmentRules.WithOffice(ctx, c.OfficeID, c.Payer.ID)
	if err := absent.Note(err, "office", "office_id"); err != nil {
		return p, err
	}
	if names.Payer != "" && !ok {
		absent.Add("payer", "payer_id")
	}
	p.provider, err = providerOf(ctx, tx, c)
	if err := absent.Note(err, "provider", "rendering_provider_id"); err != nil {
		return p, err
	}
	s.nameOthers(c, &absent)
	if err := linesHaveProviders(ctx, tx, c, &absent); err != nil {
		return p, err
	}
	return p, absent.Err()
}

// notRetired refuses an office or a provider that a request names anew and that takes
// no new claims. Was is the content before the request.
func (p parties) notRetired(was *claim.Content) error {
	var f billing.Faults
	if o := p.follow.Office; o.Retired && o.ID != was.OfficeID {
		f.Add("office_id", billing.FaultNotAllowed, "The office is retired and takes no new claims. Choose another office.")
	}
	if d := p.provider; d != nil && d.Retired && d.ID != was.ProviderID {
		f.Add("rendering_provider_id", billing.FaultNotAllowed, "The provider is retired. Choose the provider who rendered the services.")
	}
	return f.Err()
}

// nameOthers sets the payers of the directory that other coverages name by a payer ID.
func (s *Service) nameOthers(c *claim.Content, absent *billing.Absent) {
	for i := range c.OtherCoverage {
		o := &c.OtherCoverage[i]
		if o.Payer.PayerID == "" || !o.Payer.ID.IsZero() {
			continue
		}
		payer, ok := s.payers.Find(o.Payer.PayerID)
		_, notOurs := billing.ParseID[billing.PayerID](o.Payer.PayerID)
		switch {
		case ok:
			o.Payer = payer.PayerSummary
		case notOurs == nil || billing.Blank(o.Payer.Name): // a payer that is not in the directory has both
			absent.Add("payer", "other_coverage."+strconv.Itoa(i)+".payer_id")
		}
	}
}

// linesHaveProviders notes the providers of lines that are absent. It reads each
// provider once.
func linesHaveProviders(ctx context.Context, tx ports.Tx, c *claim.Content, absent *billing.Absent) error {
	found := map[billing.ProviderID]error{c.ProviderID: nil}
	for i := range c.Lines {
		id := c.Lines[i].ProviderID
		err, known := found[id]
		if id.IsZero() {
			continue
		}
		if !known {
			_, err = tx.Providers.Get(ctx, id)
			found[id] = err
		}
		if err := absent.Note(err, "provider", "lines."+strconv.Itoa(i)+".rendering_provider_id"); err != nil {
			return err
		}
	}
	return nil
}

// providerOf reads the provider of a claim, and sets the oldest of the scope on
// a claim without one. It returns nil when there is none.
func providerOf(ctx context.Context, tx ports.Tx, c *claim.Content) (*directory.Provider, error) {
	p, err := tx.Providers.Get(ctx, c.ProviderID)
	switch {
	case billing.IsNotFound(err) && c.ProviderID.IsZero():
		return nil, nil // no provider, and no error: the rules find that
	case err != nil:
		return nil, err
	}
	c.ProviderID = p.ID
	return p, nil
}

// of sets the names of the parties on the record of their claim, and the rules of its scope.
func (p parties) of(r *claim.Record) *claim.Record {
	r.OfficeName, r.Provider, r.Rules = p.follow.Office.Name, claim.ProviderSummary{}, p.follow.Rules
	if d := p.provider; d != nil {
		r.Provider = claim.ProviderSummary{ID: d.ID, FirstName: d.FirstName, LastName: d.LastName, NPI: d.NPI}
	}
	return r
}

// judge sets the claim's patient and what its contract says, and returns the findings of the rules.
func (s *Service) judge(
	ctx context.Context, tx ports.Tx, c *claim.Claim, p parties, now time.Time,
) (found []claim.Finding, err error) {
	if c.PatientID, err = patient(ctx, tx, c, now); err != nil {
		return nil, err
	}
	if err := estimated(ctx, tx, &c.Content); err != nil {
		return nil, err
	}
	with := claim.RuleContext{Today: p.follow.Office.Today(now), Office: p.follow.Office, Provider: p.provider}
	with.Payer, _ = s.payers.Find(c.Payer.ID.String()) // unless it has left the directory
	if days := c.ServiceDates(); !c.PatientID.IsZero() && !days.From.IsZero() {
		if with.Similar, err = tx.Claims.Similar(ctx, c.PatientID, days); err != nil {
			return nil, err
		}
	}
	if !billing.Blank(c.Note) && c.ID.Time().Before(tx.Real.Now().Truncate(time.Millisecond)) { // a claim that this transaction creates has no attachments
		attached, err := tx.Clearing.Attached(ctx, []billing.ClaimID{c.ID})
		if err != nil {
			return nil, err
		}
		with.Attached = len(attached)
	}
	if err := s.network(ctx, tx, c, &with); err != nil {
		return nil, err
	}
	if err := lists.TermsOf(ctx, tx, c, p.follow); err != nil {
		return nil, err
	}
	return c.Judge(with), nil
}

// estimated refuses an estimate that the scope does not have, or that is for another patient.
func estimated(ctx context.Context, tx ports.Tx, c *claim.Content) error {
	if c.EstimateID.IsZero() {
		return nil
	}
	var f billing.Faults
	e, err := tx.Estimates.Get(ctx, c.EstimateID)
	switch {
	case billing.IsNotFound(err):
		f.Add("estimate_id", billing.FaultNotAllowed, "Your organization has no such estimate in this mode. Correct the ID, or leave it out.")
	case err != nil:
		return err
	case !c.PatientID.IsZero() && e.PatientID != c.PatientID:
		f.Add("estimate_id", billing.FaultConflict, "The estimate is for another patient. Use one of this patient, or leave it out.")
	}
	return f.Err()
}

// patient returns the patient directory's entry for the patient of the claim,
// or zero when the claim does not identify one.
func patient(ctx context.Context, tx ports.Tx, c *claim.Claim, now time.Time) (billing.PatientID, error) {
	who := c.Subject().Patient
	p, ok := directory.NewPerson(c.Scope, who.FirstName, who.LastName, who.DateOfBirth, tx.Real.Now(), now)
	if !ok {
		return billing.PatientID{}, nil
	}
	found, err := tx.Patients.Find(ctx, []directory.Person{p})
	if err != nil {
		return billing.PatientID{}, err
	}
	return found[0], nil
}

// settle validates a new or changed claim, and queues it when the request asks
// for that and nothing was found. Otherwise the claim keeps what was asked. It returns
// the events of both.
func (s *Service) settle(
	ctx context.Context, tx ports.Tx, r *claim.Record, p parties, draft, submit bool, now time.Time,
) ([]event.Event, error) {
	found, err := s.judge(ctx, tx, p.of(r).Claim, p, now)
	if err != nil {
		return nil, err
	}
	events, err := r.Judged(found, draft, now)
	if r.SubmitWhenReady = submit && !r.HasVoid; err != nil || !submit || r.State != claim.Validated {
		return events, err
	}
	queued, err := r.Submit(now)
	if err != nil {
		return nil, err
	}
	return append(events, queued), s.hold(ctx, tx, r)
}
