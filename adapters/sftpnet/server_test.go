package sftpnet_test

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports/networktest"
)

// ownServer is a server that does what no sshd does.
type ownServer struct {
	passwords bool // as a method; otherwise it asks for it interactively
	names     func(i int64) string
	tries     int      // after which it disconnects the client; zero for the library's default
	files     *deviant // nil for one that has the names
	handlers  *sftp.Handlers
}

const password = "open sesame"

// start returns the configuration of a client.
func (s ownServer) start(t *testing.T) sftpnet.Config {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{MaxAuthTries: s.tries}
	config.AddHostKey(signer)
	check := func(given string) (*ssh.Permissions, error) {
		if given != password {
			return nil, errors.New("no")
		}
		return nil, nil
	}
	if s.passwords {
		config.PasswordCallback = func(_ ssh.ConnMetadata, given []byte) (*ssh.Permissions, error) { return check(string(given)) }
	} else {
		config.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			answers, err := ask("", "", []string{"Password: "}, []bool{false})
			if err != nil || len(answers) != 1 {
				return nil, errors.New("no answer")
			}
			return check(answers[0])
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.serve(conn, config) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return sftpnet.Config{
		Addr: l.Addr().String(), User: "molar", Password: []byte(password), HostKey: ssh.FingerprintSHA256(signer.PublicKey()),
		AllowPrivate: true, Outbox: "/outbox", Inbox: "/inbox",
	}
}

func (s ownServer) serve(conn net.Conn, config *ssh.ServerConfig) {
	defer func() { _ = conn.Close() }()
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for c := range channels {
		channel, requests, err := c.Accept()
		if err != nil {
			return
		}
		go func() {
			for r := range requests {
				_ = r.Reply(r.Type == "subsystem", nil)
			}
		}()
		handlers := sftp.Handlers{FileGet: s, FilePut: s, FileCmd: s, FileList: s}
		if d := s.files; d != nil {
			handlers = sftp.Handlers{FileGet: d, FilePut: d, FileCmd: d, FileList: d}
		}
		if s.handlers != nil {
			handlers = *s.handlers
		}
		server := sftp.NewRequestServer(channel, handlers)
		_ = server.Serve()
		_ = channel.Close()
	}
}

func (ownServer) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	return strings.NewReader("content of " + r.Filepath), nil
}
func (ownServer) Filewrite(*sftp.Request) (io.WriterAt, error) { return nil, os.ErrPermission }
func (ownServer) Filecmd(*sftp.Request) error                  { return os.ErrPermission }

func (s ownServer) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	if r.Method == "List" {
		return listing(s.names), nil
	}
	return listing(func(i int64) string { return map[int64]string{0: r.Filepath}[i] }), nil
}

// listing is the files with the names, up to an empty one.
type listing func(i int64) string

func (l listing) ListAt(to []fs.FileInfo, at int64) (n int, err error) {
	for ; n < len(to); n++ {
		name := l(at + int64(n))
		if name == "" {
			return n, io.EOF
		}
		to[n] = entry(name)
	}
	return n, nil
}

type entry string

func (e entry) Name() string     { return string(e) }
func (entry) Size() int64        { return 19 }
func (entry) Mode() fs.FileMode  { return 0o644 }
func (entry) ModTime() time.Time { return time.Unix(1_700_000_000, 0) }
func (entry) IsDir() bool        { return false }
func (entry) Sys() any           { return nil }

// TestPassword signs in with a password, in both ways in which servers ask for it. A
// server may disconnect a client whose password is wrong.
func TestPassword(t *testing.T) {
	t.Parallel()
	for _, s := range []ownServer{{passwords: true}, {passwords: false}, {passwords: true, tries: 1}, {passwords: false, tries: 1}} {
		s.names = func(int64) string { return "" }
		c := s.start(t)
		for given, want := range map[string]bool{password: true, "wrong": false} {
			c.Password = []byte(given)
			n, err := sftpnet.New(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := n.List(t.Context()); want != (err == nil) || !want && !errors.Is(err, network.ErrUnauthorized) {
				t.Errorf("with the method password: %t, %d tries, given %q: %v", s.passwords, s.tries, given, err)
			}
			_ = n.Close()
		}
	}
}

// TestHostileListing lists names that lead out of the folder.
func TestHostileListing(t *testing.T) {
	t.Parallel()
	names := []string{"../x", "/etc/passwd", "..", ".", "../..", "a/../b", "/"}
	c := ownServer{passwords: true, names: func(i int64) string {
		if i >= int64(len(names)) {
			return ""
		}
		return names[i]
	}}.start(t)
	c.Times.Settle = time.Nanosecond
	n, err := sftpnet.New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = n.Close() }()
	if _, err := n.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := (&networktest.Folder{Inbox: n}).Receive(t.Context(), 100)
	var got []string
	for _, f := range files {
		got = append(got, f.Name)
		if strings.Contains(string(f.Content), "..") || !strings.HasPrefix(string(f.Content), "content of /inbox/") {
			t.Errorf("%q has the content %q", f.Name, f.Content)
		}
	}
	if slices.ContainsFunc(got, func(name string) bool { return strings.Contains(name, "/") }) {
		t.Errorf("received %q, %v", got, err)
	}
}

// TestEndlessListing ends a listing that has no end.
func TestEndlessListing(t *testing.T) {
	t.Parallel()
	c := ownServer{passwords: true, names: func(i int64) string { return fmt.Sprint(strings.Repeat("x", 200), i) }}.start(t)
	c.Times.Step = 5 * time.Minute
	n, err := sftpnet.New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = n.Close() }()
	_, err = n.List(t.Context())
	wantReason(t, "an endless listing", err, network.ReasonProtocol)
}
