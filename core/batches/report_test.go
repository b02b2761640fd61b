package batches_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/quarantine"
)

// TestReportIsKept stores a report in text once, whatever its name, and takes none of its
// words for an acknowledgement.
func TestReportIsKept(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, sent := b.submitted(b.practice)
	content := []byte("\xef\xbb\xbfEDI STATUS\r\nFile " + sent.File.Name + " 999 REJECTED, control number " + sent.File.ControlNumbers.Interchange + "\r\n\x1a")
	for _, name := range []string{"1_EDI_STATUS.txt", "2_EDI_STATUS.txt", "1_EDI_STATUS.txt"} {
		b.give(clearing.IncomingFile{Name: name, Content: content})
	}
	aside := b.quarantined()
	if len(aside) != 1 || aside[0].Name != "1_EDI_STATUS.txt" || !strings.Contains(aside[0].Reason, "report") {
		t.Fatalf("in quarantine: %+v", aside)
	}
	b.wantClaim(b.practice, c.ID, claim.Submitted, "queued submitted")
	for text, want := range map[string]quarantine.Cause{
		"": quarantine.Empty, "\ufeff \r\n\x00\x1a": quarantine.Empty,
		"Claims: 3\n": quarantine.Report, "Zähne \xff": quarantine.Report,
		"  \r\nISA*00": quarantine.Unreadable, "PK\x03\x04": quarantine.Unreadable, "ISA": quarantine.Unreadable,
		"\ufeffISA*": quarantine.Unreadable,
	} {
		if got, reason := quarantine.Unread(clearing.IncomingFile{Content: []byte(text)}); got != want || reason == "" {
			t.Errorf("%q is in quarantine because of %s: %s", text, got, reason)
		}
	}
}
