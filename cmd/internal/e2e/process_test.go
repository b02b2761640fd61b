package e2e_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a command under test. Its output is kept.
type process struct {
	tb   testing.TB
	name string
	env  []string
	args []string

	mu     sync.Mutex
	output *bytes.Buffer
	cmd    *exec.Cmd
	done   chan struct{}
}

// lockedWriter lets a test read what a process writes while it writes.
type lockedWriter struct{ p *process }

func (w lockedWriter) Write(b []byte) (int, error) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	return w.p.output.Write(b)
}

func newProcess(tb testing.TB, name string, env []string, args ...string) *process {
	tb.Helper()
	return newProcessOf(tb, binaries(tb), name, env, args...)
}

// newProcessOf returns a process of a command in a folder.
func newProcessOf(tb testing.TB, dir, name string, env []string, args ...string) *process {
	tb.Helper()
	p := &process{tb: tb, name: filepath.Join(dir, name), env: env, args: args, output: &bytes.Buffer{}}
	tb.Cleanup(func() {
		p.kill()
		if tb.Failed() {
			tb.Logf("output of %s:\n%s", name, tail(p.log(), 8000))
		}
	})
	return p
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// start starts the process; its standard output goes to stdout.
func (p *process) start(stdout io.Writer) {
	p.tb.Helper()
	p.cmd = exec.Command(p.name, p.args...)
	p.cmd.Env = append(os.Environ(), p.env...)
	p.cmd.Stdout, p.cmd.Stderr = stdout, lockedWriter{p}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		p.tb.Fatal(err)
	}
	p.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) { _ = cmd.Wait(); close(done) }(p.cmd, p.done)
}

// kill is kill -9.
func (p *process) kill() {
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(syscall.SIGKILL)
		<-p.done
	}
}

// stop is SIGTERM; it returns the exit code.
func (p *process) stop() int {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.done
	return p.cmd.ProcessState.ExitCode()
}

// readLine returns the first line that a process prints.
func readLine(tb testing.TB, p *process) string {
	tb.Helper()
	r, w := io.Pipe()
	lines := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(r).ReadString('\n')
		lines <- line
		_, _ = io.Copy(io.Discard, r)
	}()
	p.start(w)
	select {
	case line := <-lines:
		return line
	case <-time.After(patience):
		tb.Fatal("nothing was printed")
		return ""
	}
}
