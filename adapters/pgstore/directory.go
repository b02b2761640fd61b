package pgstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

type offices struct{ *tx }

const officeColumns = "id, org_id, mode, name, npi, tax_id, line1, line2, city, state, zip, phone, time_zone, created_at, verified_at, details, edits"

type officeRow struct {
	ID        billing.OfficeID `db:"id"`
	Org       billing.OrgID    `db:"org_id"`
	Mode      billing.Mode     `db:"mode"`
	Name      string           `db:"name"`
	NPI       string           `db:"npi"`
	TaxID     string           `db:"tax_id"`
	Line1     string           `db:"line1"`
	Line2     string           `db:"line2"`
	City      string           `db:"city"`
	State     string           `db:"state"`
	ZIP       string           `db:"zip"`
	Phone     string           `db:"phone"`
	TimeZone  string           `db:"time_zone"`
	CreatedAt time.Time        `db:"created_at"`
	Verified  sql.NullTime     `db:"verified_at"`
	Details   []byte           `db:"details"`
	Edits     []byte           `db:"edits"`
}

func (r officeRow) office() (*directory.Office, error) {
	o := &directory.Office{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, Name: r.Name, NPI: r.NPI, TaxID: r.TaxID,
		Address: directory.Address{Line1: r.Line1, Line2: r.Line2, City: r.City, State: r.State, ZIP: r.ZIP},
		Phone:   r.Phone, TimeZone: r.TimeZone, CreatedAt: r.CreatedAt.UTC(), VerifiedAt: present(r.Verified),
	}
	return o, cmp.Or(decode(r.Details, &o.OfficeDetails), decode(r.Edits, &o.Edits))
}

// Get reads an office.
func (r offices) Get(ctx context.Context, id billing.OfficeID) (*directory.Office, error) {
	return r.one(ctx, id, "")
}

// Lock reads an office and keeps other transactions from writing it.
func (r offices) Lock(ctx context.Context, id billing.OfficeID) (*directory.Office, error) {
	return r.one(ctx, id, forUpdate)
}

func (r offices) one(ctx context.Context, id billing.OfficeID, end string) (*directory.Office, error) {
	q := r.query(officeColumns, "offices")
	q.where("id = %", id)
	return one(ctx, r.tx, "office", officeRow.office, q.text(end), q.args...)
}

// Save stores the fields of an office that can change.
func (r offices) Save(ctx context.Context, o *directory.Office) error {
	a := o.Address
	details, edits, err := documentsOf(o)
	if err != nil {
		return err
	}
	return r.later(ctx, o.ID, `
UPDATE offices
SET (name, npi, tax_id, line1, line2, city, state, zip, phone, time_zone, verified_at, details, edits) =
	($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
WHERE id = $1`,
		o.ID, o.Name, o.NPI, o.TaxID, a.Line1, a.Line2, a.City, a.State, a.ZIP, o.Phone, o.TimeZone, optional(o.VerifiedAt),
		details, edits)
}

func (r offices) byNPI(npi string) (string, []any) {
	q := r.query(officeColumns, "offices")
	q.where("npi = %", npi)
	return q.text("ORDER BY created_at, id"), q.args
}

func (r offices) byTaxID(taxID string) (string, []any) {
	q := r.query(officeColumns, "offices")
	q.where("tax_key = %", taxID)
	return q.text("ORDER BY created_at, id"), q.args
}

// Numbered returns the offices with the NPI. If there are none, it returns the offices
// with the tax ID.
func (r offices) Numbered(ctx context.Context, npi, taxID string) ([]*directory.Office, error) {
	npi, taxID = strings.TrimSpace(npi), digits(taxID)
	var rows []officeRow
	if npi != "" {
		text, args := r.byNPI(npi)
		if err := r.list(ctx, &rows, text, args...); err != nil {
			return nil, fmt.Errorf("find offices by NPI: %w", err)
		}
	}
	if len(rows) == 0 && taxID != "" {
		text, args := r.byTaxID(taxID)
		if err := r.list(ctx, &rows, text, args...); err != nil {
			return nil, fmt.Errorf("find offices by tax ID: %w", err)
		}
	}
	return values(rows, officeRow.office)
}

// List reads a page of offices, newest first.
func (r offices) List(ctx context.Context, p billing.Page) ([]*directory.Office, error) {
	return page(ctx, r.tx, "offices", officeRow.office, r.query(officeColumns, "offices"), p)
}

