package networktest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// ClearinghouseFixture is a clearinghouse that accepts files, with controls for
// a test. No other test receives from it.
type ClearinghouseFixture struct {
	Network ports.Clearinghouse

	// Another returns an instance like that of another process, or of the same
	// one after a restart.
	Another func() ports.Clearinghouse

	// File returns a file that the clearinghouse accepts and replies to, with a
	// unique name and control numbers.
	File func(t *testing.T) (name string, content []byte)

	// Later advances the time until all replies are due, and until files that
	// were received and not removed are returned again.
	Later func()

	// Looks is the number of calls of Receive after which a file comes at the
	// latest; zero means 1.
	Looks int
}

// receiveAll is more than any test receives.
const receiveAll = 1000

// RunClearinghouse runs the contract of ports.Clearinghouse. Open returns a
// fixture that ends with the test.
func RunClearinghouse(t *testing.T, open func(t *testing.T) ClearinghouseFixture) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, ClearinghouseFixture){
		"no file has no reply":                      testNothingSent,
		"a file has replies":                        testReplies,
		"a file that is sent again changes nothing": testSentAgain,
		"two senders of one file count as one":      testSentAtOnce,
		"nothing is delivered before the mark":      testMarkFirst,
		"a failed mark delivers nothing":            testMarkFails,
		"a sender that dies after the mark":         testDiesAfterMark,
		"a file comes again until it is removed":    testGivenAgain,
		"a removed file is gone":                    testRemoved,
		"removing an absent file does nothing":      testRemoveAbsent,
		"Receive keeps its limit":                   testLimit,
		"another process receives the same":         testAnotherReceives,
		"a file without claims is reported":         testNoClaims,
		"a cancelled context ends every call":       testCancelledCalls,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// practice returns the scope of the test's files.
func practice() billing.Scope { return billing.Scope{Org: billing.OrgID{7}, Mode: billing.ModeTest} }

// batch is a file with the token that its senders share.
type batch struct {
	file clearing.OutgoingFile

	mu    sync.Mutex
	token string
}

var errMarked = errors.New("another sender has marked the file")

func (f ClearinghouseFixture) batch(t *testing.T) *batch {
	t.Helper()
	name, content := f.File(t)
	return &batch{file: clearing.OutgoingFile{Scope: practice(), Name: name, Content: content}}
}

// mark returns the mark of a sender that has read the token.
func (b *batch) mark(last string) func(context.Context, string) error {
	return func(_ context.Context, token string) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.token != last {
			return errMarked
		}
		b.token, last = token, token
		return nil
	}
}

// read returns the file as a sender reads it.
func (b *batch) read() clearing.OutgoingFile {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.file
	f.Token = b.token
	return f
}

// send is the caller's part of Send.
func (b *batch) send(ctx context.Context, n ports.Clearinghouse) error {
	f := b.read()
	return n.Send(ctx, f, b.mark(f.Token))
}

// sendAgain sends a file that was delivered.
func (b *batch) sendAgain(t *testing.T, n ports.Clearinghouse) {
	t.Helper()
	if err := b.send(t.Context(), n); err != nil && !errors.Is(err, network.ErrOutcomeUnknown) {
		t.Fatalf("send again: %v", err)
	}
}

func (f ClearinghouseFixture) send(t *testing.T) *batch {
	t.Helper()
	b := f.batch(t)
	if err := b.send(t.Context(), f.Network); err != nil {
		t.Fatalf("send: %v", err)
	}
	return b
}

// look calls Receive until the next call has all files.
func (f ClearinghouseFixture) look(t *testing.T, n ports.Clearinghouse) {
	t.Helper()
	for range f.Looks - 1 {
		if none, err := n.Receive(t.Context(), 0); err != nil || len(none) > 0 {
			t.Fatalf("%d files came of none that were wanted, error %v", len(none), err)
		}
		f.Later()
	}
}

// receive returns all files that are due, by name.
func (f ClearinghouseFixture) receive(t *testing.T, n ports.Clearinghouse) map[string][]byte {
	t.Helper()
	f.look(t, n)
	all, err := n.Receive(t.Context(), receiveAll)
	if err != nil {
		t.Fatalf("receive: %v", err)
	}
	got := map[string][]byte{}
	for _, f := range all {
		if _, twice := got[f.Name]; twice || f.Name == "" || len(f.Content) == 0 {
			t.Errorf("%q with %d bytes came, and others of the name: %v", f.Name, len(f.Content), twice)
		}
		if f.Scope != (billing.Scope{}) && f.Scope != practice() {
			t.Errorf("%s is for %+v, who sent nothing", f.Name, f.Scope)
		}
		got[f.Name] = f.Content
	}
	return got
}

