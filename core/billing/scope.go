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

// versionThrowAway is the version of a UUID whose bits are defined by who makes it (RFC 9562,
// section 5.8).
const versionThrowAway = 8

// NewThrowAway returns the ID of a throw-away organization of the maker. It sorts by now, and
// ends like the maker's but for 16 random bits.
func NewThrowAway(now Real, maker OrgID) OrgID {
	id := NewID[OrgID](now)
	id[6] = id[6]&0x0f | versionThrowAway<<4
	copy(id[8:14], maker[8:14])
	return id
}

// IsThrowAway reports whether the organization was made by another one, for a while.
func IsThrowAway(org OrgID) bool { return org[6]>>4 == versionThrowAway }

// Turn returns the scope as which it takes turns, and shares what all use: the same for an
// organization and those that it made.
func (s Scope) Turn() Scope {
	if v := s.Org[6] >> 4; v != versionThrowAway && v != 7 {
		return s
	}
	t := Scope{Mode: s.Mode}
	copy(t.Org[8:14], s.Org[8:14])
	return t
}

// A Permission lets a key call some operations: read the GET operations, submit
// the others.
type Permission string

// The permissions.
const (
	PermissionRead   Permission = "read"
	PermissionSubmit Permission = "submit"
)
