package pgstore

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestTenantTables compares the table of tables with the schema: every table has a row, or
// is the deployment's, and the function of the owner removes from those that a reset
// empties and from no other.
func TestTenantTables(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../migrations/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	of := []string{"audit_retention", "encryption_key", "goose_db_version", "key_holders", "live_files", "origin", "restores", "schema_fit", "turns"} // the deployment's
	var reset, last []string
	for _, row := range tenantTables() {
		if slices.Contains(of, row.name) {
			t.Errorf("%s is there twice", row.name)
		}
		of = append(of, row.name)
		if row.reset == removes {
			reset = append(reset, row.name)
		}
		if row.deletion == removesLast {
			last = append(last, row.name)
		}
		legal := map[string]bool{
			"reset": row.reset == removes || row.reset == keeps, "export": row.export == writes || row.export == keeps,
			"erasure":  row.erasure == removes || row.erasure == keeps || row.erasure == blanks,
			"deletion": row.deletion == removes || row.deletion == removesLast,
		}
		for what, is := range legal {
			if !is {
				t.Errorf("%s: no such %s", row.name, what)
			}
		}
	}
	var have []string
	for _, m := range regexp.MustCompile(`(?m)^CREATE TABLE public\.(\w+)`).FindAllSubmatch(text, -1) {
		have = append(have, string(m[1]))
	}
	same(t, "tables of the schema, and of tenantTables", have, of)
	same(t, "tables that reset_rows and tenantTables remove from", named(text, "reset_rows"), reset)
	same(t, "tables that remove_rows and tenantTables remove from at last", named(text, "remove_rows"), last)
}

// named returns the tables that a function of the schema accepts.
func named(schema []byte, function string) (all []string) {
	body := regexp.MustCompile(`(?s)CREATE FUNCTION public\.` + function + `.*?END CASE`).Find(schema)
	for _, when := range regexp.MustCompile(`(?s)WHEN (.*?) THEN`).FindAllSubmatch(body, -1) {
		for _, m := range regexp.MustCompile(`'(\w+)'`).FindAllSubmatch(when[1], -1) {
			all = append(all, string(m[1]))
		}
	}
	return all
}

func same(t *testing.T, what string, a, b []string) {
	t.Helper()
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Errorf("%s differ:\n%v\n%v", what, a, b)
	}
}
