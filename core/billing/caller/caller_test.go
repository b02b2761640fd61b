package caller

import (
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// TestCan asks for every need in sessions of each role, in those of an organization
// that requires a second factor, and with one of its keys.
func TestCan(t *testing.T) {
	t.Parallel()
	needs := []Need{NeedNothing, NeedCaller, NeedRead, NeedSubmit, NeedResend, NeedManage, NeedSelf, NeedSession, NeedOwner, NeedSandbox}
	test := billing.Scope{Mode: billing.ModeTest}
	owner := &User{Role: RoleOwner}
	nothing := []Need{NeedNothing}
	for name, test := range map[string]struct {
		caller  Caller
		may     []Need
		refused billing.Code
	}{
		"without one": {Caller{User: owner, Session: &Session{TOTPRequired: true}}, []Need{NeedNothing, NeedCaller, NeedSelf}, billing.CodeTOTPRequired},
		"with one":    {Caller{Scope: test, User: owner, Session: &Session{TOTPRequired: true, TOTP: true}}, needs, ""},
		"not asked":   {Caller{Scope: test, User: owner, Session: &Session{}}, needs, ""},
		"live mode":   {Caller{Scope: billing.Scope{Mode: billing.ModeLive}, User: owner, Session: &Session{}}, needs[:len(needs)-1], billing.CodeTestModeOnly},
		"a biller":    {Caller{User: &User{Role: RoleBiller}, Session: &Session{}}, []Need{NeedNothing, NeedCaller, NeedRead, NeedSubmit, NeedResend, NeedSelf, NeedSession}, billing.CodePermissionDenied},
		"a viewer":    {Caller{User: &User{Role: RoleViewer}, Session: &Session{}}, []Need{NeedNothing, NeedCaller, NeedRead, NeedSelf, NeedSession}, billing.CodePermissionDenied},
		// A release that does not know the role must not guess what it may do.
		"an unknown role": {Caller{User: &User{Role: "auditor"}, Session: &Session{}}, nothing, billing.CodePermissionDenied},
		"no role":         {Caller{User: &User{}, Session: &Session{}}, nothing, billing.CodePermissionDenied},
		"a key": {
			Caller{Scope: test, Key: &APIKey{Permissions: []billing.Permission{billing.PermissionRead, billing.PermissionSubmit}}},
			[]Need{NeedNothing, NeedCaller, NeedRead, NeedSubmit, NeedResend, NeedManage, NeedSandbox},
			billing.CodePermissionDenied,
		},
	} {
		for _, n := range needs {
			err := test.caller.Can(n)
			if want := slices.Contains(test.may, n); (err == nil) != want || err != nil && billing.CodeOf(err) != test.refused {
				t.Errorf("%s: %q: %v, want %t", name, n, err, want)
			}
		}
	}
}
