package pglocal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// ErrNoPostgres is the error of a machine without PostgreSQL.
var ErrNoPostgres = errors.New("PostgreSQL is not installed on this machine: install it (on Debian and Ubuntu: sudo apt-get install postgresql), or give the address of a server (postgres://...)")

// binaries returns the folder of initdb and postgres. For an existing cluster, it is
// the folder of the cluster's version. For a new cluster, it is the folder on PATH,
// or else that of the newest version.
func binaries(version string) (string, error) {
	var found []string
	if name, err := exec.LookPath("postgres"); err == nil {
		if resolved, err := filepath.EvalSymlinks(name); err == nil {
			found = append(found, filepath.Dir(resolved))
		}
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin"} {
		dirs, _ := filepath.Glob(pattern) // fails only for a malformed pattern
		slices.SortFunc(dirs, func(a, b string) int { return number(b) - number(a) })
		found = append(found, dirs...)
	}
	for _, dir := range found {
		if has(dir, "postgres") && has(dir, "initdb") && (version == "" || majorOf(dir) == version) {
			return dir, nil
		}
	}
	if version != "" && len(found) > 0 {
		return "", fmt.Errorf("the cluster was created by PostgreSQL %s, which is not installed on this machine: install it (apt-get install postgresql-%s)", version, version)
	}
	return "", ErrNoPostgres
}

func has(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// number returns the digits of a path as one number, to compare versions.
func number(path string) int {
	n, _ := strconv.Atoi(strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, path))
	return n
}

// majorOf returns the major version of the binaries.
func majorOf(dir string) string {
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output() //nolint:noctx // a program of PostgreSQL that answers at once
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(out), ") ")
	major, _, _ := strings.Cut(strings.TrimSpace(after), ".")
	return major
}

// owner is the user that the server runs as.
type owner struct {
	name     string
	uid, gid uint32
	become   bool // this process is root, and the server must not be
	passes   bool // folders in its path are closed to the user
}

func serverUser() (owner, error) {
	if os.Geteuid() != 0 {
		return owner{uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}, nil //nolint:gosec // G115: IDs fit
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return owner{name: name, uid: uint32(uid), gid: uint32(gid), become: true}, nil
		}
	}
	return owner{}, errors.New("PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody: start Molar as another user")
}

// apply makes a command run as the owner, in a folder that the owner can enter. The
// command gets its own process group, so that it does not receive Ctrl-C.
func (o owner) apply(cmd *exec.Cmd, dir string) {
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if o.become {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: o.uid, Gid: o.gid}
		if o.passes {
			cmd.Dir = "/" // the child may pass only after it has changed its user
			letPass(cmd.SysProcAttr)
		}
		cmd.Env = append(os.Environ(), "HOME="+dir, "USER="+o.name, "LOGNAME="+o.name)
	}
}

// chown changes the owner of a file or folder.
func (o owner) chown(path string) error {
	if !o.become {
		return nil
	}
	if err := os.Lchown(path, int(o.uid), int(o.gid)); err != nil {
		return fmt.Errorf("change the owner of %s to %s: %w", path, o.name, err)
	}
	return nil
}

// reach makes sure that the owner can enter every folder up to dir. If one is
// closed, such as root's home or a new temporary folder, the server may pass closed
// folders. It gets no other right of root.
func (o *owner) reach(dir string) error {
	if !o.become {
		return nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return fmt.Errorf("database folder: %w", err)
		}
		if !o.enters(info) {
			if o.passes = canLetPass(); o.passes {
				return nil
			}
			return fmt.Errorf("PostgreSQL does not run as root but as %s, who cannot enter %s: choose another folder, such as local:/var/lib/molar, "+
				"or let others pass (chmod o+x %s)", o.name, at, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

func (o owner) enters(folder os.FileInfo) bool {
	mode := folder.Mode().Perm()
	st, ok := folder.Sys().(*syscall.Stat_t)
	return !ok || mode&0o001 != 0 || st.Uid == o.uid && mode&0o100 != 0 || st.Gid == o.gid && mode&0o010 != 0
}
