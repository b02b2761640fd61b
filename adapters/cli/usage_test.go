package cli

import (
	"bytes"
	"strings"
	"testing"
)

// TestMisuse wants an error that says what to do next.
func TestMisuse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"foo":                         `molar has no command "foo"; it has: `,
		"era foo":                     `molar era has no command "foo"; it has: acknowledge, apply, ignore, import, keep, list, match, post, quarantine, replace, retry, show, unapply, unpost`,
		"era foo --org org_1":         `molar era has no command "foo"; it has: acknowledge, apply, ignore, import, keep, list, match, post, quarantine, replace, retry, show, unapply, unpost`,
		"era quarantine clear":        `molar era quarantine has no command "clear"; it has: remove, show`,
		"era quarantine clear --hard": `molar era quarantine has no command "clear"; it has: remove, show`,
		"orgs make":                   `molar orgs has no command "make"; it has: create, delete, deletions, export, list`,
		"era --bogus":                 "unknown flag: --bogus; see: molar era --help",
		"era import --bogus":          "unknown flag: --bogus; see: molar era import --help",
		"era import payment.835":      "--org is not set: organization (org_...), see: molar orgs list",
		"era retry era_1":             "--org is not set: organization (org_...), see: molar orgs list",
		"era apply --org org_1 era_1": "molar era apply needs a remittance (era_...) and the number of its claim; molar era show lists them. See: molar era apply --help",
		"era match --org org_1 era_1": "molar era match needs a remittance (era_...), the number of its claim and a claim (clm_...)",
		"keys list":                   "--org is not set: organization (org_...), see: molar orgs list",
		"offices create --name Main":  "--org is not set: organization (org_...), see: molar orgs list",
		"orgs create":                 "molar orgs create 'Smile Dental'",
		"orgs create Smile Dental":    "molar orgs create 'Smile Dental'",
		"batches foo":                 `molar batches has no command "foo"; it has: list, resend, sent`,
		"batches sent":                "name one batch (fil_...); molar batches list lists them",
		"files retry":                 "name one file (fil_...); molar files list lists them",
		"batches resend era_1":        `"era_1" is not a fil_ ID`,
		"keys revoke":                 "name one key (key_...); molar keys list --org org_... lists them",
	} {
		c := New(Backend{})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&out)
		c.SetArgs(strings.Fields(line))
		if err := c.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) || out.Len() != 0 {
			t.Errorf("molar %s: error %v, want %q; it printed %q", line, err, want, out.String())
		}
	}
}

// TestGroupsHelp wants the help of a command that only has others below it.
func TestGroupsHelp(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", "era", "orgs", "webhooks"} {
		c := New(Backend{})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetArgs(strings.Fields(line))
		if err := c.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "Available Commands:") {
			t.Errorf("molar %s: error %v; it printed %q", line, err, out.String())
		}
	}
}
