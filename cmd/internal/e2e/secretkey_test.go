package e2e_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
)

// TestSecretKeyOfTheDatabase has commands use a database with its key, with
// another and with none.
func TestSecretKeyOfTheDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	with := func(key string) command {
		env := []string{"MOLAR_DATABASE_URL=" + url}
		if key != "" {
			env = append(env, "MOLAR_SECRET_KEY="+base64.StdEncoding.EncodeToString([]byte(strings.Repeat(key, 32))))
		}
		return newCommand(t, env...)
	}
	with("").good("orgs", "create", "Keyless Dental")
	with("a").good("era", "quarantine")
	with("b").bad("MOLAR_SECRET_KEY is not the one that this database was begun with", "era", "quarantine")
	with("b").bad("DIR/demo.json", "orgs", "list")
	if out := with("").good("orgs", "list"); !strings.Contains(out, "Keyless Dental") {
		t.Errorf("without a key:\n%s", out)
	}
}
