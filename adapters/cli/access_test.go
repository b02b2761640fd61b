package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

func TestScopeFlags(t *testing.T) {
	t.Parallel()
	org := billing.NewID[billing.OrgID](billing.RealAt(time.Now()))
	for f, want := range map[scopeFlags]string{
		{org.String(), "test"}:                  "",
		{strings.ToLower(org.String()), "live"}: "",
		{"", "test"}:                            `--org "" is not`,
		{"off_" + org.String()[4:], "test"}:     "--org",
		{org.String(), "prod"}:                  `--mode "prod" is neither`,
		{org.String(), ""}:                      "--mode",
		{org.String(), "Test"}:                  "--mode",
	} {
		scope, err := f.scope()
		switch {
		case want == "" && (err != nil || scope != billing.Scope{Org: org, Mode: billing.Mode(f.mode)}):
			t.Errorf("%+v: %v, %v", f, scope, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%+v: error %v, want %q in it", f, err, want)
		}
	}
}
