package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

const hook = "https://hooks.example.com/hook"

// id is the endpoint that the answer is about.
func (b *fixture) id(o outcome) *webhook.Endpoint {
	b.t.Helper()
	id, err := billing.ParseID[billing.WebhookEndpointID](o.Endpoint)
	if err != nil {
		b.t.Fatalf("%+v is about no endpoint", o)
	}
	return &webhook.Endpoint{ID: id, Scope: b.scope}
}

// TestCreate looks a host up once. A repeated request needs no look-up.
func TestCreate(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for _, replayed := range []bool{false, true} {
		if o := b.create("k", intake.EndpointRequest{URL: new(hook)}); o.err != nil || o.replayed != replayed {
			t.Fatalf("%+v", o)
		}
	}
	if asked := b.outside.judges(nil); len(asked) != 1 || asked[0] != hook {
		t.Errorf("the URLs %v were judged, want one, once", asked)
	}
}

// keptWithout checks that the answer that is kept for the key shows the
// endpoint, and not the secret.
func (b *fixture) keptWithout(key string, secret webhook.Secret) {
	b.t.Helper()
	err := b.store.InTx(b.t.Context(), b.scope, func(ctx context.Context, tx ports.Tx) error {
		use, err := tx.Keys.Reserve(ctx, key)
		if err != nil {
			return err
		}
		if body := string(use.Reply.Body); !strings.Contains(body, "whe_") || strings.Contains(body, strings.TrimPrefix(string(secret), "whsec_")) {
			b.t.Errorf("the answer that is kept is %s", body)
		}
		return nil
	})
	if err != nil {
		b.t.Error(err)
	}
}

func notAllowed() error {
	var f billing.Faults
	f.Add("url", billing.FaultNotAllowed, "No.")
	return f.Err()
}

// faults lists the faults of a request.
func faults(err error) string {
	var out []string
	if e, ok := errors.AsType[*billing.Error](err); ok {
		for _, f := range e.Faults {
			out = append(out, f.Field+" "+string(f.Code))
		}
	}
	return fmt.Sprint(out)
}

// TestSecretIsShownOnce makes requests with the same key at once. One endpoint
// is made, or one secret, and one caller is shown it.
func TestSecretIsShownOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	made := b.endpoint()
	for name, request := range map[string]func(s *webhooks.Service) outcome{
		"create": func(s *webhooks.Service) outcome {
			return came(s.Create(t.Context(), write(b.scope, call("create"), revealedShown), intake.EndpointRequest{URL: new(hook)}))
		},
		"rotate": func(s *webhooks.Service) outcome {
			return came(s.RotateSecret(t.Context(), write(b.scope, call("rotate"), revealedShown), made.ID))
		},
	} {
		outcomes := make([]outcome, 10)
		var all sync.WaitGroup
		for i := range outcomes {
			all.Go(func() { outcomes[i] = request(b.service) })
		}
		all.Wait()
		shown := 0
		var secret webhook.Secret
		for _, o := range outcomes {
			switch {
			case o.err == nil && o.Secret != "" && !o.replayed:
				shown++
				secret = o.Secret
			case o.err == nil && o.replayed && o.Secret == "":
			case billing.CodeOf(o.err) == billing.CodeIdempotencyKeyInUse:
			default:
				t.Errorf("%s: %+v", name, o)
			}
		}
		o := request(b.service)
		if shown != 1 || o.err != nil || !o.replayed || b.get(b.id(o)).Secret != secret {
			t.Errorf("%s: %d callers were shown a secret; then %+v", name, shown, o)
		}
		b.keptWithout(name, secret)
	}
	if all, err := b.service.List(t.Context(), b.scope); err != nil || len(all) != 2 {
		t.Errorf("%d endpoints, %v", len(all), err)
	}
}

