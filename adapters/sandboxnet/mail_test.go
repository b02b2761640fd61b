package sandboxnet_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/networktest"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// numbered returns the file of a batch with unique numbers.
func numbered(tb testing.TB, n int, all ...claims.Claim) (name string, content []byte) {
	tb.Helper()
	number := fmt.Sprintf("%09d", n)
	b := claims.Batch{
		Interchange: x12.Interchange{Sender: "MOLAR", Receiver: "SANDBOX", Created: asked, Control: n, Test: true},
		Group:       x12.Group{Sender: "MOLAR", Receiver: "SANDBOX", Created: asked, Control: n},
		Control:     number, Reference: number, CreatedAt: asked,
		Submitter: claims.Submitter{Name: "Molar", ID: "MOLAR"}, Receiver: claims.Receiver{Name: "Sandbox", ID: "SANDBOX"}, Claims: all,
	}
	var out bytes.Buffer
	if err := claims.Encode(&out, &b); err != nil {
		tb.Fatal(err)
	}
	return "20260315" + number + ".837", out.Bytes()
}

func TestClearinghouseContract(t *testing.T) {
	t.Parallel()
	networktest.RunClearinghouse(t, func(t *testing.T) networktest.ClearinghouseFixture {
		t.Helper()
		mail, now := pgtest.Open(t).SandboxMail(), porttest.At(asked, 0)
		open := func() ports.Clearinghouse {
			return sandboxnet.NewClearinghouse(now, mail, sandboxnet.Options{ERADelay: time.Minute})
		}
		var batches atomic.Int64
		return networktest.ClearinghouseFixture{
			Network: open(), Another: open, Later: func() { now.Advance(5 * time.Minute) },
			File: func(t *testing.T) (string, []byte) {
				t.Helper()
				return numbered(t, int(batches.Add(1)), everything()...)
			},
		}
	})
}

// TestMessageOrder receives the messages about a file step by step.
func TestMessageOrder(t *testing.T) {
	t.Parallel()
	now := porttest.At(asked, 0)
	n := sandboxnet.NewClearinghouse(now, pgtest.Open(t).SandboxMail(), sandboxnet.Options{ERADelay: slowly})
	name, content := numbered(t, 1, newClaim("C-1", "-REVERSED", aetna()), newClaim("C-2", "-INFO-REQUEST", aetna()))
	if err := n.Send(t.Context(), clearing.OutgoingFile{Scope: billing.Scope{Mode: billing.ModeTest}, Name: name, Content: content}, nil); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		pass time.Duration
		want string
	}{
		{299 * time.Millisecond, ""},
		{time.Millisecond, ".997"},
		{300 * time.Millisecond, "-clearinghouse-1.277"},
		{400 * time.Millisecond, "-payer-1.277"},
		{5 * time.Second, "-request-1.277"},
		{115*time.Second - time.Millisecond, ""},
		{time.Millisecond, "-payment-1.835"},
		{slowly, "-reversal-1.835"},
		{time.Hour, ""},
	} {
		now.Advance(step.pass)
		files, err := n.Receive(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, f := range files {
			got += strings.TrimPrefix(f.Name, strings.TrimSuffix(name, ".837"))
			if err := n.Remove(t.Context(), f.Name); err != nil {
				t.Fatal(err)
			}
		}
		if got != step.want {
			t.Errorf("after %v more: %q, want %q", step.pass, got, step.want)
		}
	}
}

// TestRejectedOnceAcrossProcesses sends the files of a claim that asks for a
// rejection from two processes.
func TestRejectedOnceAcrossProcesses(t *testing.T) {
	t.Parallel()
	mail := pgtest.Open(t).SandboxMail()
	practice := billing.Scope{Mode: billing.ModeTest}
	verdictOn := func(number int, at time.Time) acknowledgements.Verdict {
		t.Helper()
		name, content := numbered(t, number, newClaim("C-1", "-BATCH-REJECTED", aetna()))
		n := sandboxnet.NewClearinghouse(porttest.At(at, 0), mail, sandboxnet.Options{})
		later := sandboxnet.NewClearinghouse(porttest.At(at.Add(time.Minute), 0), mail, sandboxnet.Options{})
		for range 2 {
			if err := n.Send(t.Context(), clearing.OutgoingFile{Scope: practice, Name: name, Content: content}, nil); err != nil {
				t.Fatal(err)
			}
		}
		files, err := later.Receive(t.Context(), 10)
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		for _, f := range files {
			if f.Scope != practice {
				t.Errorf("%s concerns %+v", f.Name, f.Scope)
			}
			if err := n.Remove(t.Context(), f.Name); err != nil {
				t.Fatal(err)
			}
		}
		v, _ := verdictOn(t, files[0].Content, number)
		return v
	}
	// The last file belongs to another practice, with the same NPI and control
	// number.
	for number, want := range []acknowledgements.Verdict{
		"", acknowledgements.VerdictRejected, acknowledgements.VerdictAccepted, acknowledgements.VerdictAccepted, acknowledgements.VerdictRejected,
	} {
		if number == 0 {
			continue
		}
		if number == 4 {
			practice.Org = billing.OrgID{1}
		}
		if got := verdictOn(number, asked.Add(time.Duration(number)*time.Hour)); got != want {
			t.Errorf("file %d is %s, want %s", number, got, want)
		}
	}
}
