package sftpnet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing/network"
)

// through makes an instance connect through the proxy.
func through(p *proxy) func(*sftpnet.Config) {
	return func(c *sftpnet.Config) { c.Addr = p.addr() }
}

// hasty gives up after a second.
func hasty(c *sftpnet.Config) {
	c.Times = sftpnet.Times{Connect: time.Second, Step: time.Second}
}

func wantReason(t *testing.T, what string, err error, want network.Reason) {
	t.Helper()
	if err == nil || network.ReasonOf(err) != want {
		t.Errorf("%s: reason %q of %v, want %q", what, network.ReasonOf(err), err, want)
	}
}

// TestCutAnywhere cuts a sending at many bytes of both directions. However it ends, the
// outbox has no part of a file under its name; and the next sending, of another process,
// makes it one whole file.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	p := newProxy(t, a.server.Addr())
	const size = 200_000
	whole := newSender("whole.837", size)
	n := a.open(through(p))
	if err := whole.send(t, n); err != nil {
		t.Fatal(err)
	}
	up, down := p.counts()
	cuts := 160
	if testing.Short() {
		cuts = 16
	}
	unknown, marked := 0, 0
	for i := range cuts {
		for _, f := range []fault{{up: 1 + up*int64(i)/int64(cuts)}, {down: 1 + down*int64(i)/int64(cuts)}} {
			name := time.Date(2026, 1, 1, i, int(f.up&1), 0, 0, time.UTC).Format("20060102150405") + map[bool]string{true: "u", false: "d"}[f.up > 0] + ".837"
			s := newSender(name, size)
			p.set(f)
			err := s.send(t, a.open(through(p)))
			there, readErr := os.ReadFile(filepath.Join(a.outbox, name))
			if readErr == nil && !bytes.Equal(there, s.file.Content) {
				t.Fatalf("%+v: %d bytes are there under the file's name", f, len(there))
			}
			if err == nil && readErr != nil {
				t.Fatalf("%+v: nothing is there, and no error", f)
			}
			switch {
			case errors.Is(err, network.ErrOutcomeUnknown):
				unknown++
			case err != nil:
				wantReason(t, fmt.Sprintf("%+v", f), err, network.ReasonInterrupted)
			}
			if s.token != "" {
				marked++
			}
			p.set(fault{})
			if err := s.send(t, a.open(through(p))); err != nil {
				t.Fatalf("%+v: sending again: %v", f, err)
			}
			if there, err := os.ReadFile(filepath.Join(a.outbox, name)); err != nil || !bytes.Equal(there, s.file.Content) {
				t.Fatalf("%+v: %d bytes are there, error %v", f, len(there), err)
			}
		}
	}
	if left := a.in(a.outbox); len(left) != 2*cuts+1 {
		t.Errorf("%d files are there, want %d without temporary ones: %.300q", len(left), 2*cuts+1, left)
	}
	t.Logf("%d cuts, %d after the mark, %d outcomes unknown", 2*cuts, marked, unknown)
}

// TestPickedUp loses the outcome of a sending. The clearinghouse picks the file up
// before the next one, whose outcome is unknown. It never uploads the file again.
func TestPickedUp(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	n, s := a.open(), newSender("a.837", 1000)
	if err := s.send(t, n); err != nil {
		t.Fatal(err)
	}
	a.pickUp()
	for _, again := range []*sftpnet.Clearinghouse{n, a.open(), n} {
		wantReason(t, "sending again", s.send(t, again), network.ReasonUnknownOutcome)
		a.clock.Advance(time.Hour)
	}
	if a.took["a.837"] != 1 || len(a.in(a.outbox)) != 0 {
		t.Errorf("picked up %v, and %v is there", a.took, a.in(a.outbox))
	}
}

