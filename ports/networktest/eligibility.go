package networktest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// EligibilityFixture is a network that carries inquiries, with what a test needs to
// ask.
type EligibilityFixture struct {
	Network ports.Eligibility

	// Inquiry has the office, the payer and the envelope of every inquiry. The tests
	// choose the check and the subscriber.
	Inquiry network.Inquiry

	// The endings of member IDs that choose a response.
	Answered string // benefits
	Rejected string // the payer rejects the inquiry
	Failing  string // the network fails
	Garbled  string // the response is no 271
	Slow     string // there is no response while the test runs
}

// RunEligibility runs the contract of ports.Eligibility. Open returns a
// fixture that ends with the test.
func RunEligibility(t *testing.T, open func(t *testing.T) EligibilityFixture) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, EligibilityFixture){
		"an inquiry is answered":                 testAnswered,
		"a rejection is a response":              testRejected,
		"an inquiry may be sent again":           testAskedAgain,
		"every exchange comes back":              testExchanges,
		"inquiries at once do not mix":           testInquiriesAtOnce,
		"a network that fails is an error":       testFailing,
		"other bytes are no response":            testGarbled,
		"the context ends a wait":                testSlow,
		"a cancelled context sends nothing":      testCancelledInquiry,
		"a failure does not disturb the network": testAfterFailures,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// about returns an inquiry of a new check about a member whose ID has the ending.
func (f EligibilityFixture) about(ending string) network.Inquiry {
	q := f.Inquiry
	q.CheckID = billing.NewID[billing.CheckID](billing.RealAt(time.Now()))
	q.CreatedAt, q.Clock = time.Now(), network.ClockAt(time.Now())
	q.Inquiry.DetailLevel = coverage.DetailStandard
	q.Inquiry.Subscriber = coverage.Subscriber{
		FirstName: firstName, LastName: lastName, MemberID: memberID + ending, DateOfBirth: billing.Date{Year: 1985, Month: time.April, Day: 12},
	}
	return q
}

// asked asks about a member whose ID has the ending, and returns the error.
func (f EligibilityFixture) asked(ctx context.Context, ending string) error {
	_, _, err := f.Network.Ask(ctx, f.about(ending))
	return err
}

// outcome asks and reads the response. It returns "error" if either failed.
func (f EligibilityFixture) outcome(t *testing.T, q network.Inquiry) string {
	t.Helper()
	r, _, err := f.Network.Ask(t.Context(), q)
	if err == nil {
		return string(r.Outcome)
	}
	anonymous(t, err)
	if r.Outcome != "" {
		t.Errorf("%s beside %v", r.Outcome, err)
	}
	return "error"
}

// anonymous checks that an error names no patient.
func anonymous(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Error("there is no error")
		return
	}
	text := strings.ToLower(err.Error())
	for _, secret := range []string{firstName, lastName, memberID, "19850412", "1985-04-12"} {
		if strings.Contains(text, strings.ToLower(secret)) {
			t.Errorf("the error contains %q: %v", secret, err)
		}
	}
}

func (f EligibilityFixture) want(t *testing.T, q network.Inquiry, outcome coverage.Outcome) {
	t.Helper()
	if got := f.outcome(t, q); got != string(outcome) {
		t.Errorf("%s, want %s", got, outcome)
	}
}

func testAnswered(t *testing.T, f EligibilityFixture) {
	f.want(t, f.about(f.Answered), coverage.OutcomeAnswered)
}

func testRejected(t *testing.T, f EligibilityFixture) {
	f.want(t, f.about(f.Rejected), coverage.OutcomeRejected)
}

func testAskedAgain(t *testing.T, f EligibilityFixture) {
	q := f.about(f.Answered)
	for range 3 {
		f.want(t, q, coverage.OutcomeAnswered)
	}
}

// testExchanges returns what was sent, and what came back if anything did.
func testExchanges(t *testing.T, f EligibilityFixture) {
	for _, ending := range []string{f.Answered, f.Rejected, f.Garbled, f.Failing} {
		_, sent, _ := f.Network.Ask(t.Context(), f.about(ending))
		if len(sent) != 1 || sent[0].MediaType == "" || len(sent[0].Request) == 0 || len(sent[0].Reply) == 0 && ending != f.Failing && ending != f.Garbled {
			t.Errorf("%s: %d exchanges: %+v", ending, len(sent), sent)
		}
	}
}

// testInquiriesAtOnce asks about many members. The codec refuses a response to the
// inquiry of another check.
func testInquiriesAtOnce(t *testing.T, f EligibilityFixture) {
	const inquiries = 48
	var wg sync.WaitGroup
	for n := range inquiries {
		ending, want := f.Answered, coverage.OutcomeAnswered
		if n%3 == 0 {
			ending, want = f.Rejected, coverage.OutcomeRejected
		}
		wg.Go(func() { f.want(t, f.about(fmt.Sprint(n, ending)), want) })
	}
	wg.Wait()
}

func testFailing(t *testing.T, f EligibilityFixture) {
	err := f.asked(t.Context(), f.Failing)
	anonymous(t, err)
	if _, later := errors.AsType[*billing.LaterError](err); later {
		t.Errorf("a network that fails asks for patience: %v", err)
	}
}

func testGarbled(t *testing.T, f EligibilityFixture) { f.want(t, f.about(f.Garbled), "error") }

// testSlow waits for a response that does not come. The network states when to ask
// again, or waits as long as the context.
func testSlow(t *testing.T, f EligibilityFixture) {
	asked := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := f.asked(ctx, f.Slow)
	anonymous(t, err)
	if later, ok := errors.AsType[*billing.LaterError](err); ok {
		if !later.Until.After(asked) {
			t.Errorf("asked at %s, to ask again at %s", asked, later.Until)
		}
		return
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the context's error", err)
	}
}

func testCancelledInquiry(t *testing.T, f EligibilityFixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.asked(ctx, f.Answered); !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller gave up: %v", err)
	}
}

func testAfterFailures(t *testing.T, f EligibilityFixture) {
	for range 3 {
		for _, ending := range []string{f.Failing, f.Garbled} {
			if got := f.outcome(t, f.about(ending)); got != "error" {
				t.Errorf("%s: %s", ending, got)
			}
		}
		f.want(t, f.about(f.Answered), coverage.OutcomeAnswered)
	}
}

// RunInquire runs the contract of ports.Inquire. Request returns a new 270 that the network
// answers.
func RunInquire(t *testing.T, open func(t *testing.T) (carry ports.Inquire, request []byte)) {
	t.Helper()
	t.Run("the caller keeps the request", func(t *testing.T) {
		t.Parallel()
		carry, request := open(t)
		sent := bytes.Clone(request)
		reply, err := carry(t.Context(), request)
		if err != nil || !bytes.Equal(request, sent) {
			t.Fatalf("the request changed: %t, error %v", !bytes.Equal(request, sent), err)
		}
		came := bytes.Clone(reply)
		clear(request)
		if !bytes.Equal(reply, came) || len(reply) == 0 {
			t.Error("the reply shares its memory with the request")
		}
	})
	t.Run("a request that is no 270 is refused", func(t *testing.T) {
		t.Parallel()
		carry, request := open(t)
		for what, b := range map[string][]byte{
			"nothing": nil, "words": []byte("the benefits of " + lastName), "half": request[:len(request)/2],
		} {
			if _, err := carry(t.Context(), b); err == nil {
				t.Errorf("%s: not refused", what)
			} else {
				anonymous(t, err)
			}
		}
	})
}
