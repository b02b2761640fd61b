package billing

import "crypto/sha256"

// Call is one call of a use case: what it may see, who makes it, and the
// request that it is.
type Call struct {
	Scope     Scope
	Principal Principal
	Request   Request
}

// Principal is who makes a call.
type Principal struct {
	Type PrincipalType
	ID   string // unique among the principals of its type
}

// PrincipalType is what kind of principal makes a call, and so what its ID is.
type PrincipalType string

// The types of principals.
const (
	PrincipalKey      PrincipalType = "api_key"  // a program; the ID of its key
	PrincipalUser     PrincipalType = "user"     // a person who has signed in; the user's ID
	PrincipalOperator PrincipalType = "operator" // a person at the command line; the name of the account on the machine
	PrincipalWorker   PrincipalType = "worker"   // the service itself; the name of the worker
)

// Principal is the program that calls with the key.
func (k *APIKey) Principal() Principal { return Principal{PrincipalKey, k.ID.String()} }

// Request is what the service knows of a call that changes something: its ID,
// its idempotency key and what it means. A request without a key is
// administration: it is made once, and its reply is not kept.
type Request struct {
	ID          RequestID
	Key         string
	Fingerprint [sha256.Size]byte // of method, path and the meaning of the body

	// Faults is what is wrong with the form of a request whose use case finds no
	// other faults. They are reported when the key is new.
	Faults Faults
}