// Insert stores a new office.
func (r offices) Insert(ctx context.Context, o *directory.Office) error {
	a := o.Address
	details, edits, err := documentsOf(o)
	if err != nil {
		return err
	}
	r.evidence = rowEvidence("offices", o.ID)
	return r.later(ctx, o.ID, `
INSERT INTO offices (`+officeColumns+`)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		o.ID, r.scope.Org, r.scope.Mode, o.Name, o.NPI, o.TaxID, a.Line1, a.Line2, a.City, a.State, a.ZIP, o.Phone,
		o.TimeZone, micro(o.CreatedAt), optional(o.VerifiedAt),
		details, edits)
}

// documentsOf returns the JSON columns of an office.
func documentsOf(o *directory.Office) (details, edits any, err error) {
	if details, err = encode(&o.OfficeDetails); err == nil {
		edits, err = encode(&o.Edits)
	}
	return details, edits, err
}

type providers struct{ *tx }

const providerColumns = "id, org_id, mode, first_name, last_name, npi, taxonomy, retired, created_at, edits"

type providerRow struct {
	ID        billing.ProviderID `db:"id"`
	Org       billing.OrgID      `db:"org_id"`
	Mode      billing.Mode       `db:"mode"`
	FirstName string             `db:"first_name"`
	LastName  string             `db:"last_name"`
	NPI       string             `db:"npi"`
	Taxonomy  string             `db:"taxonomy"`
	Retired   bool               `db:"retired"`
	CreatedAt time.Time          `db:"created_at"`
	Edits     []byte             `db:"edits"`
}

func (r providerRow) provider() (*directory.Provider, error) {
	p := &directory.Provider{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, FirstName: r.FirstName, LastName: r.LastName, NPI: r.NPI,
		Taxonomy: r.Taxonomy, Retired: r.Retired, CreatedAt: r.CreatedAt.UTC(),
	}
	return p, decode(r.Edits, &p.Edits)
}

// Insert stores a new provider.
func (r providers) Insert(ctx context.Context, p *directory.Provider) error {
	edits, err := encode(&p.Edits)
	if err != nil {
		return err
	}
	r.evidence = rowEvidence("providers", p.ID)
	return r.later(ctx, p.ID, `
INSERT INTO providers (`+providerColumns+`)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		p.ID, r.scope.Org, r.scope.Mode, p.FirstName, p.LastName, p.NPI, p.Taxonomy, p.Retired, micro(p.CreatedAt), edits)
}

// Save stores the fields of a provider that can change.
func (r providers) Save(ctx context.Context, p *directory.Provider) error {
	edits, err := encode(&p.Edits)
	if err != nil {
		return err
	}
	return r.later(ctx, p.ID, "UPDATE providers SET (first_name, last_name, npi, taxonomy, retired, edits) = ($2, $3, $4, $5, $6, $7) WHERE id = $1",
		p.ID, p.FirstName, p.LastName, p.NPI, p.Taxonomy, p.Retired, edits)
}

// Lock reads a provider and keeps other transactions from writing it.
func (r providers) Lock(ctx context.Context, id billing.ProviderID) (*directory.Provider, error) {
	q := r.query(providerColumns, "providers")
	q.where("id = %", id)
	return one(ctx, r.tx, "provider", providerRow.provider, q.text(forUpdate), q.args...)
}

// Get reads a provider, or the oldest of the scope for the zero ID.
func (r providers) Get(ctx context.Context, id billing.ProviderID) (*directory.Provider, error) {
	q, end := r.query(providerColumns, "providers"), "ORDER BY created_at, id\nLIMIT 1"
	if id.IsZero() {
		q.where("NOT retired")
	} else {
		q.where("id = %", id)
		end = ""
	}
	return one(ctx, r.tx, "provider", providerRow.provider, q.text(end), q.args...)
}

// List reads a page of providers, newest first.
func (r providers) List(ctx context.Context, p billing.Page) ([]*directory.Provider, error) {
	return page(ctx, r.tx, "providers", providerRow.provider, r.query(providerColumns, "providers"), p)
}

type patients struct{ *tx }