// TestLimit makes more endpoints at once than there may be.
func TestLimit(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var all sync.WaitGroup
	outcomes := make([]outcome, 15)
	for i := range outcomes {
		all.Go(func() { outcomes[i] = b.create(fmt.Sprint("k", i), intake.EndpointRequest{URL: new(hook)}) })
	}
	all.Wait()
	made := 0
	var one *webhook.Endpoint
	for _, o := range outcomes {
		if o.err == nil {
			made++
			one = b.id(o)
		} else if billing.CodeOf(o.err) != billing.CodeConflict {
			t.Error(o.err)
		}
	}
	if made != webhook.MaxEndpoints {
		t.Fatalf("%d were made, want %d", made, webhook.MaxEndpoints)
	}
	b.endpointOf(billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}) // has a limit of its own
	b.status(one, webhook.EndpointDisabled)                               // and still counts
	for range 2 {                                                         // the refusal keeps no key
		if o := b.create("k more", intake.EndpointRequest{URL: new(hook)}); billing.CodeOf(o.err) != billing.CodeConflict {
			t.Errorf("one more: %+v", o)
		}
	}
	if o := b.remove("remove", one); o.err != nil {
		t.Fatal(o.err)
	}
	if o := b.remove("remove", one); o.err != nil || !o.replayed {
		t.Errorf("delete again: %+v", o)
	}
	if o := b.create("k more", intake.EndpointRequest{URL: new(hook)}); o.err != nil {
		t.Error(o.err)
	}
}

// TestChange looks a host up only for a URL that the request names.
func TestChange(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	e := b.endpoint()
	b.outside.judges(notAllowed())
	if o := b.change("k1", e, intake.EndpointRequest{Description: new("new"), EventTypes: []string{"claim.paid"}}); o.err != nil || o.URL != e.URL {
		t.Errorf("without a URL: %+v", o)
	}
	if o := b.change("k2", e, intake.EndpointRequest{URL: new(hook)}); faults(o.err) != "[url not_allowed]" {
		t.Errorf("to a private URL: %+v", o)
	}
	if asked := b.outside.judges(nil); len(asked) != 1 || asked[0] != hook {
		t.Errorf("the URLs %v were judged", asked)
	}
	if o := b.change("k2", e, intake.EndpointRequest{URL: new(hook), EveryType: true}); o.err != nil || o.replayed || o.URL != hook {
		t.Errorf("to a public URL: %+v", o)
	}
	if o := b.change("k2", e, intake.EndpointRequest{URL: new(hook), EveryType: true}); o.err != nil || !o.replayed {
		t.Errorf("again: %+v", o)
	}
	if asked := b.outside.judges(nil); len(asked) != 1 {
		t.Errorf("the URLs %v were judged: a repeated request needs no look-up", asked)
	}
	now := b.get(e)
	if now.URL != hook || now.Description != "new" || now.EventTypes != nil || now.Secret != e.Secret {
		t.Errorf("it is %+v", now)
	}
}

// TestPing tries out an endpoint that is disabled and broken. Nothing is kept of
// it but the answer.
func TestPing(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.process(nil)
	e := b.broken(p, 20)
	b.status(e, webhook.EndpointDisabled)
	before, deliveries, posts := b.get(e), len(b.deliveries(e)), len(b.outside.got(e.URL))
	b.outside.at(e.URL, says(418))
	o := b.ping("k", e)
	if o.err != nil || o.replayed || o.Code != 418 {
		t.Fatalf("%+v", o)
	}
	if other := b.ping("k2", e); other.err != nil || other.replayed {
		t.Errorf("with another key: %+v", other)
	}
	got := b.outside.got(e.URL)[posts:]
	if len(got) != 2 || got[0].ID == got[1].ID || !strings.HasPrefix(got[0].ID, "evt_") || !strings.Contains(string(got[0].Body), `"type":"ping"`) {
		t.Fatalf("%d posts: %+v", len(got), got)
	}
	if want, err := e.Secret.Sign(got[0].ID, got[0].At, got[0].Body); err != nil || got[0].signature != want {
		t.Errorf("signature %s, want %s, %v", got[0].signature, want, err)
	}
	if n := len(b.deliveries(e)); n != deliveries || b.get(e).Health != before.Health || b.get(e).Status != before.Status {
		t.Errorf("%d deliveries and %+v after pings, want %d and %+v", n, b.get(e).Health, deliveries, before.Health)
	}
}

