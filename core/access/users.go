package access

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Invited is a user with the token of a new sign-in link. The reply that is
// stored for replays has no token.
type Invited struct {
	User  *caller.User
	Token string // empty when it can no longer be shown
}

// InviteUser creates a user and a link that works once. It returns
// CodeInvalidRequest for a malformed email address or an unknown role, and
// CodeConflict if the organization has a user with the address. It reveals
// nothing about other organizations.
func (s *Service) InviteUser(
	ctx context.Context, call idempotency.Write[Invited], email, name string, role caller.Role,
) (caller.Reply, error) {
	faults := call.Request.Faults
	judgeName(&faults, &name)
	normal, ok := caller.NormalEmail(email)
	if faults.Required("email", email, 0) && !ok {
		faults.Add("email", billing.FaultFormat, "An email address has the form name@example.com.")
	}
	if !slices.Contains(caller.Roles(), role) {
		faults.Add("role", billing.FaultNotAllowed, "The role must be owner, biller or viewer.")
	}
	if call.Request.Key == "" {
		if err := s.organization(ctx, call.Scope, faults); err != nil {
			return caller.Reply{}, err
		}
	}
	call.Request.Faults = faults
	return s.offer(ctx, call, caller.LinkInvitation, func(ctx context.Context, tx ports.Tx) (*caller.User, error) {
		now := tx.Real.Now()
		u := &caller.User{
			ID: billing.NewID[billing.UserID](now), Org: call.Scope.Org, Email: normal, Name: strings.TrimSpace(name), Role: role, State: caller.UserInvited, CreatedAt: now.Time,
		}
		if _, err := lockUsers(ctx, tx, call.Call); err != nil {
			return nil, err
		}
		return u, tx.Users.Insert(ctx, u)
	})
}

// InviteAgain creates a new link for a user who has not signed in yet. Earlier
// links stop working. It returns CodeConflict for any other user.
func (s *Service) InviteAgain(ctx context.Context, call idempotency.Write[Invited], id billing.UserID) (caller.Reply, error) {
	return s.offer(ctx, call, caller.LinkInvitation, func(ctx context.Context, tx ports.Tx) (*caller.User, error) {
		u, _, err := lockUser(ctx, tx, call.Call, id)
		if err == nil && u.State != caller.UserInvited {
			err = &billing.Error{Code: billing.CodeConflict, Message: "This user has accepted an invitation, or is disabled."}
		}
		return u, err
	})
}

// LinkUser creates a link for a user of any organization, on behalf of the
// operator. It returns CodeConflict for a disabled user.
func (s *Service) LinkUser(ctx context.Context, call idempotency.Write[Invited], id billing.UserID) (caller.Reply, error) {
	return s.offer(ctx, call, caller.LinkOperator, func(ctx context.Context, tx ports.Tx) (*caller.User, error) {
		u, _, err := lockUser(ctx, tx, call.Call, id)
		return u, enabled(u, err)
	})
}

// ResetUser removes the password and the second factor of a user, ends the
// sessions, and creates a link. It returns CodeConflict for a disabled user, and for the
// one who asks.
func (s *Service) ResetUser(ctx context.Context, call idempotency.Write[Invited], id billing.UserID) (caller.Reply, error) {
	return s.offer(ctx, call, caller.LinkReset, func(ctx context.Context, tx ports.Tx) (*caller.User, error) {
		u, _, err := lockUser(ctx, tx, call.Call, id)
		if err := enabled(u, err); err != nil {
			return nil, err
		}
		if call.Principal.ID == id.String() {
			return nil, &billing.Error{Code: billing.CodeConflict, Message: "This is your own account. Change the password and the second factor in its settings."}
		}
		u.HasPassword, u.HasTOTP = false, false
		if err := errors.Join(tx.Users.SetPassword(ctx, id, ""), tx.Users.SetTOTP(ctx, id, "", 0, nil)); err != nil {
			return nil, err
		}
		return u, tx.Sessions.EndAll(ctx, u.ID, tx.Real.Now().Time)
	})
}

func enabled(u *caller.User, err error) error {
	if err == nil && u.State == caller.UserDisabled {
		return &billing.Error{Code: billing.CodeConflict, Message: "This user is disabled."}
	}
	return err
}