// Find returns the ID of each person, and adds new people. Most people are known, and
// then Find writes and locks nothing. Two transactions that add the same person
// create one row: the later one waits, inserts nothing, and reads again. All
// transactions insert in the same order, so they cannot deadlock.
func (r patients) Find(ctx context.Context, people []directory.Person) ([]billing.PatientID, error) {
	n := len(people)
	ids, keys, first, last := make(pq.StringArray, n), make(pq.StringArray, n), make(pq.StringArray, n), make(pq.StringArray, n)
	born, created := make(pq.StringArray, n), make(pq.StringArray, n)
	for i, p := range people {
		ids[i], keys[i], first[i], last[i], born[i] = p.ID.UUID(), p.Key, p.FirstName, p.LastName, p.DateOfBirth.String()
		created[i] = micro(p.CreatedAt).Format(time.RFC3339Nano)
	}
	type person struct{ key, born string }
	found := make(map[person]billing.PatientID, n)
	for {
		var rows []struct {
			ID   billing.PatientID `db:"id"`
			Key  string            `db:"name_key"`
			Born string            `db:"born"`
			XID  sql.NullString    `db:"xid"`
		}
		if err := r.list(ctx, &rows, `
WITH wanted AS (
	SELECT DISTINCT ON (name_key, date_of_birth) id, name_key, first_name, last_name, date_of_birth, created_at
	FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::date[], $8::timestamptz[])
		AS w (id, name_key, first_name, last_name, date_of_birth, created_at)
	ORDER BY name_key, date_of_birth
), known AS (
	SELECT p.id, p.name_key, p.date_of_birth
	FROM wanted w
	JOIN patients p ON p.org_id = $1 AND p.mode = $2 AND p.name_key = w.name_key AND p.date_of_birth = w.date_of_birth
), made AS (
	INSERT INTO patients (id, org_id, mode, name_key, first_name, last_name, date_of_birth, created_at)
	SELECT id, $1::uuid, $2::text, name_key, first_name, last_name, date_of_birth, created_at
	FROM wanted w
	WHERE NOT EXISTS (SELECT FROM known k WHERE k.name_key = w.name_key AND k.date_of_birth = w.date_of_birth)
	ORDER BY name_key, date_of_birth
	ON CONFLICT ON CONSTRAINT patients_person DO NOTHING
	RETURNING id, name_key, date_of_birth
)
SELECT id, name_key, date_of_birth::text AS born, NULL AS xid FROM known
UNION ALL
SELECT id, name_key, date_of_birth::text, pg_current_xact_id()::text FROM made`,
			r.scope.Org, r.scope.Mode, ids, keys, first, last, born, created); err != nil {
			return nil, fmt.Errorf("find patients: %w", err)
		}
		for _, row := range rows {
			found[person{row.Key, row.Born}] = row.ID
			if row.XID.Valid {
				r.xid = row.XID.String
			}
		}
		out := make([]billing.PatientID, n)
		missing := false
		for i := range people {
			id, ok := found[person{keys[i], born[i]}]
			out[i], missing = id, missing || !ok
		}
		if !missing {
			return out, nil
		}
		// The other transaction has committed by now.
	}
}

type patientRow struct {
	ID          billing.PatientID `db:"id"`
	Org         billing.OrgID     `db:"org_id"`
	Mode        billing.Mode      `db:"mode"`
	FirstName   string            `db:"first_name"`
	LastName    string            `db:"last_name"`
	DateOfBirth billing.Date      `db:"date_of_birth"`
	CreatedAt   time.Time         `db:"created_at"`
}

func (r patientRow) patient() (*directory.Patient, error) {
	return &directory.Patient{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, FirstName: r.FirstName, LastName: r.LastName,
		DateOfBirth: r.DateOfBirth, CreatedAt: r.CreatedAt.UTC(),
	}, nil
}

const patientColumns = "id, org_id, mode, first_name, last_name, date_of_birth, created_at"

// List reads a page of patients, newest first.
func (r patients) List(ctx context.Context, p billing.Page) ([]*directory.Patient, error) {
	return page(ctx, r.tx, "patients", patientRow.patient, r.query(patientColumns, "patients"), p)
}

// Read reads a page of some patients, newest first.
func (r patients) Read(ctx context.Context, ids []billing.PatientID, p billing.Page) ([]*directory.Patient, error) {
	return page(ctx, r.tx, "patients", patientRow.patient, r.these(ids), p)
}

func (r patients) these(ids []billing.PatientID) *query {
	q := r.query(patientColumns, "patients")
	q.where("id = ANY (%::uuid[])", pq.Array(ids))
	return q
}

// Search finds patients by name and date of birth, or by the member ID of their claims
// and checks.
func (r patients) Search(ctx context.Context, s billing.Search) (found []billing.PatientID, more bool, err error) {
	if len(s.Born) > 1 {
		s.Born = s.Days(billing.DateOf(businessClock{transactionClock{ctx, r.tx}}.Now()))
	}
	var words []searchWord
	if len(s.Words) > 0 {
		text, args := r.typed(s.Words)
		if err := r.list(ctx, &words, text, args...); err != nil {
			return nil, false, fmt.Errorf("read the words of a search: %w", err)
		}
	}
	text, args := r.search(s, words)
	if err := r.list(ctx, &found, text, args...); err != nil {
		return nil, false, fmt.Errorf("search patients: %w", err)
	}
	most := min(len(found), billing.MaxSearchPatients)
	return found[:most], most < len(found) || len(s.Born) == 0 && len(words) > 1 && words[0].Count > maxCompared, nil
}

// searchWord is a typed word, worded like those of names.
type searchWord struct {
	Word  string         `db:"word"`
	Of    billing.NameOf `db:"part"`
	Count int            `db:"count"` // of the names with such a word, at most one more than maxCompared
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
	q := r.query(patientColumns, "patients")
	q.where("id = %", id)
	return one(ctx, r.tx, "patient", patientRow.patient, q.text(""), q.args...)
}
