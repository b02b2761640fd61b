// Package mailtest is the contract of sandboxnet.Mail as tests. Every store of
// the sandbox's mail runs it.
package mailtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// Run runs the contract. Open returns a mail that no other test uses.
func Run(t *testing.T, open func(t *testing.T) sandboxnet.Mail) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, sandboxnet.Mail){
		"files come when they are due":      testFiles,
		"a file comes once":                 testFileRace,
		"notes have the one before them":    testNotes,
		"notes made at once":                testNoteRace,
		"a note for each claim of a file":   testManyNotes,
		"a cancelled context ends the call": testCancelled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// scope returns the scope of a file. The file named c has none.
func scope(name string) billing.Scope {
	if name == "c" {
		return billing.Scope{}
	}
	return billing.Scope{Org: billing.OrgID{7}, Mode: billing.ModeTest}
}

func noon() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }

func file(name, content string, due time.Duration) sandboxnet.MailFile {
	return sandboxnet.MailFile{
		IncomingFile: clearing.IncomingFile{Scope: scope(name), Name: name, Content: []byte(content)}, Due: noon().Add(due),
	}
}

func put(t *testing.T, mail sandboxnet.Mail, files ...sandboxnet.MailFile) {
	t.Helper()
	if err := mail.Put(t.Context(), files); err != nil {
		t.Fatal(err)
	}
}

// testFiles takes files when they are due, again after a pause, and never again
// once they are removed.
func testFiles(t *testing.T, mail sandboxnet.Mail) {
	take := func(after time.Duration, limit int, want ...string) {
		t.Helper()
		files, err := mail.Take(t.Context(), noon().Add(after), time.Minute, limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			got = append(got, f.Name+"="+string(f.Content))
			if f.Scope != scope(f.Name) {
				t.Errorf("%s is of %+v", f.Name, f.Scope)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %s: %v, want %v", after, got, want)
		}
	}
	put(t, mail)
	put(t, mail, file("b", "2", 2*time.Second), file("a", "1", time.Second), file("c", "3", time.Hour), file("a", "other", 0))
	put(t, mail, file("b", "other", 0))
	take(0, 10)
	take(5*time.Second, 1, "a=1")
	take(5*time.Second, 10, "b=2")
	take(6*time.Second, 10)
	take(66*time.Second, 10, "a=1", "b=2")
	for range 2 {
		if err := mail.Remove(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	put(t, mail, file("a", "again", 0))
	take(2*time.Hour, 10, "b=2", "c=3")
}

// testFileRace takes files in several goroutines at once.
func testFileRace(t *testing.T, mail sandboxnet.Mail) {
	const files = 40
	for n := range files {
		put(t, mail, file(fmt.Sprint(n), "x", 0))
	}
	var mu sync.Mutex
	var names []string
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range files {
				some, err := mail.Take(t.Context(), noon().Add(time.Second), time.Hour, 3)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, f := range some {
					names = append(names, f.Name)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	slices.Sort(names)
	if len(names) != files || len(slices.Compact(names)) != files {
		t.Errorf("%v came, want each of %d files once", names, files)
	}
}

func note(key, by, content string) sandboxnet.Note {
	return sandboxnet.Note{Key: sha256.Sum256([]byte(key)), By: by, Content: []byte(content)}
}

func testNotes(t *testing.T, mail sandboxnet.Mail) {
	for i, step := range []struct {
		notes []sandboxnet.Note
		want  string
	}{
		{nil, "[]"},
		{[]sandboxnet.Note{note("a", "f1", "1"), note("b", "f1", "2")}, "[ ]"},
		{[]sandboxnet.Note{note("b", "f1", "other"), note("a", "f1", "")}, "[ ]"},
		{[]sandboxnet.Note{note("b", "f2", ""), note("c", "f2", "3"), note("a", "f2", "4")}, "[2  1]"},
		{[]sandboxnet.Note{note("a", "f1", "again"), note("b", "f2", "again")}, "[ 2]"},
		{[]sandboxnet.Note{note("b", "f3", "5"), note("a", "f3", "6"), note("a", "f4", "7"), note("a", "f4", "8")}, "[ 4 6 6]"},
		{[]sandboxnet.Note{note("a", "f5", "9")}, "[7]"},
	} {
		before, err := mail.Remember(t.Context(), step.notes)
		if got := fmt.Sprintf("%s", before); err != nil || got != step.want {
			t.Errorf("step %d: %s, %v, want %s", i+1, got, err, step.want)
		}
	}
}

// testNoteRace runs many calls that note under the same keys, in any order. One
// of them is first, and each other one follows another.
func testNoteRace(t *testing.T, mail sandboxnet.Mail) {
	const calls = 12
	var before [calls][][]byte
	var all sync.WaitGroup
	for n := range calls {
		all.Go(func() {
			by := fmt.Sprint("file ", n)
			notes := []sandboxnet.Note{note("a", by, by), note("b", by, by)}
			if n%2 == 0 {
				notes[0], notes[1] = notes[1], notes[0]
			}
			var err error
			if before[n], err = mail.Remember(t.Context(), notes); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	seen := map[string]int{}
	for n, b := range before {
		if len(b) != 2 || !bytes.Equal(b[0], b[1]) {
			t.Fatalf("call %d: %q", n, b)
		}
		seen[string(b[0])]++
	}
	if len(seen) != calls || seen[""] != 1 {
		t.Errorf("before the calls there were %v", seen)
	}
}

// testManyNotes stores a note for each claim of the largest file.
func testManyNotes(t *testing.T, mail sandboxnet.Mail) {
	notes := make([]sandboxnet.Note, clearing.MaxBatchClaims)
	for _, by := range []string{"f1", "f2"} {
		for i := range notes {
			notes[i] = note(fmt.Sprint(i), by, fmt.Sprint(by, " ", i))
		}
		before, err := mail.Remember(t.Context(), notes)
		if err != nil || len(before) != len(notes) {
			t.Fatalf("%d results, %v", len(before), err)
		}
		for i, b := range before {
			if want := fmt.Sprint("f1 ", i); by == "f2" && string(b) != want || by == "f1" && len(b) > 0 {
				t.Fatalf("before note %d of %s: %s", i, by, b)
			}
		}
	}
}

func testCancelled(t *testing.T, mail sandboxnet.Mail) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, taken := mail.Take(ctx, noon(), time.Minute, 1)
	_, noted := mail.Remember(ctx, []sandboxnet.Note{note("a", "f1", "1")})
	for call, err := range map[string]error{
		"put": mail.Put(ctx, []sandboxnet.MailFile{file("a", "1", 0)}), "take": taken, "remove": mail.Remove(ctx, "a"), "remember": noted,
	} {
		if err == nil {
			t.Errorf("%s with a cancelled context: no error", call)
		}
	}
}
