package access

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

const maxText = 200

// CreateOrganization makes an organization. A blank name is
// CodeInvalidRequest.
func (s *Service) CreateOrganization(ctx context.Context, name string) (*billing.Organization, error) {
	var faults billing.Faults
	text(&faults, "name", name)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	now := s.clock.Now()
	o := &billing.Organization{ID: billing.NewID[billing.OrgID](now), Name: name, CreatedAt: now}
	return o, s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Orgs.Insert(ctx, o) })
}

// ListOrganizations lists every organization.
func (s *Service) ListOrganizations(ctx context.Context) (orgs []*billing.Organization, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		orgs, err = tx.Orgs.List(ctx)
		return err
	})
	return orgs, err
}

// CreateOffice makes an office in a scope; its ID and times are given here.
// Faults of the office are CodeInvalidRequest, an unknown organization is
// CodeNotFound.
func (s *Service) CreateOffice(ctx context.Context, o billing.Office) (*billing.Office, error) {
	var faults billing.Faults
	text(&faults, "name", o.Name)
	mode(&faults, o.Scope.Mode)
	npi(&faults, o.NPI)
	if digits := strings.ReplaceAll(o.TaxID, "-", ""); digits != "" && (len(digits) != 9 || strings.Trim(digits, "0123456789") != "") {
		faults.Add("tax_id", billing.FaultFormat, "A tax ID is nine digits.")
	}
	if _, err := time.LoadLocation(o.TimeZone); err != nil || o.TimeZone == "" || o.TimeZone == "Local" {
		faults.Add("time_zone", billing.FaultFormat, "A time zone is an IANA name such as America/New_York.")
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	o.CreatedAt = s.clock.Now()
	o.ID = billing.NewID[billing.OfficeID](o.CreatedAt)
	return &o, s.inOrganization(ctx, o.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Offices.Insert(ctx, &o) })
}

// ListOffices reads a page of the offices of a scope, newest first, and where
// the next page starts: nil after the last.
func (s *Service) ListOffices(
	ctx context.Context, scope billing.Scope, p billing.Page,
) (page []*billing.Office, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		page, err = tx.Offices.List(ctx, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, func(o *billing.Office) billing.Position {
		return billing.Position{Time: o.CreatedAt, ID: o.ID}
	})
	return page, next, err
}

// CreateProvider makes a provider in a scope; its ID and times are given here.
func (s *Service) CreateProvider(ctx context.Context, p billing.Provider) (*billing.Provider, error) {
	var faults billing.Faults
	text(&faults, "first_name", p.FirstName)
	text(&faults, "last_name", p.LastName)
	mode(&faults, p.Scope.Mode)
	npi(&faults, p.NPI)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	p.CreatedAt = s.clock.Now()
	p.ID = billing.NewID[billing.ProviderID](p.CreatedAt)
	return &p, s.inOrganization(ctx, p.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Providers.Insert(ctx, &p) })
}

// inOrganization runs fn in the scope if its organization exists.
func (s *Service) inOrganization(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Orgs.Get(ctx, scope.Org)
		return err
	})
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, scope, fn)
}

func text(f *billing.Faults, field, value string) {
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		f.Add(field, billing.FaultFormat, "A value is UTF-8 text without control characters.")
	case strings.TrimSpace(value) == "":
		f.Add(field, billing.FaultRequired, "A value is required.")
	case utf8.RuneCountInString(value) > maxText:
		f.Add(field, billing.FaultTooLong, "A value has at most 200 characters.")
	}
}

func mode(f *billing.Faults, m billing.Mode) {
	if m != billing.ModeTest && m != billing.ModeLive {
		f.Add("mode", billing.FaultNotAllowed, "A mode is test or live.")
	}
}

func npi(f *billing.Faults, s string) {
	if !billing.ValidNPI(s) {
		f.Add("npi", billing.FaultFormat, "An NPI is ten digits with a valid check digit.")
	}
}
