package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// Audit reads the audit of the transaction's organization, in both modes.
type Audit interface {
	// List reads a page of entries, newest first, and one extra row when there is
	// a next page. An entry whose reply was stored later has the reply.
	List(ctx context.Context, f caller.AuditFilter, p billing.Page) ([]*caller.AuditEntry, error)

	// Insert is that of AuditLog, for entries of the organization.
	Insert(ctx context.Context, entries []*caller.AuditEntry) error
}

// AuditLog writes the audit, across organizations. An entry never changes.
type AuditLog interface {
	// Insert stores the entries that the audit does not have yet. An entry without
	// a status does not replace one with a status.
	Insert(ctx context.Context, entries []*caller.AuditEntry) error

	// Operators reads a page of what operators did, in one organization or, for the
	// zero ID, in all and in none. It is a page like one of Audit.
	Operators(ctx context.Context, org billing.OrgID, f caller.AuditFilter, p billing.Page) ([]*caller.AuditEntry, error)

	// Forget deletes entries made before the given time and longer ago than the
	// database keeps them, a limited number a call, and returns how many.
	Forget(ctx context.Context, before time.Time) (int, error)
}
