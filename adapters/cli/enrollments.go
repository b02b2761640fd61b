package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/core/intake"
)

// enrolled manages the enrollments of offices with payers.
func enrolled(b Backend) *cobra.Command {
	return group("enrollments", "Enrollments of offices with payers", listEnrollments(b), setEnrollment(b))
}

func listEnrollments(b Backend) *cobra.Command {
	var asJSON bool
	c := b.Enrollments.scoped(&cobra.Command{
		Use: "list", Short: "List the enrollments of an organization's offices", Args: cobra.NoArgs,
		Long: "Lists the enrollments of an organization's offices with payers. An office needs none with a payer that is not listed.",
	}, func(c *cobra.Command, s *enrollments.Service, scope billing.Scope) error {
		all, err := every(func(p billing.Page) ([]*network.Enrollment, *billing.Position, error) {
			return s.List(c.Context(), scope, network.EnrollmentFilter{}, p)
		})
		if err != nil {
			return err
		}
		return showEnrollments(c, all, asJSON)
	})
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each")
	return c
}

func showEnrollments(c *cobra.Command, all []*network.Enrollment, asJSON bool) error {
	if !asJSON {
		return list(c, "", "OFFICE\tPAYER\tTRANSACTION\tSTATE\tSINCE\tNOTE\tNETWORK", all, func(e *network.Enrollment) []any {
			return []any{e.OfficeID, e.Payer.PayerID, e.Transaction, e.State, e.Date, cmp.Or(oneLine(e.Note), "-"), cmp.Or(oneLine(e.NetworkMessage), "-")}
		})
	}
	for _, e := range all {
		if err := say(c, "%s", enrollmentLine(e)); err != nil {
			return err
		}
	}
	return nil
}

// oneLine returns the text without line breaks, tabs and terminal codes, because the
// network may have written it.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }), " ")
}

// enrollmentLine returns an enrollment as a line of JSON.
func enrollmentLine(e *network.Enrollment) string {
	line, err := json.Marshal(struct {
		ID             billing.EnrollmentID      `json:"id"`
		OfficeID       billing.OfficeID          `json:"office_id"`
		PayerID        string                    `json:"payer_id"`
		Transaction    network.Transaction       `json:"transaction"`
		State          directory.EnrollmentState `json:"state"`
		Date           billing.Date              `json:"date"`
		Note           string                    `json:"note"`
		NetworkMessage string                    `json:"network_message"`
	}{e.ID, e.OfficeID, e.Payer.PayerID, e.Transaction, e.State, e.Date, e.Note, e.NetworkMessage})
	if err != nil {
		panic(err) // strings always encode
	}
	return string(line)
}

func setEnrollment(b Backend) *cobra.Command {
	var in intake.EnrollmentRequest
	var date string
	var asJSON bool
	c := b.Enrollments.scoped(&cobra.Command{
		Use: "set", Short: "Record the state of an office's enrollment with a payer", Args: cobra.NoArgs,
		Long: "Records the state of an office's enrollment with a payer for a transaction, in place of an earlier record.\n\n" +
			"Claims and eligibility checks of live mode are not sent while the enrollment is needed, submitted or rejected. Once it is active,\n" +
			"the claims that waited for it are checked again, and those that were submitted are queued.",
		Example: "  molar enrollments set --org org_... --mode live --office off_... --payer CHTEST --transaction claims --state submitted \\\n" +
			"    --note 'Sent on the form of the clearinghouse' --network-message 'In process: 10 business days'",
	}, func(c *cobra.Command, s *enrollments.Service, scope billing.Scope) error {
		if date != "" {
			in.Date = &date
		}
		show := func(e *network.Enrollment) string {
			if asJSON {
				return enrollmentLine(e)
			}
			return fmt.Sprintf("%s: %s with %s is %s since %s", e.OfficeID, e.Transaction, e.Payer.PayerID, e.State, e.Date)
		}
		return printed(c)(s.Put(c.Context(), administration(c, scope, show), in))
	})
	c.Flags().StringVar(&in.OfficeID, "office", "", "office (off_...), see: molar offices list")
	c.Flags().StringVar(&in.PayerID, "payer", "", "payer ID, such as CHTEST, or pyr_ ID")
	c.Flags().StringVar(&in.Transaction, "transaction", "", "eligibility or claims")
	c.Flags().StringVar(&in.State, "state", "", "not_needed, needed, submitted, active or rejected")
	c.Flags().StringVar(&date, "date", "", "day since which it is in the state, as YYYY-MM-DD (default: today)")
	c.Flags().StringVar(&in.Note, "note", "", "your note")
	c.Flags().StringVar(&in.NetworkMessage, "network-message", "", "what the network or the payer said, in its own words")
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON")
	for _, required := range []string{"office", "payer", "transaction", "state"} {
		_ = c.MarkFlagRequired(required)
	}
	return c
}
