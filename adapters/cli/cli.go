// Package cli is the molar command. It runs the service for development, and has
// the tools of its operators.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/additions"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/connections"
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
	Access Open[*access.Service]
	// Audit opens the same database to list what operators did.
	Audit Open[*audit.Service]
	// Enrollments opens the same database for the enrollments of offices.
	Enrollments Open[*enrollments.Service]
	// Estimates opens the same database for what patients will pay.
	Estimates Open[*estimates.Service]
	Tasks     Open[*tasks.Service]
	// Additions opens the same database for what people add to checks.
	Additions Open[*additions.Service]
	// Fees opens the same database for the fee schedules of offices and payers.
	Fees Open[*fees.Service]
	// Schedules opens the same database for what files of other programs mean.
	Schedules Open[*schedules.Service]
	// Claims opens the same database for what there is about a patient.
	Claims Open[*claims.Service]
	// Remittances opens the same database to import remittances.
	Remittances Open[*remittances.Service]
	// Connections opens the same database to list and change connections.
	Connections Open[*connections.Service]
	// Kinds are the kinds of connections.
	Kinds network.Kinds
	// Networks is Connections with what adds and tests connections: the key of their
	// secrets.
	Networks Open[*connections.Service]
	// Batches opens the database of MOLAR_DATABASE_URL for decisions on batches.
	Batches Open[*batches.Service]
	// Recovery opens the database of MOLAR_DATABASE_URL and the blob store to continue after a
	// restore of the database.
	Recovery Open[*recovery.Service]
	// KeyStatus reads which keys wrap the data keys of MOLAR_DATABASE_URL, and who holds them.
	KeyStatus func(ctx context.Context) (*KeyStatus, error)
	// RotateKeys wraps every data key with the newest key, and reports how many are.
	RotateKeys func(ctx context.Context, progress func(done int)) error
	// RotateData makes new data keys, and encrypts every row with them.
	RotateData func(ctx context.Context, progress func(DataRotation)) error
	// Records opens the database of MOLAR_DATABASE_URL and the blob store for what is stored
	// about a patient or an organization.
	Records Open[*records.Service]
	// Retention opens the same database to set how long data stays.
	Retention Open[*retention.Service]
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
	root.AddCommand(dev(b), migrate(b), orgs(b), offices(b), providers(b), enrolled(b), feeCommands(b), attachmentRules(b), estimateCommands(b), importMappings(b), eligibilityCommands(b), taskCommands(b), claimCommands(b), appealCommands(b), noteCommands(b), depositCommands(b), reportCommands(b), automationCommands(b), keys(b), users(b), eras(b), batchCommands(b), fileCommands(b), restores(b), secrets(b), patients(b), retentions(b),
		connectionCommands(b), audits(b), listen(b), events(b), triggers(b), sandboxed(b), webhooks(b), ClearinghouseCommand(b.Clearinghouse), ready(), version(b.Build))
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
		RunE:  func(c *cobra.Command, _ []string) error { return say(c, "%s", of) },
	}
}

// Open opens the database of MOLAR_DATABASE_URL for use cases.
type Open[S any] func(ctx context.Context) (s S, closeStore func() error, err error)

// with runs fn on the database.
func (open Open[S]) with(c *cobra.Command, fn func(s S) error) error {
	s, done, err := open(c.Context())
	if err != nil {
		return err
	}
	return errors.Join(fn(s), done())
}

// run returns what a command does that runs fn on the database.
func (open Open[S]) run(fn func(c *cobra.Command, s S, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return open.with(c, func(s S) error { return fn(c, s, args) })
	}
}

// scoped completes a command that runs fn on the database in the scope of its flags.
func (open Open[S]) scoped(c *cobra.Command, fn func(c *cobra.Command, s S, scope billing.Scope) error) *cobra.Command {
	var f scopeFlags
	f.on(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		scope, err := f.scope()
		if err != nil {
			return err
		}
		return open.with(c, func(s S) error { return fn(c, s, scope) })
	}
	return c
}

// onFile completes a command that does something with the file that its argument names,
// and then shows it. Files are what the command list prints; absent is said of another
// one, by its ID.
func onFile[S, File any](
	open Open[S], c *cobra.Command, what, list, absent string,
	do func(s S, ctx context.Context, id billing.FileID) (File, error), show func(out io.Writer, f File) (int, error),
) *cobra.Command {
	c.Args = oneOf(what+" (fil_...)", list)
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := parseFile(args[0], list)
		if err != nil {
			return err
		}
		return open.with(c, func(s S) error {
			f, err := do(s, c.Context(), id)
			if billing.IsNotFound(err) {
				return fmt.Errorf(absent, id)
			}
			if err == nil {
				_, err = show(c.OutOrStdout(), f)
			}
			return err
		})
	}
	return c
}

func parseFile(arg, list string) (billing.FileID, error) {
	id, err := billing.ParseID[billing.FileID](arg)
	if err != nil {
		err = fmt.Errorf("%q is not a fil_ ID; %s lists them", arg, list)
	}
	return id, err
}

// every reads all pages of a list.
func every[T any](list func(billing.Page) ([]T, *billing.Position, error)) (all []T, err error) {
	for p := (billing.Page{Limit: billing.MaxPageLimit}); ; {
		page, next, err := list(p)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if p.After = next; next == nil {
			return all, nil
		}
	}
}

// list prints a row for each of all, in columns under a header. For none it prints empty,
// if there is such a text.
func list[T any](c *cobra.Command, empty, head string, all []T, row func(T) []any) error {
	if len(all) == 0 && empty != "" {
		return say(c, "%s", empty)
	}
	rows := make([]string, len(all))
	for i, one := range all {
		cells := row(one)
		rows[i] = fmt.Sprintf(strings.Repeat("%v\t", len(cells)-1)+"%v", cells...)
	}
	return table(c, head, rows)
}

// say prints a line.
func say(c *cobra.Command, format string, args ...any) error {
	_, err := fmt.Fprintf(c.OutOrStdout(), format+"\n", args...)
	return err
}

// orDash returns a value as text, or a dash for the zero value.
func orDash[T interface {
	IsZero() bool
	String() string
}](value T) string {
	if value.IsZero() {
		return "-"
	}
	return value.String()
}

// timeOrDash returns an instant as text, or a dash for none.
func timeOrDash(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return event.Timestamp(t)
}

// joined joins texts of a type of their own.
func joined[T ~string](all []T, between string) string {
	texts := make([]string, len(all))
	for i, text := range all {
		texts[i] = string(text)
	}
	return strings.Join(texts, between)
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
