package cli

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
)

// claimCommands ask about claims.
func claimCommands(b Backend) *cobra.Command {
	return group("claims", "Claims that were sent", claimStatus(b), statusPolicies(b), payerLimits(b))
}

// shownInquiry is an inquiry about a claim as the API shows it.
type shownInquiry struct {
	ID               string  `json:"id"`
	Outcome          *string `json:"outcome"`
	Message          *string `json:"message"`
	Matches          *string `json:"matches"`
	PayerClaimNumber *string `json:"payer_claim_number"`
	Statuses         []struct {
		Line      *int    `json:"line_number"`
		Procedure *string `json:"procedure_code"`
		Codes     []struct {
			Category string  `json:"category"`
			Status   *string `json:"status"`
			Entity   *string `json:"entity"`
			Text     string  `json:"text"`
		} `json:"codes"`
		Charge        *string `json:"charge"`
		Paid          *string `json:"paid"`
		PaymentDate   *string `json:"payment_date"`
		PaymentNumber *string `json:"payment_number"`
	} `json:"statuses"`
}

// claimStatus asks the payer where a claim is, and prints the answer.
func claimStatus(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "status CLAIM", Short: "Ask the payer where a claim is", Args: oneOf("claim (clm_...)", "GET /claims, or the dashboard,"),
		Long: "Asks the payer of a claim that was sent, waits for the response and prints it: what came of it, and a line for each status of\n" +
			"the claim and of its lines. It needs a key with the submit permission.",
		Example: "  molar claims status clm_...",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var i shownInquiry
			if err := api.post(c.Context(), "/claims/"+url.PathEscape(args[0])+"/status_inquiries", map[string]any{}, &i); err != nil {
				return err
			}
			return say(c, "%s", i.text())
		},
	}
	f.on(c)
	return c
}

// text returns the inquiry for people.
func (i *shownInquiry) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s\n", shownOr(i.Outcome, "pending"), shownOr(i.Message, "The payer has not responded."))
	if i.PayerClaimNumber != nil {
		fmt.Fprintf(&s, "The payer's number of the claim is %s.\n", *i.PayerClaimNumber)
	}
	for _, one := range i.Statuses {
		about := "claim"
		if one.Procedure != nil {
			about = "line " + *one.Procedure
		}
		for _, code := range one.Codes {
			written := code.Category
			for _, more := range []*string{code.Status, code.Entity} {
				if more != nil {
					written += ":" + *more
				}
			}
			fmt.Fprintf(&s, "  %s\t%s\t%s", about, written, code.Text)
			if one.Paid != nil {
				fmt.Fprintf(&s, ", %s of %s", *one.Paid, shownOr(one.Charge, "-"))
			}
			if one.PaymentNumber != nil {
				fmt.Fprintf(&s, ", payment %s on %s", *one.PaymentNumber, shownOr(one.PaymentDate, "-"))
			}
			s.WriteString("\n")
		}
	}
	return strings.TrimSuffix(s.String()+"The inquiry is "+i.ID+".", "\n")
}
