package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/task"
)

type deposits struct{ *tx }

// depositRow is a deposit as it is stored: the bank's words are encrypted.
type depositRow struct {
	deposit.Deposit

	content []byte
	eras    []string
}

// depositWords are what the bank wrote.
type depositWords struct {
	Company string `json:",omitempty"`
	Text    string `json:",omitempty"`
}

func depositFields(d *depositRow) []field {
	return scoped(&d.ID, &d.Scope, []field{
		{"identity", sum{of: d.Identity[:]}},
		{"imported_at", instant{&d.ImportedAt}},
		{"account", &d.Account},
		{"date", &d.Date},
		{"amount", &d.Amount},
		{"reference", &d.Reference},
		// Save writes these.
		{"method", &d.Method},
		{"trace", &d.Trace},
		{"returns", &d.Returns},
		{"claims", &d.Claims},
		{"content", &d.content},
		{"state", &d.State},
		{"parts", document{&d.Parts, "[]"}},
		{"eras", textArray[string]{of: &d.eras}},
		{"by_hand", &d.ByHand},
		{"returned_by", &d.ReturnedBy},
		{"decisions", document{&d.Decisions, "[]"}},
	})
}

// sealed encrypts the bank's words.
func (r deposits) sealed(ctx context.Context, d *deposit.Deposit) (*depositRow, error) {
	words, err := json.Marshal(depositWords{d.Company, d.Text})
	if err != nil {
		return nil, fmt.Errorf("encode a deposit: %w", err)
	}
	row := &depositRow{Deposit: *d, content: r.seal(ctx, r.scope, d.ID, words)}
	for _, id := range d.Remittances() {
		row.eras = append(row.eras, id.UUID())
	}
	return row, nil
}

// opened decrypts the bank's words.
func (r deposits) opened(ctx context.Context, rows []*depositRow) ([]*deposit.Deposit, error) {
	all := make([]*deposit.Deposit, len(rows))
	for i, row := range rows {
		content, err := r.unseal(ctx, r.scope, row.ID, row.content)
		var words depositWords
		if err == nil {
			err = json.Unmarshal(content, &words)
		}
		if err != nil {
			return nil, fmt.Errorf("decrypt the deposit %s: %w", row.ID, err)
		}
		row.Company, row.Text = words.Company, words.Text
		all[i] = &row.Deposit
	}
	return all, nil
}

// Known returns the deposits that have one of the identities.
func (r deposits) Known(ctx context.Context, identities [][sha256.Size]byte) (map[[sha256.Size]byte]deposit.Stored, error) {
	known, asked := map[[sha256.Size]byte]deposit.Stored{}, make(pq.ByteaArray, len(identities))
	for i := range identities {
		asked[i] = identities[i][:]
	}
	var b []byte
	var is deposit.Stored
	err := r.each(ctx, "find deposits", []any{&b, &is.ID, &is.Whole}, func() { known[[sha256.Size]byte(b)] = is },
		"SELECT identity, id, trace <> '' OR returns <> '' FROM deposits WHERE org_id = $1 AND mode = $2 AND identity = ANY ($3::bytea[])", r.scope.Org, r.scope.Mode, asked)
	return known, err
}

// Insert stores a new deposit.
func (r deposits) Insert(ctx context.Context, d *deposit.Deposit) error {
	row, err := r.sealed(ctx, d)
	if err == nil {
		err = depositTable.insert(ctx, r.tx, row)
	}
	if err != nil {
		return err
	}
	return r.keepTasks(ctx, task.Resource{Kind: task.OfDeposit, ID: d.ID}, true, task.OfADeposit(d), d.Decisions)
}

// Get reads a deposit.
func (r deposits) Get(ctx context.Context, id billing.DepositID) (*deposit.Deposit, error) {
	return r.get(ctx, id, "")
}

// Lock reads a deposit and keeps other transactions from writing it.
func (r deposits) Lock(ctx context.Context, id billing.DepositID) (*deposit.Deposit, error) {
	return r.get(ctx, id, forUpdate)
}

