package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/remittances"
)

func eras(b Backend) *cobra.Command {
	return group("era", "Remittances (835): import, finish, post", importERA(b), listERAs(b), showERA(b), matchERA(b), applyERA(b), ignoreERA(b),
		unapplyERA(b), postERA(b), unpostERA(b), acknowledgeERA(b), replaceERA(b), keepERA(b), quarantineCommands(b), retryERA(b))
}

func atMostOneFile(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%d files; import one after the other, so that each is reported by itself", len(args))
	}
	return nil
}

// onERA completes a command that runs fn on the remittance that its argument names.
func onERA(
	b Backend, c *cobra.Command, fn func(c *cobra.Command, s *remittances.Service, scope billing.Scope, id billing.ERAID) error,
) *cobra.Command {
	var f scopeFlags
	c.Args = oneOf("remittance (era_...)", "molar era list")
	c.RunE = func(c *cobra.Command, args []string) error {
		scope, err := f.scope()
		if err != nil {
			return err
		}
		id, err := parseERA(args[0])
		if err != nil {
			return err
		}
		return b.Remittances.with(c, func(s *remittances.Service) error { return fn(c, s, scope, id) })
	}
	f.on(c)
	return c
}

// eraSource is the source of an import: a file, or a file of the quarantine.
type eraSource struct {
	path        string
	quarantined billing.FileID
}

func parseERASource(args []string, quarantined string) (from eraSource, err error) {
	switch {
	case len(args) == 1 && quarantined != "":
		return from, errors.New("FILE and --quarantined name two files; import one after the other")
	case len(args) == 1:
		return eraSource{path: args[0]}, nil
	case quarantined == "":
		return from, errors.New("name a FILE, or a file of the quarantine with --quarantined fil_...; molar era quarantine lists those")
	}
	if from.quarantined, err = parseFile(quarantined, listQuarantine); err != nil {
		err = fmt.Errorf("--quarantined %w", err)
	}
	return from, err
}

func importERA(b Backend) *cobra.Command {
	var f scopeFlags
	var quarantined string
	c := &cobra.Command{
		Use: "import [FILE]", Short: "Import an 835 for an organization", Args: atMostOneFile,
		Long: "Imports an 835, or a file of the quarantine, for the organization in the mode, whatever payee the file names.\n" +
			"It prints the payments of the file. You can repeat an import: payments that the organization has already do not change.\n" +
			"A correction has the trace number of such a payment and other figures: molar era show compares them, and\n" +
			"molar era replace or keep decides.\n" +
			"A worker (molar dev, or eraworker) applies the new payments. FILE - reads standard input.\n" +
			fmt.Sprintf("A file has at most %d MB.", remittances.MaxFile>>20),
		Example: "  molar era import --org org_... --mode test payment.835\n" +
			"  molar era import --org org_... --mode live --quarantined fil_...",
		RunE: func(c *cobra.Command, args []string) error {
			scope, err := f.scope()
			if err != nil {
				return err
			}
			from, err := parseERASource(args, quarantined)
			if err != nil {
				return err
			}
			var content []byte
			if from.path != "" {
				if content, err = readERAFile(c.InOrStdin(), from.path); err != nil {
					return err
				}
			}
			return b.Remittances.with(c, func(s *remittances.Service) error {
				var report []remittances.Imported
				if from.path != "" {
					report, err = s.Import(c.Context(), scope, filepath.Base(from.path), content)
				} else {
					report, err = s.ImportQuarantined(c.Context(), scope, from.quarantined)
				}
				if e := printImported(c, report); e != nil {
					return e
				}
				return explainImport(err, scope, from)
			})
		},
	}
	f.on(c)
	c.Flags().StringVar(&quarantined, "quarantined", "", "file of the quarantine (fil_...), instead of FILE")
	return c
}

// readERAFile reads a file, or standard input for a dash, if it is not too large.
func readERAFile(stdin io.Reader, path string) ([]byte, error) {
	content, err := readAtMost(stdin, path, remittances.MaxFile)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w; give the path of an 835, or - for standard input", err)
	case content == nil:
		return nil, fmt.Errorf("%s has more than %d MB: it is not an 835, or holds very many payments\n"+
			"Nothing was imported. Ask the sender for the payments in several files", cmp.Or(strings.TrimPrefix(path, "-"), "standard input"), remittances.MaxFile>>20)
	}
	return content, nil
}

// readAtMost returns nil for a file above the limit.
func readAtMost(stdin io.Reader, path string, limit int64) (content []byte, err error) {
	in := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // opened for reading only
		if info, err := f.Stat(); err == nil && info.Size() > limit {
			return nil, nil
		}
		in = f
	}
	if content, err = io.ReadAll(io.LimitReader(in, limit+1)); int64(len(content)) > limit {
		content = nil
	}
	return content, err
}

func printImported(c *cobra.Command, report []remittances.Imported) error {
	if len(report) == 0 {
		return nil
	}
	return list(c, "", "ID\tSTATUS\tPAYER\tMETHOD\tTRACE\tDATE\tCLAIMS\tTOTAL", report, func(made remittances.Imported) []any {
		e, status := made.ERA, "known already"
		switch {
		case made.New && len(e.Corrects) > 0:
			status = "correction"
		case made.New:
			status = "new"
		}
		return []any{
			made.ID, status, cmp.Or(e.PayerName, "-"), e.Payment.Method, cmp.Or(e.Payment.TraceNumber, "-"),
			orDash(e.Payment.Date), e.ClaimCount, e.Payment.Total,
		}
	})
}

// explainImport says what to do about an error.
func explainImport(err error, scope billing.Scope, from eraSource) error {
	e, ok := errors.AsType[*billing.Error](err)
	switch {
	case err == nil || !ok:
		return err
	case e.Code == billing.CodeInvalidRequest:
		return fmt.Errorf("not an 835 that can be read: %w\nNothing was imported. Ask the sender for the file again, or correct it at that position", e.Cause)
	case e.Code == billing.CodeConflict && from.path == "":
		came := map[billing.Mode]billing.Mode{billing.ModeTest: billing.ModeLive, billing.ModeLive: billing.ModeTest}[scope.Mode]
		return fmt.Errorf("%s came in %s mode; import it with --mode %s", from.quarantined, came, came)
	case e.Code == billing.CodeNotFound && slices.ContainsFunc(e.Faults, func(f billing.FieldFault) bool { return f.Field == "id" }):
		return fmt.Errorf(notQuarantined, from.quarantined)
	case e.Code == billing.CodeNotFound:
		return fmt.Errorf("there is no organization %s; list them with: molar orgs list", scope.Org)
	default:
		return err
	}
}

func retryERA(b Backend) *cobra.Command {
	return onERA(b, &cobra.Command{
		Use: "retry ERA_ID", Short: "Retry a remittance that could not be applied",
		Long: "Queues a remittance again after workers failed to read or apply it five times. The log of the worker has the cause.\n" +
			"It also matches unmatched claims again. Claims that are applied, ignored or need review do not change.",
		Example: "  molar era retry --org org_... --mode test era_...",
	}, func(c *cobra.Command, s *remittances.Service, scope billing.Scope, id billing.ERAID) error {
		again, err := s.Retry(c.Context(), scope, id)
		switch {
		case err != nil:
			return explainERA(err, scope, id, "")
		case again:
			return say(c, "%s is queued again.", id)
		}
		return say(c, "%s has nothing left to apply, or is being worked on.", id)
	})
}