// TestHang lets the server hang in the handshake and in transfers. Every call ends, and
// the next one works.
func TestHang(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	p := newProxy(t, a.server.Addr())
	const size = 1 << 20
	a.put("big.txt", bytes.Repeat([]byte("report "), size/7))
	n := a.open(through(p), hasty)
	works := func() {
		t.Helper()
		p.set(fault{})
		a.clock.Advance(time.Hour)
		if _, err := a.open(through(p)).List(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for what, f := range map[string]fault{
		"before the first line":    {down: 1, hang: true},
		"in the handshake":         {down: 1000, hang: true},
		"after the client's lines": {up: 1000, hang: true},
	} {
		p.set(f)
		_, err := n.List(t.Context())
		wantReason(t, what, err, network.ReasonTimeout)
		works()
	}
	// A busy machine needs more than a second for a whole transfer, never for a byte.
	p.set(fault{})
	if _, err := n.List(t.Context()); err != nil {
		t.Logf("the machine is slow: %v", err)
	}
	for what, f := range map[string]fault{"in an upload": {up: size / 2, hang: true}, "in a download": {down: size / 2, hang: true}} {
		p.set(f)
		a.clock.Advance(time.Hour)
		s := newSender("b.837", size)
		var err error
		if f.up > 0 {
			err = s.send(t, n)
		} else {
			_, err = a.receive(n)
		}
		wantReason(t, what, err, network.ReasonTimeout)
		if s.token != "" || slices.Contains(a.in(a.outbox), "b.837") {
			t.Errorf("%s: token %q", what, s.token)
		}
		works()
	}
	// The caller gives up.
	p.set(fault{down: 1, hang: true})
	a.clock.Advance(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := a.open(through(p)).List(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller gave up: %v", err)
	}
}

// TestFullDisk fills the outbox. Nothing is marked, and the file goes out once there is
// space.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	if os.Getuid() != 0 {
		t.Log("only root can mount a small disk; the file size is limited elsewhere")
		return
	}
	if err := syscall.Mount("tmpfs", a.outbox, "tmpfs", 0, "size=128k,mode=0777"); err != nil {
		t.Logf("this machine does not allow mounts: %v", err)
		return
	}
	t.Cleanup(func() { _ = syscall.Unmount(a.outbox, syscall.MNT_DETACH) })
	n, s := a.open(), newSender("a.837", 300_000)
	err := s.send(t, n)
	wantReason(t, "a full disk", err, network.ReasonRefused)
	if s.token != "" || len(a.in(a.outbox)) != 0 {
		t.Errorf("token %q, and %v is there", s.token, a.in(a.outbox))
	}
	s = newSender("a.837", 30_000)
	if err := s.send(t, n); err != nil {
		t.Error(err)
	}
}

// TestNoFolders names the folder that is not there.
func TestNoFolders(t *testing.T) {
	t.Parallel()
	n := newAccount(t, testservers.StartSSH(t)).open(func(c *sftpnet.Config) { c.Outbox, c.Inbox = "/no/outbox", "/no/inbox" })
	err := newSender("a.837", 1000).send(t, n)
	wantReason(t, "no outbox", err, network.ReasonRefused)
	_, e := n.List(t.Context())
	wantReason(t, "no inbox", e, network.ReasonRefused)
	if !strings.Contains(fmt.Sprint(err), "/no/outbox") || !strings.Contains(fmt.Sprint(e), "/no/inbox") {
		t.Errorf("%v, %v", err, e)
	}
}

// TestRefusedRename has the server refuse the rename, also when it is tried once more. The
// file waits under its temporary name, and is delivered once the server allows it.
func TestRefusedRename(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	n, s := a.open(), newSender("a.837", 1000)
	err := n.Send(t.Context(), s.file, func(_ context.Context, token string) error {
		s.token = token
		return os.Chmod(a.outbox, 0o555)
	})
	wantReason(t, "a refused rename", err, network.ReasonRefused)
	for range 2 {
		wantReason(t, "a refused rename again", s.send(t, n), network.ReasonUnknownOutcome)
	}
	if got := a.in(a.outbox); !slices.Equal(got, []string{s.token}) {
		t.Errorf("in the outbox: %v", got)
	}
	if err := os.Chmod(a.outbox, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := s.send(t, n); err != nil || !slices.Equal(a.in(a.outbox), []string{"a.837"}) {
		t.Errorf("%v, in the outbox: %v", err, a.in(a.outbox))
	}
	other := newSender("a.837", 2000)
	if err := other.send(t, n); err == nil || other.token != "" {
		t.Errorf("over a file of the same name: %v", err)
	}
}

// TestHostKey refuses any other key, and finds the key of a fingerprint.
func TestHostKey(t *testing.T) {
	t.Parallel()
	server, other := testservers.StartSSH(t), testservers.StartSSH(t)
	a := newAccount(t, server)
	ed25519, err := sftpnet.Fingerprint(server.HostKey)
	if err != nil {
		t.Fatal(err)
	}
	rsa, err := sftpnet.Fingerprint(server.HostKeyRSA)
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := sftpnet.Fingerprint(other.HostKey)
	if err != nil {
		t.Fatal(err)
	}
	for pin, ok := range map[string]bool{
		server.HostKey: true, server.HostKeyRSA: true, ed25519: true, rsa: true, ed25519 + "=": true,
		"# the old key\n" + wrong + "\n" + rsa + "\n": true,
		other.HostKey: false, wrong: false, other.HostKeyRSA: false,
	} {
		_, err := a.open(func(c *sftpnet.Config) { c.HostKey = pin }).List(t.Context())
		if ok && err != nil || !ok && (network.ReasonOf(err) != network.ReasonHostKey || !errors.Is(err, sftpnet.ErrKey)) {
			t.Errorf("%.60s: %v", pin, err)
		}
		if !ok && !strings.Contains(err.Error(), ed25519) && !strings.Contains(err.Error(), rsa) {
			t.Errorf("%.60s: the error does not state the server's key: %v", pin, err)
		}
	}
}

func FuzzHostKey(f *testing.F) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPKSUTyz1HwHReFVvD5obVsALAgJRNarH4TRpNePnAS"
	fingerprint := "SHA256:" + strings.Repeat("A", 43)
	for _, text := range []string{
		key, "[sftp.example.com]:22 " + key + " a comment", "|1|AAAA|AAAA " + key, "@revoked * " + key, `command="x" ` + key,
		fingerprint + "=\r\n# the new one\n" + fingerprint, "\x00", "SHA256:",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shown, err := sftpnet.Fingerprint(text)
		if (err == nil) != (len(shown) == len(fingerprint) && strings.HasPrefix(shown, "SHA256:")) {
			t.Errorf("%q has the fingerprint %q, %v", text, shown, err)
		}
		if err == nil {
			if again, err := sftpnet.Fingerprint(shown); err != nil || again != shown {
				t.Errorf("%q became %q, then %q, %v", text, shown, again, err)
			}
		}
	})
}

