package pglocal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// paths holds the paths of a cluster's files and folders.
type paths struct {
	dir, data, log, password, socket string
	owner                            owner
}

// maxSocket leaves space for the name of the socket within the 107 bytes of a
// socket's address.
const maxSocket = 85

// prepare creates the folders.
func prepare(dir string) (paths, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return paths{}, fmt.Errorf("database folder: %w", err)
	}
	who, err := serverUser()
	if err != nil {
		return paths{}, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return paths{}, fmt.Errorf("database folder: %w", err)
	}
	if err := who.reach(dir); err != nil {
		return paths{}, err
	}
	p := paths{
		dir: dir, data: filepath.Join(dir, "data"), log: filepath.Join(dir, "log"),
		password: filepath.Join(dir, "password"), socket: filepath.Join(dir, "sock"), owner: who,
	}
	if len(p.socket) > maxSocket {
		sum := sha256.Sum256([]byte(dir))
		p.socket = filepath.Join("/tmp", "molar-"+hex.EncodeToString(sum[:8]))
	}
	return p, p.makeSocketFolder()
}

// makeSocketFolder creates a folder that only the server's user can enter. It rejects
// an existing folder that others can enter, because any user can create one in
// /tmp.
func (p paths) makeSocketFolder() error {
	if err := os.Mkdir(p.socket, 0o700); err == nil {
		return p.owner.chown(p.socket)
	} else if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("socket folder: %w", err)
	}
	info, err := os.Lstat(p.socket)
	if err != nil {
		return fmt.Errorf("socket folder: %w", err)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || st.Uid != p.owner.uid || info.Mode().Perm() != 0o700 {
		return fmt.Errorf("socket folder %s belongs to another user or is open to others: remove it", p.socket)
	}
	return nil
}

var errHeld = errors.New("another process runs the database")

// hold locks the cluster for this process. The lock ends with the process, because the
// server does not inherit it.
func (p paths) hold() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(p.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the database folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%w in %s: stop it, or use another folder", errHeld, p.dir)
	}
	return f, nil
}

// release unlocks the cluster. Closing the file alone does not, while a child that has
// just been forked still has it.
func release(lock *os.File) {
	_ = syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	_ = lock.Close()
}

// clusterVersion returns the major version that created the cluster, or an
// empty string when there is none.
func (p paths) clusterVersion() string {
	b, err := os.ReadFile(filepath.Join(p.data, "PG_VERSION"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// state is the content of postmaster.pid.
type state struct {
	pid     int
	socket  string
	tcpPort int // 0 without TCP
	ready   bool
}

// state reads postmaster.pid: pid, data folder, start time, port, socket
// folder, address, shared memory, status.
func (p paths) state() (state, error) {
	b, err := os.ReadFile(filepath.Join(p.data, "postmaster.pid"))
	if err != nil {
		return state{}, err
	}
	line := append(strings.Split(string(b), "\n"), make([]string, 8)...)
	s := state{socket: strings.TrimSpace(line[4]), ready: strings.TrimSpace(line[7]) == "ready"}
	if s.pid, err = strconv.Atoi(strings.TrimSpace(line[0])); err != nil {
		return state{}, fmt.Errorf("read postmaster.pid: %w", err)
	}
	if strings.TrimSpace(line[5]) != "" {
		s.tcpPort, err = strconv.Atoi(strings.TrimSpace(line[3]))
	}
	return s, err
}

// running finds the server that an earlier process left running. If that server is
// gone, running removes its postmaster.pid. Otherwise PostgreSQL would not start if
// another process had reused the server's process ID.
func (p paths) running() (state, bool) {
	s, err := p.state()
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, false
	}
	if err == nil && p.isServer(s.pid) {
		return s, true
	}
	_ = os.Remove(filepath.Join(p.data, "postmaster.pid"))
	return state{}, false
}

// runningElsewhere finds the server of the process that holds the cluster,
// after hold failed with err.
func (p paths) runningElsewhere(err error) (state, bool) {
	if !errors.Is(err, errHeld) {
		return state{}, false
	}
	s, err := p.state()
	return s, err == nil && s.ready && p.isServer(s.pid)
}

// isServer reports whether the process is the server of this cluster: a
// server's working folder is its cluster. Without /proc, any live process
// counts.
func (p paths) isServer(pid int) bool {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		return true
	}
	cwd, err := os.Stat("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return false
	}
	data, err := os.Stat(p.data)
	return err == nil && os.SameFile(cwd, data)
}

// lastWords returns the end of the server's log.
func (p paths) lastWords() string {
	b, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-4):], " | ")
}
