package journeys_test

import (
	"net/http"
	"testing"
)

// The link that molar dev prints signs in its owner, and leaves no token behind.
func TestSignInByThePrintedLink(t *testing.T) {
	t.Parallel()
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
	page.sees("Cedar Dental")
	page.mayBeRefused(http.StatusUnauthorized, "")
	practice.signsOut(page, "biller")
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

// A link works once. The second try says so, and what to do.
func TestSignInWithAUsedLink(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	link := practice.invites("viewer")
	visits(t, link).seesA("navigation", "Screens")
	page := newBrowser(t, practice.s.origin).tab()
	page.refused(http.StatusUnauthorized, "POST /api/v1/sessions")
	page.load(link)
	page.sees("The link does not work.", "Ask an owner for a new one")
	page.screen("sign-in-used-link")
	visits(t, practice.links("viewer")).seesA("navigation", "Screens")
}

// A page that is opened without a session comes back after the sign-in.
func TestSignInLeadsBack(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.password("owner", "correct horse battery 9")
	page := newBrowser(t, practice.s.origin).tab()
	page.mayBeRefused(http.StatusUnauthorized, "")
	page.open("/live")
	page.seesA("heading", "Sign in to Molar")
	page.fill("Email", practice.email("owner"))
	page.fill("Password", "correct horse battery 9")
	page.click("Sign in")
	page.at("/live")
	page.seesA("navigation", "Screens")
	page.seesNo("Test mode.")
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
