package billing

// Mode is whether a key, and everything made with it, is for tests or for real
// billing.
type Mode string

// The modes.
const (
	ModeTest Mode = "test"
	ModeLive Mode = "live"
)

// Scope is one organization in one mode, which is what a key sees. Every query
// has it, so that rows of other scopes do not exist for the query.
type Scope struct {
	Org  OrgID
	Mode Mode
}

// A Permission is what a key may do: read calls GET operations, submit calls
// the others.
type Permission string

// The permissions.
const (
	PermissionRead   Permission = "read"
	PermissionSubmit Permission = "submit"
)