// TestWrongPassword refuses a wrong password once, and does not try again at once:
// accounts lock.
func TestWrongPassword(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	p := newProxy(t, a.server.Addr())
	n := a.open(through(p), func(c *sftpnet.Config) { c.Key, c.Password = nil, []byte("hunter2") })
	_, err := n.List(t.Context())
	if !errors.Is(err, network.ErrUnauthorized) || errors.As(err, new(*network.UntriedError)) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a wrong password: %v", err)
	}
	up, _ := p.counts()
	if _, err := n.List(t.Context()); !errors.Is(err, network.ErrUnauthorized) || !errors.As(err, new(*network.UntriedError)) {
		t.Errorf("at once again: %v", err)
	}
	if again, _ := p.counts(); again != up {
		t.Error("it connected again at once")
	}
	a.clock.Advance(time.Hour)
	_, _ = n.List(t.Context())
	if again, _ := p.counts(); again == up {
		t.Error("it never connected again")
	}
}

// TestReconnects works again after the session is cut, without an error that reaches the
// caller.
func TestReconnects(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	p := newProxy(t, a.server.Addr())
	n := a.open(through(p))
	for range 3 {
		if _, err := n.List(t.Context()); err != nil {
			t.Error(err)
		}
		p.cut()
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	if _, err := n.List(t.Context()); err == nil {
		t.Error("a closed connection works")
	}
}
