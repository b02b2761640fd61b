package clearinghouse_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/clearinghouse"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/sandboxnet/mailtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

func openMail(t *testing.T, dir string, now time.Time) (sandboxnet.Mail, func()) {
	t.Helper()
	m, end, err := clearinghouse.OpenMail(dir, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	done := false
	stop := func() {
		if done {
			return
		}
		done = true
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return m, stop
}

func TestMailContract(t *testing.T) {
	t.Parallel()
	mailtest.Run(t, func(t *testing.T) sandboxnet.Mail {
		t.Helper()
		m, _ := openMail(t, t.TempDir(), time.Now())
		return m
	})
}

// TestMailSurvives opens the memory again after writes of every kind, and after a
// write that a killed process did not finish.
func TestMailSurvives(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	file := func(name string) sandboxnet.MailFile {
		return sandboxnet.MailFile{IncomingFile: clearing.IncomingFile{Name: name, Content: []byte("of " + name), Scope: billing.Scope{Org: billing.OrgID{7}, Mode: billing.ModeTest}}, Due: now}
	}
	note := func(by string) []sandboxnet.Note {
		return []sandboxnet.Note{{Key: [32]byte{1}, By: by, Content: []byte("by " + by)}}
	}
	before := func(m sandboxnet.Mail, by string) string {
		t.Helper()
		b, err := m.Remember(t.Context(), note(by))
		if err != nil {
			t.Fatal(err)
		}
		return string(b[0])
	}
	m, stop := openMail(t, dir, now)
	if err := m.Put(t.Context(), []sandboxnet.MailFile{file("a"), file("b\nc/../d")}); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := before(m, "f1"); got != "" {
		t.Errorf("before the first note: %q", got)
	}
	stop()
	for _, log := range []string{"notes", "removed"} {
		f, err := os.OpenFile(dir+"/state/"+log+".log", os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(`{"at":"2026-`); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	for n := range 2 {
		m, stop = openMail(t, dir, now)
		if err := m.Put(t.Context(), []sandboxnet.MailFile{file("a")}); err != nil {
			t.Fatal(err)
		}
		files, err := m.Take(t.Context(), now, time.Minute, 10)
		if err != nil || len(files) != 1 || files[0].Name != "b\nc/../d" || string(files[0].Content) != "of b\nc/../d" || files[0].Scope.Org != (billing.OrgID{7}) {
			t.Errorf("after restart %d: %+v, %v", n, files, err)
		}
		if got, want := before(m, fmt.Sprint("f", n+2)), fmt.Sprint("by f", n+1); got != want {
			t.Errorf("after restart %d the note before is %q, want %q", n, got, want)
		}
		stop()
	}
	m, stop = openMail(t, dir, now.Add(100*24*time.Hour))
	defer stop()
	if got := before(m, "f9"); got != "" {
		t.Errorf("a note of 100 days ago is %q", got)
	}
}