// TestPingIsGivenUp has the caller hang up while the receiver thinks.
func TestPingIsGivenUp(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	e := b.endpoint()
	b.outside.at(e.URL, holds(nil, says(200)))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := b.service.Ping(ctx, write(b.scope, call("k"), attemptShown), e.ID)
		done <- err
	}()
	porttest.Await(b.t, "the ping is under way", func() bool { now, _ := b.outside.underway(e.URL); return now == 1 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	b.outside.at(e.URL, nil)
	if o := b.ping("k", e); o.err != nil || o.replayed || o.Code != 200 {
		t.Errorf("again with the key: %+v", o)
	}
}

// TestPingDies has the process of a ping die while it posts. The key is in use
// for as long as the ping may take, and then does what it was meant to.
func TestPingDies(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	e, buried := b.endpoint(), make(chan struct{})
	close(buried)
	f := &fault{how: diesAfter, only: "InTx", over: buried}
	s := webhooks.New(mortalStore{b.store, f}, b.outside, b.clock)
	if o := came(s.Ping(t.Context(), write(b.scope, call("k"), attemptShown), e.ID)); o.err == nil {
		t.Fatalf("%+v", o)
	}
	if o := b.ping("k", e); billing.CodeOf(o.err) != billing.CodeIdempotencyKeyInUse {
		t.Errorf("with the key: %+v", o)
	}
	b.clock.Advance(31 * time.Second)
	if o := b.ping("k", e); o.err != nil || o.replayed || o.Code != 200 {
		t.Errorf("with the key, later: %+v", o)
	}
	if o := b.ping("k", e); o.err != nil || !o.replayed || o.Code != 200 || len(b.outside.got(e.URL)) != 1 {
		t.Errorf("again: %+v", o)
	}
}

// TestRequestDiesAnywhere ends the process of a request at each of its commits.
// The same request again finds one effect, and a secret that was not shown is
// not shown later.
func TestRequestDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	buried := make(chan struct{})
	close(buried)
	made := b.endpoint()
	for how := diesBefore; how <= failsAfter; how++ {
		for at := range 2 {
			f := &fault{at: at, how: how, only: "InTx", over: buried}
			s := webhooks.New(mortalStore{b.store, f}, b.outside, b.clock)
			key, landed := b.key(), how == diesAfter || how == failsAfter
			o := came(s.Create(t.Context(), write(b.scope, call(key), revealedShown), intake.EndpointRequest{URL: new(hook)}))
			again := b.create(key, intake.EndpointRequest{URL: new(hook)})
			if done := landed && at == 1; o.err == nil || again.err != nil || again.replayed != done || (again.Secret == "") != done {
				t.Errorf("create %s commit %d: %+v, then %+v", how, at, o, again)
			}
			if all, err := b.service.List(t.Context(), b.scope); err != nil || len(all) != 2 {
				t.Errorf("create %s commit %d: %d endpoints, %v", how, at, len(all), err)
			}
			b.removed(b.id(again))
		}
		f := &fault{how: how, only: "InTx", over: buried}
		s := webhooks.New(mortalStore{b.store, f}, b.outside, b.clock)
		key, before, landed := b.key(), b.get(made).Secret, how == diesAfter || how == failsAfter
		o := came(s.RotateSecret(t.Context(), write(b.scope, call(key), revealedShown), made.ID))
		rotated := b.get(made).Secret
		again := b.rotate(key, made)
		if o.err == nil || (rotated != before) != landed || again.err != nil || again.replayed != landed || (again.Secret == "") != landed {
			t.Errorf("rotate %s: %+v, then %+v", how, o, again)
		}
	}
}
