package journeys_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The documentation is readable by everyone, in both themes and on a phone, without a
// sign-in, and its search finds a page by words of its text. Each guide is looked at, and one
// page of each other kind; with MOLAR_DOCS=all, every page.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	page := visits(t, "/docs")
	paths := []string{
		"", "/reference", "/reference/summary", "/errors", "/errors/CHANGED_MEANWHILE", "/rejections/NAME_MISMATCH",
	}
	guides, err := filepath.Glob("../../../adapters/docs/guides/*.md")
	if err != nil || len(guides) < 10 {
		t.Fatal(guides, err)
	}
	for _, guide := range guides {
		_, slug, _ := strings.Cut(strings.TrimSuffix(filepath.Base(guide), ".md"), "-")
		paths = append(paths, "/guides/"+slug)
	}
	if os.Getenv("MOLAR_DOCS") == "all" {
		list, err := page.eval(page.rod, `() => fetch("/docs/search.json").then((r) => r.json()).then((all) => all.map((p) => p.id).join(" "))`)
		if err != nil {
			t.Fatal(err)
		}
		paths = strings.Fields(strings.ReplaceAll(list, "/docs", ""))
	}
	for _, path := range paths {
		name := "docs" + strings.ReplaceAll(path, "/", "-")
		without := "pre span" // their colors are the same on all pages, and they are thousands
		if path == "/guides/clients" || path == "/guides/webhooks" || path == "/guides/testing" {
			without = ""
		}
		page.open("/docs" + path)
		page.picture(name + "-light")
		page.accessibleBut(name, without)
		page.shows(desktop, true)
		page.picture(name + "-dark")
		page.contrast(name, without)
		page.shows(phone, false)
		page.picture(name + "-phone")
		page.fits(name)
		page.accessibleBut(name+" on a phone", without)
		page.shows(desktop, false)
	}
	// The language that a reader chooses is that of every page.
	page.open("/docs/guides/clients")
	page.tabTo("Go")
	page.press("Right")
	page.press("Right")
	page.sees("client = Molar()")
	page.open("/docs/reference/eligibility")
	page.sees("client.eligibility.create(")
	page.open("/docs")
	page.fill("Search the documentation", "spelling of a name")
	page.click("NAME_MISMATCH")
	page.seesA("heading", "NAME_MISMATCH")
}
