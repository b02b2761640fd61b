package e2e_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
)

// TestSecretKeyOfTheDatabase opens a database with its key, with another and
// with none.
func TestSecretKeyOfTheDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	with := func(key string) command {
		env := []string{"MOLAR_DATABASE_URL=" + url}
		if key != "" {
			var all []string
			for _, one := range strings.Split(key, ",") {
				all = append(all, base64.StdEncoding.EncodeToString([]byte(strings.Repeat(one, 32))))
			}
			env = append(env, "MOLAR_SECRET_KEY="+strings.Join(all, ","))
		}
		return newCommand(t, env...)
	}
	with("").good("orgs", "create", "Keyless Dental")
	with("a").bad("set MOLAR_SECRET_KEY and run molar migrate", "era", "quarantine")
	with("").bad("set MOLAR_SECRET_KEY and run molar migrate", "migrate")
	with("a").good("migrate")
	with("").good("migrate")
	with("b").bad("MOLAR_SECRET_KEY is not the key of this database", "migrate")
	with("a").good("era", "quarantine")
	with("b").bad("MOLAR_SECRET_KEY is not the key of this database", "era", "quarantine")
	with("b").bad("DIR/demo.json", "orgs", "list")
	if out := with("").good("orgs", "list"); !strings.Contains(out, "Keyless Dental") {
		t.Errorf("without a key:\n%s", out)
	}
	with("").bad("MOLAR_SECRET_KEY is not set", "secrets", "rotate")
	if out := with("b,a").good("secrets", "status"); !strings.Contains(out, "No process of the service runs.") || !strings.Contains(out, "newest") {
		t.Errorf("status:\n%s", out)
	}
	with("b,a").good("secrets", "rotate")
	with("b").good("era", "quarantine")
	with("a").bad("MOLAR_SECRET_KEY is not the key of this database", "era", "quarantine")
}

// TestAbsentDatabaseFolder names a folder that does not exist.
func TestAbsentDatabaseFolder(t *testing.T) {
	t.Parallel()
	typo := filepath.Join(t.TempDir(), "typo")
	c := newCommand(t, "MOLAR_DATABASE_URL=local:"+typo, "MOLAR_SECRET_KEY="+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	for _, args := range [][]string{{"orgs", "list"}, {"orgs", "create", "Lost Dental"}, {"era", "quarantine"}} {
		c.bad("MOLAR_DATABASE_URL: there is no database in "+typo, args...)
		if _, err := os.Stat(typo); !os.IsNotExist(err) {
			t.Fatalf("molar %v made the folder: %v", args, err)
		}
	}
}
