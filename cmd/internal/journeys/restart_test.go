package journeys_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// The service is killed under an open page, which says so, waits, and goes on by
// itself once the service is back: what the page held is still there.
func TestTheServiceIsKilledAndComesBack(t *testing.T) {
	t.Parallel()
	data := filepath.Join(folder(), "killed")
	s, err := start(data, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	page := newBrowser(t, s.origin).tab()
	page.load(s.link)
	page.click("Eligibility")
	page.click("New check")
	page.choose("Payer", "Molar Test Payer (CHTEST)")
	page.fill("First name", "Sam")
	page.mayBeRefused(0, "") // while the service is away

	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // it was killed
	page.sees("Molar does not reply.")
	page.screen("away")
	if _, err := start(data, strings.TrimPrefix(s.origin, "http://")); err != nil {
		t.Fatal(err)
	}
	page.seesNo("Molar does not reply.")
	page.has("First name", "Sam")
	page.fill("Last name", "Example")
	page.fill("Date of birth", "1984-02-29")
	page.fill("Member ID", "W79-ACTIVE-FULL")
	page.click("Check coverage")
	page.sees("Covered")
}

// A page of an earlier release asks for a screen that the service no longer has. It
// loads itself again, and shows the screen. A form is not taken away for it.
func TestAPageOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	origin, release := released(t, practice.s)
	page := newBrowser(t, origin).tab()
	practice.password("biller", firstPassword)
	page.load(strings.Replace(practice.links("biller"), practice.s.origin, origin, 1))
	page.click("Claims")
	page.click("New claim")
	page.fill("First name", "Nia")
	release()
	page.mayBeRefused(http.StatusNotFound, "")
	page.press("Control+K")
	page.sees("Molar was updated.", "Save what you entered, then load the page again.")
	page.screen("updated")
	page.has("First name", "Nia")
	page.within("navigation", "Screens").click("Remittances")
	page.seesA("dialog", "Leave without saving?")
	page.click("Leave")
	page.sees("Nothing to finish") // of the new release
	page.at("/test/remittances")
	page.press("Control+K")
	page.focuses("Find a patient, claim or command")
}

// released returns an origin of the service, and a function that makes its open pages
// those of an earlier release: the service has none of their files.
func released(t *testing.T, s *service) (origin string, release func()) {
	t.Helper()
	to, err := url.Parse(s.origin)
	if err != nil {
		t.Fatal(err)
	}
	var outdated atomic.Bool
	behind := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // pages end their streams
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Fetch-Dest") == "document" {
			outdated.Store(false)
		}
		if outdated.Load() && strings.HasPrefix(r.URL.Path, "/assets/") {
			r.URL.Path += ".gone"
		}
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		site.CloseClientConnections()
		site.Close()
	})
	return site.URL, func() { outdated.Store(true) }
}

// A link that a person follows without a network leads on once there is one.
func TestALinkIsFollowedOffline(t *testing.T) {
	t.Parallel()
	page := newPractice(t).signsIn("biller")
	page.mayBeRefused(0, "")
	page.offline(true)
	page.within("navigation", "Screens").click("Attachments")
	page.sees("This device is offline.", "Nothing needs you now")
	page.offline(false)
	page.sees("No attachments yet")
	page.seesNo("This device is offline.")
}
