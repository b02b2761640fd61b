package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	rules "github.com/molar-billing/molar/core/billing/retention"
	"github.com/molar-billing/molar/core/retention"
)

func retentions(b Backend) *cobra.Command {
	show := &cobra.Command{
		Use: "show", Short: "Show how long data stays, and what is held", Args: cobra.NoArgs,
		Example: "  molar retention show",
		RunE: b.Retention.run(func(c *cobra.Command, s *retention.Service, _ []string) error {
			return showRetention(c, s)
		}),
	}
	age := rules.Age{Mode: billing.ModeLive}
	var test, dry bool
	var org string
	set := &cobra.Command{
		Use: "set KIND AGE", Short: "Set how long data of a kind stays", Args: cobra.ExactArgs(2),
		Long: "Sets how long data of a kind stays, in real time: days, such as 90d, or years of 365 days, such as 10y. MOLAR_MIGRATE_URL must\n" +
			"name the owner of the tables. The next sweep removes what is older, and nothing brings that back.\n" +
			"The kinds are records, exchanges (the messages of checks) and events. --dry-run sets nothing, and counts what is older than\n" +
			"the age. Of that, what is held stays, and what something younger names.",
		Example: "  molar retention set records 7y --minors\n  molar retention set records 30d --test\n  molar retention set exchanges 2y --org org_01JZ8M6H4TQ6WJ1V3Z5X7Y9ABC --dry-run",
		RunE: b.Retention.run(func(c *cobra.Command, s *retention.Service, args []string) (err error) {
			if test {
				age.Mode = billing.ModeTest
			}
			age.Kind = rules.Kind(args[0])
			if age.Keep, err = days(args[1]); err != nil {
				return err
			}
			if org != "" {
				if age.Org, err = billing.ParseID[billing.OrgID](org); err != nil {
					return fmt.Errorf("--org: %s is no ID of an organization", org)
				}
			}
			if dry {
				return countOld(c, s, age)
			}
			if err := s.Set(c.Context(), age); err != nil {
				return err
			}
			return showRetention(c, s)
		}),
	}
	set.Flags().BoolVar(&test, "test", false, "the age in test mode")
	set.Flags().StringVar(&org, "org", "", "the age of one organization")
	set.Flags().BoolVar(&dry, "dry-run", false, "count what is older, and set nothing")
	set.Flags().BoolVar(&age.Minors, "minors", false, "records of a patient younger than 18 count from the 18th birthday")
	var reason string
	hold := &cobra.Command{
		Use: "hold ORG|PATIENT", Short: "Stop every removal of what an organization or a patient has", Args: cobra.ExactArgs(1),
		Long: "Stops every removal of old data of an organization, or of a patient. Remittances, attachments, batches and acknowledgements of the\n" +
			"patient's organization stay, too, because they may be about the patient. A hold lasts until molar retention release.",
		Example: "  molar retention hold pat_01JZ8M6H4TQ6WJ1V3Z5X7Y9ABC --reason \"case 26-4711\"",
		RunE: b.Retention.run(func(c *cobra.Command, s *retention.Service, args []string) error {
			org, patient, err := held(args[0])
			if err == nil {
				err = s.Hold(c.Context(), org, patient, reason)
			}
			if err != nil {
				return err
			}
			return say(c, "Held until: molar retention release %s", args[0])
		}),
	}
	hold.Flags().StringVar(&reason, "reason", "", "why: the matter, and nothing about the patient (required)")
	release := &cobra.Command{
		Use: "release ORG|PATIENT", Short: "End a hold", Args: cobra.ExactArgs(1),
		Example: "  molar retention release pat_01JZ8M6H4TQ6WJ1V3Z5X7Y9ABC",
		RunE: b.Retention.run(func(c *cobra.Command, s *retention.Service, args []string) error {
			org, patient, err := held(args[0])
			if err == nil {
				err = s.Release(c.Context(), org, patient)
			}
			if err != nil {
				return err
			}
			return say(c, "Released. What is old enough goes with the next sweep.")
		}),
	}
	return group("retention", "How long data stays: show, set, hold, release", show, set, hold, release)
}

// countOld shows what is older than an age.
func countOld(c *cobra.Command, s *retention.Service, age rules.Age) error {
	all, err := s.Count(c.Context(), age)
	if err != nil {
		return err
	}
	return list(c, "", "WHAT\tOLDER\tHELD", all, func(o rules.Old) []any {
		return []any{strings.ReplaceAll(o.Of, "_", " "), o.Old, o.Held}
	})
}

func showRetention(c *cobra.Command, s *retention.Service) error {
	ages, err := s.Ages(c.Context())
	if err != nil {
		return err
	}
	err = list(c, "", "KIND\tMODE\tORG\tDAYS\tMINORS", ages, func(a rules.Age) []any {
		org, minors := "all", ""
		if !a.Org.IsZero() {
			org = a.Org.String()
		}
		if a.Minors {
			minors = "from the 18th birthday"
		}
		return []any{a.Kind, a.Mode, org, int(a.Keep.Hours() / 24), minors}
	})
	if err != nil {
		return err
	}
	holds, err := s.Holds(c.Context())
	if err != nil || len(holds) == 0 {
		return err
	}
	if err := say(c, ""); err != nil {
		return err
	}
	return list(c, "", "HELD\tORG\tSINCE\tREASON", holds, func(h rules.Hold) []any {
		subject := h.Org.String()
		if !h.Patient.IsZero() {
			subject = h.Patient.String()
		}
		return []any{subject, h.Org, event.Timestamp(h.PlacedAt), h.Reason}
	})
}

// held reads what a hold is about.
func held(arg string) (org billing.OrgID, patient billing.PatientID, err error) {
	if org, err = billing.ParseID[billing.OrgID](arg); err == nil {
		return org, patient, nil
	}
	if patient, err = billing.ParseID[billing.PatientID](arg); err != nil {
		err = fmt.Errorf("%s is no ID of an organization (org_...) or a patient (pat_...)", arg)
	}
	return org, patient, err
}

// maxYears keeps ages far below what a duration can be.
const maxYears = 100

// days reads an age such as 90d or 10y.
func days(arg string) (time.Duration, error) {
	number, year := strings.CutSuffix(arg, "y")
	if !year {
		number = strings.TrimSuffix(arg, "d")
	}
	n, err := strconv.Atoi(number)
	if year {
		n *= 365
	}
	if err != nil || number == arg || n < 1 || n > maxYears*365 {
		return 0, fmt.Errorf("%q is no age: want days such as 90d, or years such as 10y, at most %d years", arg, maxYears)
	}
	return time.Duration(n) * 24 * time.Hour, nil
}