func (r deposits) get(ctx context.Context, id billing.DepositID, end string) (*deposit.Deposit, error) {
	row, err := depositTable.get(ctx, r.tx, id, end)
	if err != nil {
		return nil, err
	}
	all, err := r.opened(ctx, []*depositRow{row})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Save stores the fields of a deposit that can change.
func (r deposits) Save(ctx context.Context, d *deposit.Deposit) error {
	row, err := r.sealed(ctx, d)
	if err == nil {
		err = depositTable.save(ctx, r.tx, row)
	}
	if err != nil {
		return err
	}
	return r.keepTasks(ctx, task.Resource{Kind: task.OfDeposit, ID: d.ID}, false, task.OfADeposit(d), d.Decisions)
}

func (r deposits) filter(f deposit.Filter) *query {
	q := depositTable.of(r.tx)
	whereSet(q, "state = %", f.State)
	whereSet(q, "account = %", f.Account)
	whereSet(q, "method = %", f.Method)
	whereSet(q, "date >= %", f.From)
	whereSet(q, "date <= %", f.To)
	whereSet(q, "amount = %", f.Amount)
	if f.Debits {
		q.where("amount < 0")
	}
	whereSet(q, "trace = % AND trace <> ''", f.Trace)
	whereSet(q, "reference = % AND reference <> ''", f.Reference)
	if !f.ERA.IsZero() {
		q.where("eras @> ARRAY[%::uuid]", f.ERA)
	}
	return q
}

func (r deposits) list(f deposit.Filter, p billing.Page) (string, []any) {
	q := r.filter(f)
	if a := p.After; a != nil {
		beyond := " < "
		if p.Oldest {
			beyond = " > "
		}
		q.where("(date, id)"+beyond+"(%::date, %)", billing.DateOf(a.Time.UTC()), billing.JobID(a.ID))
	}
	return q.text(turn("date", p)+"\nLIMIT %", p.Limit+1), q.args
}

// List reads a page of deposits.
func (r deposits) List(ctx context.Context, f deposit.Filter, p billing.Page) ([]*deposit.Deposit, error) {
	text, args := r.list(f, p)
	rows, err := depositTable.many(ctx, r.tx, "list deposits", text, args...)
	if err != nil {
		return nil, err
	}
	return r.opened(ctx, rows)
}

type depositAccounts struct{ *tx }

func depositAccountFields(a *deposit.Account) []field {
	return []field{{"number", &a.Number}, {"first_day", &a.From}, {"last_day", &a.To}, {"names", textArray[string]{of: &a.Names}}}
}

// Lock reads the accounts, after other matches of the scope.
func (r depositAccounts) Lock(ctx context.Context) ([]*deposit.Account, error) {
	var locked sql.NullString
	if err := r.get(ctx, &locked, "SELECT pg_advisory_xact_lock(hashtextextended(format('deposits %s %s', $1::uuid, $2::text), 0))",
		r.scope.Org, r.scope.Mode); err != nil {
		return nil, fmt.Errorf("wait for other matches of deposits: %w", err)
	}
	return r.List(ctx)
}

// List reads the accounts.
func (r depositAccounts) List(ctx context.Context) ([]*deposit.Account, error) {
	return read(ctx, r.tx, "list accounts", depositAccountFields, `
SELECT number, first_day, last_day, names
FROM deposit_accounts
WHERE org_id = $1 AND mode = $2
ORDER BY number`, r.scope.Org, r.scope.Mode)
}

// Save stores an account.
func (r depositAccounts) Save(ctx context.Context, a *deposit.Account) error {
	_, err := r.do(ctx, "store an account", `
INSERT INTO deposit_accounts (org_id, mode, number, first_day, last_day, names)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (org_id, mode, number) DO UPDATE SET first_day = excluded.first_day, last_day = excluded.last_day, names = excluded.names`,
		r.scope.Org, r.scope.Mode, a.Number, a.From, a.To, texts(a.Names))
	return err
}
