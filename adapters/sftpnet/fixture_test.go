package sftpnet_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/networktest"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) {
	if settings := os.Getenv(workerEnv); settings != "" {
		fmt.Fprintln(os.Stderr, work(settings))
		os.Exit(1)
	}
	goleak.VerifyTestMain(testservers.Main(m))
}

// account is an account on a real sshd, with the folders as the clearinghouse sees them.
type account struct {
	t      *testing.T
	server *testservers.SSHServer
	config sftpnet.Config
	clock  *porttest.Clock

	outbox, inbox, archive string // local

	mu    sync.Mutex
	took  map[string]int // how often the clearinghouse picked up each name
	sizes map[string]int // of files that go up under their own names
}

var accounts struct {
	sync.Mutex
	n int
}

// newAccount makes the folders of an account on the server.
func newAccount(t *testing.T, server *testservers.SSHServer) *account {
	t.Helper()
	accounts.Lock()
	accounts.n++
	id := accounts.n
	accounts.Unlock()
	a := &account{t: t, server: server, clock: porttest.At(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), 0), took: map[string]int{}, sizes: map[string]int{}}
	a.config = sftpnet.Config{
		Addr: server.Addr(), User: server.User, Key: server.Key, HostKey: server.HostKey, AllowPrivate: true, After: sftpnet.AfterDelete,
		Times: sftpnet.Times{Connect: 5 * time.Minute, Step: 5 * time.Minute},
	}
	a.config.Outbox, a.outbox = server.Folder(fmt.Sprint("outbox", id))
	a.config.Inbox, a.inbox = server.Folder(fmt.Sprint("inbox", id))
	a.config.Archive, a.archive = server.Folder(fmt.Sprint("archive", id))
	return a
}

// open returns an instance that ends with the test.
func (a *account) open(change ...func(*sftpnet.Config)) *sftpnet.Clearinghouse {
	a.t.Helper()
	c := a.config
	for _, f := range change {
		f(&c)
	}
	n, err := sftpnet.New(c)
	if err != nil {
		a.t.Fatal(err)
	}
	n.SetClock(a.clock.Now)
	a.t.Cleanup(func() { _ = n.Close() })
	return n
}

// interchange returns an interchange of a size.
func interchange(size int) []byte {
	isa := "ISA*00*          *00*          *ZZ*HOUSE          *ZZ*MOLAR          *260304*0506*^*00501*000000001*0*T*:~"
	middle := "GS*FA*HOUSE*MOLAR*20260304*0506*1*X*005010X231A1~"
	end := "IEA*1*000000001~\n"
	return []byte(isa + middle + strings.Repeat("N", max(0, size-len(isa)-len(middle)-len(end)-1)) + "~" + end)
}

// put puts a file into the inbox.
func (a *account) put(name string, content []byte) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(a.inbox, name), content, 0o644); err != nil {
		a.t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(a.inbox, name), 0o666); err != nil {
		a.t.Fatal(err)
	}
}

// expect keeps the clearinghouse from picking up a part of a file.
func (a *account) expect(name string, content []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sizes[name] = len(content)
}

// pickUp takes all files from the outbox, and puts a reply to each into the inbox.
func (a *account) pickUp() {
	a.t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range a.in(a.outbox) {
		content, err := os.ReadFile(filepath.Join(a.outbox, name))
		if err != nil {
			a.t.Fatal(err)
		}
		if strings.HasPrefix(name, sftpnet.DefaultTempPrefix) || len(content) < a.sizes[name] {
			continue
		}
		if err := os.Remove(filepath.Join(a.outbox, name)); err != nil {
			a.t.Fatal(err)
		}
		a.took[name]++
		a.put(fmt.Sprintf("%s.%d.999", name, a.took[name]), interchange(300+a.took[name]))
	}
}

