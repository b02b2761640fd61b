package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/schedules"
)

// importMappings show and set what files of other programs mean.
func importMappings(b Backend) *cobra.Command {
	return group("import-mappings", "What columns and payers' names in files of other programs mean", showMapping(b), setMapping(b))
}

func showMapping(b Backend) *cobra.Command {
	return b.Schedules.scoped(&cobra.Command{
		Use: "show", Short: "Show what the columns and payers' names of schedules mean", Args: cobra.NoArgs,
		Example: "  molar import-mappings show --org org_... --mode test",
	}, func(c *cobra.Command, s *schedules.Service, scope billing.Scope) error {
		m, err := s.Mapping(c.Context(), scope, directory.ImportSchedule)
		if err != nil {
			return err
		}
		return say(c, "%s", mappingText(m))
	})
}

func setMapping(b Backend) *cobra.Command {
	var columns, payers []string
	var anew bool
	c := b.Schedules.scoped(&cobra.Command{
		Use: "set", Short: "Set what columns and payers' names of schedules mean", Args: cobra.NoArgs,
		Long: "Sets what columns and payers' names of schedules mean, beside those that are set already, and shows all.\n\n" +
			"A column is NAME=FIELD, or NAME= to leave it out. The fields are\n  " + strings.Join(intake.ScheduleFields(), "\n  "),
		Example: "  molar import-mappings set --org org_... --mode test --column 'Pt=name' --column 'Chart No=' --payer 'Blue Cross=CHTEST'",
	}, func(c *cobra.Command, s *schedules.Service, scope billing.Scope) error {
		before := &directory.ImportMapping{}
		if !anew {
			var err error
			if before, err = s.Mapping(c.Context(), scope, directory.ImportSchedule); err != nil {
				return err
			}
		}
		in, err := mappingRequest(before, columns, payers)
		if err != nil {
			return err
		}
		return printed(c)(s.Keep(c.Context(), administration(c, scope, mappingText), directory.ImportSchedule, in))
	})
	c.Flags().StringArrayVar(&columns, "column", nil, "NAME=FIELD, or NAME= to leave the column out; again for each")
	c.Flags().StringArrayVar(&payers, "payer", nil, "NAME=PAYER, with a payer ID such as CHTEST; again for each")
	c.Flags().BoolVar(&anew, "clear", false, "remove what is set already")
	return c
}

// mappingRequest returns a mapping with rows of flags in place of those with the same names.
func mappingRequest(before *directory.ImportMapping, columns, payers []string) (in intake.MappingRequest, err error) {
	given := map[string]bool{}
	for _, text := range columns {
		name, field, ok := cutLast(text)
		if !ok {
			return in, fmt.Errorf("%q is not NAME=FIELD", text)
		}
		given["column "+name] = true
		row := intake.MappedColumnInput{Name: name}
		if field != "" {
			row.Field = &field
		}
		in.Columns = append(in.Columns, row)
	}
	for _, text := range payers {
		name, payer, ok := cutLast(text)
		if !ok || payer == "" {
			return in, fmt.Errorf("%q is not NAME=PAYER", text)
		}
		given["payer "+name] = true
		in.Payers = append(in.Payers, intake.MappedPayerInput{Name: name, PayerID: payer})
	}
	for _, c := range before.Columns {
		if !given["column "+c.Name] {
			row := intake.MappedColumnInput{Name: c.Name}
			if c.Field != "" {
				row.Field = &c.Field
			}
			in.Columns = append(in.Columns, row)
		}
	}
	for _, p := range before.Payers {
		if !given["payer "+p.Name] {
			in.Payers = append(in.Payers, intake.MappedPayerInput{Name: p.Name, PayerID: p.Payer.ID.String()})
		}
	}
	return in, nil
}

// cutLast cuts a text at its last equals sign: names may have some.
func cutLast(text string) (name, value string, ok bool) {
	i := strings.LastIndex(text, "=")
	if i < 0 {
		return "", "", false
	}
	return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:]), true
}

// mappingText returns a line for each name of a mapping.
func mappingText(m *directory.ImportMapping) string {
	lines := []string{}
	for _, c := range m.Columns {
		lines = append(lines, "column "+oneLine(c.Name)+" = "+cmp.Or(c.Field, "(left out)"))
	}
	for _, p := range m.Payers {
		lines = append(lines, "payer "+oneLine(p.Name)+" = "+p.Payer.PayerID+" ("+oneLine(p.Payer.Name)+")")
	}
	if len(lines) == 0 {
		return "Nothing is set. Names that the service knows itself are not listed."
	}
	return strings.Join(lines, "\n")
}
