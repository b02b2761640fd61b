package network

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Connection is an account at a network of payers. An operator adds it; the
// running services then send through it.
type Connection struct {
	ID        billing.ConnectionID
	Name      string // unique in the deployment
	Kind      string // the name of its ports.ConnectionKind
	Mode      billing.Mode
	Org       billing.OrgID // zero for every organization of the deployment
	Carries   []Transaction
	Settings  Settings
	Secrets   Secrets
	Enabled   bool
	Pause     Pause // zero while it is not paused
	Revision  int   // counts its changes
	CreatedAt time.Time
}

// Settings are the settings of a connection that are no secrets.
type Settings struct {
	Envelope     Envelope // its usage is UsageProduction or UsageTest
	Options      Options
	Payers       []Payer                    // empty for every payer
	AllowPrivate bool                       // addresses that are not public
	Own          map[string]json.RawMessage // what only its kind knows, by Connection.key; see Load
}

// storedSettings is the stored form of what every kind knows.
type storedSettings struct {
	Envelope     Envelope
	Options      Options
	Payers       []Payer `json:",omitempty"`
	AllowPrivate bool    `json:",omitempty"`
}

// MarshalJSON writes the settings as they are stored.
func (s Settings) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(storedSettings{s.Envelope, s.Options, s.Payers, s.AllowPrivate}) //nolint:musttag // stored under the names of the fields
	if err != nil || len(s.Own) == 0 {
		return b, err
	}
	own, err := json.Marshal(s.Own)
	return append(append(b[:len(b)-1], ','), own[1:]...), err
}

// UnmarshalJSON reads stored settings.
func (s *Settings) UnmarshalJSON(doc []byte) error {
	var of storedSettings
	var own map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(doc, &of), json.Unmarshal(doc, &own)); err != nil { //nolint:musttag // as above
		return err
	}
	for _, name := range []string{"Envelope", "Options", "Payers", "AllowPrivate"} {
		delete(own, name)
	}
	if len(own) == 0 {
		own = nil
	}
	*s = Settings{of.Envelope, of.Options, of.Payers, of.AllowPrivate, own}
	return nil
}

// The usages of interchanges (ISA15).
const (
	UsageProduction = "P"
	UsageTest       = "T"
)

// Payer is a payer that a connection reaches. A payer with different IDs
// for claims and inquiries is listed twice.
type Payer struct {
	Payer        billing.PayerID
	PayerID      string        // in the payer directory
	NetworkID    string        // the network's ID of the payer
	Transactions []Transaction // those that the connection carries
}

// Secrets are the secrets of a connection, in the form that its kind stores. They are
// stored encrypted.
type Secrets json.RawMessage

// IsZero reports whether there is no secret.
func (s Secrets) IsZero() bool { return len(s) == 0 }

// MarshalJSON returns the secrets, to be encrypted.
func (s Secrets) MarshalJSON() ([]byte, error) { return s, nil }

// UnmarshalJSON keeps the secrets.
func (s *Secrets) UnmarshalJSON(doc []byte) error {
	*s = slices.Clone(doc)
	return nil
}

// LogValue keeps the secrets out of logs.
func (Secrets) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// Format keeps the secrets out of messages.
func (Secrets) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[redacted]")) }

// Pause records that the network refused a connection's sign-in. Nothing
// is sent until an operator enables the connection again: accounts lock after
// repeated attempts.
type Pause struct {
	At     time.Time
	Reason Reason
	Detail string // for the operator
}

// IsZero reports whether there is no pause.
func (p Pause) IsZero() bool { return p.At.IsZero() }

// State is the state of a connection.
type State string

// The states of a connection.
const (
	Enabled  State = "enabled"
	Disabled State = "disabled"
	Paused   State = "paused" // still the route of its payers, but nothing is sent
)

// State returns the state.
func (c *Connection) State() State {
	switch {
	case !c.Enabled:
		return Disabled
	case !c.Pause.IsZero():
		return Paused
	default:
		return Enabled
	}
}

// Network returns the name of the connection's network, which batches and checks
// store.
func (c *Connection) Network() string { return c.ID.String() }

// Route returns the practices and payers that the connection serves.
func (c *Connection) Route() Route {
	r := Route{Mode: c.Mode, Org: c.Org}
	if len(c.Settings.Payers) == 0 {
		return r
	}
	r.Payers, r.PayerIDs = map[billing.PayerID][]Transaction{}, map[billing.PayerID]map[Transaction]string{}
	for _, p := range c.Settings.Payers {
		r.Payers[p.Payer] = append(r.Payers[p.Payer], p.Transactions...)
		if r.PayerIDs[p.Payer] == nil {
			r.PayerIDs[p.Payer] = map[Transaction]string{}
		}
		for _, t := range p.Transactions {
			r.PayerIDs[p.Payer][t] = p.NetworkID
		}
	}
	return r
}

