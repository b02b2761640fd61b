package caller

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// AuditEntry records a request of a person or of a key, or what an operator did at the
// command line, or a rule by itself: who, when, from where, what, and the resources that it
// was about. It has no patient data.
type AuditEntry struct {
	ID   billing.AuditEntryID
	Org  billing.OrgID // zero if it concerns the whole deployment
	Mode billing.Mode  // empty for a sign-in, and for what concerns both modes

	// One of them says who. A user's entry has an operator, too, if the session began
	// with the operator's link.
	User     billing.UserID
	Key      billing.KeyID
	Operator string
	Rule     string // of the automation

	Name       string // of the user or the key, as it is now; only read
	Background bool   // a page made the request by itself
	Address    string // of the client; empty in a vague entry, and for an operator or a rule
	Agent      string // the client's User-Agent; empty like Address
	Operation  string // the method and the route template, such as "GET /claims/{id}", or the command, such as "molar era show"
	Resource   string // the ID of the resource that the request named or made; empty for none
	Shown      []string
	Filters    map[string]string // of a list that was read as a file; nil for anything else
	Status     int               // zero if the write was committed and its reply is not known, and for an operator or a rule
	CreatedAt  time.Time
}

// Position returns the place in a list, by the time and the ID.
func (e *AuditEntry) Position() billing.Position {
	return billing.Position{Time: e.CreatedAt, ID: e.ID}
}

// Actor is the kind of who made an entry of the audit.
type Actor string

// The kinds of actors.
const (
	ActorUser     Actor = "user"
	ActorKey      Actor = "key"
	ActorOperator Actor = "operator"
	ActorRule     Actor = "rule" // of the automation
)

// Actor returns the kind of who made the entry.
func (e *AuditEntry) Actor() Actor {
	switch {
	case !e.User.IsZero():
		return ActorUser
	case !e.Key.IsZero():
		return ActorKey
	case e.Rule != "":
		return ActorRule
	}
	return ActorOperator
}

// about returns the entry with the resource that the request made. A resource that
// the path names comes first.
func (e *AuditEntry) about(resource string) *AuditEntry {
	if e == nil || e.Resource != "" || resource == "" {
		return e
	}
	made := *e
	made.Resource = resource
	return &made
}

// Replied returns the entry with the reply.
func (e *AuditEntry) Replied(r Reply) *AuditEntry {
	if e == nil {
		return nil
	}
	done := *e.about(r.Resource)
	done.Status, done.Shown, done.Filters = r.Status, r.Shown, r.Filters
	return &done
}

// Vague returns the entry of an attempt that may have been at another organization's
// user: without the client, and with the hour alone.
func (e *AuditEntry) Vague() *AuditEntry {
	out := *e
	out.Address, out.Agent, out.CreatedAt = "", "", e.CreatedAt.Truncate(time.Hour)
	return &out
}

// AuditFilter selects entries of the audit. Zero fields select all.
type AuditFilter struct {
	Actor         Actor
	User          billing.UserID
	Key           billing.KeyID
	Resource      string            // named, made or shown
	Patient       billing.PatientID // shown, or what was named, made or shown holds a claim of the patient
	Background    *bool             // whether a page made the request by itself; nil for all
	Changes       bool              // without what was only read
	CreatedAfter  time.Time
	CreatedBefore time.Time // exclusive
}
