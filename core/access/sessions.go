package access

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// signedIn is what a session's secret stands for.
type signedIn struct {
	session *caller.Session
	user    *caller.User
}

// Resume returns the user whose session has the secret, as the caller of a
// request in a mode. Background requests, which a page makes by itself, do not
// keep an idle session. Without a valid session it returns CodeUnauthorized.
func (s *Service) Resume(ctx context.Context, secret string, mode billing.Mode, background bool) (*caller.Caller, error) {
	if !caller.WellFormedToken(secret) {
		return nil, sessionEnded()
	}
	digest, known := caller.TokenDigest(secret), s.active
	if background {
		known = s.background
	}
	in, err := known.get(ctx, digest, func() (*signedIn, error) { return s.find(ctx, digest, background) })
	if err != nil {
		return nil, err
	}
	if !in.session.Alive(s.clock.Now()) {
		return nil, sessionEnded()
	}
	if in.session.LacksTOTP() {
		known.forget(digest) // the next request may come after the second factor
	}
	return &caller.Caller{
		Scope: billing.Scope{Org: in.user.Org, Mode: mode}, Principal: in.user.Principal(), User: in.user, Session: in.session,
	}, nil
}

func (s *Service) find(ctx context.Context, digest [32]byte, background bool) (*signedIn, error) {
	var in signedIn
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		if in.session, in.user, err = tx.SignedIn.Find(ctx, digest); err != nil {
			return err
		}
		now := tx.Real.Now().Time
		if !in.session.Alive(now) || in.user.State != caller.UserActive {
			return sessionEnded()
		}
		if background || now.Sub(in.session.UsedAt) < caller.SessionPrecision {
			return nil
		}
		in.session.UsedAt = now
		return tx.SignedIn.Use(ctx, in.session.ID, now)
	})
	if billing.IsNotFound(err) {
		err = sessionEnded()
	}
	if err != nil {
		return nil, err
	}
	return &in, nil
}

func sessionEnded() error {
	return &billing.Error{Code: billing.CodeUnauthorized, Message: "The session has ended. Sign in again."}
}

// ListSessions reads a page of the sessions that last, newest first, and the
// start of the next page: nil after the last. An owner sees those of the
// organization, any other user their own.
func (s *Service) ListSessions(
	ctx context.Context, by *caller.Caller, p billing.Page,
) ([]*caller.Session, *billing.Position, error) {
	return lists.Page(ctx, s.store, by.Scope, p, func(ctx context.Context, tx ports.Tx) ([]*caller.Session, error) {
		return tx.Sessions.List(ctx, own(by), tx.Real.Now().Time, p)
	})
}

// own returns the user whose sessions the caller may see and end: zero for an
// owner, who may see and end all.
func own(by *caller.Caller) billing.UserID {
	if by.User.Role == caller.RoleOwner {
		return billing.UserID{}
	}
	return by.User.ID
}

// EndSession ends a session, which stops working within two seconds. It returns
// CodeNotFound if the caller may not see it. A session that lacks a second factor ends
// only itself.
func (s *Service) EndSession(
	ctx context.Context, call idempotency.Write[billing.SessionID], by *caller.Caller, id billing.SessionID,
) (caller.Reply, error) {
	if id != by.Session.ID {
		if err := by.Can(caller.NeedSession); err != nil {
			return caller.Reply{}, err
		}
	}
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (billing.SessionID, error) {
		return id, tx.Sessions.End(ctx, id, own(by), tx.Real.Now().Time)
	})
}

// ForgetSessions deletes sessions and links that ended days ago, a limited number
// in one transaction, and returns how many.
func (s *Service) ForgetSessions(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Forget.Sessions(ctx, tx.Real.Now().Add(-keepSessions))
	})
}

// keepSessions exceeds how long any session or link works.
const keepSessions = 14 * caller.SessionTime
