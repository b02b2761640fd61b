package access

import (
	"context"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Authenticate returns the key with the secret. Without a valid key it returns
// CodeUnauthorized. A malformed secret costs no look-up.
func (s *Service) Authenticate(ctx context.Context, secret string) (*billing.APIKey, error) {
	if !billing.WellFormedKeySecret(secret) {
		return nil, unauthorized()
	}
	digest := billing.KeyDigest(secret)
	for {
		now := s.clock.Now()
		s.mu.Lock()
		if have, ok := s.good[digest]; ok && now.Before(have.until) {
			s.mu.Unlock()
			return have.key, nil
		}
		l := s.lookups[digest]
		if l == nil {
			l = &lookup{done: make(chan struct{})}
			s.lookups[digest] = l
			s.mu.Unlock()
			s.lookUp(ctx, digest, l, now)
			return l.key, l.err
		}
		s.mu.Unlock()
		select {
		case <-l.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if l.err == nil || billing.CodeOf(l.err) == billing.CodeUnauthorized {
			return l.key, l.err
		} // any other error may come from the other call's deadline
	}
}

// lookUp reads a key, and remembers it counting from the time at which the read
// began.
func (s *Service) lookUp(ctx context.Context, digest [32]byte, l *lookup, now time.Time) {
	defer close(l.done)
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		l.key, err = tx.APIKeys.Find(ctx, digest)
		return err
	})
	if err == nil && !l.key.RevokedAt.IsZero() || billing.IsNotFound(err) {
		err = unauthorized()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lookups, digest)
	if l.err = err; err != nil {
		l.key = nil
		return
	}
	if len(s.good) >= maxRemembered {
		clear(s.good)
	}
	s.good[digest] = remembered{l.key, now.Add(rememberKey)}
}

func unauthorized() error {
	return &billing.Error{
		Code:    billing.CodeUnauthorized,
		Message: "Send a valid API key: Authorization: Bearer molar_test_... or molar_live_...",
	}
}

// CreateKey creates a key, with its event, and returns its secret, which cannot
// be read again. It returns CodeNotFound for an unknown organization, and
// CodeInvalidRequest for a blank name, an unknown mode or no permission.
func (s *Service) CreateKey(
	ctx context.Context, scope billing.Scope, name string, permissions []billing.Permission,
) (k *billing.APIKey, secret string, err error) {
	var faults billing.Faults
	faults.Name("name", name)
	mode(&faults, scope.Mode)
	if len(permissions) == 0 {
		faults.Add("permissions", billing.FaultRequired, "A key needs the permission read, submit or both.")
	}
	for _, p := range permissions {
		if p != billing.PermissionRead && p != billing.PermissionSubmit {
			faults.Add("permissions", billing.FaultNotAllowed, "The permission must be read or submit.")
		}
	}
	if err := faults.Err(); err != nil {
		return nil, "", err
	}
	permissions = slices.Clone(permissions)
	slices.Sort(permissions)
	secret = billing.NewKeySecret(scope.Mode)
	k = &billing.APIKey{
		Scope: scope, Name: name, Permissions: slices.Compact(permissions), LastFour: secret[len(secret)-4:],
	}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		org, err := tx.Orgs.Get(ctx, scope.Org)
		if err != nil {
			return err
		}
		k.CreatedAt = tx.Clock.Now()
		k.ID = billing.NewID[billing.KeyID](k.CreatedAt)
		if err := tx.APIKeys.Insert(ctx, k, billing.KeyDigest(secret)); err != nil {
			return err
		}
		return tx.APIKeys.Append(ctx, k.CreatedEvent(org))
	})
	return k, secret, err
}

// RevokeKey revokes a key, with its event; revoking it again changes nothing.
// It returns CodeNotFound if there is no such key.
func (s *Service) RevokeKey(ctx context.Context, id billing.KeyID) (k *billing.APIKey, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		var first bool
		if k, first, err = tx.APIKeys.Revoke(ctx, id, tx.Clock.Now()); err != nil || !first {
			return err
		}
		org, err := tx.Orgs.Get(ctx, k.Scope.Org)
		if err != nil {
			return err
		}
		return tx.APIKeys.Append(ctx, k.RevokedEvent(org))
	})
	return k, err
}

// ListKeys lists the keys of an organization, including revoked ones.
func (s *Service) ListKeys(ctx context.Context, org billing.OrgID) (keys []*billing.APIKey, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if _, err := tx.Orgs.Get(ctx, org); err != nil {
			return err
		}
		keys, err = tx.APIKeys.List(ctx, org)
		return err
	})
	return keys, err
}
