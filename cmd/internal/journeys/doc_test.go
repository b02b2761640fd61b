// Package journeys_test uses the dashboard as people do: in Chromium, against
// the built service. A journey is a test of these parts:
//
//	func TestDraftAClaim(t *testing.T) {
//		t.Parallel()
//		practice := newPractice(t)         // an organization of its own
//		page := practice.signsIn("biller") // a browser of its own, on Today
//		page.click("Claims")
//		page.click("New claim")
//		page.fill("Member ID", "W123")
//		page.choose("Payer", "Cedar Dental (CHTEST)")
//		page.press("Control+Enter")
//		page.sees("Draft saved")
//		page.screen("claim-draft")         // accessibility, a phone's width, and pictures with MOLAR_SCREENSHOTS=DIR
//	}
//
// A journey works by keyboard alone: click goes to a control by Tab or the arrow keys,
// checks that the focus shows, and presses Enter or Space. Only clickSurface uses the
// mouse, for the chart's surfaces.
//
// Things have the names that a screen reader says, in full. Every helper waits
// for minutes until the page is ready for it, so no journey sleeps. What a
// journey needs but does not show, it creates with practice.post.
//
// A journey fails if the page logs an error, violates its policy, throws, leaves
// this machine, or has a request fail, unless the journey expects it (refused).
package journeys_test
