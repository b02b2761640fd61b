package cli

import (
	"context"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestFiles lists files that were not received, tries one again and dismisses another.
func TestFiles(t *testing.T) {
	t.Parallel()
	store, run := onBatches(t, "files")
	if out, err := run("list"); err != nil || !strings.Contains(out, "Every file") {
		t.Errorf("%q, %v", out, err)
	}
	now := time.Now()
	file := func(n int, name string, state clearing.FileState, change func(f *clearing.ReceivedFile)) billing.FileID {
		f := &clearing.ReceivedFile{
			ID: billing.NewID[billing.FileID](billing.RealAt(now)), Network: "con_1", Scope: billing.Scope{Mode: billing.ModeLive},
			RemoteFile: clearing.RemoteFile{Name: name, Size: 7, Time: now}, State: state, Since: now.Add(time.Duration(n)), Holder: billing.JobID{1},
		}
		change(f)
		porttest.System(t, store, func(ctx context.Context, tx ports.SystemTx) error { return tx.Received.Put(ctx, f) })
		return f.ID
	}
	lost := file(1, "lost.835", clearing.FileLost, func(*clearing.ReceivedFile) {})
	aside := file(2, "aside.835", clearing.FileSetAside, func(f *clearing.ReceivedFile) { f.Digest = sha256.Sum256(nil) })
	refused := file(3, "refused.835", clearing.FileRefused, func(f *clearing.ReceivedFile) { f.Listed, f.Reason = true, "It is too large." })
	fine := file(4, "fine.835", clearing.FileApplied, func(f *clearing.ReceivedFile) { f.Digest = sha256.Sum256(nil) })
	out, err := run("list")
	for _, want := range []string{lost.String(), "lost.835", "set_aside", "It is too large.", "con_1"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("the list has no %s: %v\n%s", want, err, out)
		}
	}
	if strings.Contains(out, "fine.835") {
		t.Errorf("the list has a file without a problem:\n%s", out)
	}
	for command, want := range map[string]string{
		"dismiss " + refused.String(): "still has refused.835", "retry " + fine.String(): "has no problem", "dismiss fil_1": "is not a fil_ ID",
		"retry fil_1": "is not a fil_ ID", "dismiss " + billing.FileID{7}.String(): "has no problem",
	} {
		if _, err := run(strings.Fields(command)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", command, err)
		}
	}
	for command, want := range map[string]string{
		"dismiss " + lost.String(): "dismissed", "retry " + refused.String(): "tried again", "retry " + aside.String(): "tried again",
	} {
		if out, err := run(strings.Fields(command)...); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %q, %v", command, out, err)
		}
	}
	if out, err := run("list"); err != nil || !strings.Contains(out, "Every file") {
		t.Errorf("%q, %v", out, err)
	}
	if due := porttest.Due(t, store, time.Hour); len(due) != 1 || due[0].Kind != jobs.KindReceivedFile || due[0].Subject != aside {
		t.Errorf("jobs %+v", due)
	}
}
