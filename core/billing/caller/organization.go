package caller

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Organization is a dental practice, or a group of practices, that bills
// through the service.
type Organization struct {
	ID        billing.OrgID
	Name      string
	CreatedAt time.Time

	RequireTOTP       bool // of the people who sign in
	EndpointsNeedRead bool // a key needs the permission read to have webhook endpoints

	// Of a throw-away organization.
	Maker     billing.OrgID // zero for any other
	MadeBy    string        // the ID of the user or the key
	ExpiresAt time.Time
	RemovedAt time.Time // zero until it is being removed
}

// The limits of throw-away organizations.
const (
	MaxThrowAways = 50 // of an organization at once
	MaxThrowAway  = 30 * 24 * time.Hour
	throwAwayFor  = 7 * 24 * time.Hour // unless the maker says another time
)

// ThrowAway returns an organization that this one makes for a while, in place of those that
// it made and that are not removed. Zero stands for a week.
func (o *Organization) ThrowAway(name string, by Principal, lasts time.Duration, made int, now billing.Real) (*Organization, error) {
	switch {
	case billing.IsThrowAway(o.ID):
		return nil, &billing.Error{Code: billing.CodePermissionDenied, Message: "A throw-away organization makes no others. Use a key of the organization that made it."}
	case made >= MaxThrowAways:
		return nil, &billing.Error{
			Code:    billing.CodeConflict,
			Message: "Your organization has 50 throw-away organizations. Remove one with DELETE /sandbox/organizations/{id}, or wait until one expires.",
		}
	}
	if lasts == 0 {
		lasts = throwAwayFor
	}
	return &Organization{
		ID: billing.NewThrowAway(now, o.ID), Name: name, CreatedAt: now.Time, Maker: o.ID, MadeBy: by.Maker(), ExpiresAt: now.Add(lasts),
	}, nil
}

// Key returns the key of a throw-away organization: with the permissions of the key that
// made it, or all for a person. It expires with both.
func (o *Organization) Key(by *APIKey, secret string, now billing.Real) *APIKey {
	k := &APIKey{
		ID: billing.NewID[billing.KeyID](now), Scope: billing.Scope{Org: o.ID, Mode: billing.ModeTest}, Name: o.Name,
		Permissions: []billing.Permission{billing.PermissionRead, billing.PermissionSubmit}, LastFour: secret[len(secret)-4:],
		CreatedAt: now.Time, ExpiresAt: o.ExpiresAt,
	}
	if by != nil {
		k.Permissions, k.AllowedAddresses, k.MadeWith = by.Permissions, by.AllowedAddresses, by.ID
		if !by.ExpiresAt.IsZero() && by.ExpiresAt.Before(k.ExpiresAt) {
			k.ExpiresAt = by.ExpiresAt
		}
	}
	return k
}

// MadeWith returns the key that made a throw-away organization; zero for none.
func (o *Organization) MadeWith() billing.KeyID {
	id, err := billing.ParseID[billing.KeyID](o.MadeBy)
	if err != nil {
		return billing.KeyID{} // a person made it, or it is none
	}
	return id
}

// ErrThrowAway returns the error for what a throw-away organization cannot have.
func ErrThrowAway(what string) error {
	return &billing.Error{Code: billing.CodePermissionDenied, Message: "A throw-away organization has no " + what + "."}
}

// OrganizationChange is a change of an organization's settings by an owner. Nil fields
// change nothing.
type OrganizationChange struct {
	RequireTOTP       *bool
	EndpointsNeedRead *bool
}

// Change changes the settings. The owner who requires a second factor has one: CodeTOTPRequired
// for a session without it.
func (o *Organization) Change(c OrganizationChange, by *Session) error {
	if c.RequireTOTP != nil && !by.TOTP {
		return &billing.Error{
			Code:    billing.CodeTOTPRequired,
			Message: "You signed in without a second factor. Set one up, or sign in with a code. Then change require_totp.",
		}
	}
	set := func(setting, to *bool) {
		if to != nil {
			*setting = *to
		}
	}
	set(&o.RequireTOTP, c.RequireTOTP)
	set(&o.EndpointsNeedRead, c.EndpointsNeedRead)
	return nil
}

// AllowsEndpoint returns CodePermissionDenied if a key may not choose what a webhook
// endpoint gets: events show what a reader sees. Nil stands for a person.
func (o *Organization) AllowsEndpoint(k *APIKey) error {
	if !o.EndpointsNeedRead || k == nil || k.May(billing.PermissionRead) {
		return nil
	}
	return &billing.Error{
		Code: billing.CodePermissionDenied,
		Message: "This API key does not have the permission read, which your organization asks for to create or enable a webhook endpoint, " +
			"and to change its url or event_types. Use a key with read and submit.",
	}
}
