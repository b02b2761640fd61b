package cli

import (
	"cmp"
	"os/user"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/idempotency"
)

// operates lets the context of each command carry what its operator does, for the audit.
func operates(b Backend, root *cobra.Command) {
	as := root.PersistentFlags().String("as", "", "your name, for the audit (default: MOLAR_OPERATOR, else your account on this machine)")
	check := root.PersistentPreRunE
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		op := &audit.Operation{Operator: operator(b, *as), Command: c.CommandPath()}
		if len(args) > 0 && isID.MatchString(args[0]) {
			op.Resource = strings.ToUpper(args[0])
			op.Resource = strings.ToLower(op.Resource[:4]) + op.Resource[4:]
		}
		c.SetContext(audit.Operating(c.Context(), op))
		return check(c, args)
	}
}

var isID = regexp.MustCompile("^[a-z]{3}_[0-9A-Za-z]{26}$")

// operator returns who runs the command.
func operator(b Backend, as string) string {
	name := as
	if name == "" && b.Getenv != nil {
		name = b.Getenv("MOLAR_OPERATOR")
	}
	if u, err := user.Current(); name == "" && err == nil {
		name = u.Username
	}
	return cmp.Or(strings.TrimSpace(name), "unknown")
}

// administration returns the call of the command's operator, whose entry in the audit
// names what the use case made.
func administration[T any](c *cobra.Command, scope billing.Scope, show func(T) string) idempotency.Write[T] {
	op := audit.OperationOf(c.Context())
	return idempotency.Administration(scope, op.Operator, func(made T) string {
		op.Resource = cmp.Or(madeID(made), op.Resource)
		return show(made)
	})
}

// madeID returns the ID of what a use case made or changed; empty for none that the
// command does not name.
func madeID(made any) string {
	switch m := made.(type) {
	case access.Issued:
		return m.Key.ID.String()
	case access.Invited:
		return m.User.ID.String()
	case access.Changed:
		return m.User.ID.String()
	case *directory.Office:
		return m.ID.String()
	case *directory.Provider:
		return m.ID.String()
	case *fee.Schedule:
		return m.ID.String()
	case *coverage.Amended:
		return m.ID.String()
	case *estimate.Record:
		return m.ID.String()
	case *network.Enrollment:
		return m.ID.String()
	}
	return ""
}

func audits(b Backend) *cobra.Command {
	var org, since string
	var f caller.AuditFilter
	var asJSON bool
	did := &cobra.Command{
		Use: "list", Short: "List what operators did, the last first", Args: cobra.NoArgs,
		Long: "Lists what operators did with commands, the last first: what changed something, and what showed patient data. Owners see\n" +
			"in their audit what concerns their organization. The rest is only here: what concerns the whole deployment.\n\n" +
			"The name is that of --as, else of MOLAR_OPERATOR, else of the account on the machine. Who can run commands can choose it.",
		Example: "  molar audit list --since 24h\n  molar audit list --org org_... --changes --json",
		RunE: func(c *cobra.Command, _ []string) (err error) {
			var of billing.OrgID
			if org != "" {
				if of, err = parseOrg(org); err != nil {
					return err
				}
			}
			if f.CreatedAfter, err = parseWhen("since", since, time.Now()); err != nil {
				return err
			}
			return b.Audit.with(c, func(s *audit.Service) error {
				all, err := every(func(p billing.Page) ([]*caller.AuditEntry, *billing.Position, error) {
					return s.ListOperators(c.Context(), of, f, p)
				})
				if err != nil {
					return err
				}
				return printOperations(c, all, asJSON)
			})
		},
	}
	did.Flags().StringVar(&org, "org", "", "only what concerns this organization (org_...)")
	did.Flags().StringVar(&since, "since", "", "how long ago, such as 24h, or an instant, such as 2026-01-02T15:04:05Z")
	did.Flags().BoolVar(&f.Changes, "changes", false, "without what was only shown")
	did.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return group("audit", "What operators did", did)
}

type operationJSON struct {
	ID         billing.AuditEntryID `json:"id"`
	Operator   string               `json:"operator"`
	Command    string               `json:"command"`
	OrgID      *string              `json:"org_id"` // null for the whole deployment
	Mode       *string              `json:"mode"`
	ResourceID *string              `json:"resource_id"`
	CreatedAt  string               `json:"created_at"`
}

func printOperations(c *cobra.Command, all []*caller.AuditEntry, asJSON bool) error {
	if !asJSON {
		return list(c, "", "WHEN\tOPERATOR\tCOMMAND\tORG\tMODE\tRESOURCE", all, func(e *caller.AuditEntry) []any {
			return []any{
				event.Timestamp(e.CreatedAt), e.Operator, e.Operation, cmp.Or(e.Org.String(), "whole deployment"),
				cmp.Or(string(e.Mode), "-"), cmp.Or(e.Resource, "-"),
			}
		})
	}
	orNull := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	shapes := []operationJSON{}
	for _, e := range all {
		shapes = append(shapes, operationJSON{
			e.ID, e.Operator, e.Operation, orNull(e.Org.String()), orNull(string(e.Mode)), orNull(e.Resource), event.Timestamp(e.CreatedAt),
		})
	}
	return printJSON(c, shapes)
}
