package billing

// Mode is the mode of a key and of everything made with it: test, or live for
// real billing.
type Mode string

// The modes.
const (
	ModeTest Mode = "test"
	ModeLive Mode = "live"
)

// Scope is one organization in one mode. A key sees one scope. Every query has
// a scope, and rows of other scopes do not exist for it.
type Scope struct {
	Org  OrgID
	Mode Mode
}

// A Permission lets a key call some operations: read the GET operations, submit
// the others.
type Permission string

// The permissions.
const (
	PermissionRead   Permission = "read"
	PermissionSubmit Permission = "submit"
)
