package wire

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/molar-billing/molar/adapters/cli"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pglocal"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// demo is what molar dev keeps in its data folder, so that the same keys print
// again after a restart.
type demo struct {
	SecretKey string            `json:"secret_key"`
	Keys      map[string]string `json:"keys"`
	Offices   map[string]string `json:"offices"`
}

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
	g, err := open(ctx, s, newLog(s.LogLevel))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	if !strings.HasPrefix(s.DatabaseURL, "local:") {
		if err := pgstore.Migrate(ctx, s.DatabaseURL); err != nil {
			return err
		}
	}
	if s.QueueURL == "mem:" { // whatever was on its way went with the last process
		err := g.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Jobs.Release(ctx, 0) })
		if err != nil {
			return err
		}
	}
	if err := d.seed(ctx, g.access, dir); err != nil {
		return fmt.Errorf("make the demo data: %w", err)
	}
	return g.run(ctx, []Role{RoleAPI, RolePayerWorker, RolePNGWorker}, func(a Addresses) error { return d.announce(stdout, o, a, dir) })
}

// devSettings are the settings with what molar dev brings along.
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
	return s, err
}

func anyPort(addr string) bool { return strings.HasSuffix(addr, ":0") }

// dataFolder finds or makes the data folder and holds it for this process.
// When free ports were asked for and the default folder is taken, it is a
// temporary one, so that several can run at once.
func dataFolder(ctx context.Context, o cli.DevOptions) (dir string, done func() error, err error) {
	dir = o.Data
	if dir == "" {
		dir = defaultData()
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // G301: the database's user passes through; secrets are files of mode 0600
		return "", nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // G304: the user names the folder
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

// defaultData is a folder of this user's. Root's home cannot be passed through
// by the user that the database runs as, so root's is elsewhere.
func defaultData() string {
	if home, err := os.UserHomeDir(); err == nil && os.Getuid() != 0 {
		return filepath.Join(home, ".local", "state", "molar-dev")
	}
	return "/var/tmp/molar-dev"
}

// wipe removes what molar dev made in the folder, and nothing else. A server
// that a killed process left running is stopped first: it would go on writing.
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

func loadDemo(dir string) (*demo, error) {
	d := &demo{}
	b, err := os.ReadFile(filepath.Join(dir, "demo.json")) //nolint:gosec // G304: the user names the folder
	switch {
	case err == nil:
		if err := json.Unmarshal(b, d); err != nil {
			return nil, fmt.Errorf("%s is damaged; start over with: molar dev --reset: %w", filepath.Join(dir, "demo.json"), err)
		}
		return d, nil
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	d.SecretKey = base64.StdEncoding.EncodeToString(key)
	return d, d.save(dir)
}

func (d *demo) save(dir string) error {
	b, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	tmp := filepath.Join(dir, "demo.json.new")
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(dir, "demo.json"))
}

// seed makes the demo organizations unless the database has them.
func (d *demo) seed(ctx context.Context, s *access.Service, dir string) error {
	if secret := d.Keys["test"]; secret != "" {
		_, err := s.Authenticate(ctx, secret)
		if err == nil || billing.CodeOf(err) != billing.CodeUnauthorized {
			return err
		}
	}
	d.Keys, d.Offices = map[string]string{}, map[string]string{}
	org, err := s.CreateOrganization(ctx, "Demo Dental Group")
	if err != nil {
		return err
	}
	other, err := s.CreateOrganization(ctx, "Other Demo Dental")
	if err != nil {
		return err
	}
	test := billing.Scope{Org: org.ID, Mode: billing.ModeTest}
	live := billing.Scope{Org: org.ID, Mode: billing.ModeLive}
	otherTest := billing.Scope{Org: other.ID, Mode: billing.ModeTest}
	err = errors.Join(
		d.office(ctx, s, test, "test", "Demo Dental, Main Street", "1234567893"),
		d.office(ctx, s, test, "test_2", "Demo Dental, Lakeside", "1245319599"),
		d.office(ctx, s, live, "live", "Demo Dental, Main Street", "1234567893"),
		d.office(ctx, s, otherTest, "other_test", "Other Demo Dental", "1003000126"),
		d.key(ctx, s, test, "test", billing.PermissionRead, billing.PermissionSubmit),
		d.key(ctx, s, test, "test_read", billing.PermissionRead),
		d.key(ctx, s, test, "test_submit", billing.PermissionSubmit),
		d.key(ctx, s, live, "live", billing.PermissionRead, billing.PermissionSubmit),
		d.key(ctx, s, otherTest, "other_test", billing.PermissionRead, billing.PermissionSubmit),
		provider(ctx, s, test, "Dana", "Rivera", "1679576722"),
		provider(ctx, s, test, "Sam", "Okafor", "1245319599"),
		provider(ctx, s, live, "Dana", "Rivera", "1679576722"),
		provider(ctx, s, otherTest, "Kim", "Larsen", "1003000126"),
	)
	if err != nil {
		return err
	}
	return d.save(dir)
}

func (d *demo) office(ctx context.Context, s *access.Service, scope billing.Scope, as, name, npi string) error {
	o, err := s.CreateOffice(ctx, billing.Office{
		Scope: scope, Name: name, NPI: npi, TaxID: "123456789", Phone: "555-0100", TimeZone: "America/New_York",
		Address: billing.Address{Line1: "1 Main Street", City: "Springfield", State: "IL", ZIP: "627010001"},
	})
	if err != nil {
		return err
	}
	d.Offices[as] = o.ID.String()
	return nil
}

func (d *demo) key(ctx context.Context, s *access.Service, scope billing.Scope, as string, may ...billing.Permission) error {
	_, secret, err := s.CreateKey(ctx, scope, "demo "+as, may)
	d.Keys[as] = secret
	return err
}

func provider(ctx context.Context, s *access.Service, scope billing.Scope, first, last, npi string) error {
	_, err := s.CreateProvider(ctx, billing.Provider{Scope: scope, FirstName: first, LastName: last, NPI: npi, Taxonomy: "122300000X"})
	return err
}

// announce tells whoever started it that the service is ready.
func (d *demo) announce(w io.Writer, o cli.DevOptions, a Addresses, dir string) error {
	base, ops := "http://"+a.API+"/api/v1", "http://"+a.Ops
	if o.JSON {
		return json.NewEncoder(w).Encode(struct {
			BaseURL string            `json:"base_url"`
			OpsURL  string            `json:"ops_url"`
			Keys    map[string]string `json:"keys"`
			Offices map[string]string `json:"offices"`
		}{base, ops, d.Keys, d.Offices})
	}
	_, err := fmt.Fprintf(w, banner, base, ops, dir, d.Keys["test"], d.Offices["test"],
		base, d.Keys["test"], d.Offices["test"])
	return err
}

const banner = `
  Molar is ready.

  API        %s   (contract: /openapi.yaml)
  Health     %s/readyz, /metrics
  Data       %s   (kept between runs; --reset wipes it)
  Test key   %s
  Office     %s

  Try an eligibility check:

  curl -s %s/eligibility \
    -H 'Authorization: Bearer %s' \
    -H "Idempotency-Key: $(date +%%s%%N)" \
    -H 'Content-Type: application/json' \
    -d '{"office_id":"%s","payer_id":"CHTEST",
         "subscriber":{"first_name":"Jane","last_name":"Doe","date_of_birth":"1985-04-12","member_id":"SANDBOX-ACTIVE-FULL"}}'

  The ending of member_id chooses what the payer answers: -ACTIVE-FULL, -NOT-FOUND, -PAYER-DOWN, -SLOW-3 ...
  Stop with Ctrl-C.

`
