package core_test

import (
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
			exists(row, "core/adr/00"+number[1]+"-*.md")
		}
	}
	if found < 20 {
		t.Errorf("%d paths in the table; it has moved, or its form has changed", found)
	}
}