// in lists the names in a folder.
func (a *account) in(folder string) (names []string) {
	a.t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// folder returns an instance whose files come as replies.
func (a *account) folder() ports.Clearinghouse {
	a.t.Helper()
	n := a.open()
	return struct {
		ports.Sender
		ports.Replies
	}{n, &networktest.Folder{Inbox: n}}
}

// receive looks twice and returns what came, by name.
func (a *account) receive(n *sftpnet.Clearinghouse) (map[string]string, error) {
	a.t.Helper()
	if _, err := n.List(a.t.Context()); err != nil {
		return nil, err
	}
	a.clock.Advance(time.Minute)
	files, err := (&networktest.Folder{Inbox: n}).Receive(a.t.Context(), 100)
	got := map[string]string{}
	for _, f := range files {
		got[f.Name] = string(f.Content)
	}
	return got, err
}

// listed returns a file of the inbox.
func (a *account) listed(n *sftpnet.Clearinghouse, name string) clearing.RemoteFile {
	a.t.Helper()
	there, err := n.List(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	for _, f := range there {
		if f.Name == name {
			return f
		}
	}
	return clearing.RemoteFile{Name: name}
}

// sender is the caller's part of Send for one file.
type sender struct {
	file  clearing.OutgoingFile
	token string
}

func newSender(name string, size int) *sender {
	return &sender{file: clearing.OutgoingFile{Name: name, Content: interchange(size)}}
}

func (s *sender) send(t *testing.T, n *sftpnet.Clearinghouse) error {
	t.Helper()
	f := s.file
	f.Token = s.token
	return n.Send(t.Context(), f, s.mark)
}

// proxy is a TCP proxy that counts, cuts and hangs.
type proxy struct {
	listener net.Listener
	to       string
	all      sync.WaitGroup

	mu       sync.Mutex
	conns    []net.Conn
	up, down int64 // bytes since the last change
	fault    fault
}

// fault is what a proxy does after some bytes in one direction.
type fault struct {
	up, down int64  // the number of bytes; zero for no fault in the direction
	hang     bool   // it passes nothing on, rather than cutting the connection
	calls    int    // of uploads, after which a deviant server does then
	then     func() // runs once instead
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: to}
	p.all.Go(p.serve)
	t.Cleanup(func() {
		_ = l.Close()
		p.set(fault{})
		p.cut()
		p.all.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

func (p *proxy) serve() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, near, far)
		p.mu.Unlock()
		p.all.Go(func() { p.pass(near, far, true) })
		p.all.Go(func() { p.pass(far, near, false) })
	}
}

// set sets the fault of the next connections and counts from zero. It ends the present
// ones.
func (p *proxy) set(f fault) {
	p.cut()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.up, p.down = f, 0, 0
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

func (p *proxy) counts() (up, down int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.up, p.down
}

// allowed counts bytes, and returns how many of them may pass, and whether the fault has
// come.
func (p *proxy) allowed(n int, up bool) (pass int, f *fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	count, limit := &p.down, p.fault.down
	if up {
		count, limit = &p.up, p.fault.up
	}
	before := *count
	*count += int64(n)
	if limit == 0 || *count < limit {
		return n, nil
	}
	was := p.fault
	if was.then != nil {
		p.fault = fault{}
		return n, &was
	}
	return int(max(0, limit-before)), &was
}

var errCut = errors.New("cut")

func (p *proxy) pass(from, to net.Conn, up bool) {
	defer func() { _ = from.Close(); _ = to.Close() }()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		pass, f := p.allowed(n, up)
		if f != nil && f.then != nil {
			f.then()
			f = nil
		}
		if _, e := to.Write(b[:pass]); e != nil {
			err = e
		}
		switch {
		case f != nil && f.hang:
			_, _ = io.Copy(io.Discard, from) // until it is cut
			return
		case f != nil:
			err = errCut
		}
		if err != nil {
			return
		}
	}
}

// mark stores the token, as the store does.
func (s *sender) mark(_ context.Context, token string) error {
	s.token = token
	return nil
}
