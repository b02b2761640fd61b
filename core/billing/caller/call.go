package caller

import (
	"crypto/sha256"

	"github.com/molar-billing/molar/core/billing"
)

// Call is one call of a use case: its scope, its principal and its request.
type Call struct {
	Scope     billing.Scope
	Principal Principal
	Session   billing.SessionID // of a person; zero for any other caller
	Key       *APIKey           // of a program; nil for any other caller
	Request   Request
}

// Principal is the program or the person that makes a call.
type Principal struct {
	Type PrincipalType
	ID   string // unique among the principals of its type
}

// PrincipalType is the type of a principal. It decides what the ID identifies.
type PrincipalType string

// The types of principals.
const (
	PrincipalKey      PrincipalType = "api_key"  // a program; the ID of its key
	PrincipalUser     PrincipalType = "user"     // a person who has signed in; the user's ID
	PrincipalOperator PrincipalType = "operator" // a person at the command line; the name of the account on the machine
	PrincipalWorker   PrincipalType = "worker"   // the service itself; the name of the worker
)

// Principal returns the program that calls with the key.
func (k *APIKey) Principal() Principal { return Principal{PrincipalKey, k.ID.String()} }

// User returns the user who makes the call; the zero ID if that is no user.
func (p Principal) User() billing.UserID {
	if p.Type != PrincipalUser {
		return billing.UserID{}
	}
	id, _ := billing.ParseID[billing.UserID](p.ID)
	return id
}

// Maker returns the ID of the user or the key that makes the call; empty for the operator
// and the service.
func (p Principal) Maker() string {
	if p.Type == PrincipalUser || p.Type == PrincipalKey {
		return p.ID
	}
	return ""
}

// Request is a call that changes something: its ID, its idempotency key and a
// digest of its content. A request without a key is administration: it runs
// once, and its reply is not kept.
type Request struct {
	ID          billing.RequestID // zero for a person's request: what a person makes shows none
	OfPerson    billing.RequestID // the ID of a person's request, else zero
	Key         string
	Fingerprint [sha256.Size]byte // of method, path and the meaning of the body
	Seen        int               // the version that the resource must still have; zero for any
	Entry       *LoggedRequest    // without its reply; nil if the request is not logged
	Audit       *AuditEntry       // without its reply; nil if no person made the request

	// Faults are the faults in the form of the request, for use cases that find
	// no others. They are reported when the key is new.
	Faults billing.Faults
}
