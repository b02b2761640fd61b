package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/molar-billing/molar/adapters/cli"
	"github.com/molar-billing/molar/adapters/credentials"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/httpapi"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pglocal"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/additions"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/restore"
	rules "github.com/molar-billing/molar/core/billing/retention"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/core/estimates"
	"github.com/molar-billing/molar/core/fees"
	"github.com/molar-billing/molar/core/records"
	"github.com/molar-billing/molar/core/recovery"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/core/retention"
	"github.com/molar-billing/molar/core/schedules"
	"github.com/molar-billing/molar/core/tasks"
)

// CLI runs the molar command and exits.
func CLI() {
	boundMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	root := cli.New(cli.Backend{
		Build:       build(),
		Dev:         func(ctx context.Context, o cli.DevOptions) error { return runDev(ctx, o, os.Stdout) },
		Migrate:     migrate,
		Steps:       migrationSteps,
		Access:      opened(administered),
		Audit:       opened(func(g *graph) *audit.Service { return audit.New(g.store, g.settings.AuditRetention, g.log) }),
		Enrollments: opened(func(g *graph) *enrollments.Service { return enrollments.New(audit.Operated{Store: g.store}, g.payers) }),
		Estimates:   opened(func(g *graph) *estimates.Service { return estimates.New(audit.Operated{Store: g.store}) }),
		Tasks:       opened(func(g *graph) *tasks.Service { return tasks.New(audit.Operated{Store: g.store}, nil) }),
		Additions:   opened(func(g *graph) *additions.Service { return additions.New(audit.Operated{Store: g.store}) }),
		Schedules:   opened(func(g *graph) *schedules.Service { return schedules.New(audit.Operated{Store: g.store}, g.payers) }),
		Fees:        opened(func(g *graph) *fees.Service { return fees.New(audit.Operated{Store: g.store}, g.payers) }),
		Claims: opened(func(g *graph) *claims.Service {
			return claims.New(audit.Operated{Store: g.store}, routing.New(), g.payers)
		}),
		Remittances: opened(func(g *graph) *remittances.Service {
			return remittances.New(audit.Operated{Store: g.store}, edi.New(), g.payers)
		}, "MOLAR_SECRET_KEY"),
		Connections: opened((*graph).administeredConnections),
		Kinds:       described((&graph{log: slog.New(slog.DiscardHandler)}).kinds()),
		Networks:    opened((*graph).administeredConnections, "MOLAR_SECRET_KEY"),
		Batches: opened(func(g *graph) *batches.Service { // its decisions read no file and ask no network
			return batches.New(audit.Operated{Store: g.store}, batches.Outside{}, g.payers)
		}),
		Recovery:   openRecovery,
		KeyStatus:  keyStatus,
		RotateKeys: rotateKeys,
		RotateData: rotateData,
		Records:    openRecords,
		Retention: opened(func(g *graph) *retention.Service {
			owner := g.owner()
			return retention.New(audit.Operated{Store: g.store}, func(ctx context.Context, a rules.Age) error {
				return pgstore.SetAge(ctx, owner, a, func(before *rules.Age, at time.Time) *caller.AuditEntry {
					return audit.OperationOf(ctx).Changed(billing.Scope{Org: a.Org, Mode: a.Mode}, a.Changed(before), at)
				})
			})
		}),
		Settings: SettingsHelp(),
		Getenv:   os.Getenv,
		Config:   configFolder,
		Demo:     readDemo,

		Clearinghouse: simulator(),
	})
	err := root.ExecuteContext(ctx)
	stop()
	if err != nil {
		complain(os.Stderr, err)
		os.Exit(1)
	}
}

// complain prints an error for people: each thing to change on its own line.
func complain(w io.Writer, err error) {
	if e, ok := errors.AsType[*billing.Error](err); ok {
		_, _ = fmt.Fprintln(w, e.Message)
		for _, f := range e.Faults {
			_, _ = fmt.Fprintf(w, "  %s: %s\n", f.Field, f.Message)
		}
		return
	}
	_, _ = fmt.Fprintln(w, err)
}

