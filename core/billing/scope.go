package billing

// Mode says whether a key, and everything made with it, is for trying out or
// for real.
type Mode string

// The modes.
const (
	ModeTest Mode = "test"
	ModeLive Mode = "live"
)

// Scope is what a key sees: one organization in one mode. Every query takes
// it, so that a row of another scope does not exist.
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
