package pgstore_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/ports"
)

// TestOverTLS uses a server that encrypts. BEGIN is then sent on its own, and COMMIT
// waits: a check takes two more round trips for each transaction. See ADR 88.
func TestOverTLS(t *testing.T) {
	t.Parallel()
	url, ok := encrypting(t)
	if !ok {
		return
	}
	s := openCounted(t, pgtest.Service(t, url))
	if got := s.ofCheck(t)["round trips"]; got != 15 {
		t.Errorf("a fresh check takes %d round trips, want 15", got)
	}
	in := scope()
	if err := s.View(t.Context(), in, func(_ context.Context, tx ports.Tx) error {
		if now := tx.Clock.Now(); now.IsZero() {
			t.Error("a transaction has no time")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	clocksOfScopes(t, s.Store, admin(t, url))
	keyed := func(o *pgstore.Options) { o.Keys = [][32]byte{{1}} }
	cancelled(t, pgtest.OpenAt(t, url, keyed), admin(t, url))
	behindALock(t, pgtest.OpenAt(t, url, keyed), admin(t, url))
	poolOfDeadConnections(t, url)
	if n := scan[int](t, admin(t, url), "SELECT count(*) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE s.ssl AND a.usename = 'molar_service'"); n == 0 {
		t.Error("the store's connections are not encrypted")
	}
}

// encrypting starts a server with a migrated database that a service may use, and
// returns its address over TLS.
func encrypting(t *testing.T) (url string, ok bool) {
	t.Helper()
	server := testservers.StartPostgres(t)
	if err := pgstore.Migrate(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	if err := pgstore.Admit(t.Context(), server.URL(), pgtest.Service(t, server.URL())); err != nil {
		t.Fatal(err)
	}
	db := admin(t, server.URL())
	dir := scan[string](t, db, "SHOW data_directory")
	if _, err := os.Stat(dir); err != nil {
		// The server runs in a container, and its files are not accessible from
		// here.
		t.Log("the certificate cannot be put into the server's folder: ", err)
		return "", false
	}
	certify(t, dir)
	exec(t, db, "ALTER SYSTEM SET ssl = on")
	exec(t, db, "SELECT pg_reload_conf()")
	for range time.Tick(50 * time.Millisecond) { // until new sessions use it; the test's own deadline ends the loop
		if scan[string](t, admin(t, server.URL()), "SHOW ssl") == "on" {
			break
		}
	}
	return strings.Replace(server.URL(), "sslmode=disable", "sslmode=require", 1), true
}

// certify puts a key and a certificate into the server's folder.
func certify(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	for name, block := range map[string]*pem.Block{
		"server.crt": {Type: "CERTIFICATE", Bytes: cert}, "server.key": {Type: "PRIVATE KEY", Bytes: private},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
			t.Fatal(err)
		}
	}
}
