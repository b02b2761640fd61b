package sftpnet_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/networktest"
)

// TestContract runs the contract against a real sshd, with both ways to upload and to
// remove files.
func TestContract(t *testing.T) {
	t.Parallel()
	server := testservers.StartSSH(t)
	for name, set := range map[string]func(*sftpnet.Config){
		"delete": func(c *sftpnet.Config) { c.After = sftpnet.AfterDelete }, "archive": func(c *sftpnet.Config) { c.After = sftpnet.AfterArchive },
		"direct": func(c *sftpnet.Config) { c.Direct = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			networktest.RunClearinghouse(t, func(t *testing.T) networktest.ClearinghouseFixture {
				t.Helper()
				a := newAccount(t, server)
				set(&a.config)
				var files atomic.Int64
				return networktest.ClearinghouseFixture{
					Network: a.folder(), Another: func() ports.Clearinghouse { return a.folder() }, Looks: 2,
					Later: func() {
						a.pickUp()
						a.clock.Advance(time.Minute)
					},
					File: func(*testing.T) (string, []byte) {
						n := files.Add(1)
						name, content := fmt.Sprintf("2026030405060%04d.837", n), interchange(3000+int(n))
						a.expect(name, content)
						return name, content
					},
				}
			})
		})
	}
}
