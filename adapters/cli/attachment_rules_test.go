package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/sdk/go"
)

// TestAttachmentRuleCommands says in a golden file what the help of the commands on attachment
// rules is, and how rules are printed. The guide runs them.
func TestAttachmentRuleCommands(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, line := range []string{
		"molar attachment-rules --help", "molar attachment-rules list --help", "molar attachment-rules add --help", "molar attachment-rules change --help",
		"molar attachment-rules change", "molar attachment-rules remove --help", "molar attachment-rules remove",
	} {
		all.WriteString("$ " + line + "\n")
		cmd := New(Backend{})
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SetArgs(words(line))
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			out.WriteString(err.Error() + "\n")
		}
		all.WriteString(out.String() + "\n")
	}
	var rules []*molar.AttachmentRule
	if err := json.Unmarshal([]byte(`[
		{"id":"rul_1","payer":{"payer_id":"CHTEST","name":"Molar Test Payer"},"procedure_codes":["D2740","D2950-D2954"],"needs":["xray","narrative"],"when":"initial","note":"Denied\nin May."},
		{"id":"rul_2","payer":null,"procedure_codes":[],"needs":[],"when":"always","note":null}]`), &rules); err != nil {
		t.Fatal(err)
	}
	cmd := New(Backend{})
	var out bytes.Buffer
	cmd.SetOut(&out)
	if err := list(cmd, "", ruleTitles, rules, ruleCells); err != nil {
		t.Fatal(err)
	}
	golden(t, "attachment_rules.txt", []byte(all.String()+out.String()))
}
