package journeys_test

import (
	"path/filepath"
	"strings"
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
