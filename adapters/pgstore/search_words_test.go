package pgstore_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/migrations"
)

// migrationsBefore returns the migrations whose numbers are below one.
func migrationsBefore(t *testing.T, number string) fs.FS {
	t.Helper()
	before := fstest.MapFS{}
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if path.Base(name) < number {
			content, err := fs.ReadFile(migrations.FS, name)
			if err != nil {
				t.Fatal(err)
			}
			before[name] = &fstest.MapFile{Data: content}
		}
	}
	return before
}

// TestWordsOfEarlierPatients has the words of now for patients of before, none for those who were
// removed meanwhile, and changes nothing when it runs again.
func TestWordsOfEarlierPatients(t *testing.T) {
	t.Parallel()
	address := testservers.Database(t)
	migrate := func(files fs.FS) {
		t.Helper()
		if err := pgstore.MigrateFiles(t.Context(), address, files); err != nil {
			t.Fatal(err)
		}
	}
	migrate(migrationsBefore(t, "0226"))
	db, in := admin(t, address), scope()
	add := func(from, to int) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), `
INSERT INTO patients (id, org_id, mode, name_key, first_name, last_name, date_of_birth, created_at)
SELECT gen_random_uuid(), $1, 'live', n, (ARRAY['Ann', 'Łucja', 'Zoë'])[n % 3 + 1] || n, (ARRAY['Lee', 'O’Neill', 'O´Neill', 'Søn-Weiß'])[n % 4 + 1], '1980-02-03', now()
FROM generate_series($2::integer, $3) n`, in.Org, from, to); err != nil {
			t.Fatal(err)
		}
	}
	add(1, 6000)
	text, err := fs.ReadFile(migrations.FS, "0226_letters_of_names.sql")
	if err != nil {
		t.Fatal(err)
	}
	functions, _, _ := strings.Cut(string(text), "DO $$")
	exec(t, db, functions) // the words of before are still there
	add(6001, 6012)
	exec(t, db, "DELETE FROM patients WHERE name_key IN ('1', '2', '3', '4', '5', '5990')")
	const differing = `
WITH words AS (
	SELECT p.org_id, p.mode, word, p.id, names
	FROM patients p CROSS JOIN patient_names(first_name, last_name) names CROSS JOIN string_to_table(replace(names, ',', ''), ' ') word
	WHERE word <> ''
), kept AS (SELECT org_id, mode, word, patient_id, names FROM patient_words)
SELECT (SELECT count(*) FROM (TABLE words EXCEPT TABLE kept) lost) + (SELECT count(*) FROM (TABLE kept EXCEPT TABLE words) old)`
	if n := scan[int](t, db, differing); n < 6000 {
		t.Fatalf("%d words differ before the migration", n)
	}
	migrate(migrations.FS)
	if n := scan[int](t, db, differing); n != 0 {
		t.Errorf("%d words differ", n)
	}
	const written = "SELECT max(xmin::text::bigint) FROM patient_words"
	before := scan[int](t, db, written)
	exec(t, db, "DELETE FROM goose_db_version WHERE version_id >= 226")
	migrate(migrationsBefore(t, "0227"))
	if after := scan[int](t, db, written); after != before {
		t.Errorf("the migration wrote words again: transaction %d, before %d", after, before)
	}
}
