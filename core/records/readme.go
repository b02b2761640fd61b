package records

import (
	"fmt"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing/event"
)

// readme explains the archive to a patient.
func (a *archive) readme() error {
	slices.Sort(a.files)
	a.counts.Files = slices.Compact(a.files)
	c := a.counts
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "Everything that this dental practice's billing system keeps about patient %s.\nWritten at %s.\n\n", a.patient, event.Timestamp(a.at))
	for _, part := range []struct {
		name, what string
		n          int
	}{
		{"patient.json", "name and date of birth", 1},
		{"checks/", "questions to insurers about coverage, with their answers", c.Checks},
		{"", "messages as they were sent and received", c.Messages},
		{"visits/", "visits for which coverage was to be checked", c.Visits},
		{"estimates/", "what visits were estimated to cost", c.Estimates},
		{"claims/", "claims: what was done, what it cost, what the insurer decided", c.Claims},
		{"status_inquiries/", "questions to insurers about claims, with their answers", c.Inquiries},
		{"", "messages as they were sent and received", c.Answers},
		{"appeals/", "letters that asked insurers to decide a claim again", c.Appeals},
		{"payments/", "what insurers said with their payments", c.Payments},
		{"attachments/", "what was sent to insurers with claims", c.Attachments},
		{"", "X-rays and other images among it", c.Images},
		{"payer_requests/", "what insurers asked for", c.PayerRequests},
		{"notes.json", "what people of the practice noted about it", c.Notes},
		{"events.json", "what happened to all of this, and when", c.Events},
		{"access.json", "who saw or changed it, and when", c.Reads},
		{"disclosures.json", "to whom outside the practice it was given", c.Disclosures},
	} {
		_, _ = fmt.Fprintf(&b, "%-18s %6d  %s\n", part.name, part.n, part.what)
	}
	if len(c.Missing) > 0 {
		_, _ = fmt.Fprintf(&b, "\nThe store of images does not have these, which are therefore not here:\n%s\n", strings.Join(c.Missing, "\n"))
	}
	if len(c.Files) > 0 {
		_, _ = fmt.Fprintf(&b, "\nThe system also keeps these files as they were sent or received. They may have other patients in them, so they are not here;\n"+
			"what they say about this patient is:\n%s\n", strings.Join(c.Files, "\n"))
	}
	return a.write("README.txt", []byte(b.String()))
}
