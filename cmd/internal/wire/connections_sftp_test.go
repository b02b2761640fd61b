package wire

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/molar-billing/molar/adapters/clearinghouse"
	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
)

// simulate runs the simulator until the test ends. It returns its data folder, too.
func simulate(t *testing.T) (account clearinghouse.Account, data string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, ended := make(chan clearinghouse.Account, 1), make(chan error, 1)
	data = t.TempDir()
	go func() {
		ended <- clearinghouse.Run(ctx, clearinghouse.Options{
			SFTP: "127.0.0.1:0", CORE: "127.0.0.1:0", Data: data, Strict: true, Log: slog.New(slog.DiscardHandler),
		}, func(a clearinghouse.Account) error { ready <- a; return nil })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("the simulator ended with %v", err)
		}
	})
	return <-ready, data
}

// encoded returns a value as JSON.
func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSFTPConnection opens connections to the simulator that upload in different ways.
func TestSFTPConnection(t *testing.T) {
	t.Parallel()
	account, data := simulate(t)
	key, err := os.ReadFile(account.SFTPKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(data, "files", "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	for options, want := range map[string]string{
		`{}`: `^inbound/temp_\d{17}\.837\.[0-9a-f]{16}$`,
		`{"temp_prefix": "x-", "temp_folder": "tmp", "file_name": "{serial}.txt"}`: `^tmp/x-000000000\.txt\.[0-9a-f]{16}$`,
		`{"upload": "direct", "file_name": "L.{serial}.txt"}`:                      `^inbound/L\.000000000\.txt$`,
	} {
		c := &network.Connection{
			Kind: "sftp", Mode: billing.ModeLive, Secrets: encoded(t, map[string]any{"Key": key}),
			Settings: network.Settings{AllowPrivate: true, Own: map[string]json.RawMessage{"SFTP": encoded(t, map[string]any{
				"Addr": account.SFTPAddr, "User": account.SFTPUser, "HostKey": account.SFTPHostKey, "Outbox": "inbound", "Inbox": "outbound",
			})}},
		}
		if err := c.Settings.Options.UnmarshalJSON([]byte(options)); err != nil {
			t.Fatal(err)
		}
		n, err := sftpnet.Kind().Open(c)
		if err != nil {
			t.Fatal(err)
		}
		wrote := ""
		for _, s := range n.Peer.Probe(t.Context(), true) {
			if s.Err != nil {
				t.Errorf("%s: %s: %v", options, s.Name, s.Err)
			}
			if s.Name == "the outbox can be written" {
				wrote = s.Detail
			}
		}
		if !regexp.MustCompile(want).MatchString(wrote) {
			t.Errorf("%s writes %s", options, wrote)
		}
		_ = n.Peer.Close()
	}
}
