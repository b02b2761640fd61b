package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/cli"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/migrations"
)

// TestEveryPlaceNamesTheSameBuild compares the last release with molar version, with its
// flag, with the metric and with the first line of a log.
func TestEveryPlaceNamesTheSameBuild(t *testing.T) {
	t.Parallel()
	of := build()
	if of.Version != migrations.Version() || of.Commit == "" || !strings.HasPrefix(of.Go, "go1.") {
		t.Errorf("the build is %+v", of)
	}
	for _, arg := range []string{"version", "--version"} {
		var out bytes.Buffer
		c := cli.New(cli.Backend{Build: of})
		c.SetArgs([]string{arg})
		c.SetOut(&out)
		if err := c.ExecuteContext(t.Context()); err != nil || out.String() != of.String()+"\n" {
			t.Errorf("molar %s prints %q, %v", arg, out.String(), err)
		}
	}
	s := startService(t, testservers.Database(t), 1, RoleAPI)
	if s.first != of.String() {
		t.Errorf("the log begins with %q", s.first)
	}
	metric := fmt.Sprintf("molar_build_info{commit=%q,go=%q,version=%q} 1\n", of.Commit, of.Go, of.Version)
	if _, metrics := status(t, s.ops+"/metrics"); !strings.Contains(metrics, metric) {
		t.Errorf("the metrics lack %s", metric)
	}
}
