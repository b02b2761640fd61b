package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/intake"
)

// makeThrowAway handles POST /sandbox/organizations.
func (a *api) makeThrowAway(x *exchange) (*reply, error) {
	return kept(a.access.MakeThrowAway(x.ctx, replying(x, http.StatusCreated, x.madeThrowAwayShape), readBody[intake.ThrowAwayRequest](x)))
}

type throwAwayJSON struct {
	ID        billing.OrgID `json:"id"`
	Object    string        `json:"object"`
	Name      string        `json:"name"`
	MadeBy    string        `json:"made_by"`
	CreatedAt string        `json:"created_at"`
	ExpiresAt string        `json:"expires_at"`
}

func throwAwayShape(o *caller.Organization) throwAwayJSON {
	return throwAwayJSON{o.ID, "sandbox_organization", o.Name, o.MadeBy, event.Timestamp(o.CreatedAt), event.Timestamp(o.ExpiresAt)}
}

// madeThrowAwayJSON is a throw-away organization with its secrets, which a replay does not
// show.
type madeThrowAwayJSON struct {
	throwAwayJSON
	APIKey          string `json:"api_key,omitempty"`
	SignInURL       string `json:"sign_in_url,omitempty"`
	SecretAvailable bool   `json:"secret_available"`
}

func (x *exchange) madeThrowAwayShape(t access.ThrowAway) madeThrowAwayJSON {
	out := madeThrowAwayJSON{throwAwayJSON: throwAwayShape(t.Organization), APIKey: t.Secret, SecretAvailable: t.Secret != ""}
	if out.SecretAvailable {
		out.SignInURL = x.origin() + caller.SignInPath(t.Token)
	}
	return out
}
