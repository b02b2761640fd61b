package pgstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

type offices struct{ *tx }

func officeFields(o *directory.Office) []field {
	return scoped(&o.ID, &o.Scope, []field{
		{"created_at", instant{&o.CreatedAt}},
		{"name", &o.Name},
		{"npi", &o.NPI},
		{"tax_id", &o.TaxID},
		{"line1", &o.Address.Line1},
		{"line2", &o.Address.Line2},
		{"city", &o.Address.City},
		{"state", &o.Address.State},
		{"zip", &o.Address.ZIP},
		{"phone", &o.Phone},
		{"time_zone", &o.TimeZone},
		{"verified_at", instant{&o.VerifiedAt}},
		{"details", document{&o.OfficeDetails, "{}"}},
		{"edits", document{&o.Edits, "{}"}},
	})
}

// Get reads an office.
func (r offices) Get(ctx context.Context, id billing.OfficeID) (*directory.Office, error) {
	return officeTable.get(ctx, r.tx, id, "")
}

// Lock reads an office and keeps other transactions from writing it.
func (r offices) Lock(ctx context.Context, id billing.OfficeID) (*directory.Office, error) {
	return officeTable.get(ctx, r.tx, id, forUpdate)
}

// Save stores the fields of an office that can change.
func (r offices) Save(ctx context.Context, o *directory.Office) error {
	return officeTable.save(ctx, r.tx, o)
}

func (r offices) byNPI(npi string) (string, []any) {
	q := officeTable.of(r.tx)
	q.where("npi = %", npi)
	return q.text("ORDER BY created_at, id"), q.args
}

func (r offices) byTaxID(taxID string) (string, []any) {
	q := officeTable.of(r.tx)
	q.where("tax_key = %", taxID)
	return q.text("ORDER BY created_at, id"), q.args
}

// Numbered returns the offices with the NPI. If there are none, it returns the offices
// with the tax ID.
func (r offices) Numbered(ctx context.Context, npi, taxID string) (found []*directory.Office, err error) {
	npi, taxID = strings.TrimSpace(npi), digits(taxID)
	if npi != "" {
		text, args := r.byNPI(npi)
		found, err = officeTable.many(ctx, r.tx, "find offices by NPI", text, args...)
	}
	if err == nil && len(found) == 0 && taxID != "" {
		text, args := r.byTaxID(taxID)
		found, err = officeTable.many(ctx, r.tx, "find offices by tax ID", text, args...)
	}
	return found, err
}

// List reads a page of offices, newest first.
func (r offices) List(ctx context.Context, p billing.Page) ([]*directory.Office, error) {
	return officeTable.page(ctx, r.tx, officeTable.of(r.tx), p)
}

// Insert stores a new office.
func (r offices) Insert(ctx context.Context, o *directory.Office) error {
	return officeTable.insert(ctx, r.tx, o)
}

type providers struct{ *tx }

func providerFields(p *directory.Provider) []field {
	return scoped(&p.ID, &p.Scope, []field{
		{"created_at", instant{&p.CreatedAt}},
		{"first_name", &p.FirstName},
		{"last_name", &p.LastName},
		{"npi", &p.NPI},
		{"taxonomy", &p.Taxonomy},
		{"retired", &p.Retired},
		{"edits", document{&p.Edits, "{}"}},
	})
}

// Insert stores a new provider.
func (r providers) Insert(ctx context.Context, p *directory.Provider) error {
	return providerTable.insert(ctx, r.tx, p)
}

// Save stores the fields of a provider that can change.
func (r providers) Save(ctx context.Context, p *directory.Provider) error {
	return providerTable.save(ctx, r.tx, p)
}

// Lock reads a provider and keeps other transactions from writing it.
func (r providers) Lock(ctx context.Context, id billing.ProviderID) (*directory.Provider, error) {
	return providerTable.get(ctx, r.tx, id, forUpdate)
}

// Get reads a provider, or the oldest of the scope for the zero ID.
func (r providers) Get(ctx context.Context, id billing.ProviderID) (*directory.Provider, error) {
	if !id.IsZero() {
		return providerTable.get(ctx, r.tx, id, "")
	}
	q := providerTable.of(r.tx)
	q.where("NOT retired")
	return providerTable.one(ctx, r.tx, q.text("ORDER BY created_at, id\nLIMIT 1"), q.args...)
}

// List reads a page of providers, newest first.
func (r providers) List(ctx context.Context, p billing.Page) ([]*directory.Provider, error) {
	return providerTable.page(ctx, r.tx, providerTable.of(r.tx), p)
}

type patients struct{ *tx }

