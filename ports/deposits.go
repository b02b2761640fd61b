package ports

import (
	"context"
	"crypto/sha256"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
)

// Deposits stores the money that arrived at the bank. The bank's words are encrypted. Get and Lock
// return CodeNotFound if there is none, and List reads the last day first, and one extra row when
// there is a next page.
type Deposits interface {
	// Known returns the deposits of the scope that have one of the identities.
	Known(ctx context.Context, identities [][sha256.Size]byte) (map[[sha256.Size]byte]deposit.Stored, error)
	Insert(ctx context.Context, d *deposit.Deposit) error
	Get(ctx context.Context, id billing.DepositID) (*deposit.Deposit, error)
	Lock(ctx context.Context, id billing.DepositID) (*deposit.Deposit, error)
	Save(ctx context.Context, d *deposit.Deposit) error // all but the entry
	List(ctx context.Context, f deposit.Filter, p billing.Page) ([]*deposit.Deposit, error)
}

// DepositAccounts stores from which bank accounts of a scope files were imported.
type DepositAccounts interface {
	// Lock reads the accounts. Until the end of the transaction, no other one that locks them
	// matches deposits and remittances.
	Lock(ctx context.Context) ([]*deposit.Account, error)
	List(ctx context.Context) ([]*deposit.Account, error)
	Save(ctx context.Context, a *deposit.Account) error // new or changed
}
