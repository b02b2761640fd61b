package pgstore

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing/retention"
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
	of := deploymentTables()
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
			"erasure":   row.erasure == removes || row.erasure == keeps || row.erasure == blanks,
			"retention": row.retention == withOwner || row.retention == briefly || slices.Contains(retention.Kinds(), row.retention),
			"deletion":  row.deletion == removes || row.deletion == removesLast,
		}
		for what, is := range legal {
			if !is {
				t.Errorf("%s: no such %s", row.name, what)
			}
		}
	}
	for _, table := range tablesOf(retention.Records) {
		if !slices.ContainsFunc(tenantTables(), func(t tenantTable) bool { return t.name == table && t.retention == billed }) {
			t.Errorf("rows of %s go as records, and its line does not say so", table)
		}
	}
	var have []string
	for _, m := range regexp.MustCompile(`(?m)^CREATE TABLE public\.(\w+)`).FindAllSubmatch(text, -1) {
		have = append(have, string(m[1]))
	}
	for _, m := range regexp.MustCompile(`ALTER TABLE ONLY public\.\w+ ATTACH PARTITION public\.(\w+)`).FindAllSubmatch(text, -1) {
		of = append(of, string(m[1])) // its rows are those of the whole table
	}
	same(t, "tables of the schema, and of tenantTables", have, of)
	same(t, "tables that reset_rows and tenantTables remove from", named(text, "reset_rows"), reset)
	same(t, "tables that remove_rows and tenantTables remove from at last", named(text, "remove_rows"), last)
}

// TestSealedColumns compares the encrypted columns with the schema: every column of bytes is
// one, or is known to be none, and the function of the owner knows the same ones.
func TestSealedColumns(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../migrations/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, table := range regexp.MustCompile(`(?ms)^CREATE TABLE public\.(\w+) \((.*?)^\)`).FindAllSubmatch(text, -1) {
		for _, column := range regexp.MustCompile(`(?m)^    (\w+) bytea`).FindAllSubmatch(table[2], -1) {
			have = append(have, string(table[1])+"."+string(column[1]))
		}
	}
	plain := []string{ // digests, IDs, and what is encrypted otherwise
		"acknowledgements.digest", "api_keys.digest", "data_keys.id", "data_keys.wrapped", "data_keys.wrapped_by", "deposits.identity",
		"documents.md5", "documents.sha256", "eligibility_answers.digest", "eligibility_checks.digest",
		"encryption_key.proof", "eras.identity", "idempotency_keys.fingerprint", "key_holders.holds",
		"quarantine.digest", "received_files.digest", "sandbox_notes.key", "sessions.digest", "sign_in_links.digest",
		"uploads.sha256", "users.recovery_codes",
	}
	same(t, "columns of bytes", have, append(plain, sealedColumns()...))
	body := regexp.MustCompile(`(?s)CREATE FUNCTION public\.sealed_before.*?END CASE`).Find(text)
	var known []string
	for _, m := range regexp.MustCompile(`'(\w+\.\w+)'`).FindAllSubmatch(body, -1) {
		known = append(known, string(m[1]))
	}
	same(t, "columns that sealed_before and sealedColumns know", known, sealedColumns())
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
