package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/valyala/fasthttp"

	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
)

// signIn handles POST /sessions. It stores no reply: its token works once, and a
// second sign-in is another session.
func (a *api) signIn(x *exchange) (*reply, error) {
	raw := x.req.Request.Header.RawHeaders()
	if err := x.s.identifier.origin.prove(raw, remote(x)); err != nil {
		return nil, err
	}
	var faults billing.Faults
	doc := x.document(&faults)
	token, email, password, code := doc.OptionalText("token"), doc.OptionalText("email"), doc.OptionalText("password"), doc.OptionalText("totp")
	chosen := doc.OptionalText("organization_id")
	doc.End()
	var org billing.OrgID
	if chosen != nil {
		var err error
		if org, err = billing.ParseID[billing.OrgID](*chosen); err != nil {
			faults.Add("organization_id", billing.FaultFormat, "Send the id of one of organizations.")
		}
	}
	if token != nil && (email != nil || password != nil || code != nil || chosen != nil) {
		faults.Add("token", billing.FaultNotAllowed, "Send a token, or an email address and a password.")
	}
	if token == nil {
		faults.Required("email", value(email), maxCredential)
		faults.Required("password", value(password), maxCredential)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	entry := *x.auditEntry()
	entry.Status = http.StatusCreated
	refused := func(u *caller.User, surely bool) {
		e := entry
		if !surely {
			e = *entry.Vague()
		}
		e.ID, e.Org, e.User, e.Status = billing.NewID[billing.AuditEntryID](billing.RealAt(e.CreatedAt)), u.Org, u.ID, http.StatusUnauthorized
		a.audit.Note(&e) // the time of the reply must not depend on whether there is a user
	}
	in, err := a.access.SignIn(x.ctx, access.SignIn{
		Token: value(token), Email: value(email), Password: value(password), TOTP: value(code), Organization: org,
		Browser: x.s.identifier.origin.cookies(raw).browser, Address: x.client(), Agent: x.agent(),
		Entry: entry, Refused: refused,
	})
	if err != nil {
		return nil, err
	}
	session, browser := x.s.identifier.origin.names(raw)
	x.setCookie(session, in.Secret, caller.SessionTime)
	x.setCookie(browser, in.Browser, browserTime)
	return &reply{status: http.StatusCreated, body: sessionShape(in.Session, in.Session.ID)}, nil
}

// maxCredential bounds the work on an email address or a password.
const maxCredential = 512

// browserTime is how long a browser proves an earlier sign-in.
const browserTime = 365 * 24 * time.Hour

// value returns what an optional field has, or the zero value.
func value[T any](field *T) (v T) {
	if field != nil {
		v = *field
	}
	return v
}

// agent returns the User-Agent, shortened, without bytes that are no text.
func (x *exchange) agent() string {
	text := func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}
	return jsonbody.Start(strings.Map(text, string(x.req.UserAgent())), maxAgent)
}

const maxAgent = 200

// setCookie sets a cookie that scripts cannot read and other sites' requests do
// not carry. A time of zero removes it.
func (x *exchange) setCookie(name, value string, lasts time.Duration) {
	c := fasthttp.AcquireCookie()
	defer fasthttp.ReleaseCookie(c)
	c.SetKey(name)
	c.SetValue(value)
	c.SetPath("/")
	c.SetHTTPOnly(true)
	c.SetSecure(x.s.identifier.origin.secure())
	c.SetSameSite(fasthttp.CookieSameSiteStrictMode)
	if c.SetMaxAge(int(lasts.Seconds())); lasts == 0 {
		c.SetExpire(fasthttp.CookieExpireDelete)
	}
	x.req.Response.Header.SetCookie(c)
}

// listSessions handles GET /sessions.
func (a *api) listSessions(x *exchange) (*reply, error) {
	by := x.caller
	all := func(ctx context.Context, _ billing.Scope, p billing.Page) ([]*caller.Session, *billing.Position, error) {
		return a.access.ListSessions(ctx, by, p)
	}
	return unfiltered(a, x, "sessions", all, func(s *caller.Session) sessionJSON { return sessionShape(s, by.Session.ID) })
}

// endSession handles DELETE /sessions/{id}. Ending the request's own session
// removes its cookie.
func (a *api) endSession(x *exchange) (*reply, error) {
	id := pathID[billing.SessionID](x, "id")
	out, err := kept(a.access.EndSession(x.ctx, removing[billing.SessionID](x), x.caller, id))
	if err == nil && id == x.caller.Session.ID {
		session, _ := x.s.identifier.origin.names(x.req.Request.Header.RawHeaders())
		x.setCookie(session, "", 0)
	}
	return out, err
}

type sessionJSON struct {
	ID        billing.SessionID `json:"id"`
	Object    string            `json:"object"`
	UserID    billing.UserID    `json:"user_id"`
	Current   bool              `json:"current"`
	Address   string            `json:"address"`
	UserAgent string            `json:"user_agent"`
	CreatedAt string            `json:"created_at"`
	UsedAt    string            `json:"used_at"`
	ExpiresAt string            `json:"expires_at"`
}

func sessionShape(s *caller.Session, current billing.SessionID) sessionJSON {
	return sessionJSON{
		s.ID, "session", s.User, s.ID == current, s.Address, s.Agent,
		event.Timestamp(s.CreatedAt), event.Timestamp(s.UsedAt), event.Timestamp(s.CreatedAt.Add(caller.SessionTime)),
	}
}
