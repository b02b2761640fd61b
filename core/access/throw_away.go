package access

import (
	"context"
	"errors"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// ThrowAway is a throw-away organization. The reply that is stored for replays has no
// secret, and no token.
type ThrowAway struct {
	*caller.Organization

	Secret string // of its key; empty when it can no longer be shown
	Token  string // of a link by which its owner signs in; empty like Secret
}

// MakeThrowAway makes a throw-away organization of the call's, with the offices and
// providers of the demo data, a key with the caller's permissions, and an owner.
//
// Errors: those of the idempotency key, CodeInvalidRequest, CodePermissionDenied for one
// that was itself made so, and CodeConflict if there are too many.
func (s *Service) MakeThrowAway(ctx context.Context, call idempotency.Write[ThrowAway], in intake.ThrowAwayRequest) (caller.Reply, error) {
	lasts, faults := in.ThrowAway()
	call.Request.Faults = faults
	secret, token := caller.NewKeySecret(billing.ModeTest), caller.NewToken()
	hide := func(t ThrowAway) ThrowAway { return ThrowAway{Organization: t.Organization} }
	return idempotency.Reveal(ctx, s.store, call, hide, func(ctx context.Context, tx ports.Tx) (ThrowAway, error) {
		maker, err := tx.Organization.Lock(ctx)
		if err != nil {
			return ThrowAway{}, err
		}
		made, err := tx.ThrowAways.List(ctx)
		if err != nil {
			return ThrowAway{}, err
		}
		now := tx.Real.Now()
		o, err := maker.ThrowAway(in.Name, call.Principal, lasts, len(made), now)
		if err != nil {
			return ThrowAway{}, err
		}
		return ThrowAway{o, secret, token}, tx.ThrowAways.Within(ctx, o.ID, func(ctx context.Context) error {
			k := o.Key(call.Key, secret, now)
			u := &caller.User{
				ID: billing.NewID[billing.UserID](now), Org: o.ID, Email: "owner@" + strings.ToLower(o.ID.String()[4:]) + ".example",
				Role: caller.RoleOwner, State: caller.UserInvited, CreatedAt: now.Time,
			}
			return errors.Join(tx.ThrowAways.Insert(ctx, o), practise(ctx, tx, o), tx.APIKeys.Insert(ctx, k, caller.KeyDigest(secret)),
				tx.APIKeys.Append(ctx, k.CreatedEvent(o)), tx.Users.Insert(ctx, u),
				tx.Sessions.Link(ctx, u.NewLink(caller.LinkInvitation, now.Time), caller.TokenDigest(token)))
		})
	})
}

// practise makes the offices and providers of a throw-away organization.
func practise(ctx context.Context, tx ports.Tx, o *caller.Organization) (err error) {
	in := billing.Scope{Org: o.ID, Mode: billing.ModeTest}
	for _, r := range DemoOffices() {
		made, _ := r.Office() // without faults, as a test checks
		made.Scope = in
		err = errors.Join(err, insertOffice(ctx, tx, &made))
	}
	for _, r := range DemoProviders() {
		made, _ := r.Provider()
		made.Scope = in
		err = errors.Join(err, insertProvider(ctx, tx, &made))
	}
	return err
}

// DemoOffices returns the offices of the demo data, in test mode.
func DemoOffices() []intake.OfficeRequest {
	office := func(name, npi string) intake.OfficeRequest {
		return intake.OfficeRequest{
			Name: name, NPI: npi, TaxID: "123456789", Phone: "5185550100", Taxonomy: intake.DefaultTaxonomy,
			Address: &intake.AddressInput{Line1: "1 Main Street", City: "Springfield", State: "IL", ZIP: "627010001"},
		}
	}
	return []intake.OfficeRequest{office("Demo Dental, Main Street", "1234567893"), office("Demo Dental, Lakeside", "1245319599")}
}

// DemoProviders returns the providers of the demo data, in test mode.
func DemoProviders() []intake.ProviderRequest {
	return []intake.ProviderRequest{
		{FirstName: "Dana", LastName: "Rivera", NPI: "1679576722"},
		{FirstName: "Sam", LastName: "Okafor", NPI: "1245319599"},
	}
}

// ListThrowAways lists the throw-away organizations of the scope's, newest first.
func (s *Service) ListThrowAways(ctx context.Context, scope billing.Scope) ([]*caller.Organization, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) ([]*caller.Organization, error) {
		return tx.ThrowAways.List(ctx)
	})
}

// RemoveThrowAway removes a throw-away organization of the call's: its keys stop within two
// seconds, and a job removes the rest.
//
// Errors: those of the idempotency key, and CodeNotFound for any other organization.
func (s *Service) RemoveThrowAway(ctx context.Context, call idempotency.Write[billing.OrgID], id billing.OrgID) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (billing.OrgID, error) {
		return id, removeThrowAway(ctx, tx, id)
	})
}

func removeThrowAway(ctx context.Context, tx ports.Tx, id billing.OrgID) error {
	now := tx.Real.Now()
	if err := tx.ThrowAways.Remove(ctx, id, now.Time); err != nil {
		return err
	}
	return tx.ThrowAways.Within(ctx, id, func(ctx context.Context) error {
		if err := tx.APIKeys.RevokeAll(ctx, now.Time); err != nil {
			return err
		}
		c, err := tx.SandboxClock.Lock(ctx)
		if err != nil || c.Reset != nil { // the job of that removes the organization, too
			return err
		}
		c.Stop(now.Time)
		j := jobs.Job{
			ID: billing.NewID[billing.JobID](now), Kind: jobs.KindReset, Scope: billing.Scope{Org: id, Mode: billing.ModeTest}, Subject: id,
		}
		if err := c.BeginReset(j.ID, now.Time); err != nil {
			return err
		}
		return errors.Join(tx.SandboxClock.Put(ctx, c), tx.Outbox.Stage(ctx, j))
	})
}

// expiredAtOnce is how many organizations one call of RemoveExpired removes.
const expiredAtOnce = 20

// RemoveExpired removes throw-away organizations that have expired, a limited number, and
// returns how many. The audit of the maker has each.
func (s *Service) RemoveExpired(ctx context.Context) (removed int, err error) {
	expired, err := lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]*caller.Organization, error) {
		return tx.Orgs.Expired(ctx, tx.Real.Now().Time, expiredAtOnce)
	})
	for _, o := range expired {
		maker := billing.Scope{Org: o.Maker, Mode: billing.ModeTest}
		failed := s.store.InTx(ctx, maker, func(ctx context.Context, tx ports.Tx) error {
			now := tx.Real.Now()
			e := &caller.AuditEntry{
				ID: billing.NewID[billing.AuditEntryID](now), Org: o.Maker, Mode: maker.Mode, Operator: expiry, Operation: "DELETE /sandbox/organizations/{id}",
				Resource: o.ID.String(), CreatedAt: now.Time,
			}
			return errors.Join(removeThrowAway(ctx, tx, o.ID), tx.Audit.Insert(ctx, []*caller.AuditEntry{e}))
		})
		if billing.IsNotFound(failed) { // another process was first
			continue
		}
		if err = errors.Join(err, failed); failed == nil {
			removed++
		}
	}
	return removed, err
}

// expiry is who removes what has expired, in the audit.
const expiry = "expiry"

// insertProvider stores a new provider.
func insertProvider(ctx context.Context, tx ports.Tx, p *directory.Provider) error {
	p.CreatedAt = tx.Clock.Now()
	p.ID = billing.NewID[billing.ProviderID](tx.Real.Now())
	return tx.Providers.Insert(ctx, p)
}
