package claims

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// parties are the office and the provider of a claim.
type parties struct {
	office   *billing.Office
	provider *billing.Provider // nil when the scope has none
}

// name puts office, payer and provider on a claim as the request names them;
// what it does not name stays. It tells the faults, which are those of the
// request so far, before what is absent.
func (s *Service) name(ctx context.Context, tx ports.Tx, c *billing.Claim, in billing.ClaimRequest, faults billing.Faults) (parties, error) {
	names := in.Names()
	if !names.Office.IsZero() {
		c.OfficeID = names.Office
	}
	if !names.Provider.IsZero() || in.Given["rendering_provider_id"] {
		c.Provider = billing.ProviderSummary{ID: names.Provider}
	}
	if err := faults.Err(); err != nil {
		return parties{}, err
	}
	var absent billing.Absent
	office, err := officeOf(ctx, tx, c)
	if err := absent.Note(err, "office", "office_id"); err != nil {
		return parties{}, err
	}
	if names.Payer != "" {
		if payer, ok := s.payers.Find(names.Payer); ok {
			c.Payer = payer.PayerSummary
		} else {
			absent.Add("payer", "payer_id")
		}
	}
	provider, err := providerOf(ctx, tx, c)
	if err := absent.Note(err, "provider", "rendering_provider_id"); err != nil {
		return parties{}, err
	}
	return parties{office, provider}, absent.Err()
}

// officeOf reads the office of a claim and puts its name on it.
func officeOf(ctx context.Context, tx ports.Tx, c *billing.Claim) (*billing.Office, error) {
	o, err := tx.Offices.Get(ctx, c.OfficeID)
	if err != nil {
		return nil, err
	}
	c.OfficeName = o.Name
	return o, nil
}

// providerOf reads the provider of a claim, which is the oldest of the scope for
// a claim without one, and puts the name on it. It is nil when there is none.
func providerOf(ctx context.Context, tx ports.Tx, c *billing.Claim) (*billing.Provider, error) {
	p, err := tx.Providers.Get(ctx, c.Provider.ID)
	switch {
	case billing.IsNotFound(err) && c.Provider.ID.IsZero():
		return nil, nil //nolint:nilnil // no provider and no fault: the rules find that
	case err != nil:
		return nil, err
	}
	c.Provider = billing.ProviderSummary{ID: p.ID, FirstName: p.FirstName, LastName: p.LastName, NPI: p.NPI}
	return p, nil
}

// judge finds out who the patient is, and what the rules find wrong with the
// claim.
func (s *Service) judge(
	ctx context.Context, tx ports.Tx, c *billing.Claim, p parties, now time.Time,
) (found []billing.Finding, err error) {
	if c.PatientID, err = patient(ctx, tx, c, now); err != nil {
		return nil, err
	}
	with := billing.ClaimContext{Today: p.office.Today(now), Office: p.office, Provider: p.provider}
	with.Payer, _ = s.payers.Find(c.Payer.ID.String()) // unless the directory has lost it
	if days := c.ServiceDates(); !c.PatientID.IsZero() && !days.From.IsZero() {
		if with.Similar, err = tx.Claims.Similar(ctx, c.PatientID, days); err != nil {
			return nil, err
		}
	}
	return c.Judge(with), nil
}

// patient is the entry of the patient directory for the patient of the claim,
// or zero when the claim does not say enough to tell who that is.
func patient(ctx context.Context, tx ports.Tx, c *billing.Claim, now time.Time) (billing.PatientID, error) {
	who := c.Subject().Patient
	p, ok := billing.NewPerson(c.Scope, who.FirstName, who.LastName, who.DateOfBirth, now)
	if !ok {
		return billing.PatientID{}, nil
	}
	found, err := tx.Patients.Find(ctx, []billing.Person{p})
	if err != nil {
		return billing.PatientID{}, err
	}
	return found[0], nil
}

// settle judges a claim that was made or changed, and queues it when that is
// asked for and nothing was found. It gives the events of both.
func (s *Service) settle(
	ctx context.Context, tx ports.Tx, c *billing.Claim, p parties, draft, submit bool, now time.Time,
) ([]billing.Event, error) {
	found, err := s.judge(ctx, tx, c, p, now)
	if err != nil {
		return nil, err
	}
	events, err := c.Judged(found, draft, now)
	if err != nil || !submit || c.State != billing.ClaimValidated {
		return events, err
	}
	queued, err := c.Submit(now)
	return append(events, queued), err
}
