package httpapi

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/sandbox"
)

type meJSON struct {
	Object       string               `json:"object"`
	Organization meOrganizationJSON   `json:"organization"`
	Mode         billing.Mode         `json:"mode"`
	Clock        *meClockJSON         `json:"clock"`
	Permissions  []billing.Permission `json:"permissions"`
	Role         *caller.Role         `json:"role"`
	Key          *ownKeyJSON          `json:"key"`
	User         *userJSON            `json:"user"`
	Session      *ownSessionJSON      `json:"session"`
	PasswordWeak bool                 `json:"password_weak"`
	Warnings     []meWarningJSON      `json:"warnings"`
	Operator     *operatorSignInJSON  `json:"operator_sign_in"`
}

// meClockJSON is a clock of test mode that does not show real time.
type meClockJSON struct {
	Now     string        `json:"now"`
	RealNow string        `json:"real_now"`
	Running bool          `json:"running"`
	State   sandbox.State `json:"state"`
}

// operatorSignInJSON is the last sign-in with an operator's link, for 14 days.
type operatorSignInJSON struct {
	At       string `json:"at"`
	Operator string `json:"operator"`
	Current  bool   `json:"current"` // this session began so
}

// meWarningJSON is what owners should know.
type meWarningJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type meOrganizationJSON struct {
	ID          billing.OrgID `json:"id"`
	Name        string        `json:"name"`
	TimeZones   []string      `json:"time_zones"`
	RequireTOTP bool          `json:"require_totp"`

	EndpointsNeedRead bool `json:"endpoints_need_read"`

	People []colleagueJSON `json:"people"`
}

// colleagueJSON says who a user is to everyone in the organization: what others changed is
// in histories by the user's ID.
type colleagueJSON struct {
	ID   billing.UserID `json:"id"`
	Name string         `json:"name"` // or the email address
}

type ownKeyJSON struct {
	ID       billing.KeyID `json:"id"`
	Name     string        `json:"name"`
	LastFour string        `json:"last_four"`
}

type ownSessionJSON struct {
	ID           billing.SessionID `json:"id"`
	TOTPRequired bool              `json:"totp_required"` // before anything else

	PasswordRequired bool `json:"password_required"`
}

// getMe handles GET /me.
func (a *api) getMe(x *exchange) (*reply, error) {
	org, err := a.access.GetOrganization(x.ctx, x.call.Scope.Org)
	if billing.IsNotFound(err) { // removed, and the key is still remembered
		err = &billing.Error{Code: billing.CodeUnauthorized, Message: "The organization was removed."}
	}
	if err != nil {
		return nil, err
	}
	offices, _, err := a.access.ListOffices(x.ctx, x.call.Scope, billing.Page{Limit: billing.MaxPageLimit})
	if err != nil {
		return nil, err
	}
	clock, wall, err := a.sandbox.Time(x.ctx, x.call.Scope)
	if err != nil {
		return nil, err
	}
	people, err := a.colleagues(x)
	if err != nil {
		return nil, err
	}
	warnings, err := a.warnings(x)
	if err != nil {
		return nil, err
	}
	out := meJSON{
		Object: "me", Mode: x.call.Scope.Mode, Warnings: warnings,
		Organization: meOrganizationJSON{org.ID, org.Name, zones(offices), org.RequireTOTP, org.EndpointsNeedRead, people},
	}
	if *clock != (sandbox.Clock{}) {
		out.Clock = &meClockJSON{event.Timestamp(clock.Now(wall)), event.Timestamp(wall), clock.Running(), clock.State()}
	}
	if k := x.caller.Key; k != nil {
		out.Permissions, out.Key = listOf(k.Permissions), &ownKeyJSON{k.ID, k.Name, k.LastFour}
	} else {
		out.PasswordWeak = x.caller.Session.PasswordWeak
		if in := x.caller.User.Operator; in.Recent(x.s.now()) {
			out.Operator = &operatorSignInJSON{event.Timestamp(in.At), in.Name, x.caller.Session.Operator != ""}
		}
		out.Role, out.User = &x.caller.User.Role, new(userShape(x.caller.User))
		out.Session = &ownSessionJSON{x.caller.Session.ID, x.caller.Session.LacksTOTP(), x.caller.Session.LacksPassword(x.caller.User)}
	}
	return &reply{status: http.StatusOK, body: out}, nil
}

// colleagues returns the users of the organization, for callers who may read what names
// them. A session that lacks its second factor may not.
func (a *api) colleagues(x *exchange) ([]colleagueJSON, error) {
	people := []colleagueJSON{}
	if refused := x.caller.Can(caller.NeedRead); refused != nil {
		return people, nil //nolint:nilerr // the rest of the reply is for every caller
	}
	users, _, err := a.access.ListUsers(x.ctx, x.call.Scope, billing.Page{Limit: billing.MaxPageLimit})
	for _, u := range users {
		people = append(people, colleagueJSON{u.ID, cmp.Or(u.Name, u.Email)})
	}
	return people, err
}

// warnings returns what owners should know.
func (a *api) warnings(x *exchange) ([]meWarningJSON, error) {
	all := []meWarningJSON{}
	if x.caller.Can(caller.NeedOwner) != nil {
		return all, nil //nolint:nilerr // the rest of the reply is for every caller
	}
	if x.s.clientsUnknown() {
		all = append(all, meWarningJSON{
			"client_addresses_unknown",
			"Everyone seems to sign in from the address of the proxy, in the audit and where guesses are slowed down. " +
				"Ask the operator of the service to set MOLAR_TRUSTED_PROXIES.",
		})
	}
	d, err := a.access.Leaving(x.ctx, x.call.Scope.Org)
	if d != nil {
		all = append(all, meWarningJSON{
			"organization_leaves",
			"The organization is deleted on " + billing.DateOf(d.DueAt()).String() + " with all that it has, in test mode and in live mode. " + d.AskedBy +
				" asked for it. If this is a mistake, ask the operator of the service to take it back before that day.",
		})
	}
	return all, err
}

// updateOrganization handles PATCH /organization.
func (a *api) updateOrganization(x *exchange) (*reply, error) {
	call := replying(x, http.StatusOK, organizationShape)
	doc := x.document(&call.Request.Faults)
	change := caller.OrganizationChange{RequireTOTP: doc.OptionalFlag("require_totp"), EndpointsNeedRead: doc.OptionalFlag("endpoints_need_read")}
	doc.End()
	return kept(a.access.ChangeOrganization(x.ctx, call, change))
}

type organizationJSON struct {
	ID          billing.OrgID `json:"id"`
	Object      string        `json:"object"`
	Name        string        `json:"name"`
	RequireTOTP bool          `json:"require_totp"`

	EndpointsNeedRead bool `json:"endpoints_need_read"`
}

func organizationShape(o *caller.Organization) organizationJSON {
	return organizationJSON{o.ID, "organization", o.Name, o.RequireTOTP, o.EndpointsNeedRead}
}

// zones returns the time zones of the offices that are in use, each once.
func zones(offices []*directory.Office) []string {
	all := []string{}
	for _, o := range offices {
		if !o.Retired && !slices.Contains(all, o.TimeZone) {
			all = append(all, o.TimeZone)
		}
	}
	return all
}
