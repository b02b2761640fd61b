// Package cli is the molar command. It runs the service for development, and has
// the tools of its operators.
package cli

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/core/remittances"
)

// Backend has the parts of the program that the commands use.
type Backend struct {
	Build Build
	// Dev runs the whole service in this process until ctx ends.
	Dev func(ctx context.Context, o DevOptions) error
	// Migrate brings the schema of MOLAR_DATABASE_URL up to date.
	Migrate func(ctx context.Context) error
	// Steps lists the migrations of this release, and which MOLAR_DATABASE_URL has.
	Steps func(ctx context.Context) ([]MigrationStep, error)
	// Access opens the database of MOLAR_DATABASE_URL for administration.
	Access func(ctx context.Context) (s *access.Service, closeStore func() error, err error)
	// Audit opens the same database to list what operators did.
	Audit func(ctx context.Context) (s *audit.Service, closeStore func() error, err error)
	// Enrollments opens the same database for the enrollments of offices.
	Enrollments func(ctx context.Context) (s *enrollments.Service, closeStore func() error, err error)
	// Remittances opens the same database to import remittances.
	Remittances func(ctx context.Context) (s *remittances.Service, closeStore func() error, err error)
	// Connections opens the same database to list and change connections.
	Connections func(ctx context.Context) (s *connections.Service, closeStore func() error, err error)
	// Kinds are the kinds of connections.
	Kinds network.Kinds
	// Networks is Connections with what adds and tests connections: the key of their
	// secrets.
	Networks func(ctx context.Context) (s *connections.Service, closeStore func() error, err error)
	// Batches opens the database of MOLAR_DATABASE_URL for decisions on batches.
	Batches func(ctx context.Context) (s *batches.Service, closeStore func() error, err error)
	// Settings is the help text of the MOLAR_* variables.
	Settings string
	// Getenv reads a variable of the environment; empty means unset.
	Getenv func(name string) string
	// Config returns this user's folder for the state of commands.
	Config func() (string, error)
	// Clearinghouse is the simulator of a clearinghouse.
	Clearinghouse Clearinghouse
	// Demo reads the data folder of molar dev: the default one if dir is empty.
	Demo func(dir string) (*Demo, error)
}

// DevOptions are the flags of molar dev.
type DevOptions struct {
	Addr  string // address of the API; port 0 picks free ports for everything; empty means the setting
	Data  string // data folder; empty means the default
	Reset bool   // delete the contents of the folder first
	JSON  bool   // print one line of JSON when ready, instead of the banner

	WebhookResolve []string // host=ip:port: the address for webhooks to the host
	WebhookCA      string   // file of certificates that sign local receivers
}

// New makes the command.
func New(b Backend) *cobra.Command {
	root := &cobra.Command{
		Use:           "molar",
		Short:         "Dental insurance billing that you run yourself",
		Long:          "Molar is a dental billing service with one HTTP API. Its sandbox of payers exchanges real X12 files.\nStart with: molar dev",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       b.Build.String(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(dev(b), migrate(b), orgs(b), offices(b), providers(b), enrolled(b), keys(b), users(b), eras(b), batchCommands(b), fileCommands(b),
		connectionCommands(b), audits(b), listen(b), events(b), triggers(b), webhooks(b), ClearinghouseCommand(b.Clearinghouse), ready(), version(b.Build))
	explainUsage(root)
	operates(b, root)
	return root
}

func dev(b Backend) *cobra.Command {
	var o DevOptions
	c := &cobra.Command{
		Use:   "dev",
		Short: "Run everything in one process, with demo data",
		Long: "Runs the API and every worker in one process, with a private PostgreSQL and a queue in memory. It creates two demo\n" +
			"organizations with keys. Data and keys are kept between runs. These environment variables change the defaults:\n\n" + b.Settings,
		Example: "  molar dev\n  molar dev --addr 127.0.0.1:0 --json\n  MOLAR_QUEUE_URL=amqp://localhost:5672/ molar dev",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return b.Dev(audit.Operating(c.Context(), nil), o) }, // the service is no operator
	}
	c.Flags().StringVar(&o.Addr, "addr", "", "address of the API; port 0 picks free ports for everything (default 127.0.0.1:8080)")
	c.Flags().StringVar(&o.Data, "data", "", "data folder (default: one for this user)")
	c.Flags().BoolVar(&o.Reset, "reset", false, "delete the contents of the data folder first")
	c.Flags().BoolVar(&o.JSON, "json", false, "print one line of JSON when ready")
	c.Flags().StringArrayVar(&o.WebhookResolve, "webhook-resolve", nil, "host=ip:port: send webhooks for the host to this address, such as hooks.example.com=127.0.0.1:3443 (repeatable)")
	c.Flags().StringVar(&o.WebhookCA, "webhook-ca", "", "file of additional PEM certificates to trust, for receivers on this machine")
	return c
}

// Build is what a program was built from.
type Build struct {
	Version, Commit, Go string
}

// String returns the build as molar version prints it.
func (b Build) String() string { return "molar " + b.Version + " commit " + b.Commit + " " + b.Go }

func version(of Build) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), of)
			return err
		},
	}
}

// withAccess runs fn on the database.
func withAccess(b Backend, fn func(c *cobra.Command, s *access.Service, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) (err error) {
		s, done, err := b.Access(c.Context())
		if err != nil {
			return err
		}
		defer func() {
			if e := done(); err == nil {
				err = e
			}
		}()
		return fn(c, s, args)
	}
}

// table prints rows in columns, under a header.
func table(c *cobra.Command, head string, rows []string) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, head)
	for _, r := range rows {
		_, _ = fmt.Fprintln(w, r)
	}
	return w.Flush()
}

// group is a command that has only subcommands.
func group(use, short string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: onlyCommands, RunE: help, DisableFlagsInUseLine: true}
	c.AddCommand(below...)
	return c
}
