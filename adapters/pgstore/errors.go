package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"github.com/molar-billing/molar/core/billing"
)

// The SQLSTATE codes that the store acts on.
const (
	codeDivisionByZero   pqerror.Code = "22012"
	codeProgramLimit     pqerror.Code = "54000"
	codeSerialization    pqerror.Code = "40001"
	codeDeadlock         pqerror.Code = "40P01"
	codeUniqueViolation  pqerror.Code = "23505"
	codeDuplicateObject  pqerror.Code = "42710"
	codeNoObject         pqerror.Code = "42704"
	codeNotSupported     pqerror.Code = "0A000" // "cached plan must not change result type"; a transaction that writes while the server replays its log
	codeNoStatement      pqerror.Code = "26000" // the server forgot a prepared statement
	codeShutdown         pqerror.Code = "57P01"
	codeCrash            pqerror.Code = "57P02"
	codeStartingUp       pqerror.Code = "57P03"
	codeTooMany          pqerror.Code = "53300" // connections
	codeNoTable          pqerror.Code = "42P01"
	classUnknown                      = "42" // of a statement that the schema does not fit: no such table, column or function, or no right to it
	codeLockTimeout      pqerror.Code = "55P03"
	codeInvalidParameter pqerror.Code = "22023" // for SET ROLE, an unknown role; for pg_xact_status, a future transaction ID
)

// serverError is the part of a PostgreSQL error that is safe outside the package. It
// omits the message, detail and context, because they can contain values of a row.
type serverError struct {
	Code       pqerror.Code
	Table      string
	Constraint string
}

func (e *serverError) Error() string {
	s := "postgres: " + string(e.Code)
	if name := e.Code.Name(); name != "" {
		s += " " + name
	}
	if e.Table != "" {
		s += ", table " + e.Table
	}
	if e.Constraint != "" {
		s += ", constraint " + e.Constraint
	}
	return s
}

// isNetwork reports whether the socket failed, rather than the statement.
func isNetwork(err error) bool {
	_, ok := errors.AsType[net.Error](err)
	return ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// connectionError is the error of a connection that broke before COMMIT was sent. The
// transaction had no effect.
type connectionError struct{ cause error }

func (e *connectionError) Error() string { return "postgres: connection lost: " + e.cause.Error() }
func (e *connectionError) Unwrap() error { return e.cause }

// clean removes the values of rows from a driver's error.
func clean(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if pqErr, ok := errors.AsType[*pq.Error](err); ok {
		return conflict(&serverError{pqErr.Code, pqErr.Table, pqErr.Constraint})
	}
	return err
}

// conflict returns the caller's error for a violated unique key that is a rule of the
// API. Violating any other key is a bug in the service.
func conflict(e *serverError) error {
	if e.Code != codeUniqueViolation {
		return e
	}
	var message string
	var faults billing.Faults
	switch e.Constraint {
	case "attachments_answering":
		message = "The payer request already has an open attachment."
	case "documents_image":
		message = "The attachment already has this image."
	case "claims_control_number":
		message = "Another claim already has this patient control number."
		faults.Add("patient_control_number", billing.FaultConflict, "The number is already used. Send another one; upper and lower case count as the same.")
	case "claims_void":
		message = "The claim already has a void."
	default:
		return e
	}
	return &billing.Error{Code: billing.CodeConflict, Message: message, Faults: faults, Cause: e}
}

// ofStatement cleans the error of a statement. Any such error ends the transaction. If
// the caller's context has ended, ofStatement returns the context's cause.
func ofStatement(ctx context.Context, err error) error {
	switch {
	case err == nil || errors.Is(err, sql.ErrNoRows):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("postgres: %w", context.Cause(ctx))
	}
	if pqErr, ok := errors.AsType[*pq.Error](err); ok {
		return clean(pqErr)
	}
	if errors.Is(err, driver.ErrBadConn) || isNetwork(err) {
		return &connectionError{err}
	}
	return err
}

// passing reports whether a transaction can run again: it had no effect, and the cause
// of its error is temporary.
func passing(err error) bool {
	if _, ok := errors.AsType[*connectionError](err); ok {
		return true
	}
	e, ok := errors.AsType[*serverError](err)
	if !ok {
		return false
	}
	if away(err) {
		return true
	}
	if e.Code == codeUniqueViolation {
		return e.Constraint == "events_sequence" // another transaction used the number first
	}
	return slices.Contains([]pqerror.Code{codeSerialization, codeDeadlock, codeNoStatement}, e.Code)
}

// away reports whether the server is down, as during a restart, or takes no writes, as
// while it is restored.
func away(err error) bool {
	if _, ok := errors.AsType[*connectionError](err); ok {
		return true
	}
	e, ok := errors.AsType[*serverError](err)
	return ok && slices.Contains([]pqerror.Code{codeShutdown, codeCrash, codeStartingUp, codeTooMany, codeNotSupported}, e.Code)
}
