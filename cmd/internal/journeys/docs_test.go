package journeys_test

import "testing"

// The documentation is readable by everyone, in both themes and on a phone, without a
// sign-in, and its search finds a page by words of its text.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	page := visits(t, "/docs")
	for name, path := range map[string]string{
		"docs": "/docs", "docs-quick-start": "/docs/guides/quick-start", "docs-testing": "/docs/guides/testing",
		"docs-clients": "/docs/guides/clients", "docs-concepts": "/docs/guides/concepts", "docs-security": "/docs/guides/security",
		"docs-reference": "/docs/reference", "docs-batches": "/docs/reference/batches", "docs-eligibility": "/docs/reference/eligibility", "docs-errors": "/docs/errors",
		"docs-error": "/docs/errors/CHANGED_MEANWHILE", "docs-rejection": "/docs/rejections/NAME_MISMATCH",
	} {
		page.open(path)
		for _, dark := range []bool{false, true} {
			page.shows(desktop, dark)
			page.picture(name + map[bool]string{false: "-light", true: "-dark"}[dark])
			page.accessible(name)
		}
		page.shows(phone, false)
		page.picture(name + "-phone")
		page.fits(name)
		page.accessible(name + " on a phone")
		page.shows(desktop, false)
	}
	// The language that a reader chooses is that of every page.
	page.open("/docs/guides/clients")
	page.click("Python")
	page.sees("client = Molar()")
	page.open("/docs/reference/eligibility")
	page.sees("client.eligibility.create(")
	page.open("/docs")
	page.fill("Search the documentation", "spelling of a name")
	page.click("NAME_MISMATCH")
	page.seesA("heading", "NAME_MISMATCH")
}
