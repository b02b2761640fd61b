package testservers

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// program is a server that runs from programs on the machine. Its folder holds
// everything that the server writes: data/, log and whatever prepare makes.
type program struct {
	name    string
	base    string              // parent of its folder; the temporary folder when empty
	as      *syscall.Credential // nil for the user who runs the tests
	scheme  string              // format of the URL, with one verb for the address
	quit    syscall.Signal      // signal that stops the server and its children at once
	prepare func(ctx context.Context, p *program) error
	command func(p *program) *exec.Cmd
	control func(ctx context.Context, p *program, command []string) *exec.Cmd // nil when the server has no commands
	ready   func(ctx context.Context, url string) error

	dir   string
	ports [3]int // the server's own, and two for its helpers
	up    bool   // whether the server has ever responded
	child *child
}

func (p *program) url() string     { return fmt.Sprintf(p.scheme, p.addr()) }
func (p *program) addr() string    { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.ports[0])) }
func (p *program) data() string    { return filepath.Join(p.dir, "data") }
func (p *program) logFile() string { return filepath.Join(p.dir, "log") }

// start starts the server again and again until it responds. Two failures pass:
// the children of a killed PostgreSQL keep its data locked for a moment, and
// another process may take a free port.
func (p *program) start(ctx context.Context) error {
	if err := p.makeDir(); err != nil {
		return err
	}
	for {
		if !p.up {
			if err := p.choosePorts(); err != nil {
				return err
			}
		}
		if err := p.launch(ctx); err != nil {
			return err
		}
		exited, err := p.waitReady(ctx)
		if err == nil {
			p.up = true
			return nil
		}
		p.child.kill()
		if !exited || ctx.Err() != nil {
			return fmt.Errorf("start %s: %w\n%s", p.name, err, p.logTail())
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("start %s: it ends at once\n%s", p.name, p.logTail())
		}
	}
}

func (p *program) makeDir() error {
	if p.dir != "" {
		return nil
	}
	base := cmp.Or(p.base, os.TempDir())
	if p.as != nil && !reachable(base) {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "molar-"+p.name+"-")
	if err != nil {
		return err
	}
	p.dir = dir
	return p.give(dir)
}

// give changes the owner of a file or folder to the server's user.
func (p *program) give(name string) error {
	if p.as == nil {
		return nil
	}
	return os.Chown(name, int(p.as.Uid), int(p.as.Gid))
}

func (p *program) choosePorts() (err error) {
	for i := range p.ports {
		if p.ports[i], err = FreePort(); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) launch(ctx context.Context) error {
	if _, err := os.Stat(p.data()); errors.Is(err, os.ErrNotExist) {
		if err := p.prepare(ctx, p); err != nil {
			return fmt.Errorf("prepare %s: %w", p.name, err)
		}
	}
	log, err := os.OpenFile(p.logFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := p.command(p)
	cmd.Stdout, cmd.Stderr = log, log
	p.demote(cmd)
	p.child, err = startChild(cmd, p.dir)
	return err
}

// pause stops or continues the server's processes. On a busy machine a stop takes
// effect some time after the signal, so it waits for the first process.
func (p *program) pause(_ context.Context, paused bool) error {
	pid := p.child.cmd.Process.Pid
	if !paused {
		return syscall.Kill(-pid, syscall.SIGCONT)
	}
	if err := syscall.Kill(-pid, syscall.SIGSTOP); err != nil {
		return err
	}
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		switch {
		case err == nil && status.Stopped():
			return nil
		case err == nil:
			return fmt.Errorf("%s ended instead", p.name)
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}

// demote makes a command run in the server's folder, as the server's user.
func (p *program) demote(cmd *exec.Cmd) {
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.as}
}

// output runs one of the server's commands to its end.
func (p *program) output(cmd *exec.Cmd) error {
	p.demote(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}

// waitReady waits until the server responds. exited reports that the server
// ended instead.
func (p *program) waitReady(ctx context.Context) (exited bool, err error) {
	for {
		try, cancel := context.WithTimeout(ctx, 30*time.Second)
		err := p.ready(try, p.url())
		cancel()
		if err == nil {
			return false, nil
		}
		select {
		case <-p.child.done:
			return true, err
		case <-ctx.Done():
			return false, err
		case <-time.After(25 * time.Millisecond):
		}
	}
}

func (p *program) kill(context.Context) error {
	if p.child != nil {
		p.child.kill()
	}
	return nil
}

// wipe deletes the data. It moves the data away first, because processes of a
// killed server may still write to it.
func (p *program) wipe(context.Context) error {
	away := p.data() + "-" + rand.Text()
	if err := os.Rename(p.data(), away); err != nil {
		return err
	}
	return os.RemoveAll(away)
}

func (p *program) run(ctx context.Context, command ...string) error {
	return p.output(p.control(ctx, p, command))
}

func (p *program) close() {
	if p.child != nil {
		p.child.stop(p.quit)
	}
	_ = os.RemoveAll(p.dir)
}

// logTail returns the end of the server's log, for a failure message.
func (p *program) logTail() []byte {
	b, _ := os.ReadFile(p.logFile())
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-20):], []byte("\n"))
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// given has the ports that FreePort returned: no two parts of a test get the same one.
//
//nolint:gochecknoglobals // as the machine's ports
var given sync.Map

// FreePort returns a port on which no program listens. It is below the range
// from which Linux and macOS choose source ports. Otherwise a client that
// connects while the server is down could sooner or later occupy the server's
// port.
func FreePort() (int, error) {
	for range 1000 {
		n, err := rand.Int(rand.Reader, big.NewInt(12000))
		if err != nil {
			return 0, err
		}
		port := 20000 + int(n.Int64())
		if _, taken := given.LoadOrStore(port, true); taken {
			continue
		}
		l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no free port between 20000 and 32000")
}

// lesser returns the user that runs a server when root runs the tests: the
// first of the names that the machine has. PostgreSQL refuses to run as root.
func lesser(names ...string) *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32)
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return nil
}

// reachable reports whether every user may enter the folder.
func reachable(dir string) bool {
	for {
		info, err := os.Stat(dir)
		if err != nil || info.Mode()&1 == 0 {
			return false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return true
		}
		dir = parent
	}
}

// find returns the newest version that matches the first pattern with any match.
// Without a match, it looks for the program on PATH.
func find(name string, patterns ...string) (string, bool) {
	for _, pattern := range patterns {
		if hits, _ := filepath.Glob(pattern); len(hits) > 0 {
			return slices.MaxFunc(hits, func(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }), true
		}
	}
	path, err := exec.LookPath(name)
	return path, err == nil
}

var digits = regexp.MustCompile("[0-9]+")

// numbers returns the numbers in a path, such as those of a version.
func numbers(path string) (all []int) {
	for _, s := range digits.FindAllString(path, -1) {
		n, _ := strconv.Atoi(s)
		all = append(all, n)
	}
	return all
}
