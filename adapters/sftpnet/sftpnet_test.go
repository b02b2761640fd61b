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

// TestContract runs the contract against a real sshd, with both ways to remove files.
func TestContract(t *testing.T) {
	t.Parallel()
	server := testservers.StartSSH(t)
	for _, after := range []sftpnet.After{sftpnet.AfterDelete, sftpnet.AfterArchive} {
		t.Run(string(after), func(t *testing.T) {
			t.Parallel()
			networktest.RunClearinghouse(t, func(t *testing.T) networktest.ClearinghouseFixture {
				t.Helper()
				a := newAccount(t, server)
				a.config.After = after
				var files atomic.Int64
				return networktest.ClearinghouseFixture{
					Network: a.open(), Another: func() ports.Clearinghouse { return a.open() }, Looks: 2,
					Later: func() {
						a.pickUp()
						a.clock.Advance(time.Minute)
					},
					File: func(*testing.T) (string, []byte) {
						n := files.Add(1)
						return fmt.Sprintf("2026030405060%04d.837", n), interchange(1000 + int(n))
					},
				}
			})
		})
	}
}