// come receives all files once they are due. It fails when there are none.
func (f ClearinghouseFixture) come(t *testing.T) map[string][]byte {
	t.Helper()
	f.Later()
	got := f.receive(t, f.Network)
	if len(got) == 0 {
		t.Fatal("nothing came back")
	}
	return got
}

func (f ClearinghouseFixture) remove(t *testing.T, files map[string][]byte) {
	t.Helper()
	for name := range files {
		if err := f.Network.Remove(t.Context(), name); err != nil {
			t.Fatalf("remove: %v", err)
		}
	}
}

func same(a, b map[string][]byte) bool {
	for name, content := range a {
		if !bytes.Equal(content, b[name]) {
			return false
		}
	}
	return len(a) == len(b)
}

func names(files map[string][]byte) (all []string) {
	for name := range files {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func testNothingSent(t *testing.T, f ClearinghouseFixture) {
	f.Later()
	if got := f.receive(t, f.Network); len(got) > 0 {
		t.Errorf("%v came, and nothing was sent", names(got))
	}
}

func testReplies(t *testing.T, f ClearinghouseFixture) {
	f.send(t)
	one := f.come(t)
	f.send(t)
	if two := f.come(t); len(two) <= len(one) {
		t.Errorf("%v came for one file, and %v for two", names(one), names(two))
	}
}

func testSentAgain(t *testing.T, f ClearinghouseFixture) {
	b := f.send(t)
	b.sendAgain(t, f.Network)
	once := f.come(t)
	b.sendAgain(t, f.Another())
	if got := f.come(t); !same(got, once) {
		t.Errorf("%v came back, and %v when the file was sent again", names(once), names(got))
	}
	f.remove(t, once)
	b.sendAgain(t, f.Network)
	f.Later()
	if got := f.receive(t, f.Network); len(got) > 0 {
		t.Errorf("%v came once more after everything was removed", names(got))
	}
}

func testSentAtOnce(t *testing.T, f ClearinghouseFixture) {
	b := f.batch(t)
	var wg sync.WaitGroup
	var sent atomic.Bool
	for range 8 {
		wg.Go(func() {
			if err := b.send(t.Context(), f.Another()); err == nil { // others may be overtaken
				sent.Store(true)
			}
		})
	}
	wg.Wait()
	if !sent.Load() {
		t.Error("no sender has sent the file")
	}
	once := f.come(t)
	b.sendAgain(t, f.Network)
	if got := f.come(t); !same(got, once) {
		t.Errorf("%v came back, then %v", names(once), names(got))
	}
}

// testMarkFirst receives while a file is marked.
func testMarkFirst(t *testing.T, f ClearinghouseFixture) {
	b := f.batch(t)
	look := func() {
		f.Later()
		if got := f.receive(t, f.Another()); len(got) > 0 {
			t.Errorf("%v came before the mark", names(got))
		}
	}
	err := f.Network.Send(t.Context(), b.read(), func(context.Context, string) error {
		look()
		return nil
	})
	if err != nil {
		t.Fatalf("send: %v", err)
	}
	f.come(t)
}

// testMarkFails fails the mark, as a store does that is down. The next sender
// delivers the file.
func testMarkFails(t *testing.T, f ClearinghouseFixture) {
	b := f.batch(t)
	down, called := errors.New("the store is down"), false
	err := f.Network.Send(t.Context(), b.read(), func(context.Context, string) error {
		called = true
		return down
	})
	if called != errors.Is(err, down) || !called && err != nil {
		t.Errorf("the mark was called: %t, and the error is %v", called, err)
	}
	f.Later()
	if got := f.receive(t, f.Network); called && len(got) > 0 {
		t.Errorf("%v came, though the mark failed", names(got))
	}
	if err := b.send(t.Context(), f.Another()); err != nil {
		t.Errorf("send: %v", err)
	}
	f.come(t)
}

// testDiesAfterMark ends a sender when the mark is stored, and lets another one fail
// that lost the outcome of its mark. The next sender delivers the file; or the outcome is
// unknown, nothing came of the file, and the operator lets it begin again.
func testDiesAfterMark(t *testing.T, f ClearinghouseFixture) {
	for name, lateMark := range map[string]bool{"stored": false, "the outcome is lost": true} {
		b := f.batch(t)
		ctx, cancel := context.WithCancel(t.Context())
		first := b.read()
		_ = f.Network.Send(ctx, first, func(ctx context.Context, token string) error {
			err := b.mark(first.Token)(ctx, token)
			if lateMark {
				err = errors.New("the outcome is lost")
			} else {
				cancel()
			}
			return err
		})
		cancel()
		err := b.send(t.Context(), f.Another())
		if errors.Is(err, network.ErrOutcomeUnknown) {
			f.Later()
			if got := f.receive(t, f.Network); len(got) > 0 {
				t.Errorf("%s: %v came of a sender that died", name, names(got))
			}
			b.token = ""
			err = b.send(t.Context(), f.Another())
		}
		if err != nil {
			t.Errorf("%s: send: %v", name, err)
		}
		once := f.come(t)
		b.sendAgain(t, f.Another())
		if got := f.come(t); !same(got, once) {
			t.Errorf("%s: %v came back, then %v", name, names(once), names(got))
		}
		f.remove(t, once)
	}
}

func testGivenAgain(t *testing.T, f ClearinghouseFixture) {
	f.send(t)
	first := f.come(t)
	if again := f.come(t); !same(first, again) {
		t.Errorf("%v came, then %v", names(first), names(again))
	}
}

func testRemoved(t *testing.T, f ClearinghouseFixture) {
	f.send(t)
	all := f.come(t)
	gone := map[string][]byte{}
	for _, name := range names(all)[:(len(all)+1)/2] {
		gone[name] = all[name]
	}
	f.remove(t, gone)
	f.remove(t, gone)
	f.Later()
	left := f.receive(t, f.Network)
	if len(left) != len(all)-len(gone) {
		t.Errorf("%v are left of %v without %v", names(left), names(all), names(gone))
	}
	for name := range left {
		if gone[name] != nil {
			t.Errorf("%s was removed and came again", name)
		}
	}
}

func testRemoveAbsent(t *testing.T, f ClearinghouseFixture) {
	if err := f.Network.Remove(t.Context(), "no-such-file.997"); err != nil {
		t.Error(err)
	}
}

func testLimit(t *testing.T, f ClearinghouseFixture) {
	f.send(t)
	f.send(t)
	f.Later()
	f.look(t, f.Network)
	first, err := f.Network.Receive(t.Context(), 1)
	if err != nil || len(first) != 1 {
		t.Fatalf("%d files, %v, want 1", len(first), err)
	}
	if none, err := f.Network.Receive(t.Context(), 0); err != nil || len(none) > 0 {
		t.Errorf("%d files, %v, want none", len(none), err)
	}
	all := f.come(t)
	if !bytes.Equal(all[first[0].Name], first[0].Content) {
		t.Errorf("%s is not among %v", first[0].Name, names(all))
	}
}

func testAnotherReceives(t *testing.T, f ClearinghouseFixture) {
	f.send(t)
	here := f.come(t)
	f.Later()
	if there := f.receive(t, f.Another()); !same(here, there) {
		t.Errorf("%v came here, and %v there", names(here), names(there))
	}
	f.Later()
	for name := range here {
		if err := f.Another().Remove(t.Context(), name); err != nil {
			t.Errorf("remove: %v", err)
		}
	}
	if left := f.receive(t, f.Network); len(left) > 0 {
		t.Errorf("%v are left", names(left))
	}
}

// testNoClaims sends files that have no complete claims. Either Send fails at
// once, or a reply arrives.
func testNoClaims(t *testing.T, f ClearinghouseFixture) {
	name, content := f.File(t)
	for what, broken := range map[string][]byte{"empty": nil, "words": []byte("Quillfeather's claims"), "half": content[:len(content)/2]} {
		b := &batch{file: clearing.OutgoingFile{Scope: practice(), Name: what + "-" + name, Content: broken}}
		err := b.send(t.Context(), f.Network)
		if err != nil {
			if strings.Contains(strings.ToLower(err.Error()), strings.ToLower(lastName)) {
				t.Errorf("%s: the error names the patient: %v", what, err)
			}
			continue
		}
		f.remove(t, f.come(t))
	}
}

func testCancelledCalls(t *testing.T, f ClearinghouseFixture) {
	b := f.batch(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, received := f.Network.Receive(ctx, 1)
	for call, err := range map[string]error{
		"send": b.send(ctx, f.Network), "receive": received, "remove": f.Network.Remove(ctx, "a.999"),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s after the caller gave up: %v", call, err)
		}
	}
	f.Later()
	if got := f.receive(t, f.Network); len(got) > 0 {
		t.Errorf("%v came for a file that was not sent", names(got))
	}
}
