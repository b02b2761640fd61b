package corenet_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/clearinghouse"
	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/networktest"
)

// simulator is a running clearinghouse with the faults.
func simulator(tb testing.TB, faults ...string) func(corenet.Envelope) corenet.Config {
	tb.Helper()
	dir := tb.TempDir()
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ready, ended := make(chan clearinghouse.Account, 1), make(chan error, 1)
	go func() {
		ended <- clearinghouse.Run(ctx, clearinghouse.Options{
			SFTP: "127.0.0.1:0", CORE: "127.0.0.1:0", Data: dir, Faults: faults, Log: slog.New(slog.DiscardHandler),
		}, func(a clearinghouse.Account) error { ready <- a; return nil })
	}()
	tb.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			tb.Errorf("the simulator ended with %v", err)
		}
	})
	var account clearinghouse.Account
	select {
	case account = <-ready:
	case err := <-ended:
		ended <- err
		tb.Fatal(err)
	}
	file := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		return b
	}
	return func(envelope corenet.Envelope) corenet.Config {
		c := corenet.Config{
			URL: account.CORESOAPURL, Envelope: envelope, SenderID: account.SenderID, ReceiverID: account.ReceiverID,
			User: account.COREUser, Password: []byte(account.COREPassword), CA: file(account.CAFile), AllowPrivate: true,
		}
		switch envelope {
		case corenet.MIME220:
			c.URL = account.COREMIMEURL
		case corenet.SOAPPhase4:
			c.User, c.Password = "", nil
			c.Cert, c.CertKey = file(filepath.Join(dir, "client.crt")), file(filepath.Join(dir, "client.key"))
		case corenet.SOAP220:
		}
		return c
	}
}

func TestSimulatorContract(t *testing.T) {
	t.Parallel()
	config := simulator(t)
	for _, envelope := range envelopes() {
		t.Run(string(envelope), func(t *testing.T) {
			t.Parallel()
			networktest.RunEligibility(t, func(t *testing.T) networktest.EligibilityFixture {
				t.Helper()
				return networktest.EligibilityFixture{
					Network: edi.New().Over(newClient(t, config(envelope)).Inquire), Inquiry: quill(""),
					Answered: "-ACTIVE-FULL", Rejected: "-NOT-FOUND", Failing: "-NETWORK-ERROR", Garbled: "-GARBLED", Slow: "-SLOW-900",
				}
			})
		})
	}
}

// TestSimulatorFaults runs each fault of the simulator: the ways to fail, and the
// deviations D1 to D13.
func TestSimulatorFaults(t *testing.T) {
	t.Parallel()
	const accepted = ""
	for faults, want := range map[string]network.Reason{
		"":                  accepted,
		"core:silent":       network.ReasonTLS,
		"core:certificate":  network.ReasonTLS,
		"core:unauthorized": network.ReasonUnauthorized,
		"core:hang":         network.ReasonTimeout,
		"core:hang-body":    network.ReasonTimeout,
		"core:cut":          network.ReasonInterrupted,
		"core:fault":        network.ReasonRefused,
		"core:html":         network.ReasonRefused,
		"core:ta1":          network.ReasonRejected,
		"core:d1":           network.ReasonProtocol,
		"core:d2":           network.ReasonRejected,
		"core:d3":           accepted,
		"core:d4":           accepted,
		"core:d5":           accepted,
		"core:d6":           accepted,
		"core:d7":           accepted,
		"core:d8":           network.ReasonMismatch,
		"core:d9":           network.ReasonUnauthorized, // only SOAP has signatures
		"core:d10":          accepted,
		"core:d10,core:999": network.ReasonRejected,
		"core:d11":          accepted,
		"core:d12":          accepted,
		"core:d13":          accepted,
		"core:d13,core:d7":  accepted,
		"core:d3,core:d5":   accepted,
		"core:d6,core:d11":  accepted,
		"core:d1,core:d13":  network.ReasonProtocol,
		"core:d8,core:d3":   network.ReasonMismatch,
	} {
		t.Run(faults, func(t *testing.T) {
			t.Parallel()
			config := simulator(t, strings.FieldsFunc(faults, func(r rune) bool { return r == ',' })...)
			for _, envelope := range []corenet.Envelope{corenet.SOAP220, corenet.MIME220} {
				c, want := config(envelope), want
				switch faults {
				case "core:silent":
					c.Timeouts.Connect = time.Second
				case "core:hang":
					c.Timeouts.FirstByte = time.Second
				case "core:hang-body":
					c.Timeouts.Total = 5 * time.Second
				case "core:d9":
					if envelope == corenet.MIME220 {
						want = accepted
					}
				}
				reason, err := inquire(t, newClient(t, c))
				if reason != want {
					t.Errorf("%s: %q, %v, want %q", envelope, reason, err, want)
				}
				if silent := errors.Is(err, context.DeadlineExceeded); silent != (want == network.ReasonTimeout) {
					t.Errorf("%s: the payer is silent: %t, %v", envelope, silent, err)
				}
			}
		})
	}
}

func TestSimulatorProbe(t *testing.T) {
	t.Parallel()
	config := simulator(t)
	for _, envelope := range envelopes() {
		for _, member := range []string{"", "-ACTIVE-FULL"} {
			c := config(envelope)
			if member != "" {
				c.Test = func(ctx context.Context, carry ports.Inquire) error {
					_, err := carry(ctx, request(t, quill(member)))
					return err
				}
			}
			for _, step := range newClient(t, c).Probe(t.Context(), true) {
				if step.Err != nil || (step.Skipped != "") != (member == "" && strings.HasPrefix(step.Name, "270")) {
					t.Errorf("%s: %+v", envelope, step)
				}
			}
		}
	}
}
