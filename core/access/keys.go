package access

import (
	"context"
	"net/netip"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Authenticate returns the key with the secret, for a client at the address. Without a
// valid key it returns CodeUnauthorized. A malformed secret costs no look-up. The zero
// address stands for one that is not known yet: it is not checked, and is no use of the
// key.
func (s *Service) Authenticate(ctx context.Context, secret string, from netip.Addr) (*caller.APIKey, error) {
	if secret == "" {
		return nil, unauthorized(billing.RefusedNoKey)
	}
	if !caller.WellFormedKeySecret(secret) {
		return nil, unauthorized(billing.RefusedKey)
	}
	digest := caller.KeyDigest(secret)
	k, err := s.keys.get(ctx, digest, func() (k *caller.APIKey, err error) {
		err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
			k, err = tx.KeyFinder.Find(ctx, digest)
			return err
		})
		if billing.IsNotFound(err) || err == nil && !k.RevokedAt.IsZero() {
			return nil, unauthorized(billing.RefusedKey)
		}
		return k, err
	})
	if err != nil {
		return nil, err
	}
	now := s.clock.Now()
	if err := k.Admits(now, from); err != nil {
		return nil, err
	}
	if from.IsValid() {
		s.used.note(k.ID, from.Unmap().WithZone(""), now)
	}
	return k, nil
}

func unauthorized(why billing.Refusal) error {
	return &billing.Error{
		Code: billing.CodeUnauthorized, Reason: why,
		Message: "Send a valid API key: Authorization: Bearer molar_test_... or molar_live_...",
	}
}

// Issued is an API key with its secret. The reply that is stored for replays has no
// secret.
type Issued struct {
	Key    *caller.APIKey
	Secret string // empty when it can no longer be shown
}

// CreateKey creates a key of the call's organization, with its event. The key may
// have another mode than the call.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, and
// CodeNotFound for the organization that an operator names.
func (s *Service) CreateKey(ctx context.Context, call idempotency.Write[Issued], in intake.KeyRequest) (caller.Reply, error) {
	k, faults := in.Key()
	if !k.ExpiresAt.IsZero() && !k.ExpiresAt.After(s.clock.Now()) {
		faults.Add("expires_at", billing.FaultRange, "The time must be in the future.")
	}
	if call.Request.Key == "" && len(faults) > 0 { // an operator has no reply to replay first
		return caller.Reply{}, faults.Err()
	}
	org, err := s.GetOrganization(ctx, call.Scope.Org)
	if err != nil {
		return caller.Reply{}, err
	}
	if k.Scope.Mode == billing.ModeLive && billing.IsThrowAway(org.ID) {
		return caller.Reply{}, caller.ErrThrowAway("live mode")
	}
	call.Request.Faults = faults
	k.MadeWith = org.MadeWith()
	secret := caller.NewKeySecret(k.Scope.Mode)
	k.Scope.Org, k.LastFour = org.ID, secret[len(secret)-4:]
	hide := func(i Issued) Issued { return Issued{Key: i.Key} }
	return idempotency.Reveal(ctx, s.store, call, hide, func(ctx context.Context, tx ports.Tx) (Issued, error) {
		if _, err := lockUsers(ctx, tx, call.Call); err != nil {
			return Issued{}, err
		}
		stamp := tx.Real.Now()
		k.CreatedBy, k.CreatedAt = call.Principal.User(), stamp.Time
		k.ID = billing.NewID[billing.KeyID](stamp)
		if err := tx.APIKeys.Insert(ctx, &k, caller.KeyDigest(secret)); err != nil {
			return Issued{}, err
		}
		return Issued{&k, secret}, tx.APIKeys.Append(ctx, k.CreatedEvent(org))
	})
}

// RevokeKey revokes a key of the call's organization, with its event. The key stops
// working within two seconds. Revoking it again changes nothing.
//
// Errors: those of the idempotency key, and CodeNotFound if there is no such key.
func (s *Service) RevokeKey(ctx context.Context, call idempotency.Write[*caller.APIKey], id billing.KeyID) (caller.Reply, error) {
	org, err := s.GetOrganization(ctx, call.Scope.Org)
	if err != nil {
		return caller.Reply{}, err
	}
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*caller.APIKey, error) {
		k, first, err := tx.APIKeys.Revoke(ctx, id, tx.Real.Now().Time)
		if err != nil || !first {
			return k, err
		}
		return k, tx.APIKeys.Append(ctx, k.RevokedEvent(org))
	})
}

// FindKey returns a key of any organization, for the operator. It returns
// CodeNotFound if there is none.
func (s *Service) FindKey(ctx context.Context, id billing.KeyID) (*caller.APIKey, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (*caller.APIKey, error) {
		return tx.KeyFinder.Get(ctx, id)
	})
}

// ListKeys reads a page of the keys of an organization in both modes, revoked ones
// too, newest first, and the start of the next page: nil after the last.
func (s *Service) ListKeys(
	ctx context.Context, scope billing.Scope, p billing.Page,
) ([]*caller.APIKey, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*caller.APIKey, error) {
		return tx.APIKeys.List(ctx, p)
	})
}
