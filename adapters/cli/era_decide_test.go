package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// A golden file has what the commands print that decide about a whole remittance.
func TestDecideCommands(t *testing.T) {
	t.Parallel()
	r := newRemitted(t)
	var all strings.Builder
	org := r.org.String()
	run := func(stdin []byte, args ...string) string {
		t.Helper()
		if len(args) < 3 || args[2] != "--help" {
			args = append([]string{args[0], args[1], "--org", org}, args[2:]...)
		}
		said := r.run(t, bytes.NewReader(stdin), args...)
		all.WriteString("$ molar " + strings.Join(args, " ") + "\n" + strings.ReplaceAll(said, operator(Backend{}, ""), "OPERATOR") + "\n")
		return said
	}
	bring := func(total, off billing.Money) string {
		t.Helper()
		payment := remitting("EFT-7", "MOLAR TEST PAYER", total)
		payment.Total += off
		text := regexp.MustCompile(`era_\w+`).FindString(run(fileOf(t, payment), "era", "import", "-"))
		id, err := billing.ParseID[billing.ERAID](text)
		if err != nil {
			t.Fatal(err)
		}
		r.apply(t, id)
		return text
	}
	for _, name := range []string{"acknowledge", "replace", "keep"} {
		run(nil, "era", name, "--help")
	}
	first := bring(12000, 500)
	run(nil, "era", "acknowledge", first)
	run(nil, "era", "acknowledge", first, "--note", "The payer took a late charge.")
	run(nil, "era", "ignore", first, "1")
	second := bring(9000, 0)
	run(nil, "era", "list")
	run(nil, "era", "show", first)
	run(nil, "era", "show", second)
	run(nil, "era", "ignore", second, "1")
	run(nil, "era", "keep", second, "--note", "The payer withdrew it.")
	run(nil, "era", "replace", second)
	run(nil, "era", "show", first)
	run(nil, "era", "keep", second)
	run(nil, "era", "acknowledge", second, "--note", "x")
	bring(9000, 0)
	golden(t, "era_decide.txt", []byte(r.same(all.String())))
}