// wanted has the columns of people to find, each with a payer.
func wanted() source {
	return source{
		{"id", "uuid"},
		{"org_id", "uuid"},
		{"mode", "text"},
		{"name_key", "text"},
		{"first_name", "text"},
		{"last_name", "text"},
		{"date_of_birth", "date"},
		{"created_at", "timestamptz"},
		{"payer_id", "uuid"},
	}
}

// Find returns the ID of each person, and adds new people.
func (r patients) Find(ctx context.Context, people []directory.Person) ([]billing.PatientID, error) {
	found, err := r.identify(ctx, people, nil)
	ids := make([]billing.PatientID, len(found))
	for i, b := range found {
		ids[i] = b.Patient
	}
	return ids, err
}

// Background is Find that also reads the last answer of each person's payer about them.
func (r pendingChecks) Background(ctx context.Context, people []directory.Person, payers []billing.PayerID) ([]coverage.Background, error) {
	return r.identify(ctx, people, payers)
}

// lastAnswers reads the last answered check of each person with the payer beside them, once
// for all checks of the two: an answer is large. A person who was just added has none.
const lastAnswers = `
SELECT org_id, mode, name_key, date_of_birth::text, p.id, p.made, p.xid, w.payer_id, e.id, coalesce(e.coverage_status, ''), e.benefits, EXISTS (
	SELECT FROM claims c
	WHERE c.patient_id = p.id AND c.org_id = w.org_id AND c.mode = w.mode AND c.kind = 'claim' AND c.sent_at IS NOT NULL AND c.payer_id <> w.payer_id
)
FROM (SELECT DISTINCT org_id, mode, name_key, date_of_birth, payer_id FROM %s AS w%s) w
JOIN people p USING (org_id, mode, name_key, date_of_birth)
LEFT JOIN LATERAL (
	SELECT c.id, c.coverage_status, c.benefits
	FROM eligibility_checks c
	WHERE c.org_id = w.org_id AND c.mode = w.mode AND c.patient_id = p.id AND c.payer_id = w.payer_id AND c.outcome = 'answered'
	ORDER BY c.created_at DESC, c.id DESC
	LIMIT 1
) e ON NOT p.made`

// identify returns the ID of each person, and adds new people; with payers, also their last
// answers. Most people are known, and then it writes and locks nothing. Two transactions
// that add the same person create one row: the later one waits, inserts nothing, and reads
// again. All transactions insert in the same order, so they cannot deadlock.
func (t *tx) identify(ctx context.Context, people []directory.Person, payers []billing.PayerID) ([]coverage.Background, error) {
	n := len(people)
	payerOf := func(i int) (p billing.PayerID) {
		if payers != nil {
			p = payers[i]
		}
		return p
	}
	rows := make([][]any, n)
	for i, p := range people {
		of := t.of(p.Scope)
		rows[i] = []any{
			p.ID.UUID(), of.Org.UUID(), string(of.Mode), p.Key, p.FirstName, p.LastName, p.DateOfBirth.String(), micro(p.CreatedAt).Format(time.RFC3339Nano), payerOf(i).UUID(),
		}
	}
	from, args := wanted().of(rows)
	read := "SELECT org_id, mode, name_key, date_of_birth::text, id, made, xid, NULL::uuid, NULL::uuid, '', NULL::json, false FROM people"
	if payers != nil {
		read = fmt.Sprintf(lastAnswers, from, wanted().names())
	}
	type person struct {
		of        billing.Scope
		key, born string
		payer     billing.PayerID
	}
	found := make(map[person]coverage.Background, n)
	for {
		var b coverage.Background
		var of billing.Scope
		var key, day string
		var made bool
		var payer billing.PayerID
		use := func() {
			found[person{of, key, day, payer}] = b
			if made {
				t.xid = t.expected
			}
		}
		if err := t.each(ctx, "find patients", []any{&of.Org, &of.Mode, &key, &day, &b.Patient, &made, &t.expected, &payer, &b.Check, &b.Status, &b.Benefits, &b.Elsewhere}, use, `
WITH wanted AS (
	SELECT DISTINCT ON (org_id, mode, name_key, date_of_birth) id, org_id, mode, name_key, first_name, last_name, date_of_birth, created_at
	FROM `+from+` AS w`+wanted().names()+`
	ORDER BY org_id, mode, name_key, date_of_birth
), known AS (
	SELECT p.id, p.org_id, p.mode, p.name_key, p.date_of_birth
	FROM wanted w
	JOIN patients p ON p.org_id = w.org_id AND p.mode = w.mode AND p.name_key = w.name_key AND p.date_of_birth = w.date_of_birth
), made AS (
	INSERT INTO patients (id, org_id, mode, name_key, first_name, last_name, date_of_birth, created_at)
	SELECT id, org_id, mode, name_key, first_name, last_name, date_of_birth, created_at
	FROM wanted w
	WHERE NOT EXISTS (SELECT FROM known k WHERE k.org_id = w.org_id AND k.mode = w.mode AND k.name_key = w.name_key AND k.date_of_birth = w.date_of_birth)
	ORDER BY org_id, mode, name_key, date_of_birth
	ON CONFLICT ON CONSTRAINT patients_person DO NOTHING
	RETURNING id, org_id, mode, name_key, date_of_birth
), people AS (
	SELECT org_id, mode, name_key, date_of_birth, id, false AS made, pg_current_xact_id()::text AS xid FROM known
	UNION ALL
	SELECT org_id, mode, name_key, date_of_birth, id, true, pg_current_xact_id()::text FROM made
)
`+read,
			args...); err != nil {
			return nil, err
		}
		out := make([]coverage.Background, n)
		missing := false
		for i, p := range people {
			b, ok := found[person{t.of(p.Scope), p.Key, p.DateOfBirth.String(), payerOf(i)}]
			out[i], missing = b, missing || !ok
		}
		if !missing {
			return out, nil
		}
		// The other transaction has committed by now.
	}
}

