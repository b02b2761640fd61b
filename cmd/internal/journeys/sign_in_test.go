package journeys_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The link that molar dev prints signs in its owner, and leaves no token behind. The link works
// for ten minutes, so this runs before the others, which take longer together.
//
//nolint:paralleltest // see above
func TestSignInByThePrintedLink(t *testing.T) {
	page := visits(t, theService(t).link)
	page.seesA("navigation", "Screens")
	page.sees("Test mode.", "Demo Dental Group", "owner@demo.example")
	page.at("/test")
	if fragment := page.fragment(); fragment != "" {
		t.Errorf("the address still has %q", fragment)
	}
	page.reload()
	page.sees("owner@demo.example")
}

// A person comes by an invitation, leaves, and then sees no screen.
func TestSignOut(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := visits(t, practice.invites("biller"))
	page.seesA("heading", "Choose a password")
	page.sees("Cedar Dental", practice.email("biller"))
	page.mayBeRefused(http.StatusUnauthorized, "")
	page.reload()
	page.seesA("heading", "Choose a password") // before anything else
	page.screen("password-required")
	page.click("Sign out")
	page.seesA("heading", "Sign in to Molar")
	page.open("/test")
	page.seesA("heading", "Sign in to Molar")
	page.screen("sign-in")
}

// A wrong password shows what to do and keeps the email. The keyboard is enough.
func TestSignInWithAPassword(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.password("owner", "correct horse battery 9")
	page := visits(t, "/sign-in")
	page.refused(http.StatusUnauthorized, "POST /api/v1/sessions")
	page.fill("Email", practice.email("owner"))
	page.fill("Password", "correct horse battery 8")
	page.click("Sign in")
	page.sees("Request req_")
	page.has("Email", practice.email("owner"))
	page.screen("sign-in-refused")
	page.tabTo("Password")
	page.press("Control+A")
	page.types("correct horse battery 9")
	page.press("Enter")
	page.seesA("navigation", "Screens")
}

// A person whose password is right for two organizations chooses one of them.
func TestSignInToOneOfTwoOrganizations(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.password("owner", "correct horse battery 9")
	other := practice.s.molar(t, "orgs", "create", "Birch Dental")
	link := linkIn(t, practice.s.molar(t, "users", "invite", practice.email("owner"), "--org", other, "--role", "viewer"))
	practice.s.setPassword(t, link, "correct horse battery 9")
	page := visits(t, "/sign-in")
	page.refused(http.StatusConflict, "POST /api/v1/sessions")
	page.fill("Email", practice.email("owner"))
	page.fill("Password", "correct horse battery 9")
	page.click("Sign in")
	page.sees("This password works for several organizations.", "Cedar Dental")
	page.screen("sign-in-organizations")
	page.click("Birch Dental")
	page.seesA("navigation", "Screens")
	page.sees("Birch Dental")
}

// A person whose password was chosen before weak ones were refused is asked for another
// one on every screen, and chooses it.
func TestWeakPassword(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	b := newBrowser(t, practice.s.origin)
	b.keep(practice.session("owner"))
	practice.s.sql(t, "UPDATE sessions SET password_weak = true WHERE user_id = (SELECT id FROM users WHERE email = $1)", practice.email("owner"))
	page := b.tab()
	page.open("/test")
	page.sees("Your password is easy to guess.")
	page.screen("weak-password")
	page.click("Choose another one")
	page.fill("Current password", firstPassword)
	page.fill("New password", "Welcome12345")
	page.mayBeRefused(http.StatusUnprocessableEntity, "")
	page.click("Save the password")
	page.sees("This password is easy to guess.")
	page.mayBeRefused(http.StatusUnauthorized, "")
	page.fill("New password", "tooth fairies and drills")
	page.click("Save the password")
	page.seesA("heading", "Sign in to Molar")
	page.fill("Email", practice.email("owner"))
	page.fill("Password", "tooth fairies and drills")
	page.click("Sign in")
	page.seesA("navigation", "Screens")
	page.seesNo("Your password is easy to guess.")
}

// A link works once. The second try says so, and what to do.
func TestSignInWithAUsedLink(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	link := practice.invites("viewer")
	visits(t, link).seesA("heading", "Choose a password")
	page := newBrowser(t, practice.s.origin).tab()
	page.refused(http.StatusUnauthorized, "POST /api/v1/sessions")
	page.load(link)
	page.sees("The link does not work.", "Ask an owner for a new one")
	page.screen("sign-in-used-link")
	visits(t, practice.links("viewer")).seesA("navigation", "Screens")
}

