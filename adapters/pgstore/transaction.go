package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jmoiron/sqlx"
)

// transaction is a transaction on a connection that it has for itself. It stands in for sql.Tx, which starts a
// goroutine for each transaction and for each statement, to wait for the end of the context. Each wakes another
// thread, and a lone check took a tenth longer for them. Here the connection waits for the end of the context without one,
// unless it uses TLS.
type transaction struct {
	*sqlx.Conn

	begun *driverTx // nil once it has ended
}

// begin begins a transaction. When ctx ends, the statement that runs is canceled, and no other is sent.
func begin(ctx context.Context, db *sqlx.DB, in session, readOnly bool) (*transaction, error) {
	t, err := beginOn(ctx, db, in, readOnly)
	if errors.Is(err, driver.ErrBadConn) { // the server took all connections of the pool along, which now opens another
		t, err = beginOn(ctx, db, in, readOnly)
	}
	return t, err
}

func beginOn(ctx context.Context, db *sqlx.DB, in session, readOnly bool) (*transaction, error) {
	c, err := db.Connx(ctx)
	if err != nil {
		return nil, err
	}
	t := &transaction{Conn: c}
	err = c.Raw(func(of any) (err error) {
		t.begun, err = of.(*conn).begin(ctx, in, readOnly)
		return err
	})
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return t, nil
}

// Commit commits the transaction, or rolls it back if ctx has ended.
func (t *transaction) Commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		t.Rollback()
		return err
	}
	return t.end((*driverTx).Commit)
}

// Rollback rolls the transaction back, unless it has ended. If that fails, the connection is closed, which does the same.
func (t *transaction) Rollback() {
	if t.begun != nil {
		_ = t.end((*driverTx).Rollback)
	}
}

// end ends the transaction, and returns the connection to the pool.
func (t *transaction) end(how func(*driverTx) error) error {
	begun := t.begun
	if begun == nil {
		return sql.ErrTxDone
	}
	t.begun = nil
	defer begun.unguard() // if the connection is gone already
	defer t.Close()       //nolint:errcheck // a connection that cannot be returned is closed
	return t.Raw(func(any) error { return how(begun) })
}
