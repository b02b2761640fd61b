// Package pglocal runs a private PostgreSQL cluster in a folder, with the
// machine's binaries. In a database URL it is `local:DIR`.
//
// The folder holds
//
//	data/     the cluster
//	log       the server's log, without statements and values
//	password  for connections over TCP
//	lock      held by the process that runs the cluster
//	sock/     the server's socket, unless its path would be too long
//
// PostgreSQL refuses to run as root. If this process is root, the server runs as the
// user postgres (or nobody), who owns data/ and sock/.
package pglocal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Options changes how a cluster runs. The zero value fits one process on one
// machine.
type Options struct {
	// Port makes the server also listen on 127.0.0.1. With 0 it listens on its
	// socket only.
	Port int
	// Settings override those of the server, such as "fsync": "off" for a
	// temporary cluster.
	Settings map[string]string
	// Log receives when servers are started, taken over and stopped. Nil means
	// no log.
	Log *slog.Logger
}

// Cluster is a running server.
type Cluster struct {
	socket   string
	port     int
	password string
	pid      int
	exited   <-chan struct{} // nil for a server that an earlier process started
	lock     *os.File
	paths    paths
	bin      string // the folder of the server's binaries
	options  Options
	joined   bool // another process runs it
}

// defaultPort names the socket of a server without TCP; it has no other
// meaning.
const defaultPort = 5432

// poll is the interval of checks on a starting or stopping server.
const poll = 10 * time.Millisecond

// Exists reports whether dir appears to have a cluster.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "data", "PG_VERSION"))
	return !errors.Is(err, fs.ErrNotExist)
}

// Start runs the cluster in dir, and creates it if necessary. If a killed process left
// its server running, Start takes it over. If another process runs the server, Start
// joins it, and Stop leaves it running. Start returns when the server accepts
// connections; ctx bounds the wait. The error explains what to do next.
func Start(ctx context.Context, dir string, o Options) (_ *Cluster, err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p, err := prepare(dir)
	if err != nil {
		return nil, err
	}
	lock, err := p.hold()
	if s, alive := p.runningElsewhere(err); alive {
		return &Cluster{pid: s.pid, socket: s.socket, port: s.tcpPort, paths: p, joined: true}, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			release(lock)
		}
	}()
	bin, err := binaries(p.clusterVersion())
	if err != nil {
		return nil, err
	}
	if p.clusterVersion() == "" {
		o.Log.InfoContext(ctx, "creating a database cluster", "folder", p.dir, "binaries", bin)
		if err = p.initdb(ctx, bin); err != nil {
			return nil, err
		}
	}
	password, err := os.ReadFile(p.password)
	if err != nil {
		return nil, fmt.Errorf("read the cluster's password: %w", err)
	}
	c := &Cluster{socket: p.socket, port: o.Port, password: strings.TrimSpace(string(password)), lock: lock, paths: p, bin: bin, options: o}
	return c, c.run(ctx)
}

// run takes over the server that still runs, or starts one.
func (c *Cluster) run(ctx context.Context) error {
	if s, alive := c.paths.running(); alive && (c.options.Port == 0 || s.tcpPort != 0) {
		c.options.Log.InfoContext(ctx, "taking over the database server that still runs", "folder", c.paths.dir, "pid", s.pid)
		c.pid, c.socket, c.port, c.exited = s.pid, s.socket, s.tcpPort, nil
		return c.await(ctx)
	} else if alive {
		if err := (&Cluster{pid: s.pid, paths: c.paths}).Stop(ctx); err != nil { // restart the server to listen on TCP
			return err
		}
	}
	return c.launch(ctx)
}

// Keep starts the server again whenever it has ended, until ctx ends. It returns an
// error if the server does not start, or ends too often. A server that another process
// runs is that process's. Keep must have returned before Stop is called.
func (c *Cluster) Keep(ctx context.Context) error {
	if c.joined {
		return nil
	}
	var ends []time.Time
	for c.gone(ctx) && ctx.Err() == nil {
		ends = slices.DeleteFunc(append(ends, time.Now()), func(t time.Time) bool { return time.Since(t) > often })
		if len(ends) > mostEnds {
			return fmt.Errorf("the database server ended %d times within %s; %s says: %s", len(ends), often, c.paths.log, c.paths.lastWords())
		}
		c.options.Log.WarnContext(ctx, "the database server has ended; starting it again", "folder", c.paths.dir, "pid", c.pid)
		if err := c.run(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("the database server has ended, and does not start again: %w", err)
		}
	}
	return nil
}

// A server may end this many times within this time before Keep gives up.
const (
	mostEnds = 5
	often    = time.Minute
)

// URL returns the address of the cluster's database for an administrator, over
// the socket, which only this user and root can reach.
func (c *Cluster) URL() string { return c.urlOf(superuser) }

// ServiceURL returns the address for a service's login, which the caller
// creates.
func (c *Cluster) ServiceURL() string { return c.urlOf(service) }

func (c *Cluster) urlOf(user string) string {
	q := url.Values{"host": {c.socket}, "port": {strconv.Itoa(c.socketPort())}, "sslmode": {"disable"}}
	return (&url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database, RawQuery: q.Encode()}).String()
}

// TCPURL returns the address over TCP with the password, or an empty string
// when Options has no port.
func (c *Cluster) TCPURL() string {
	if c.port == 0 {
		return ""
	}
	host := "127.0.0.1:" + strconv.Itoa(c.port)
	return (&url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, c.password), Host: host, Path: "/" + database, RawQuery: "sslmode=disable",
	}).String()
}

