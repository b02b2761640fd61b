package testservers

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// child is a running server in its own process group. A guard process beside it
// kills the group when the test binary dies, for whatever reason.
type child struct {
	cmd   *exec.Cmd
	done  chan struct{} // closed when the server's first process has ended
	alive *os.File      // reads to the end when every process of the server has ended
	guard *exec.Cmd
	leash io.WriteCloser // the guard's standard input: a line dismisses the guard, EOF makes it kill
}

// guardScript waits for the end of the test binary. The kernel's parent-death
// signal is no substitute. It reaches only the first process of a server, and
// it fires when the thread that made the process ends.
const guardScript = `read -r bye && exit; kill -s KILL -- "-$1"; sleep 1; rm -rf -- "$2"`

func startChild(cmd *exec.Cmd, dir string) (*child, error) {
	alive, held, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = held.Close() }()
	cmd.SysProcAttr.Setpgid = true
	cmd.ExtraFiles = []*os.File{held}
	if err := cmd.Start(); err != nil {
		_ = alive.Close()
		return nil, err
	}
	c := &child{cmd: cmd, done: make(chan struct{}), alive: alive}
	go func() {
		_ = cmd.Wait() // the log shows how the server ended
		close(c.done)
	}()
	c.guard = exec.Command("/bin/sh", "-c", guardScript, "guard", strconv.Itoa(cmd.Process.Pid), dir)
	c.guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	leash, err := c.guard.StdinPipe()
	if err == nil {
		c.leash = leash
		err = c.guard.Start()
	}
	if err != nil {
		c.guard = nil
		c.kill()
		return nil, err
	}
	return c, nil
}

// kill kills the process group and dismisses the guard. It also waits for
// processes outside the group, such as PostgreSQL's backends, to end. A second
// call is harmless.
func (c *child) kill() {
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // fails only when all are gone
	<-c.done
	_ = c.alive.SetReadDeadline(time.Now().Add(time.Minute))
	_, _ = c.alive.Read(make([]byte, 1))
	_ = c.alive.Close()
	if c.guard != nil {
		_, _ = io.WriteString(c.leash, "bye\n")
		_ = c.guard.Wait()
		c.guard = nil
	}
}

// stop asks the server to end, and after a minute kills what is left.
func (c *child) stop(quit syscall.Signal) {
	_ = c.cmd.Process.Signal(quit)
	select {
	case <-c.done:
	case <-time.After(time.Minute):
	}
	c.kill()
}
