package access_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
)

// TestGuessesWait guesses in every way until attempts wait, and waits as long as it is
// asked to. An attempt a moment sooner is refused, even with the right password.
func TestGuessesWait(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ann := p.withPassword("ann@example.com", billing.RoleOwner)
	home := func() *access.SignedIn {
		in, err := p.password(ann.Email, goodPassword, "", "192.0.2.1", "")
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	type try func(password string) error
	change := func() try {
		caller := p.resume(home())
		return func(current string) error {
			var shown access.Proven
			_, err := p.s.Prove(t.Context(), wrote(p, &shown), caller, access.OwnProofs{Current: current, Password: new(goodPassword)})
			return err
		}
	}
	signIn := func(email, address, browser string) func() try {
		return func() try {
			return func(password string) error {
				_, err := p.password(email, password, "", address, browser)
				return err
			}
		}
	}
	second, minute, quarter := time.Second, time.Minute, 15*time.Minute
	for _, c := range []struct {
		name  string
		begin func() try
		waits []time.Duration // after the attempts that are free
	}{
		{"one account from one address", signIn(ann.Email, "198.51.100.1", ""), []time.Duration{second, 2 * second, 4 * second, 8 * second}},
		{"an account that does not exist", signIn("absent@example.com", "198.51.100.2", ""), []time.Duration{second, 2 * second, 4 * second, 8 * second}},
		{"a browser that has signed in", signIn(ann.Email, "198.51.100.3", home().Browser), []time.Duration{second, 2 * second}},
		{"the current password in a stolen session", change, []time.Duration{second, 2 * second}},
	} {
		p.clock.Advance(2 * time.Hour) // what came before is forgotten
		guess := c.begin()
		for n := range 5 {
			if err := guess(fmt.Sprint("a wrong guess ", n)); err == nil || billing.CodeOf(err) == billing.CodeTooManyRequests {
				t.Errorf("%s: guess %d: %v", c.name, n, err)
			}
		}
		for _, want := range c.waits {
			for _, sooner := range []time.Duration{want, time.Millisecond} {
				e, _ := errors.AsType[*billing.Error](guess(goodPassword))
				if e == nil || e.Code != billing.CodeTooManyRequests || e.RetryAfter != sooner {
					t.Fatalf("%s: %+v, want a wait of %s", c.name, e, sooner)
				}
				p.clock.Advance(sooner - min(sooner, time.Millisecond))
			}
			p.clock.Advance(time.Millisecond)
			if err := guess("another wrong guess"); err == nil || billing.CodeOf(err) == billing.CodeTooManyRequests {
				t.Errorf("%s: after %s: %v", c.name, want, err)
			}
		}
	}
	// The wait of an account is short, so that no stranger closes it; that of a pair
	// is long.
	for n, c := range map[string]struct {
		address func(n int) string
		most    time.Duration
	}{
		"an account from everywhere": {func(n int) string { return fmt.Sprintf("10.1.%d.1", n) }, minute},
		"a pair":                     {func(int) string { return "198.51.100.9" }, quarter},
	} {
		p.clock.Advance(2 * time.Hour)
		longest := time.Duration(0)
		for i := range 40 {
			_, err := p.password(ann.Email, "a wrong guess", "", c.address(i), "")
			if e, _ := errors.AsType[*billing.Error](err); e != nil {
				longest = max(longest, e.RetryAfter)
				p.clock.Advance(e.RetryAfter)
			}
		}
		if longest != c.most {
			t.Errorf("%s waits %s at most, want %s", n, longest, c.most)
		}
	}
}