// socketPort returns the server's port, which is also part of the socket's name.
func (c *Cluster) socketPort() int {
	if c.port != 0 {
		return c.port
	}
	return defaultPort
}

// Stop ends the server. Open transactions are rolled back, and committed ones are safe.
// If ctx ends first, Stop kills the server. That is equally safe, but the next start
// needs a recovery.
func (c *Cluster) Stop(ctx context.Context) error {
	if c.joined {
		return nil
	}
	defer func() {
		if c.lock != nil {
			release(c.lock)
		}
	}()
	select {
	case <-c.exited:
		return nil // another process may have reused the process ID
	default:
	}
	if err := syscall.Kill(c.pid, syscall.SIGINT); errors.Is(err, syscall.ESRCH) {
		return nil
	} else if err != nil {
		return fmt.Errorf("stop the database server: %w", err)
	}
	if c.gone(ctx) {
		return nil
	}
	_ = syscall.Kill(c.pid, syscall.SIGQUIT)
	hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if !c.gone(hard) {
		return fmt.Errorf("database server %d does not stop", c.pid)
	}
	return nil
}

// gone waits for the server to end. It returns false when ctx ends first.
func (c *Cluster) gone(ctx context.Context) bool {
	for {
		select {
		case <-c.exited:
			return true
		case <-ctx.Done():
			return false
		case <-time.After(poll):
		}
		if c.exited == nil && errors.Is(syscall.Kill(c.pid, 0), syscall.ESRCH) {
			return true
		}
	}
}

// launch starts the server. It tries again while children of a killed server
// still hold the cluster.
func (c *Cluster) launch(ctx context.Context) error {
	for {
		if err := c.start(); err != nil {
			return err
		}
		err := c.await(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-c.exited:
			if !strings.Contains(c.paths.lastWords(), "still in use") {
				return err
			}
		default:
			_ = c.Stop(ctx)
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * poll):
		}
	}
}

func (c *Cluster) start() error {
	log, err := os.OpenFile(c.paths.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the database server's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	args := []string{"-D", c.paths.data}
	for name, value := range settings(c, c.options) {
		args = append(args, "-c", name+"="+value)
	}
	cmd := exec.Command(filepath.Join(c.bin, "postgres"), args...) //nolint:noctx // a program of PostgreSQL; it outlives the call and is stopped by Stop
	cmd.Stdout, cmd.Stderr = log, log
	c.paths.owner.apply(cmd, c.paths.data)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the database server: %w", err)
	}
	exited := make(chan struct{})
	go func() { // ends with the server, which Stop ends
		_ = cmd.Wait()
		close(exited)
	}()
	c.pid, c.exited = cmd.Process.Pid, exited
	return nil
}

// settings suit a service and its database on one machine. The server logs errors
// without statements and values, because they may contain patient data.
func settings(c *Cluster, o Options) map[string]string {
	s := map[string]string{
		"listen_addresses": "", "port": strconv.Itoa(c.socketPort()),
		"unix_socket_directories": c.socket, "unix_socket_permissions": "0700",
		"max_connections": "200", "shared_buffers": "128MB", "max_wal_size": "1GB", "checkpoint_timeout": "15min",
		"wal_level": "minimal", "max_wal_senders": "0", "jit": "off", "timezone": "UTC", "log_timezone": "UTC",
		"logging_collector": "off", "log_min_error_statement": "panic", "log_error_verbosity": "terse",
		"log_parameter_max_length_on_error": "0", "log_line_prefix": "%m [%p] ",
	}
	if o.Port != 0 {
		s["listen_addresses"] = "127.0.0.1"
	}
	for name, value := range o.Settings {
		s[name] = value
	}
	return s
}

// await waits until the server accepts connections. A server that was killed since has
// accepted them: what it left says so.
func (c *Cluster) await(ctx context.Context) error {
	for {
		ended := false
		select {
		case <-c.exited:
			ended = true
		case <-ctx.Done():
			return fmt.Errorf("the database server is not ready; see %s: %w", c.paths.log, ctx.Err())
		default:
		}
		if s, err := c.paths.state(); err == nil && s.pid == c.pid && s.ready {
			return nil
		}
		if ended {
			return fmt.Errorf("the database server stopped at once; %s says: %s", c.paths.log, c.paths.lastWords())
		}
		select {
		case <-c.exited:
		case <-ctx.Done():
		case <-time.After(poll):
		}
	}
}

const (
	superuser = "postgres"
	service   = "molar_service"
	database  = "postgres"
)

// initdb creates the cluster in a temporary folder and renames it when it is
// complete. Checksums are on: they cost little and reveal a failing disk.
func (p paths) initdb(ctx context.Context, bin string) error {
	fresh := p.data + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	if err := os.WriteFile(p.password, []byte(rand.Text()+"\n"), 0o600); err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	for _, change := range []func() error{
		func() error { return os.Mkdir(fresh, 0o700) },
		func() error { return p.owner.chown(fresh) },
		func() error { return p.owner.chown(p.password) },
	} {
		if err := change(); err != nil {
			return fmt.Errorf("create the cluster: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", fresh, "-U", superuser, "--pwfile", p.password,
		"--auth-local=trust", "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions")
	p.owner.apply(cmd, fresh)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("create the cluster with initdb: %w: %s", err, strings.TrimSpace(string(out)))
	}
	if err := os.Rename(fresh, p.data); err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	return nil
}
