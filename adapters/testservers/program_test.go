package testservers

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNewestVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, version := range []string{"9.6", "15", "16.10", "16.9"} {
		if err := os.Mkdir(filepath.Join(dir, version), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got, ok := find("none", filepath.Join(dir, "none*"), filepath.Join(dir, "*")); !ok || filepath.Base(got) != "16.10" {
		t.Errorf("found %s", got)
	}
}
