package billing

import "time"

// AuditEntry records a request of a person: who, when, from where, what, and the
// resources that it was about. It has no patient data.
type AuditEntry struct {
	ID        AuditEntryID
	Org       OrgID
	Mode      Mode // empty for a sign-in
	User      UserID
	Email     string // of the user, as it is now; only read
	Address   string // of the client; empty in a vague entry
	Operation string // the method and the route template, such as "GET /claims/{id}"
	Resource  string // the ID of the resource that the request named or made; empty for none
	Shown     []string
	Status    int // zero if the write was committed and its reply is not known
	CreatedAt time.Time
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
	done.Status, done.Shown = r.Status, r.Shown
	return &done
}

// Vague returns the entry of an attempt that may have been at another organization's
// user: without the client, and with the hour alone.
func (e *AuditEntry) Vague() *AuditEntry {
	out := *e
	out.Address, out.CreatedAt = "", e.CreatedAt.Truncate(time.Hour)
	return &out
}

// AuditFilter selects entries of the audit. Zero fields select all.
type AuditFilter struct {
	User          UserID
	Resource      string // named, made or shown
	CreatedAfter  time.Time
	CreatedBefore time.Time // exclusive
}
