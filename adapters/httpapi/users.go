package httpapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/http"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
)

// inviteUser handles POST /users.
func (a *api) inviteUser(x *exchange) (*reply, error) {
	call := replying(x, http.StatusCreated, x.invitedShape)
	doc := x.document(&call.Request.Faults)
	email, role, name := doc.Text("email"), caller.Role(doc.Text("role")), value(doc.OptionalText("name"))
	doc.End()
	return kept(a.access.InviteUser(x.ctx, call, email, name, role))
}

// inviteAgain handles POST /users/{id}/invite.
func (a *api) inviteAgain(x *exchange) (*reply, error) {
	return kept(a.access.InviteAgain(x.ctx, replying(x, http.StatusOK, x.invitedShape), userID(x)))
}

// resetUser handles POST /users/{id}/reset.
func (a *api) resetUser(x *exchange) (*reply, error) {
	return kept(a.access.ResetUser(x.ctx, replying(x, http.StatusOK, x.invitedShape), userID(x)))
}

// updateUser handles PATCH /users/{id}. An owner changes the role, the state and the
// name of any user. Everyone changes their own name, password and second factor.
func (a *api) updateUser(x *exchange) (*reply, error) {
	var faults billing.Faults
	doc := x.document(&faults)
	role, state, name := doc.OptionalText("role"), doc.OptionalText("state"), doc.OptionalText("name")
	current, password := doc.OptionalText("current_password"), doc.OptionalText("password")
	secret, code := doc.OptionalText("totp_secret"), doc.OptionalText("totp")
	doc.End()
	id, changes, proves := userID(x), role != nil || state != nil, password != nil || secret != nil
	if changes && (proves || current != nil || code != nil) {
		faults.Add("", billing.FaultNotAllowed, "Change the role or the state in one request, and the password or the second factor in another.")
	}
	if proves {
		if id != x.caller.User.ID {
			return nil, &billing.Error{Code: billing.CodePermissionDenied, Message: "Users change their own password and second factor. molar users reset removes them."}
		}
		call := replying(x, http.StatusOK, userWithCodesShape)
		call.Request.Faults = faults
		call.Request.Fingerprint = a.sealed(call.Request.Fingerprint)
		return kept(a.access.ChangeCredentials(x.ctx, call, x.caller, access.CredentialsChange{
			Name: name, Current: value(current), Password: password, TOTPSecret: secret, TOTP: value(code),
		}))
	}
	if ownName := name != nil && !changes && id == x.caller.User.ID; !ownName {
		if err := x.caller.Can(caller.NeedOwner); err != nil {
			return nil, err
		}
	}
	call := replying(x, http.StatusOK, changedShape)
	call.Request.Faults = faults
	return kept(a.access.ChangeUser(x.ctx, call, id, caller.UserChange{Role: caller.Role(value(role)), State: caller.UserState(value(state)), Name: name}))
}

// sealed returns a keyed digest of a fingerprint, for a body with a password: who
// reads the fingerprints cannot try passwords.
func (a *api) sealed(fingerprint [sha256.Size]byte) [sha256.Size]byte {
	key := a.cursors.key()
	h := hmac.New(sha256.New, key[:])
	h.Write([]byte("fingerprint"))
	h.Write(fingerprint[:])
	return [sha256.Size]byte(h.Sum(nil))
}

func userID(x *exchange) billing.UserID { return pathID[billing.UserID](x, "id") }

type userJSON struct {
	ID          billing.UserID   `json:"id"`
	Object      string           `json:"object"`
	Email       string           `json:"email"`
	Name        *string          `json:"name"`
	Role        caller.Role      `json:"role"`
	State       caller.UserState `json:"state"`
	HasPassword bool             `json:"has_password"`
	HasTOTP     bool             `json:"has_totp"`
	CreatedAt   string           `json:"created_at"`
	SignedInAt  *string          `json:"signed_in_at"`
}

func userShape(u *caller.User) userJSON {
	return userJSON{u.ID, "user", u.Email, orNull(u.Name), u.Role, u.State, u.HasPassword, u.HasTOTP, event.Timestamp(u.CreatedAt), timeOrNull(u.SignedInAt)}
}

// invitedJSON is a user with a sign-in link, which a replay does not show.
type invitedJSON struct {
	userJSON
	SignInURL       string `json:"sign_in_url,omitempty"`
	SecretAvailable bool   `json:"secret_available"`
}

func (x *exchange) invitedShape(i access.Invited) invitedJSON {
	out := invitedJSON{userJSON: userShape(i.User), SecretAvailable: i.Token != ""}
	if out.SecretAvailable {
		out.SignInURL = x.origin() + caller.SignInPath(i.Token)
	}
	return out
}

// origin returns the origin at which the caller reaches the service.
func (x *exchange) origin() string {
	return x.s.identifier.origin.of(x.req.Request.Header.RawHeaders(), remote(x))
}

// userWithCodesJSON is a user with new recovery codes, which a replay does not show.
// changedJSON is a user with the keys that the user leaves behind.
type changedJSON struct {
	userJSON
	WorkingKeys []keyJSON `json:"working_keys,omitzero"`
}

func changedShape(c access.Changed) changedJSON {
	out := changedJSON{userJSON: userShape(c.User)}
	if c.User.State == caller.UserDisabled {
		out.WorkingKeys = mapped(c.Keys, keyShape)
	}
	return out
}

type userWithCodesJSON struct {
	userJSON
	RecoveryCodes   []string `json:"recovery_codes,omitempty"`
	SecretAvailable *bool    `json:"secret_available,omitempty"`
}

func userWithCodesShape(p access.UserWithCodes) userWithCodesJSON {
	return userWithCodesJSON{userShape(p.User), p.RecoveryCodes, new(p.RecoveryCodes != nil)}
}
