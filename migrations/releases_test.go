package migrations_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/migrations"
)

// TestReleases compares the releases with the migrations, with the changelog, and with the
// label of the image. A migration after those of the last release is unreleased.
func TestReleases(t *testing.T) {
	t.Parallel()
	all, err := migrations.Releases()
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int64
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || len(number) != 4 {
			t.Errorf("%s is not named NNNN_what.sql", name)
		}
		numbers = append(numbers, n)
	}
	commit, version := regexp.MustCompile(`^[0-9a-f]{40}$`), regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	var versions []string
	next := 0
	for _, r := range all {
		if !commit.MatchString(r.Commit) || !version.MatchString(r.Version) {
			t.Errorf("release %+v", r)
		}
		versions = append([]string{r.Version}, versions...)
		if r.First == 0 {
			continue
		}
		if numbers[next] != r.First || !slices.Contains(numbers, r.Last) {
			t.Fatalf("release %s has the migrations %d to %d; the first that no release before has is %d", r.Version, r.First, r.Last, numbers[next])
		}
		next = slices.Index(numbers, r.Last) + 1
	}
	changelog := read(t, "../CHANGELOG.md")
	var logged []string
	for _, heading := range regexp.MustCompile(`(?m)^## \[(\S+)\]`).FindAllStringSubmatch(changelog, -1) {
		logged = append(logged, heading[1])
	}
	if want := append([]string{"Unreleased"}, versions...); !slices.Equal(logged, want) {
		t.Errorf("CHANGELOG.md has the versions %q, releases.tsv %q", logged, want)
	}
	if label := `org.opencontainers.image.version="` + migrations.Version() + `"`; !strings.Contains(read(t, "../compose/Dockerfile"), label) {
		t.Errorf("compose/Dockerfile has no label %s", label)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
