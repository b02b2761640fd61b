package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/httpapi"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/ports"
)

// Settings is everything an operator can set, from MOLAR_* variables.
type Settings struct {
	DatabaseURL    string // postgres://... or local:DIR
	MigrateURL     string // postgres://... of the login that owns the tables; empty for DatabaseURL
	DatabaseConns  int
	QueueURL       string         // amqp://..., amqps://... or mem:
	QueueType      string         // classic or quorum
	BlobURL        string         // s3://... or file:DIR
	TempDir        string         // for uploads under way; empty for the system's
	Listen         string         // address of the API
	PublicURL      string         // origin of the dashboard behind a proxy; empty for that of Listen
	Proxies        []netip.Prefix // whose X-Forwarded-For is believed
	OpsListen      string         // address of health, metrics and profiles
	SecretKeys     [][32]byte     // newest first; everything encrypted or signed hangs on them
	PayersFile     string         // more payers for the directory; empty for none
	RateRequests   int            // of one API key in a second, at one API process; 0 for no limit
	RateChecks     int            // eligibility checks among them
	Requests       int            // under way at once in one API process
	RequestTimeout time.Duration
	PayerWait      time.Duration
	PNGWait        time.Duration
	CacheTTL       time.Duration
	IdempotencyTTL time.Duration
	AuditRetention time.Duration
	OrphanAge      time.Duration
	BatchInterval  time.Duration
	ERADelay       time.Duration  // of the sandbox
	WebhookCIDRs   []netip.Prefix // networks that webhooks may go to although they are not public
	Parallel       int            // jobs of one kind at once in one worker process; see jobs.Places
	LogLevel       slog.Level

	process string // its name among those that hold keys; empty for a command
	waits   bool   // for the database when the process starts; of services, not of commands

	// Of molar dev alone, which sets them from its flags.
	webhookResolve map[string]netip.AddrPort
	webhookCA      string
	begins         bool // the database, with the secret key

	kinds []ports.ConnectionKind // beside those of the release; of tests
}

// variable is one setting: its parser and its help.
type variable struct {
	name, fallback, help string
	set                  func(s *Settings, value string) error
}