func patientFields(p *directory.Patient) []field {
	return scoped(&p.ID, &p.Scope, []field{
		{"first_name", &p.FirstName},
		{"last_name", &p.LastName},
		{"date_of_birth", &p.DateOfBirth},
		{"created_at", instant{&p.CreatedAt}},
	})
}

// List reads a page of patients, newest first.
func (r patients) List(ctx context.Context, p billing.Page) ([]*directory.Patient, error) {
	return patientTable.page(ctx, r.tx, patientTable.of(r.tx), p)
}

// Read reads a page of some patients, newest first.
func (r patients) Read(ctx context.Context, ids []billing.PatientID, p billing.Page) ([]*directory.Patient, error) {
	return patientTable.page(ctx, r.tx, r.these(ids), p)
}

func (r patients) these(ids []billing.PatientID) *query {
	q := patientTable.of(r.tx)
	q.where("id = ANY (%::uuid[])", pq.Array(ids))
	return q
}

// Alike reads the patients with a member ID and the date of birth of another one.
func (r patients) Alike(ctx context.Context, p *directory.Patient, limit int) ([]*directory.Patient, error) {
	return patientTable.page(ctx, r.tx, r.alike(p), billing.Page{Limit: limit - 1}) // a page reads one more
}

func (r patients) alike(p *directory.Patient) *query {
	q := patientTable.of(r.tx)
	q.where("date_of_birth = %", p.DateOfBirth)
	q.where("id <> %", p.ID)
	q.where(`id = ANY (ARRAY (
	WITH numbers AS MATERIALIZED (
		SELECT member_key FROM check_members WHERE org_id = $1 AND mode = $2 AND patient_id = $4
		UNION
		SELECT member_key FROM claims WHERE org_id = $1 AND mode = $2 AND patient_id = $4 AND patient_id IS NOT NULL AND member_key IS NOT NULL
	)
	SELECT m.patient_id FROM numbers n JOIN check_members m ON m.org_id = $1 AND m.mode = $2 AND m.member_key = n.member_key
	UNION
	SELECT c.patient_id FROM numbers n JOIN claims c ON c.org_id = $1 AND c.mode = $2 AND c.member_key = n.member_key
	WHERE c.patient_id IS NOT NULL
))`)
	return q
}

// Search finds patients by name and date of birth, or by the member ID of their claims
// and checks.
func (r patients) Search(ctx context.Context, s billing.Search) (found []billing.PatientID, more bool, err error) {
	if len(s.Born) > 1 {
		s.Born = s.Days(billing.DateOf(r.clockOf(ctx, r.scope).Now()))
	}
	var words []searchWord
	if len(s.Words) > 0 {
		text, args := r.typed(s.Words)
		var w searchWord
		use := func() { words = append(words, w) }
		if err := r.each(ctx, "read the words of a search", []any{&w.Word, &w.Of, &w.Count}, use, text, args...); err != nil {
			return nil, false, err
		}
	}
	text, args := r.search(s, words)
	if found, err = columnOf[billing.PatientID](ctx, r.tx, "search patients", text, args...); err != nil {
		return nil, false, err
	}
	most := min(len(found), billing.MaxSearchPatients)
	return found[:most], most < len(found) || len(s.Born) == 0 && len(words) > 1 && words[0].Count > maxCompared, nil
}

// searchWord is a typed word, worded like those of names.
type searchWord struct {
	Word  string
	Of    billing.NameOf
	Count int // of the names with such a word, at most one more than maxCompared
}

