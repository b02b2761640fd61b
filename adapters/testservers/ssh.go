package testservers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// SSHServer is OpenSSH's sshd with its internal SFTP server, for one user. As root it
// confines the user to a folder.
type SSHServer struct {
	server

	User       string
	Key        []byte // the user's private key
	HostKey    string // a line of known_hosts, of its Ed25519 key
	HostKeyRSA string // the same for its RSA key

	program *program
}

// StartSSH starts a private SSH server, which ends with the test.
func StartSSH(tb testing.TB) *SSHServer {
	tb.Helper()
	sshd, ok := find("sshd", "/usr/sbin/sshd")
	keygen, okKeygen := find("ssh-keygen")
	if !ok || !okKeygen {
		tb.Fatal("testservers: no OpenSSH here: install it (Debian: apt-get install openssh-server openssh-client)")
	}
	s := &SSHServer{User: "nobody"}
	if os.Getuid() != 0 {
		me, err := user.Current()
		if err != nil {
			tb.Fatalf("testservers: %v", err)
		}
		s.User = me.Username
	}
	s.program = sshProgram(sshd, keygen)
	s.server = server{tb: tb, m: s.program}
	ctx, cancel := lasting(tb)
	defer cancel()
	if err := s.program.start(ctx); err != nil {
		s.program.close()
		tb.Fatalf("testservers: %v", err)
	}
	tb.Cleanup(s.program.close)
	s.Key, s.HostKey, s.HostKeyRSA = s.file("user_ed25519"), s.knownHost("host_ed25519.pub"), s.knownHost("host_rsa.pub")
	return s
}

func (s *SSHServer) file(name string) []byte {
	content, err := os.ReadFile(filepath.Join(s.program.dir, name))
	if err != nil {
		s.tb.Fatalf("testservers: %v", err)
	}
	return content
}

func (s *SSHServer) knownHost(name string) string {
	return fmt.Sprintf("[127.0.0.1]:%d %s", s.program.ports[0], strings.TrimSpace(string(s.file(name))))
}

// Addr returns the server's address.
func (s *SSHServer) Addr() string { return s.program.addr() }

// Folder makes a folder that the user may write, and returns its path for the user and
// on this machine.
func (s *SSHServer) Folder(name string) (remote, local string) {
	s.tb.Helper()
	local = filepath.Join(s.program.data(), name)
	if err := os.Mkdir(local, 0o700); err != nil {
		s.tb.Fatal(err)
	}
	if err := os.Chmod(local, 0o777); err != nil {
		s.tb.Fatal(err)
	}
	if os.Getuid() != 0 {
		return local, local
	}
	return path.Join("/", name), local
}

func sshProgram(sshd, keygen string) *program {
	p := &program{
		name: "ssh", scheme: "%s", quit: syscall.SIGKILL, ready: pingSSH,
		prepare: func(ctx context.Context, p *program) error { return prepareSSH(ctx, p, keygen) },
		command: func(p *program) *exec.Cmd {
			args := []string{"-D", "-e", "-f", filepath.Join(p.dir, "config"), "-p", strconv.Itoa(p.ports[0])}
			return exec.Command(sshd, args...)
		},
	}
	if os.Getuid() == 0 {
		p.base = "/run" // no folder above a confined user's may be writable for others
	}
	return p
}

// prepareSSH makes the keys, the configuration and the user's folder. The RSA key has
// 2048 bits, because keys of the default of 3072 took half of the time of the tests. An
// Ed25519 key has but one size.
func prepareSSH(ctx context.Context, p *program, keygen string) error {
	in := func(name string) string { return filepath.Join(p.dir, name) }
	for _, key := range []string{"host_ed25519", "host_rsa", "user_ed25519"} {
		_, kind, _ := strings.Cut(key, "_")
		if err := p.output(exec.CommandContext(ctx, keygen, "-q", "-t", kind, "-b", "2048", "-N", "", "-f", in(key))); err != nil {
			return err
		}
	}
	config := "ListenAddress 127.0.0.1\nHostKey " + in("host_ed25519") + "\nHostKey " + in("host_rsa") +
		"\nAuthorizedKeysFile " + in("user_ed25519.pub") + "\nPasswordAuthentication yes\nUsePAM no\nStrictModes no\nPidFile none\n" +
		"PermitUserRC no\nMaxStartups 1000\nUseDNS no\nSubsystem sftp internal-sftp\nForceCommand internal-sftp\n"
	if os.Getuid() == 0 {
		config += "ChrootDirectory " + p.data() + "\n"
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return err
		}
		if err := os.Chmod(p.dir, 0o711); err != nil {
			return err
		}
	}
	if err := os.WriteFile(in("config"), []byte(config), 0o600); err != nil {
		return err
	}
	return os.Mkdir(p.data(), 0o755)
}

// pingSSH reads the server's first line.
func pingSSH(ctx context.Context, addr string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	first := make([]byte, 4)
	if _, err := io.ReadFull(conn, first); err != nil || string(first) != "SSH-" {
		return errors.Join(errors.New("no SSH server"), err)
	}
	return nil
}
