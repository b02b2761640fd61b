package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
)

type offices struct{ *tx }

const officeColumns = "id, org_id, mode, name, npi, tax_id, line1, line2, city, state, zip, phone, time_zone, created_at, verified_at"

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
}

func (r officeRow) office() (*billing.Office, error) {
	return &billing.Office{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, Name: r.Name, NPI: r.NPI, TaxID: r.TaxID,
		Address: billing.Address{Line1: r.Line1, Line2: r.Line2, City: r.City, State: r.State, ZIP: r.ZIP},
		Phone:   r.Phone, TimeZone: r.TimeZone, CreatedAt: r.CreatedAt.UTC(), VerifiedAt: present(r.Verified),
	}, nil
}

// Get reads an office.
func (r offices) Get(ctx context.Context, id billing.OfficeID) (*billing.Office, error) {
	q := r.query(officeColumns, "offices")
	q.where("id = %", id)
	return one(ctx, r.tx, "office", officeRow.office, q.text(""), q.args...)
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
func (r offices) Numbered(ctx context.Context, npi, taxID string) ([]*billing.Office, error) {
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
func (r offices) List(ctx context.Context, p billing.Page) ([]*billing.Office, error) {
	return page(ctx, r.tx, "offices", officeRow.office, r.query(officeColumns, "offices"), p)
}

// Insert stores a new office.
func (r offices) Insert(ctx context.Context, o *billing.Office) error {
	a := o.Address
	r.evidence = rowEvidence("offices", o.ID)
	return r.later(ctx, o.ID, `
INSERT INTO offices (id, org_id, mode, name, npi, tax_id, line1, line2, city, state, zip, phone, time_zone, created_at, verified_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		o.ID, r.scope.Org, r.scope.Mode, o.Name, o.NPI, o.TaxID, a.Line1, a.Line2, a.City, a.State, a.ZIP, o.Phone,
		o.TimeZone, micro(o.CreatedAt), optional(o.VerifiedAt))
}

type providers struct{ *tx }

const providerColumns = "id, org_id, mode, first_name, last_name, npi, taxonomy, created_at"

type providerRow struct {
	ID        billing.ProviderID `db:"id"`
	Org       billing.OrgID      `db:"org_id"`
	Mode      billing.Mode       `db:"mode"`
	FirstName string             `db:"first_name"`
	LastName  string             `db:"last_name"`
	NPI       string             `db:"npi"`
	Taxonomy  string             `db:"taxonomy"`
	CreatedAt time.Time          `db:"created_at"`
}

func (r providerRow) provider() (*billing.Provider, error) {
	return &billing.Provider{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, FirstName: r.FirstName, LastName: r.LastName, NPI: r.NPI,
		Taxonomy: r.Taxonomy, CreatedAt: r.CreatedAt.UTC(),
	}, nil
}

// Insert stores a new provider.
func (r providers) Insert(ctx context.Context, p *billing.Provider) error {
	r.evidence = rowEvidence("providers", p.ID)
	return r.later(ctx, p.ID, `
INSERT INTO providers (id, org_id, mode, first_name, last_name, npi, taxonomy, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		p.ID, r.scope.Org, r.scope.Mode, p.FirstName, p.LastName, p.NPI, p.Taxonomy, micro(p.CreatedAt))
}

// Get reads a provider, or the oldest of the scope for the zero ID.
func (r providers) Get(ctx context.Context, id billing.ProviderID) (*billing.Provider, error) {
	q, end := r.query(providerColumns, "providers"), "ORDER BY created_at, id\nLIMIT 1"
	if !id.IsZero() {
		q.where("id = %", id)
		end = ""
	}
	return one(ctx, r.tx, "provider", providerRow.provider, q.text(end), q.args...)
}

// List reads a page of providers, newest first.
func (r providers) List(ctx context.Context, p billing.Page) ([]*billing.Provider, error) {
	return page(ctx, r.tx, "providers", providerRow.provider, r.query(providerColumns, "providers"), p)
}

type patients struct{ *tx }

// Find returns the ID of each person, and adds new people. Most people are known, and
// then Find writes and locks nothing. Two transactions that add the same person
// create one row: the later one waits, inserts nothing, and reads again. All
// transactions insert in the same order, so they cannot deadlock.
func (r patients) Find(ctx context.Context, people []billing.Person) ([]billing.PatientID, error) {
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

func (r patientRow) patient() (*billing.Patient, error) {
	return &billing.Patient{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, FirstName: r.FirstName, LastName: r.LastName,
		DateOfBirth: r.DateOfBirth, CreatedAt: r.CreatedAt.UTC(),
	}, nil
}

// Get reads a patient.
func (r patients) Get(ctx context.Context, id billing.PatientID) (*billing.Patient, error) {
	q := r.query("id, org_id, mode, first_name, last_name, date_of_birth, created_at", "patients")
	q.where("id = %", id)
	return one(ctx, r.tx, "patient", patientRow.patient, q.text(""), q.args...)
}