func variables() []variable {
	return []variable{
		{"MOLAR_DATABASE_URL", "", "postgres://... of a server, or local:DIR for a private cluster in DIR", func(s *Settings, v string) error {
			if !strings.HasPrefix(v, "postgres://") && !strings.HasPrefix(v, "postgresql://") && (!strings.HasPrefix(v, "local:") || v == "local:") {
				return errors.New("want postgres://user@host/database or local:DIR")
			}
			s.DatabaseURL = v
			return nil
		}},
		{"MOLAR_MIGRATE_URL", "", "the same database with the login that owns the tables, for molar migrate only (default: MOLAR_DATABASE_URL)", func(s *Settings, v string) error {
			if !strings.HasPrefix(v, "postgres://") && !strings.HasPrefix(v, "postgresql://") {
				return errors.New("want postgres://user@host/database")
			}
			s.MigrateURL = v
			return nil
		}},
		{"MOLAR_DATABASE_CONNS", "16", "maximum database connections of one process", func(s *Settings, v string) error { return number(&s.DatabaseConns, v) }},
		{"MOLAR_QUEUE_URL", "", "amqp://... of RabbitMQ, or mem: within one process", func(s *Settings, v string) error {
			if !strings.HasPrefix(v, "amqp://") && !strings.HasPrefix(v, "amqps://") && v != "mem:" {
				return errors.New("want mem: or amqp://user:password@host:5672/")
			}
			s.QueueURL = v
			return nil
		}},
		{"MOLAR_QUEUE_TYPE", "classic", "classic, or quorum for a RabbitMQ cluster", func(s *Settings, v string) error {
			s.QueueType = v
			if v != "classic" && v != "quorum" {
				return errors.New("want classic or quorum")
			}
			return nil
		}},
		{"MOLAR_BLOB_URL", "", "s3://key:secret@host:9000/bucket?tls=false of an S3 server, or file:DIR", func(s *Settings, v string) error {
			if !strings.HasPrefix(v, "s3://") && (!strings.HasPrefix(v, "file:") || v == "file:") {
				return errors.New("want s3://key:secret@host:9000/bucket or file:DIR")
			}
			s.BlobURL = v
			return nil
		}},
		{"MOLAR_TEMP_DIR", "", "folder for uploads in progress, about 30 MB each (default: the system's)", func(s *Settings, v string) error { s.TempDir = v; return nil }},
		{"MOLAR_LISTEN", "127.0.0.1:8080", "address of the API", func(s *Settings, v string) error { s.Listen = v; return nil }},
		{"MOLAR_PUBLIC_URL", "", "origin of the service behind a proxy, such as https://molar.example; people can sign in only there (default: only on this machine)", func(s *Settings, v string) error {
			if s.PublicURL = v; !httpapi.ValidOrigin(v) {
				return errors.New("want an origin with HTTPS, such as https://molar.example, without a path")
			}
			return nil
		}},
		{"MOLAR_TRUSTED_PROXIES", "", "networks of proxies whose X-Forwarded-For is believed, separated by commas", func(s *Settings, v string) error { return prefixes(&s.Proxies, v) }},
		{"MOLAR_OPS_LISTEN", "127.0.0.1:9090", "address of /livez, /readyz, /metrics and /debug/pprof", func(s *Settings, v string) error { s.OpsListen = v; return nil }},
		{"MOLAR_SECRET_KEY", "", "32 random bytes in base64 (openssl rand -base64 32); several, newest first, separated by commas while a key is replaced", func(s *Settings, v string) error {
			return secretKeys(&s.SecretKeys, v)
		}},
		{"MOLAR_PAYERS_FILE", "", "file of additional payers, with tabs between payer ID, name, aliases, capabilities and, if it is not CI, the filing indicator", func(s *Settings, v string) error { s.PayersFile = v; return nil }},
		{"MOLAR_RATE_REQUESTS", "200", "requests of an API key per second at one api process, 0 for no limit", func(s *Settings, v string) error { return rate(&s.RateRequests, v) }},
		{"MOLAR_RATE_CHECKS", "50", "eligibility checks of an API key per second at one api process, 0 for no limit", func(s *Settings, v string) error { return rate(&s.RateChecks, v) }},
		{"MOLAR_WAITING_REQUESTS", "4096", "maximum requests in progress at one api process; an organization may use a quarter of them", func(s *Settings, v string) error { return number(&s.Requests, v) }},
		{"MOLAR_REQUEST_TIMEOUT", "30s", "maximum time of a request, from the end of its body", func(s *Settings, v string) error { return span(&s.RequestTimeout, v) }},
		{"MOLAR_PAYER_WAIT", "25s", "how long a request waits for a payer, or for the attachment network", func(s *Settings, v string) error { return span(&s.PayerWait, v) }},
		{"MOLAR_PNG_WAIT", "20s", "how long an upload waits for the conversion of a PNG", func(s *Settings, v string) error { return span(&s.PNGWait, v) }},
		{"MOLAR_ELIGIBILITY_CACHE_TTL", "24h", "how long an eligibility answer is reused", func(s *Settings, v string) error { return span(&s.CacheTTL, v) }},
		{"MOLAR_IDEMPOTENCY_TTL", "168h", "how long an idempotency key is kept", func(s *Settings, v string) error { return span(&s.IdempotencyTTL, v) }},
		{"MOLAR_AUDIT_RETENTION", "52560h", "how long the audit is kept, at least 720h; molar migrate sets it", func(s *Settings, v string) error {
			if err := span(&s.AuditRetention, v); err != nil {
				return err
			}
			if s.AuditRetention < audit.LeastRetention {
				return errors.New("want at least 720h")
			}
			return nil
		}},
		{"MOLAR_ORPHAN_AGE", "24h", "age at which an image that no document uses is removed", func(s *Settings, v string) error { return span(&s.OrphanAge, v) }},
		{"MOLAR_BATCH_INTERVAL", "10s", "how often queued claims are sent in batches", func(s *Settings, v string) error { return span(&s.BatchInterval, v) }},
		{"MOLAR_SANDBOX_ERA_DELAY", "2m", "time from the acceptance of a claim by a payer of the sandbox to its remittance", func(s *Settings, v string) error { return span(&s.ERADelay, v) }},
		{"MOLAR_WEBHOOK_ALLOW_CIDRS", "", "private networks that webhooks may reach, separated by commas", func(s *Settings, v string) error { return prefixes(&s.WebhookCIDRs, v) }},
		{"MOLAR_WORKERS", "16", "maximum jobs of one kind at once in one worker process, checks eight times as many; a quarter more for organizations that have none running", func(s *Settings, v string) error { return number(&s.Parallel, v) }},
		{"MOLAR_LOG_LEVEL", "info", "debug, info, warn or error", func(s *Settings, v string) error { return s.LogLevel.UnmarshalText([]byte(v)) }},
	}
}

// LoadSettings reads the settings with getenv and reports every mistake at
// once. Needed are the names of variables that must be set.
func LoadSettings(getenv func(string) string, needed ...string) (Settings, error) {
	var s Settings
	var mistakes []error
	for _, v := range variables() {
		value, err := valueOf(getenv, v.name)
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		if value == "" {
			value = v.fallback
		}
		if value == "" {
			for _, n := range needed {
				if n == v.name {
					mistakes = append(mistakes, fmt.Errorf("%s is not set: %s", v.name, v.help))
				}
			}
			continue
		}
		if err := v.set(&s, value); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", v.name, err))
		}
	}
	return s, errors.Join(mistakes...)
}

