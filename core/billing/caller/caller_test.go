package billing

import (
	"slices"
	"testing"
)

// TestCan asks for every need in sessions of each role, in those of an organization
// that requires a second factor, and with one of its keys.
func TestCan(t *testing.T) {
	t.Parallel()
	needs := []Need{NeedNothing, NeedCaller, NeedRead, NeedSubmit, NeedResend, NeedManage, NeedSelf, NeedSession, NeedOwner}
	owner := &User{Role: RoleOwner}
	nothing := []Need{NeedNothing}
	for name, test := range map[string]struct {
		caller  Caller
		may     []Need
		refused Code
	}{
		"without one": {Caller{User: owner, Session: &Session{TOTPRequired: true}}, []Need{NeedNothing, NeedCaller, NeedSelf}, CodeTOTPRequired},
		"with one":    {Caller{User: owner, Session: &Session{TOTPRequired: true, TOTP: true}}, needs, ""},
		"not asked":   {Caller{User: owner, Session: &Session{}}, needs, ""},
		"a biller":    {Caller{User: &User{Role: RoleBiller}, Session: &Session{}}, []Need{NeedNothing, NeedCaller, NeedRead, NeedSubmit, NeedResend, NeedSelf, NeedSession}, CodePermissionDenied},
		"a viewer":    {Caller{User: &User{Role: RoleViewer}, Session: &Session{}}, []Need{NeedNothing, NeedCaller, NeedRead, NeedSelf, NeedSession}, CodePermissionDenied},
		// A release that does not know the role must not guess what it may do.
		"an unknown role": {Caller{User: &User{Role: "auditor"}, Session: &Session{}}, nothing, CodePermissionDenied},
		"no role":         {Caller{User: &User{}, Session: &Session{}}, nothing, CodePermissionDenied},
		"a key": {
			Caller{Key: &APIKey{Permissions: []Permission{PermissionRead, PermissionSubmit}}},
			[]Need{NeedNothing, NeedCaller, NeedRead, NeedSubmit, NeedResend, NeedManage},
			CodePermissionDenied,
		},
	} {
		for _, n := range needs {
			err := test.caller.Can(n)
			if want := slices.Contains(test.may, n); (err == nil) != want || err != nil && CodeOf(err) != test.refused {
				t.Errorf("%s: %q: %v, want %t", name, n, err, want)
			}
		}
	}
}
