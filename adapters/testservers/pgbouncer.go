package testservers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// StartPgBouncer starts a private PgBouncer in session mode in front of the server of
// the addresses, which ends with the test. It returns the addresses through it. Its
// other settings are the defaults. It knows only the users of the addresses.
func StartPgBouncer(tb testing.TB, addresses ...string) []string {
	tb.Helper()
	bouncer, ok := find("pgbouncer", "/usr/sbin/pgbouncer")
	if !ok {
		tb.Fatal("testservers: no PgBouncer here: install it (Debian: apt-get install pgbouncer)")
	}
	p, err := bouncerProgram(bouncer, addresses)
	if err != nil {
		tb.Fatalf("testservers: %v", err)
	}
	ctx, cancel := lasting(tb)
	defer cancel()
	if err := p.start(ctx); err != nil {
		p.close()
		tb.Fatalf("testservers: %v", err)
	}
	tb.Cleanup(p.close)
	through := make([]string, len(addresses))
	for i, a := range addresses {
		u, _ := url.Parse(a) // bouncerProgram has read it
		u.Host = p.addr()
		through[i] = u.String()
	}
	return through
}

func bouncerProgram(bouncer string, addresses []string) (*program, error) {
	var users strings.Builder
	var first *url.URL
	for _, a := range addresses {
		u, err := url.Parse(a)
		if err != nil || u.Hostname() == "" || u.User == nil {
			return nil, errors.New("an address in front of which PgBouncer stands has a host and a user")
		}
		password, _ := u.User.Password()
		fmt.Fprintf(&users, "%q %q\n", u.User.Username(), password)
		if first == nil {
			first = u
		}
	}
	if first == nil {
		return nil, errors.New("PgBouncer stands in front of at least one address")
	}
	ping := *first
	ping.Host = "%s"
	return &program{
		name:   "pgbouncer",
		as:     lesser("postgres", "nobody"),
		scheme: strings.Replace(ping.String(), "%25s", "%s", 1),
		quit:   syscall.SIGKILL,
		ready:  pingPostgres,
		prepare: func(_ context.Context, p *program) error { // each time, because there is no data: the port may have changed
			config := fmt.Sprintf("[databases]\n* = host=%s port=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\n"+
				"auth_type = trust\nauth_file = %s\npool_mode = session\n", first.Hostname(), first.Port(), p.ports[0], filepath.Join(p.dir, "users"))
			for name, content := range map[string]string{"users": users.String(), "config": config} {
				path := filepath.Join(p.dir, name)
				if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), p.give(path)); err != nil {
					return err
				}
			}
			return nil
		},
		command: func(p *program) *exec.Cmd {
			return exec.Command(bouncer, filepath.Join(p.dir, "config"))
		},
	}, nil
}