// secretVariables are those that are secret, or have a password in them: each can name a file
// with its value instead, in the variable of the same name with _FILE.
func secretVariables() []string {
	return []string{"MOLAR_DATABASE_URL", "MOLAR_MIGRATE_URL", "MOLAR_QUEUE_URL", "MOLAR_BLOB_URL", "MOLAR_SECRET_KEY"}
}

// valueOf returns the value of a variable, or of the file that its _FILE names.
func valueOf(getenv func(string) string, name string) (string, error) {
	value, file := getenv(name), ""
	if slices.Contains(secretVariables(), name) {
		file = getenv(name + "_FILE")
	}
	switch {
	case file == "":
		return value, nil
	case value != "":
		return "", fmt.Errorf("%s and %s_FILE are both set: set one of them", name, name)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	if value = strings.TrimSpace(string(content)); value == "" {
		return "", fmt.Errorf("%s_FILE: %s is empty", name, file)
	}
	return value, nil
}

// SettingsHelp lists the variables for a command's help.
func SettingsHelp() string {
	var b strings.Builder
	for _, v := range variables() {
		fmt.Fprintf(&b, "  %-28s %s", v.name, v.help)
		if v.fallback != "" {
			fmt.Fprintf(&b, " (default %s)", v.fallback)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "Each of %s\ncan be in a file instead, which the variable of the same name with _FILE names.\n", strings.Join(secretVariables(), ", "))
	return b.String()
}

// LogValue returns the configuration without its secrets. Durations are text,
// such as 30s.
func (s Settings) LogValue() slog.Value {
	duration := func(name string, d time.Duration) slog.Attr { return slog.String(name, d.String()) }
	return slog.GroupValue(
		slog.String("database", redacted(s.DatabaseURL)), slog.Int("database_conns", s.DatabaseConns),
		slog.String("queue", redacted(s.QueueURL)), slog.String("queue_type", s.QueueType),
		slog.String("blobs", redacted(s.BlobURL)), slog.String("temp_dir", s.TempDir),
		slog.Int("secret_keys", len(s.SecretKeys)), slog.String("payers_file", s.PayersFile),
		slog.Int("rate_requests", s.RateRequests), slog.Int("rate_checks", s.RateChecks),
		slog.Int("waiting_requests", s.Requests),
		duration("request_timeout", s.RequestTimeout), duration("payer_wait", s.PayerWait), duration("png_wait", s.PNGWait),
		duration("eligibility_cache_ttl", s.CacheTTL), duration("idempotency_ttl", s.IdempotencyTTL), duration("audit_retention", s.AuditRetention), duration("orphan_age", s.OrphanAge),
		duration("batch_interval", s.BatchInterval), duration("sandbox_era_delay", s.ERADelay),
		slog.String("public_url", s.PublicURL), slog.Any("trusted_proxies", s.Proxies),
		slog.Int("workers", s.Parallel), slog.Any("webhook_allow_cidrs", s.WebhookCIDRs),
	)
}

func redacted(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "(set)"
	}
	u.RawQuery = ""
	return u.Redacted()
}

// databaseFolder returns DIR of local:DIR.
func (s Settings) databaseFolder() (dir string, local bool, err error) {
	dir, local = strings.CutPrefix(s.DatabaseURL, "local:")
	if local {
		dir, err = filepath.Abs(dir)
	}
	return dir, local, err
}

// secretKeys reads keys that are separated by commas.
func secretKeys(to *[][32]byte, v string) error {
	*to = nil
	for one := range strings.SplitSeq(v, ",") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(one))
		if err != nil || len(key) != 32 {
			return errors.New("want 32 bytes in base64, or several such keys separated by commas; make one with: openssl rand -base64 32")
		}
		*to = append(*to, [32]byte(key))
	}
	return nil
}

func span(to *time.Duration, v string) (err error) {
	if *to, err = time.ParseDuration(v); err != nil || *to <= 0 {
		return errors.New("want a span such as 30s or 24h")
	}
	return nil
}

func number(to *int, v string) (err error) {
	if *to, err = strconv.Atoi(v); err != nil || *to < 1 {
		return errors.New("want a number of at least 1")
	}
	return nil
}

// maxRate keeps the time of a token in nanoseconds.
const maxRate = 1_000_000

func rate(to *int, v string) (err error) {
	if *to, err = strconv.Atoi(v); err != nil || *to < 0 || *to > maxRate {
		return fmt.Errorf("want a number from 0 (no limit) to %d", maxRate)
	}
	return nil
}
