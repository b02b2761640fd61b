package caller

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
)

// Caller is the program or the person that makes a request, with the scope of
// the request.
type Caller struct {
	Scope     billing.Scope
	Principal Principal
	Key       *APIKey  // of a program
	User      *User    // of a person
	Session   *Session // of a person
}

// Caller returns the program that has the key.
func (k *APIKey) Caller() *Caller { return &Caller{Scope: k.Scope, Principal: k.Principal(), Key: k} }

// Number returns what the caller's requests are counted by: the ID of the key or
// of the user. A key of a throw-away organization counts with the one that made it.
func (c *Caller) Number() [16]byte {
	if c.Key != nil {
		if !c.Key.MadeWith.IsZero() {
			return c.Key.MadeWith
		}
		return c.Key.ID
	}
	return c.User.ID
}

// Need is what an operation needs its caller to have.
type Need string

// The needs of operations.
const (
	NeedNothing Need = ""        // also callers that are not identified
	NeedCaller  Need = "caller"  // any key or session, even one that lacks a second factor
	NeedRead    Need = "read"    // a key with the permission read, or a session
	NeedSubmit  Need = "submit"  // a key with the permission submit, or the session of an owner or a biller
	NeedResend  Need = "resend"  // a key with the permissions read and submit, or the session of an owner or a biller
	NeedManage  Need = "manage"  // a key with the permission submit, or an owner's session
	NeedSelf    Need = "self"    // a session, even one that lacks a second factor: what concerns its user or itself
	NeedSession Need = "session" // a session
	NeedOwner   Need = "owner"   // an owner's session
	NeedSandbox Need = "sandbox" // a key with the permission submit, or an owner's session; in test mode
)

// Can returns nil if the caller may use an operation with the need, else
// CodePermissionDenied. A session that lacks a second factor gets CodeTOTPRequired.
func (c *Caller) Can(n Need) error {
	switch {
	case c.Session != nil && c.Session.LacksTOTP() && n != NeedNothing && n != NeedCaller && n != NeedSelf:
		return &billing.Error{
			Code:    billing.CodeTOTPRequired,
			Message: "Your organization requires a second factor. Set one up for your user, or sign in again with a code.",
		}
	case c.Key != nil && !c.Key.can(n):
		if n == NeedSelf || n == NeedSession || n == NeedOwner {
			return &billing.Error{Code: billing.CodePermissionDenied, Message: "API keys cannot do this. A person who has signed in can."}
		}
		permission := billing.PermissionSubmit
		if n == NeedRead || n == NeedResend && c.Key.May(billing.PermissionSubmit) {
			permission = billing.PermissionRead
		}
		return &billing.Error{Code: billing.CodePermissionDenied, Message: "This API key does not have the permission " + string(permission) + "."}
	case c.Key == nil && !c.User.Role.can(n):
		return &billing.Error{Code: billing.CodePermissionDenied, Message: "A user with the role " + string(c.User.Role) + " cannot do this."}
	case c.Scope.Mode == billing.ModeLive && billing.IsThrowAway(c.Scope.Org) && n != NeedNothing && n != NeedCaller && n != NeedSelf:
		return &billing.Error{Code: billing.CodeTestModeOnly, Message: "A throw-away organization has no live mode. Use test mode."}
	case n == NeedSandbox && c.Scope.Mode != billing.ModeTest:
		return &billing.Error{Code: billing.CodeTestModeOnly, Message: "Live mode has no sandbox. Use a key or a session of test mode."}
	}
	return nil
}

func (k *APIKey) can(n Need) bool {
	switch n {
	case NeedNothing, NeedCaller:
		return true
	case NeedRead:
		return k.May(billing.PermissionRead)
	case NeedSubmit, NeedManage, NeedSandbox:
		return k.May(billing.PermissionSubmit)
	case NeedResend:
		return k.May(billing.PermissionRead) && k.May(billing.PermissionSubmit)
	case NeedSelf, NeedSession, NeedOwner:
	}
	return false
}

// can reports whether users with the role may use an operation with the need. A role
// that is not listed may use none: a later release may have stored it.
func (r Role) can(n Need) bool {
	var may []Need
	switch r {
	case RoleOwner:
		may = []Need{NeedCaller, NeedRead, NeedSelf, NeedSession, NeedSubmit, NeedResend, NeedManage, NeedSandbox, NeedOwner}
	case RoleBiller:
		may = []Need{NeedCaller, NeedRead, NeedSelf, NeedSession, NeedSubmit, NeedResend}
	case RoleViewer:
		may = []Need{NeedCaller, NeedRead, NeedSelf, NeedSession}
	}
	return n == NeedNothing || slices.Contains(may, n)
}