// SeenBy returns what a user of the organization may see of the connection, without
// its secrets. Of a connection of the deployment that is its name, its kind and what
// it carries.
func (c *Connection) SeenBy(org billing.OrgID) *Connection {
	if c.Org.IsZero() || c.Org != org {
		return &Connection{ID: c.ID, Name: c.Name, Kind: c.Kind, Mode: c.Mode, Carries: c.Carries, CreatedAt: c.CreatedAt}
	}
	own := *c
	own.Secrets = Secrets{}
	return &own
}

// Carried reports whether the connection carries the transaction.
func (c *Connection) Carried(t Transaction) bool { return slices.Contains(c.Carries, t) }

// ProbeStep is the result of one step of the test of a connection.
type ProbeStep struct {
	Name     string // such as "sign in"
	Detail   string // what was found; empty for nothing to add
	Skipped  string // why the step was skipped; empty when it was not
	NotTried string // why the step was not tried, because it would have written; empty when it was
	Err      error  // why it failed; nil when it worked or was skipped
}

// Reason is the reason of a network's failure: one word for metrics and logs.
type Reason string

// The reasons of failures.
const (
	ReasonUnreachable    Reason = "unreachable" // the name does not resolve, or no connection is made
	ReasonTimeout        Reason = "timeout"
	ReasonTLS            Reason = "tls"
	ReasonHostKey        Reason = "host_key"
	ReasonUnauthorized   Reason = "unauthorized"
	ReasonRefused        Reason = "refused"     // the network refused the operation
	ReasonFull           Reason = "full"        // the network has no space
	ReasonProtocol       Reason = "protocol"    // the reply is none of the protocol
	ReasonRejected       Reason = "rejected"    // a TA1 or a 999 instead of a response
	ReasonMismatch       Reason = "mismatch"    // the response to another request
	ReasonInterrupted    Reason = "interrupted" // the connection ended before the reply
	ReasonUnknownOutcome Reason = "unknown_outcome"
	ReasonOther          Reason = "other"
)

// Passes reports whether the reason mostly goes by itself. The others need the operator.
func (r Reason) Passes() bool {
	switch r { //nolint:exhaustive // the others do not
	case ReasonUnreachable, ReasonTimeout, ReasonInterrupted, ReasonOther:
		return true
	default:
		return false
	}
}

// Error is a failure of a network with its reason.
type Error struct {
	Reason Reason
	Err    error // for the log: no secret and no patient data
}

func (f *Error) Error() string { return f.Err.Error() }

// Unwrap returns the error without the reason.
func (f *Error) Unwrap() error { return f.Err }

// ErrUnauthorized is the error of a network that refuses the sign-in. It
// pauses the connection.
var ErrUnauthorized = errors.New("the network refuses the sign-in")

// ErrOutcomeUnknown is the error of a file that may or may not have reached the
// network.
var ErrOutcomeUnknown = errors.New("it is unknown whether the network has the file")

// Call is what a connection was called for.
type Call string

// The calls of connections.
const (
	CallAsk     Call = "inquire"
	CallSend    Call = "send"
	CallReceive Call = "receive" // and to remove what was received
)

// ObservedError is a failure that was logged where it happened: one of a connection, which was also counted, or a
// restore for which work rests.
type ObservedError struct{ Err error }

func (e *ObservedError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *ObservedError) Unwrap() error { return e.Err }

// UntriedError is the failure of a call that a connection did not try, because an
// attempt moments before it failed.
type UntriedError struct{ Err error }

func (e *UntriedError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *UntriedError) Unwrap() error { return e.Err }

// Observed reports whether the log has the failure already. It never has an unknown
// outcome, which is about one file and needs a decision.
func Observed(err error) bool {
	_, is := errors.AsType[*ObservedError](err)
	return is && !errors.Is(err, ErrOutcomeUnknown)
}

// ReasonOf returns the reason of a network's error.
func ReasonOf(err error) Reason {
	fault, ok := errors.AsType[*Error](err)
	switch {
	case errors.Is(err, ErrUnauthorized):
		return ReasonUnauthorized
	case errors.Is(err, ErrOutcomeUnknown):
		return ReasonUnknownOutcome
	case ok:
		return fault.Reason
	case errors.Is(err, context.DeadlineExceeded):
		return ReasonTimeout
	default:
		return ReasonOther
	}
}