const databaseHint = "MOLAR_DATABASE_URL is the database of the service; that of molar dev is local:" + "DIR/postgres, where DIR is its data folder"

const secretHint = "MOLAR_SECRET_KEY is that of the service, because files are kept encrypted; that of molar dev is in DIR/demo.json"

// administration opens only the database. Needed are the names of other
// settings that must be set.
func administration(needed ...string) (*graph, error) {
	s, err := LoadSettings(os.Getenv, append(needed, "MOLAR_DATABASE_URL")...)
	if err != nil && len(needed) > 0 {
		return nil, fmt.Errorf("%w\n%s\n%s", err, databaseHint, secretHint)
	}
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, databaseHint)
	}
	return &graph{settings: s, log: newLog(slog.LevelWarn)}, nil
}

func migrate(ctx context.Context) error {
	g, err := administration()
	if err != nil {
		return err
	}
	g.settings.begins = true
	if err = migrateServer(ctx, g.settings); err == nil {
		err = g.openStore(ctx, nil) // this begins the database
	}
	return errors.Join(err, g.close(context.WithoutCancel(ctx)))
}

// migrationSteps lists the migrations, and which the database has.
func migrationSteps(ctx context.Context) (steps []cli.MigrationStep, err error) {
	g, err := administration()
	if err != nil {
		return nil, err
	}
	owner := cmp.Or(g.settings.MigrateURL, g.settings.DatabaseURL)
	if dir, local, err := g.settings.databaseFolder(); err != nil {
		return nil, err
	} else if local {
		cluster, err := pglocal.Start(ctx, dir, pglocal.Options{Log: g.log})
		if err != nil {
			return nil, err
		}
		g.closers = append(g.closers, cluster.Stop)
		owner = cluster.URL()
	}
	all, err := pgstore.Steps(ctx, owner)
	for _, s := range all {
		steps = append(steps, cli.MigrationStep(s))
	}
	return steps, errors.Join(err, g.close(context.WithoutCancel(ctx)))
}

// openExisting opens the payer directory and a store for administration. In a
// folder without a database it returns an error and creates none.
func openExisting(ctx context.Context, g *graph) (err error) {
	if g.payers, err = payerDirectory(g.settings.PayersFile); err != nil {
		return err
	}
	dir, local, err := g.settings.databaseFolder()
	if err == nil && local && !pglocal.Exists(dir) {
		err = fmt.Errorf("MOLAR_DATABASE_URL: there is no database in %s\n%s; molar migrate makes a new one", dir, databaseHint)
	}
	if err != nil {
		return err
	}
	return g.openStore(ctx, nil)
}

// opened opens the database of administration for use cases, which open makes. Needed are
// the names of other settings that must be set.
func opened[S any](open func(g *graph) S, needed ...string) cli.Open[S] {
	return func(ctx context.Context) (s S, closeStore func() error, err error) {
		g, err := administration(needed...)
		if err != nil {
			return s, nil, err
		}
		return openedOn(ctx, g, open)
	}
}

func openedOn[S any](ctx context.Context, g *graph, open func(g *graph) S) (s S, closeStore func() error, err error) {
	closeStore = func() error { return g.close(context.WithoutCancel(ctx)) }
	if err := openExisting(ctx, g); err != nil {
		return s, nil, errors.Join(err, closeStore())
	}
	return open(g), closeStore, nil
}

// openRecovery opens the database and the blob store to continue after a restore.
func openRecovery(ctx context.Context) (s *recovery.Service, closeAll func() error, err error) {
	g, err := administration("MOLAR_SECRET_KEY", "MOLAR_BLOB_URL")
	if err != nil {
		return nil, nil, err
	}
	if err := g.openBlobs(ctx); err != nil {
		return nil, nil, fmt.Errorf("MOLAR_BLOB_URL: %w", err)
	}
	return openedOn(ctx, g, func(g *graph) *recovery.Service {
		operated := audit.Operated{Store: g.store}
		b := batches.New(operated, batches.Outside{}, g.payers)
		sent := func(ctx context.Context, f *restore.SentFile) error {
			op := *audit.OperationOf(ctx) // each batch has an entry of its own
			op.Resource = f.Batch.ID.String()
			return b.ReplaySent(audit.Operating(ctx, &op), f)
		}
		return recovery.New(operated, g.blobs, g.store, recovery.Replay{Sent: sent, Received: b.ReplayReceived})
	})
}

