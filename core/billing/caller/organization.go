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
