package core_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestContributingNamesFiles holds the table that says where a change goes:
// every path in it exists, and every ADR.
func TestContributingNamesFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	placeholder, quoted, adr := regexp.MustCompile(`<\w+>`), regexp.MustCompile("`([^`]+)`"), regexp.MustCompile(`ADR (\d+)`)
	found := 0
	exists := func(row, pattern string) {
		found++
		if files, err := filepath.Glob("../" + pattern); err != nil || len(files) == 0 {
			t.Errorf("no file is %s, which CONTRIBUTING.md names in\n%s", pattern, row)
		}
	}
	for row := range strings.Lines(string(text)) {
		if !strings.HasPrefix(row, "| ") {
			continue
		}
		for _, name := range quoted.FindAllStringSubmatch(row, -1) {
			// Not a path: a command, a route, an identifier.
			if path := name[1]; !strings.ContainsAny(path, " ") && (strings.Contains(path, "/") || strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".yaml")) {
				exists(row, placeholder.ReplaceAllString(path, "*"))
			}
		}
		for _, number := range adr.FindAllStringSubmatch(row, -1) {
			exists(row, fmt.Sprintf("core/adr/%04s-*.md", number[1]))
		}
	}
	if found < 20 {
		t.Errorf("%d paths in the table; it has moved, or its form has changed", found)
	}
}

// TestDecisionsAreListed compares the index of decisions with the pages: each is in it
// once, with its number, title, a date and a status.
func TestDecisionsAreListed(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile("adr/README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| \[(.+)\]\((\d{4}-\S+\.md)\) \| \d{4}-\d\d-\d\d \| (?:accepted|replaced by \d+) \|$`)
	listed := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(string(index), -1) {
		if listed[m[3]] != "" {
			t.Errorf("%s is listed twice", m[3])
		}
		listed[m[3]] = "# " + m[1] + ". " + m[2]
	}
	pages, err := filepath.Glob("adr/[0-9]*.md")
	if err != nil || len(pages) == 0 || len(pages) != len(listed) {
		t.Errorf("%d pages, %d rows, %v", len(pages), len(listed), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if title, _, _ := strings.Cut(string(text), "\n"); listed[filepath.Base(page)] != title {
			t.Errorf("adr/README.md has %q for %s, want %q", listed[filepath.Base(page)], page, title)
		}
	}
}

// TestLinks follows every link of the README, of CONTRIBUTING, of the changelog and of the decisions to a file that is there.
func TestLinks(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("adr/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	found := 0
	for _, file := range append(files, "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md", "../SECURITY.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			to, _, _ := strings.Cut(m[1], "#")
			if to == "" || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "/docs/") {
				continue
			}
			found++
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), to)); err != nil {
				t.Errorf("%s leads to %s, which is not there", file, m[1])
			}
		}
	}
	if found < 100 {
		t.Errorf("%d links; their form has changed", found)
	}
}
