package audit

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/retention"
	"github.com/molar-billing/molar/ports"
)

// Operation is what an operator does at the command line. A context carries it to the
// store.
type Operation struct {
	Operator string // the name that the operator gave, or that of the account on the machine
	Command  string // such as "molar users link"
	Resource string // the ID of what it is about; empty until that is known
	Shows    bool   // it prints patient data, so that its reads are recorded too

	id billing.AuditEntryID // of the one entry of the command
}

type operationKey struct{}

// Operating returns a context for an operation.
func Operating(ctx context.Context, op *Operation) context.Context {
	return context.WithValue(ctx, operationKey{}, op)
}

// OperationOf returns the operation of a context; nil for none.
func OperationOf(ctx context.Context) *Operation {
	op, _ := ctx.Value(operationKey{}).(*Operation)
	return op
}

// entry returns the entry of the operation, which is the same in each of its transactions.
func (op *Operation) entry(scope billing.Scope, clock ports.RealClock) []*caller.AuditEntry {
	now := clock.Now()
	if op.id.IsZero() {
		op.id = billing.NewID[billing.AuditEntryID](now)
	}
	return []*caller.AuditEntry{{
		ID: op.id, Org: scope.Org, Mode: scope.Mode, Operator: op.Operator, Operation: op.Command, Resource: op.Resource, CreatedAt: now.Time,
	}}
}

// Changed returns the entry of an operation for the commit of a change that another login than the
// service's makes, such as the owner of the tables. It has what was changed, in words. There is none
// for a nil operation.
func (op *Operation) Changed(scope billing.Scope, what string, at time.Time) *caller.AuditEntry {
	if op == nil {
		return nil
	}
	e := &caller.AuditEntry{
		ID: billing.NewID[billing.AuditEntryID](billing.RealAt(at)), Org: scope.Org, Mode: scope.Mode, Operator: op.Operator,
		Operation: op.Command + ": " + what, CreatedAt: at,
	}
	if !scope.Org.IsZero() {
		e.Resource = scope.Org.String()
	}
	return e
}

// Operated is a store that records operations in the audit: what changes something in
// the commit of the change, and what shows patient data before the caller has it. It
// records nothing for a context without an operation.
type Operated struct{ ports.Store }

var _ ports.Store = Operated{}

// InTx runs fn, and records the operation in its commit.
func (s Operated) InTx(ctx context.Context, scope billing.Scope, fn func(ctx context.Context, tx ports.Tx) error) error {
	op := OperationOf(ctx)
	if op == nil {
		return s.Store.InTx(ctx, scope, fn)
	}
	return s.Store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return tx.Audit.Insert(ctx, op.entry(scope, tx.Real))
	})
}

// View runs fn. Before it returns what fn read, it records an operation that shows it.
func (s Operated) View(ctx context.Context, scope billing.Scope, fn func(ctx context.Context, tx ports.Tx) error) error {
	err := s.Store.View(ctx, scope, fn)
	if op := OperationOf(ctx); err == nil && op != nil && op.Shows {
		return s.Store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
			return tx.Audit.Insert(ctx, op.entry(scope, tx.Real))
		})
	}
	return err
}

// System runs fn, and records the operation in its commit if it is about an organization,
// a connection, a hold, or a file in quarantine or with a problem.
func (s Operated) System(ctx context.Context, fn func(ctx context.Context, tx ports.SystemTx) error) error {
	op := OperationOf(ctx)
	if op == nil {
		return s.Store.System(ctx, fn)
	}
	return s.Store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		var of *billing.Scope
		about := func(scope billing.Scope, resource string) { of, op.Resource = &scope, resource }
		tx.Orgs, tx.Connections = orgs{tx.Orgs, about}, connections{tx.Connections, about}
		tx.Retention, tx.Deletions = holds{tx.Retention, about}, deletions{tx.Deletions, about}
		tx.Quarantine, tx.Received = auditedQuarantine{tx.Quarantine, about}, received{tx.Received, about}
		if err := fn(ctx, tx); err != nil || of == nil {
			return err
		}
		return tx.AuditLog.Insert(ctx, op.entry(*of, tx.Real))
	})
}

type about func(of billing.Scope, resource string)

type orgs struct {
	ports.Organizations
	about about
}

func (o orgs) Insert(ctx context.Context, made *caller.Organization) error {
	o.about(billing.Scope{Org: made.ID}, made.ID.String())
	return o.Organizations.Insert(ctx, made)
}

// connections are changed after Insert or Lock.
type connections struct {
	ports.Connections
	about about
}

func (c connections) Insert(ctx context.Context, made *network.Connection) error {
	c.about(billing.Scope{Org: made.Org, Mode: made.Mode}, made.ID.String())
	return c.Connections.Insert(ctx, made)
}

func (c connections) Lock(ctx context.Context, name string) (*network.Connection, error) {
	locked, err := c.Connections.Lock(ctx, name)
	if err == nil {
		c.about(billing.Scope{Org: locked.Org, Mode: locked.Mode}, locked.ID.String())
	}
	return locked, err
}

// quarantine shows or removes what it reads.
type auditedQuarantine struct {
	ports.Quarantine
	about about
}

func (q auditedQuarantine) Get(ctx context.Context, id billing.FileID) (*quarantine.File, error) {
	read, err := q.Quarantine.Get(ctx, id)
	if err == nil {
		q.about(read.Scope, id.String())
	}
	return read, err
}

// received files are changed after Lock.
type received struct {
	ports.Received
	about about
}

func (r received) Lock(ctx context.Context, id billing.FileID) (*clearing.ReceivedFile, error) {
	locked, err := r.Received.Lock(ctx, id)
	if err == nil {
		r.about(locked.Scope, id.String())
	}
	return locked, err
}

type deletions struct {
	ports.Deletions
	about about
}

func (r deletions) Ask(ctx context.Context, d *caller.Deletion) error {
	r.about(billing.Scope{Org: d.Org}, d.Org.String())
	return r.Deletions.Ask(ctx, d)
}

func (r deletions) Withdraw(ctx context.Context, org billing.OrgID, now time.Time) error {
	r.about(billing.Scope{Org: org}, org.String())
	return r.Deletions.Withdraw(ctx, org, now)
}

type holds struct {
	ports.Retention
	about about
}

func (r holds) Hold(ctx context.Context, h *retention.Hold) error {
	err := r.Retention.Hold(ctx, h)
	if err == nil {
		r.about(billing.Scope{Org: h.Org}, heldID(h.Org, h.Patient))
	}
	return err
}

func (r holds) Release(ctx context.Context, org billing.OrgID, patient billing.PatientID) (billing.OrgID, error) {
	of, err := r.Retention.Release(ctx, org, patient)
	if err == nil {
		r.about(billing.Scope{Org: of}, heldID(of, patient))
	}
	return of, err
}

func heldID(org billing.OrgID, patient billing.PatientID) string {
	if patient.IsZero() {
		return org.String()
	}
	return patient.String()
}