// keyStatus reads which keys wrap the data keys.
func keyStatus(ctx context.Context) (out *cli.KeyStatus, err error) {
	err = withKeys(ctx, func(s *pgstore.Store) error {
		status, err := s.KeyStatus(ctx)
		if err != nil {
			return err
		}
		out = &cli.KeyStatus{FirstForm: status.FirstForm}
		for _, k := range status.Keys {
			out.Keys = append(out.Keys, cli.WrappingKey(k))
		}
		for _, p := range status.Processes {
			out.Processes = append(out.Processes, cli.KeyHolder(p))
		}
		return nil
	})
	return out, err
}

// rotateKeys wraps the data keys with the newest key.
func rotateKeys(ctx context.Context, progress func(done int)) error {
	return withKeys(ctx, func(s *pgstore.Store) error { return s.RotateKeys(ctx, progress) })
}

// rotateData makes new data keys, and encrypts every row with them.
func rotateData(ctx context.Context, progress func(cli.DataRotation)) error {
	return withKeys(ctx, func(s *pgstore.Store) error {
		return s.RotateData(ctx, pgstore.Settled, func(at pgstore.DataRotation) { progress(cli.DataRotation(at)) })
	})
}

// withKeys runs fn on the database with the keys of the deployment.
func withKeys(ctx context.Context, fn func(*pgstore.Store) error) error {
	store, done, err := opened(func(g *graph) *pgstore.Store { return g.store }, "MOLAR_SECRET_KEY")(ctx)
	if err != nil {
		return err
	}
	return errors.Join(fn(store), done())
}

// openRecords opens the database and the blob store to export what is stored about a patient
// or an organization.
func openRecords(ctx context.Context) (s *records.Service, closeAll func() error, err error) {
	g, err := administration("MOLAR_SECRET_KEY", "MOLAR_BLOB_URL")
	if err != nil {
		return nil, nil, err
	}
	if err := g.openBlobs(ctx); err != nil {
		return nil, nil, fmt.Errorf("MOLAR_BLOB_URL: %w", err)
	}
	return openedOn(ctx, g, func(g *graph) *records.Service {
		operated := audit.Operated{Store: g.store}
		owner, kept := g.owner(), recovery.New(g.store, g.blobs, g.store, recovery.Replay{})
		return records.New(operated, g.blobs, records.Outside{
			Claim:        claims.New(operated, routing.New(), g.payers).Get,
			Remittance:   remittances.New(operated, edi.New(), g.payers).Get,
			Render:       httpapi.Render,
			Remember:     kept.Keep,
			BeginErasure: func(ctx context.Context, e *directory.Erasure) error { return pgstore.BeginErasure(ctx, owner, e) },
		})
	})
}

// owner returns the address of the database for the owner of the tables.
func (g *graph) owner() string {
	if g.cluster != nil {
		return g.cluster.URL()
	}
	return cmp.Or(g.settings.MigrateURL, g.settings.DatabaseURL)
}

func administered(g *graph) *access.Service {
	return access.New(audit.Operated{Store: g.store}, g.payers, systemClock{}, credentials.New([32]byte{}))
}

// configFolder returns the folder for what this user's commands store.
func configFolder() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "molar"), err
}

// readDemo reads what molar dev stored, and creates nothing where it never ran.
func readDemo(dir string) (*cli.Demo, error) {
	if dir == "" {
		dir = defaultData()
	}
	if _, err := os.Stat(filepath.Join(dir, "demo.json")); err != nil {
		return nil, fmt.Errorf("molar dev has stored nothing in %s: %w", dir, err)
	}
	d, err := loadDemo(dir)
	if err != nil {
		return nil, err
	}
	return &cli.Demo{Dir: dir, URL: d.BaseURL, Keys: d.Keys, Offices: d.Offices}, nil
}