// offer makes a change and a link for the user, at most once for the call's key.
func (s *Service) offer(
	ctx context.Context, call idempotency.Write[Invited], kind caller.LinkKind, change func(ctx context.Context, tx ports.Tx) (*caller.User, error),
) (caller.Reply, error) {
	token := caller.NewToken()
	hide := func(i Invited) Invited { return Invited{User: i.User} }
	return idempotency.Reveal(ctx, s.store, call, hide, func(ctx context.Context, tx ports.Tx) (Invited, error) {
		u, err := change(ctx, tx)
		if err != nil {
			return Invited{}, err
		}
		link := u.NewLink(kind, tx.Real.Now().Time)
		if kind == caller.LinkOperator && call.Principal.Type == caller.PrincipalOperator {
			link.Operator = call.Principal.ID
		}
		return Invited{u, token}, tx.Sessions.Link(ctx, link, caller.TokenDigest(token))
	})
}

// lockUsers locks and returns the users of the organization. It returns
// CodeUnauthorized if the session of the call has ended: a change of its user, which
// holds the same lock, may have ended it since the request came.
func lockUsers(ctx context.Context, tx ports.Tx, call caller.Call) ([]*caller.User, error) {
	all, err := tx.Users.Lock(ctx)
	if err != nil || call.Session.IsZero() {
		return all, err
	}
	s, err := tx.Sessions.Get(ctx, call.Session)
	if billing.IsNotFound(err) || err == nil && !s.Alive(tx.Real.Now().Time) {
		err = sessionEnded()
	}
	return all, err
}

// lockUser returns a user of the organization, locked, and all users.
func lockUser(ctx context.Context, tx ports.Tx, call caller.Call, id billing.UserID) (*caller.User, []*caller.User, error) {
	all, err := lockUsers(ctx, tx, call)
	if err != nil {
		return nil, nil, err
	}
	n := slices.IndexFunc(all, func(u *caller.User) bool { return u.ID == id })
	if n < 0 {
		return nil, nil, billing.NotFound("user", "")
	}
	return all[n], all, nil
}

// Changed is a changed user.
type Changed struct {
	User *caller.User
	Keys []*caller.APIKey // of a disabled user: those that the user made, and that still work
}

// judgeName adds the faults of a person's name, which may be left out.
func judgeName(faults *billing.Faults, name *string) {
	if name != nil {
		faults.Shown("name", *name)
	}
}

// ChangeUser changes the role, the state or the name of a user. After a change of the
// role or the state, the user's sessions end within two seconds. It returns CodeConflict for the last active owner.
func (s *Service) ChangeUser(
	ctx context.Context, call idempotency.Write[Changed], id billing.UserID, change caller.UserChange,
) (caller.Reply, error) {
	faults := call.Request.Faults
	judgeName(&faults, change.Name)
	if change.Role != "" && !slices.Contains(caller.Roles(), change.Role) {
		faults.Add("role", billing.FaultNotAllowed, "The role must be owner, biller or viewer.")
	}
	if change.State != "" && change.State != caller.UserActive && change.State != caller.UserDisabled {
		faults.Add("state", billing.FaultNotAllowed, "The state must be active or disabled.")
	}
	call.Request.Faults = faults
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (Changed, error) {
		u, all, err := lockUser(ctx, tx, call.Call, id)
		if err != nil {
			return Changed{}, err
		}
		ends, err := u.Change(change, all)
		if err == nil {
			err = tx.Users.Save(ctx, u)
		}
		if err == nil && ends {
			err = tx.Sessions.EndAll(ctx, u.ID, tx.Clock.Now())
		}
		out := Changed{User: u}
		if err == nil && change.State == caller.UserDisabled {
			out.Keys, err = tx.APIKeys.Working(ctx, u.ID, tx.Real.Now().Time)
		}
		return out, err
	})
}

// ListUsers reads a page of the users of an organization, newest first, and the
// start of the next page: nil after the last.
func (s *Service) ListUsers(
	ctx context.Context, scope billing.Scope, p billing.Page,
) ([]*caller.User, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*caller.User, error) {
		return tx.Users.List(ctx, p)
	})
}

// FindUsers returns the users with the email address in all organizations, for
// the operator.
func (s *Service) FindUsers(ctx context.Context, email string) ([]*caller.User, error) {
	normal, _ := caller.NormalEmail(email)
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]*caller.User, error) {
		return tx.Accounts.Users(ctx, normal)
	})
}
