package network

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

func TestConnectionRoute(t *testing.T) {
	t.Parallel()
	delta, other := billing.PayerID{1}, billing.PayerID{2}
	scope := billing.Scope{Org: billing.OrgID{9}, Mode: billing.ModeLive}
	every := Connection{Mode: billing.ModeLive}
	if r := every.Route(); !r.Reaches(scope, delta, Claims) {
		t.Error("a connection without payers does not reach every payer")
	}
	// One payer is listed twice, with an ID for each transaction.
	some := Connection{Mode: billing.ModeLive, Settings: Settings{Payers: []Payer{
		{Payer: delta, NetworkID: "SKUT0", Transactions: []Transaction{Claims}},
		{Payer: delta, NetworkID: "UTMCD", Transactions: []Transaction{Eligibility}},
	}}}
	r := some.Route()
	if !r.Reaches(scope, delta, Claims) || !r.Reaches(scope, delta, Eligibility) || r.Reaches(scope, other, Claims) ||
		r.PayerID(directory.PayerSummary{ID: delta, PayerID: "CDUT1"}, Claims) != "SKUT0" ||
		r.PayerID(directory.PayerSummary{ID: delta, PayerID: "CDUT1"}, Eligibility) != "UTMCD" {
		t.Errorf("the route is %+v", r)
	}
	own := Connection{Mode: billing.ModeLive, Org: billing.OrgID{8}}
	if r := own.Route(); r.Reaches(scope, delta, Claims) {
		t.Error("a connection of another organization serves the scope")
	}
}

func TestConnectionState(t *testing.T) {
	t.Parallel()
	pause := Pause{At: time.Unix(1, 0), Reason: ReasonUnauthorized}
	for want, c := range map[State]Connection{
		Enabled: {Enabled: true}, Paused: {Enabled: true, Pause: pause}, Disabled: {Pause: pause},
	} {
		if got := c.State(); got != want {
			t.Errorf("the state is %s, want %s", got, want)
		}
	}
}

func TestReasonOf(t *testing.T) {
	t.Parallel()
	fault := &Error{Reason: ReasonTLS, Err: errors.New("the certificate has expired")}
	for _, c := range []struct {
		err  error
		want Reason
	}{
		{errors.New("x"), ReasonOther},
		{fmt.Errorf("inquire: %w", fault), ReasonTLS},
		{&Error{Reason: ReasonRefused, Err: ErrUnauthorized}, ReasonUnauthorized},
		{fmt.Errorf("send: %w", ErrOutcomeUnknown), ReasonUnknownOutcome},
		{context.DeadlineExceeded, ReasonTimeout},
	} {
		if got := ReasonOf(c.err); got != c.want {
			t.Errorf("the reason of %v is %s, want %s", c.err, got, c.want)
		}
	}
	if fault.Error() != "the certificate has expired" {
		t.Error(fault)
	}
}

// TestConnectionSecrets prints a connection in every way that a mistake could.
func TestConnectionSecrets(t *testing.T) {
	t.Parallel()
	c := &Connection{Name: "main", Secrets: Secrets(`{"Password":"hunter2","Key":"aHVudGVyMg=="}`)}
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	log.Info("all", "connection", c, "secrets", c.Secrets, "pointer", &c.Secrets)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q"} {
		_, _ = fmt.Fprintf(&out, verb+verb+verb, c, *c, c.Secrets)
	}
	if strings.Contains(out.String(), "hunter2") || strings.Contains(out.String(), "[104 117") || strings.Contains(out.String(), fmt.Sprintf("%x", "hunter2")) {
		t.Errorf("a secret is printed: %s", out.String())
	}
	if c.Secrets.IsZero() || !(Secrets)(nil).IsZero() {
		t.Error("IsZero is wrong")
	}
}
