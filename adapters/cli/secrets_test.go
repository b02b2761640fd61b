package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
)

// TestHelp has the help of commands that an operator reads in a hurry in a golden file.
func TestHelp(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	for _, line := range []string{"secrets", "secrets status", "secrets rotate", "patients export", "orgs export", "orgs delete", "retention set", "eligibility batch", "eligibility batches", "deposits", "deposits import", "deposits list", "deposits match"} {
		c := New(Backend{})
		c.SetOut(&all)
		all.WriteString("$ molar " + line + " --help\n")
		c.SetArgs(append(strings.Fields(line), "--help"))
		if err := c.ExecuteContext(t.Context()); err != nil {
			t.Error(err)
		}
		all.WriteString("\n")
	}
	golden(t, "help.txt", all.Bytes())
}

// TestRotateData replaces the data keys with the command, which waits for no other process here.
// While another rotation runs, it says so.
func TestRotateData(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	within := func(progress func()) func(context.Context, func(DataRotation)) error {
		return func(ctx context.Context, show func(DataRotation)) error {
			return store.RotateData(ctx, time.Millisecond, func(at pgstore.DataRotation) {
				show(DataRotation(at))
				progress()
			})
		}
	}
	run := func(progress func()) (string, error) {
		c := New(Backend{RotateData: within(progress)})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&out)
		c.SetArgs([]string{"secrets", "rotate", "--data"})
		err := c.ExecuteContext(t.Context())
		return out.String(), err
	}
	keys := func(within func()) {
		t.Helper()
		out, err := run(within)
		if err != nil || !strings.Contains(out, "Every row is encrypted with a new data key: 1 data keys, ") || !strings.Contains(out, "Encrypting rows: 100 %") {
			t.Errorf("%v: %s", err, out)
		}
	}
	keys(func() {})
	var second error
	keys(func() {
		if second == nil {
			_, second = run(func() { t.Error("a second rotation began") })
		}
	})
	if second == nil || !strings.Contains(second.Error(), "Another molar secrets rotate --data runs") {
		t.Errorf("the second command: %v", second)
	}
}
