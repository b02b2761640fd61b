package networktest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing"
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

func (f ClearinghouseFixture) send(t *testing.T) (name string, content []byte) {
	t.Helper()
	name, content = f.File(t)
	if err := f.Network.Send(t.Context(), practice(), name, content); err != nil {
		t.Fatalf("send: %v", err)
	}
	return name, content
}

// receive returns all files that are due, by name.
func receive(t *testing.T, n ports.Clearinghouse) map[string][]byte {
	t.Helper()
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
	got := receive(t, f.Network)
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
	if got := receive(t, f.Network); len(got) > 0 {
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
	name, content := f.send(t)
	again := func() {
		t.Helper()
		if err := f.Network.Send(t.Context(), practice(), name, content); err != nil {
			t.Fatalf("send again: %v", err)
		}
	}
	again()
	once := f.come(t)
	again()
	if got := f.come(t); !same(got, once) {
		t.Errorf("%v came back, and %v when the file was sent again", names(once), names(got))
	}
	f.remove(t, once)
	again()
	f.Later()
	if got := receive(t, f.Network); len(got) > 0 {
		t.Errorf("%v came once more after everything was removed", names(got))
	}
}

func testSentAtOnce(t *testing.T, f ClearinghouseFixture) {
	name, content := f.File(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := f.Another().Send(t.Context(), practice(), name, content); err != nil {
				t.Errorf("send: %v", err)
			}
		})
	}
	wg.Wait()
	once := f.come(t)
	if err := f.Network.Send(t.Context(), practice(), name, content); err != nil {
		t.Fatalf("send: %v", err)
	}
	if got := f.come(t); !same(got, once) {
		t.Errorf("%v came back, then %v", names(once), names(got))
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
	left := receive(t, f.Network)
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
	if there := receive(t, f.Another()); !same(here, there) {
		t.Errorf("%v came here, and %v there", names(here), names(there))
	}
	f.Later()
	for name := range here {
		if err := f.Another().Remove(t.Context(), name); err != nil {
			t.Errorf("remove: %v", err)
		}
	}
	if left := receive(t, f.Network); len(left) > 0 {
		t.Errorf("%v are left", names(left))
	}
}

// testNoClaims sends files that have no complete claims. Either Send fails at
// once, or a reply arrives.
func testNoClaims(t *testing.T, f ClearinghouseFixture) {
	name, content := f.File(t)
	for what, broken := range map[string][]byte{"empty": nil, "words": []byte("Quillfeather's claims"), "half": content[:len(content)/2]} {
		err := f.Network.Send(t.Context(), practice(), what+"-"+name, broken)
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
	name, content := f.File(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, received := f.Network.Receive(ctx, 1)
	for call, err := range map[string]error{
		"send": f.Network.Send(ctx, practice(), name, content), "receive": received, "remove": f.Network.Remove(ctx, name),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s after the caller gave up: %v", call, err)
		}
	}
	f.Later()
	if got := receive(t, f.Network); len(got) > 0 {
		t.Errorf("%v came for a file that was not sent", names(got))
	}
}
