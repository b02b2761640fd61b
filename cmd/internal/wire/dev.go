package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/molar-billing/molar/adapters/cli"
	"github.com/molar-billing/molar/adapters/pgstore/pglocal"
	"github.com/molar-billing/molar/ports"
)

// runDev runs everything in one process until ctx ends.
func runDev(ctx context.Context, o cli.DevOptions, stdout io.Writer) (err error) {
	dir, done, err := dataFolder(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	d, err := loadDemo(dir)
	if err != nil {
		return err
	}
	s, err := devSettings(o, dir, d)
	if err != nil {
		return err
	}
	if err := migrateServer(ctx, s); err != nil {
		return err
	}
	g := newGraph(s, newLog(s.LogLevel))
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	prepare := func(ctx context.Context) error { return g.openDemo(ctx, d, dir) }
	return g.run(ctx, []Role{RoleAPI, RolePayerWorker, RoleERAWorker, RolePNGWorker, RoleWebhookWorker}, prepare, func(a Addresses) error {
		link, err := d.signInLink(ctx, g, a)
		if err != nil {
			return err
		}
		return d.announce(stdout, o, a, dir, link)
	})
}

// openDemo opens the graph and makes the demo data.
func (g *graph) openDemo(ctx context.Context, d *demo, dir string) error {
	if err := g.open(ctx); err != nil {
		return err
	}
	if g.settings.QueueURL == "mem:" { // the last process's messages ended with it
		err := g.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Jobs.Release(ctx, 0) })
		if err != nil {
			return err
		}
	}
	if err := d.seed(ctx, g, dir); err != nil {
		return fmt.Errorf("make the demo data: %w", err)
	}
	return nil
}

// devSettings returns the settings with the defaults of molar dev.
func devSettings(o cli.DevOptions, dir string, d *demo) (Settings, error) {
	opsAddr := "127.0.0.1:9090" // the ops port stays on this machine, wherever the API listens
	if anyPort(o.Addr) {
		opsAddr = "127.0.0.1:0"
	}
	if _, _, err := net.SplitHostPort(o.Addr); err != nil && o.Addr != "" {
		return Settings{}, fmt.Errorf("--addr %q: want host:port, such as 127.0.0.1:8080", o.Addr)
	}
	defaults := map[string]string{
		"MOLAR_DATABASE_URL": "local:" + filepath.Join(dir, "postgres"),
		"MOLAR_QUEUE_URL":    "mem:",
		"MOLAR_BLOB_URL":     "file:" + filepath.Join(dir, "images"),
		"MOLAR_SECRET_KEY":   d.SecretKey,
		"MOLAR_OPS_LISTEN":   opsAddr,

		"MOLAR_RATE_REQUESTS": "0",
		"MOLAR_RATE_CHECKS":   "0",
	}
	s, err := LoadSettings(func(name string) string {
		if v := os.Getenv(name); v != "" {
			return v
		}
		return defaults[name]
	})
	if o.Addr != "" {
		s.Listen = o.Addr
	}
	s.webhookCA, s.begins, s.process = o.WebhookCA, true, processName()
	if err == nil {
		s.webhookResolve, err = resolvedHosts(o.WebhookResolve)
	}
	return s, err
}

func anyPort(addr string) bool { return strings.HasSuffix(addr, ":0") }

// dataFolder finds or creates the data folder and locks it for this process. If
// free ports are requested and the default folder is in use, it creates a
// temporary one, so that several can run at once.
func dataFolder(ctx context.Context, o cli.DevOptions) (dir string, done func() error, err error) {
	dir = o.Data
	if dir == "" {
		dir = defaultData()
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		if o.Data == "" && anyPort(o.Addr) {
			return temporaryData(ctx, o)
		}
		return "", nil, fmt.Errorf("another molar dev uses %s: stop it, or give this one a folder of its own with --data DIR", dir)
	}
	if o.Reset {
		if err := wipe(ctx, dir); err != nil {
			return "", nil, errors.Join(err, lock.Close())
		}
	}
	return dir, lock.Close, nil
}

func temporaryData(ctx context.Context, o cli.DevOptions) (string, func() error, error) {
	tmp, err := os.MkdirTemp("", "molar-dev-")
	if err != nil {
		return "", nil, err
	}
	o.Data = tmp
	dir, done, err := dataFolder(ctx, o)
	if err != nil {
		return "", nil, err
	}
	return dir, func() error { return errors.Join(done(), os.RemoveAll(tmp)) }, nil
}

// defaultData returns this user's folder. The database's user cannot enter
// root's home, so root's folder is elsewhere.
func defaultData() string {
	if home, err := os.UserHomeDir(); err == nil && os.Getuid() != 0 {
		return filepath.Join(home, ".local", "state", "molar-dev")
	}
	return "/var/tmp/molar-dev"
}

// wipe removes what molar dev created in the folder, and nothing else. It first
// stops a server that a killed process left running, because that would go on
// writing.
func wipe(ctx context.Context, dir string) error {
	database := filepath.Join(dir, "postgres")
	if _, err := os.Stat(filepath.Join(database, "data", "postmaster.pid")); err == nil {
		left, err := pglocal.Start(ctx, database, pglocal.Options{})
		if err == nil {
			err = left.Stop(ctx)
		}
		if err != nil {
			return fmt.Errorf("stop the database before it is wiped: %w", err)
		}
	}
	return errors.Join(os.RemoveAll(database), os.RemoveAll(filepath.Join(dir, "images")), os.RemoveAll(filepath.Join(dir, "demo.json")))
}