// Of the patients with the rarest word of a search, of those born on a day, and of the
// claims and checks with the start of a number, a search compares so many. Each takes up to ten
// milliseconds.
const (
	maxCompared        = 10_000
	maxComparedBorn    = 500
	maxComparedNumbers = 1_000
	maxAlone           = 1_000 // with a single word, all match
)

// typed selects the words of a search, the rarest first.
func (r patients) typed(typed []billing.NameWord) (string, []any) {
	texts, parts := make(pq.StringArray, len(typed)), make(pq.Int64Array, len(typed))
	for i, w := range typed {
		texts[i], parts[i] = w.Text, int64(w.Of)
	}
	q := &query{}
	q.add(`SELECT word, part, (
	SELECT count(*) FROM (
		SELECT FROM patient_words w
		WHERE org_id = % AND mode = % AND w.word >= typed.word AND w.word < typed.word || U&'\+10FFFF'
		LIMIT %
	) few
) AS count`, r.scope.Org, r.scope.Mode, maxCompared+1)
	q.add("\nFROM (SELECT DISTINCT unnest(name_words(text)) AS word, part FROM unnest(%::text[], %::int[]) t (text, part)) typed", texts, parts)
	return q.text("ORDER BY count"), q.args
}

// search reads the patients of claims and checks with the number, and those born on the days whose
// names have the words.
func (r patients) search(s billing.Search, words []searchWord) (string, []any) {
	q := &query{}
	q.add(`SELECT id FROM (
	(SELECT DISTINCT patient_id AS id FROM (
		SELECT patient_id FROM claims
		WHERE org_id = % AND mode = %`, r.scope.Org, r.scope.Mode)
	q.number("member_key", s)
	q.add("\n\tAND member_key IS NOT NULL AND patient_id IS NOT NULL")
	q.add("\nORDER BY member_key COLLATE \"C\", created_at DESC, id DESC\nLIMIT %\n) members\nLIMIT %)", maxComparedNumbers, maxFound)
	q.add("\nUNION (SELECT DISTINCT patient_id FROM (\n\tSELECT patient_id FROM check_members\n\tWHERE org_id = $1 AND mode = $2")
	q.number("member_key", s)
	q.add("\nORDER BY member_key COLLATE \"C\", patient_id DESC\nLIMIT %\n) checked\nLIMIT %)", maxComparedNumbers, maxFound)
	switch {
	case len(s.Words) > 0 && len(words) == 0: // the words have no letters, and begin no name
	case len(s.Born) > 0:
		for _, day := range s.Born {
			q.add(`
UNION (SELECT id FROM (
	SELECT id, first_name, last_name FROM patients
	WHERE org_id = $1 AND mode = $2 AND date_of_birth = %
	ORDER BY id DESC
	LIMIT %
) born CROSS JOIN patient_names(first_name, last_name) names
WHERE true`, day, max(maxFound, min(len(words), 1)*maxComparedBorn))
			q.named(words)
			q.add("\nLIMIT %)", maxFound)
		}
	case len(words) > 0:
		most := maxCompared
		if len(words) == 1 && words[0].Of == billing.EitherName {
			most = maxAlone
		}
		q.add(`
UNION (SELECT DISTINCT patient_id FROM (
	SELECT patient_id, names FROM patient_words
	WHERE org_id = $1 AND mode = $2 AND word >= % AND word < % || U&'\+10FFFF'
	ORDER BY word, patient_id DESC
	LIMIT %
) compared
WHERE true`, words[0].Word, words[0].Word, most)
		q.named(words)
		q.add("\nLIMIT %)", maxFound)
	}
	return q.text(") found\nORDER BY id DESC\nLIMIT %", maxFound), q.args
}

const maxFound = billing.MaxSearchPatients + 1

// named selects the names in which each word begins a word.
func (q *query) named(words []searchWord) {
	for _, w := range words {
		switch w.Of {
		case billing.FirstName:
			q.where("strpos(split_part(names, ',', 1), ' ' || %) > 0", w.Word)
		case billing.LastName:
			q.where("strpos(split_part(names, ',', 2), ' ' || %) > 0", w.Word)
		case billing.EitherName:
			q.where("strpos(names, ' ' || %) > 0", w.Word)
		}
	}
}

// number selects the keys of the number of a search, or those that begin with it.
func (q *query) number(column string, s billing.Search) {
	column += ` COLLATE "C"`
	if s.Starts() {
		q.where(column+" >= upper(%) AND "+column+" < upper(%) || U&'\\+10FFFF'", s.Number, s.Number)
	} else {
		q.where(column+" = upper(%)", s.Number)
	}
}

// Get reads a patient.
func (r patients) Get(ctx context.Context, id billing.PatientID) (*directory.Patient, error) {
	return patientTable.get(ctx, r.tx, id, "")
}
