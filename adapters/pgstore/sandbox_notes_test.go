package pgstore_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
)

func sandboxNote(key, by, content string) billing.SandboxNote {
	return billing.SandboxNote{Key: sha256.Sum256([]byte(key)), By: by, Content: []byte(content)}
}

func TestSandboxRemembers(t *testing.T) {
	t.Parallel()
	mail := pgtest.Open(t).SandboxMail()
	for i, step := range []struct {
		notes []billing.SandboxNote
		want  string
	}{
		{nil, "[]"},
		{[]billing.SandboxNote{sandboxNote("a", "f1", "1"), sandboxNote("b", "f1", "2")}, "[ ]"},
		{[]billing.SandboxNote{sandboxNote("b", "f1", "other"), sandboxNote("a", "f1", "")}, "[ ]"},
		{[]billing.SandboxNote{sandboxNote("b", "f2", ""), sandboxNote("c", "f2", "3"), sandboxNote("a", "f2", "4")}, "[2  1]"},
		{[]billing.SandboxNote{sandboxNote("a", "f1", "again"), sandboxNote("b", "f2", "again")}, "[ 2]"},
		{[]billing.SandboxNote{sandboxNote("b", "f3", "5"), sandboxNote("a", "f3", "6"), sandboxNote("a", "f4", "7"), sandboxNote("a", "f4", "8")}, "[ 4 6 6]"},
		{[]billing.SandboxNote{sandboxNote("a", "f5", "9")}, "[7]"},
	} {
		before, err := mail.Remember(t.Context(), step.notes)
		if got := fmt.Sprintf("%s", before); err != nil || got != step.want {
			t.Errorf("step %d: %s, %v, want %s", i+1, got, err, step.want)
		}
	}
}

// TestSandboxNotesAtOnce has many calls note under the same keys, in any order:
// one of them was first, and each other comes after another one.
func TestSandboxNotesAtOnce(t *testing.T) {
	t.Parallel()
	mail := pgtest.Open(t).SandboxMail()
	const calls = 12
	var answers [calls][][]byte
	var all sync.WaitGroup
	for n := range calls {
		all.Go(func() {
			by := fmt.Sprint("file ", n)
			notes := []billing.SandboxNote{sandboxNote("a", by, by), sandboxNote("b", by, by)}
			if n%2 == 0 {
				notes[0], notes[1] = notes[1], notes[0]
			}
			var err error
			if answers[n], err = mail.Remember(t.Context(), notes); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	seen := map[string]int{}
	for n, a := range answers {
		if len(a) != 2 || !bytes.Equal(a[0], a[1]) {
			t.Fatalf("call %d: %q", n, a)
		}
		seen[string(a[0])]++
	}
	if len(seen) != calls || seen[""] != 1 {
		t.Errorf("before the calls there were %v", seen)
	}
}

// TestALargeFileIsNoted is of as many claims as a file may have.
func TestALargeFileIsNoted(t *testing.T) {
	t.Parallel()
	mail := pgtest.Open(t).SandboxMail()
	notes := make([]billing.SandboxNote, billing.MaxBatchClaims)
	for _, by := range []string{"f1", "f2"} {
		for i := range notes {
			notes[i] = sandboxNote(fmt.Sprint(i), by, fmt.Sprint(by, " ", i))
		}
		before, err := mail.Remember(t.Context(), notes)
		if err != nil || len(before) != len(notes) {
			t.Fatalf("%d answers, %v", len(before), err)
		}
		for i, b := range before {
			if want := fmt.Sprint("f1 ", i); by == "f2" && string(b) != want || by == "f1" && len(b) > 0 {
				t.Fatalf("before note %d of %s: %s", i, by, b)
			}
		}
	}
}