// A link that is too old does not sign in, and shows what to do.
func TestSignInWithAnExpiredLink(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	link := practice.invites("viewer")
	practice.s.sql(t, "UPDATE sign_in_links SET expires_at = created_at WHERE user_id = (SELECT id FROM users WHERE email = $1)", practice.email("viewer"))
	page := newBrowser(t, practice.s.origin).tab()
	page.refused(http.StatusUnauthorized, "POST /api/v1/sessions")
	page.load(link)
	page.sees("The link does not work.", "or it expired. Ask an owner for a new one", "Request req_")
	page.reload()
	page.seesA("heading", "Sign in to Molar")
	page.seesNo("The link does not work.")
}

// A page that is opened without a session comes back after the sign-in, with its filters.
func TestSignInLeadsBack(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.password("owner", "correct horse battery 9")
	page := newBrowser(t, practice.s.origin).tab()
	page.mayBeRefused(http.StatusUnauthorized, "")
	page.open("/live/claims?kind=predetermination&state=queued&state=submitted")
	page.seesA("heading", "Sign in to Molar")
	page.fill("Email", practice.email("owner"))
	page.fill("Password", "correct horse battery 9")
	page.click("Sign in")
	page.seesA("heading", "Predeterminations")
	page.sees("No claim matches")
	page.seesNo("Test mode.")
	signedIn := page.address()
	page.reload()
	page.seesA("heading", "Predeterminations")
	if again := page.address(); again != signedIn || !strings.HasPrefix(again, "/live/claims?") {
		t.Errorf("the sign-in leads to %s, and a reload to %s", signedIn, again)
	}
}

// Another site's address in a link to the sign-in leads nowhere.
func TestSignInLeadsOnlyInside(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.password("viewer", firstPassword)
	for _, next := range []string{"//molar.example/test", `/\molar.example/test`, "https://molar.example/test", "javascript:alert(1)"} {
		_, token, _ := strings.Cut(practice.links("viewer"), "#")
		page := visits(t, "/sign-in?next="+url.QueryEscape(next)+"#"+token)
		page.at("/test")
		page.seesA("navigation", "Screens")
	}
}

// A person with more sessions than a page of them signs out. While the service cannot
// be reached, the page says that the session goes on.
func TestSignOutAmongManySessions(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("owner")
	practice.s.sql(t, `INSERT INTO sessions SELECT gen_random_uuid(), org_id, user_id, sha256(gen_random_uuid()::text::bytea), address, agent, created_at + n * interval '1 ms', used_at, NULL
		FROM sessions, generate_series(1, 250) n WHERE user_id = (SELECT id FROM users WHERE email = $1)`, practice.email("owner"))
	page.mayBeRefused(0, "")
	page.offline(true)
	page.click("Account: Cedar Dental " + practice.email("owner"))
	page.click("Sign out")
	page.sees("You are still signed in.", "Check the connection")
	page.screen("sign-out-offline")
	page.offline(false)
	page.seesNo("This device is offline.")
	page.mayBeRefused(http.StatusUnauthorized, "")
	practice.signsOut(page, "owner")
	page.open("/test")
	page.seesA("heading", "Sign in to Molar")
}

// One of two tabs signs out. The other one then asks for a sign-in, and shows
// nothing of the practice.
func TestSignOutInAnotherTab(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	first := practice.signsIn("biller")
	second := first.tab("/test")
	second.sees("Cedar Dental")
	for _, p := range []*page{first, second} {
		p.mayBeRefused(http.StatusUnauthorized, "")
	}
	practice.signsOut(first, "biller")
	second.reload()
	second.seesA("heading", "Sign in to Molar")
	second.seesNo("Cedar Dental")
}

// An unknown path shows the application's own page for it, with a way on.
func TestUnknownPath(t *testing.T) {
	t.Parallel()
	page := newBrowser(t, theService(t).origin).tab()
	page.refused(http.StatusNotFound, "GET /a/b/nonsense")
	page.open("/a/b/nonsense")
	page.sees("There is no such page", "Go to Today")
	page.screen("unknown-path")
}
