package sftpnet_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// named returns the sorted names of files.
func named(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }

// TestRests reads a file only once it rests.
func TestRests(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	n := a.folder()
	want := func(what string, names ...string) {
		t.Helper()
		files, err := n.Receive(t.Context(), 100)
		got := map[string]string{}
		for _, f := range files {
			got[f.Name] = string(f.Content)
		}
		if err != nil || !slices.Equal(named(got), names) {
			t.Errorf("%s: %v, %v, want %v", what, named(got), err, names)
		}
	}
	a.put("a.999", interchange(1000))
	want("the first look")
	want("at the same moment")
	a.clock.Advance(time.Minute)
	a.put("a.999", interchange(1200))
	a.put("b.txt", []byte("a report"))
	want("after it grew")
	a.clock.Advance(time.Minute)
	want("once both rest", "a.999", "b.txt")
	if err := os.Remove(filepath.Join(a.inbox, "a.999")); err != nil {
		t.Fatal(err)
	}
	want("without one that is gone", "b.txt")
	a.put("a.999", interchange(1300))
	want("with a new one of the name", "b.txt")
	a.clock.Advance(time.Minute)
	want("once it rests", "a.999", "b.txt")
}

// TestLargeFile does not read a file of 200 MB, and reads those behind it.
func TestLargeFile(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	a.put("1-huge.txt", nil)
	if err := os.Truncate(filepath.Join(a.inbox, "1-huge.txt"), 200<<20); err != nil {
		t.Fatal(err)
	}
	large := bytes.Repeat([]byte("line\n"), 4<<20)
	a.put("2-large.txt", large)
	a.put("3-small.txt", []byte("small"))
	a.put("4-empty.txt", nil)
	got, err := a.receive(a.open())
	if !slices.Equal(named(got), []string{"2-large.txt", "3-small.txt", "4-empty.txt"}) || got["2-large.txt"] != string(large) ||
		err == nil || !clearing.OfFile(err) || !strings.Contains(err.Error(), "1-huge.txt: it has 209715200 bytes") {
		t.Errorf("%v, %v", named(got), err)
	}
}

// TestReplaced replaces a file while it is read. One that got another file's name is
// whole; one that changed in place may be of two versions. Either way the next version is
// read, and none is removed unread.
func TestReplaced(t *testing.T) {
	t.Parallel()
	server := testservers.StartSSH(t)
	const size = 4 << 20
	first, second := interchange(size), append([]byte("a report "), make([]byte, size-9)...)
	longer := append(bytes.Clone(second), "and more"...)
	for what, c := range map[string]struct {
		replace func(a *account)
		whole   bool
		second  []byte
	}{
		"in place":          {func(a *account) { a.put("a.835", second) }, false, second},
		"in place, longer":  {func(a *account) { a.put("a.835", longer) }, false, longer},
		"in place, shorter": {func(a *account) { a.put("a.835", []byte("ISA")) }, false, []byte("ISA")},
		"removed": {func(a *account) {
			if err := os.Remove(filepath.Join(a.inbox, "a.835")); err != nil {
				t.Error(err)
			}
		}, true, nil},
		"by a rename": {func(a *account) {
			a.put(".new", second)
			if err := os.Rename(filepath.Join(a.inbox, ".new"), filepath.Join(a.inbox, "a.835")); err != nil {
				t.Error(err)
			}
		}, true, second},
	} {
		for _, after := range []sftpnet.After{sftpnet.AfterDelete, sftpnet.AfterArchive} {
			a := newAccount(t, server)
			a.config.After = after
			p := newProxy(t, server.Addr())
			n := a.open(through(p))
			a.put("a.835", first)
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(filepath.Join(a.inbox, "a.835"), old, old); err != nil {
				t.Fatal(err)
			}
			read := a.listed(n, "a.835")
			p.set(fault{down: size / 2, then: func() { c.replace(a) }})
			var got []byte
			err := n.Read(t.Context(), read, func(part []byte) error { got = append(got, part...); return nil })
			switch whole := bytes.Equal(got, first); {
			case whole != c.whole || c.whole != (err == nil) || !c.whole && !errors.Is(err, clearing.ErrFileChanged):
				t.Errorf("%s: %d bytes, whole %t: %v", what, len(got), whole, err)
			case what == "in place, longer" && len(got) != len(longer):
				t.Errorf("%s: %d bytes came of %d", what, len(got), len(longer))
			}
			if err := n.Remove(t.Context(), read, sha256.Sum256(got)); err != nil {
				t.Errorf("%s: remove the version that was read: %v", what, err)
			}
			if c.second == nil {
				continue
			}
			if got, err := a.receive(n); got["a.835"] != string(c.second) || err != nil {
				t.Errorf("%s: %v came after it was replaced, error %v", what, named(got), err)
			}
			if err := n.Remove(t.Context(), a.listed(n, "a.835"), sha256.Sum256(c.second)); err != nil || len(a.in(a.inbox)) > 0 {
				t.Errorf("%s: %v, in the inbox: %v", what, err, a.in(a.inbox))
			}
		}
	}
}

// TestHostileNames receives files with names that would break a log or a path, and no
// folders, links or pipes.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	n := a.open()
	long := strings.Repeat("x", 255)
	regular := map[string]string{
		"a\nb.txt": "a%0Ab.txt", "%0A.txt": "%250A.txt", "..x": "", "\x1b[31m.txt": "%1B[31m.txt", "bad\xff.txt": "bad%FF.txt",
		"$(reboot).txt": "$(reboot).txt", "-rf": "-rf", "Zähne 1.txt": "Zähne 1.txt", `..\x`: "", long: long, "a\u202eb": "a%E2%80%AEb",
	}
	var want []string
	for name, shown := range regular {
		a.put(name, []byte("content of "+name))
		if shown != "" {
			want = append(want, shown)
		}
	}
	slices.Sort(want)
	in := func(name string) string { return filepath.Join(a.inbox, name) }
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Mkdir(in("folder.999"), 0o777), os.Symlink(secret, in("link.999")), os.Symlink("-rf", in("link2.999")),
		syscall.Mkfifo(in("pipe.999"), 0o666),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := a.receive(n)
	if err != nil || !slices.Equal(named(got), want) {
		t.Errorf("received %q, %v, want %q", named(got), err, want)
	}
	for raw, shown := range regular {
		if shown != "" && got[shown] != "content of "+raw {
			t.Errorf("%q has the content %q", shown, got[shown])
		}
	}
	for shown := range got {
		if err := n.Remove(t.Context(), a.listed(n, shown), [32]byte{}); err != nil {
			t.Errorf("remove %q: %v", shown, err)
		}
	}
	left := a.in(a.inbox)
	slices.Sort(left)
	if want := []string{`..\x`, "..x", "folder.999", "link.999", "link2.999", "pipe.999"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
	for _, name := range []string{"../inbox1", "/", "..", ".", "", "a%2Fb", "folder.999", "%zz"} {
		f := clearing.RemoteFile{Name: name}
		if err := n.Remove(t.Context(), f, [32]byte{}); err != nil {
			t.Errorf("remove %q: %v", name, err)
		}
		if err := n.Read(t.Context(), f, func([]byte) error { return nil }); err == nil || !clearing.OfFile(err) {
			t.Errorf("read %q: %v", name, err)
		}
	}
	for _, name := range []string{"../x.837", "a/b.837", "", ".", "..", "a\x00b"} {
		if err := n.Send(t.Context(), clearing.OutgoingFile{Name: name, Content: interchange(500)}, nil); err == nil {
			t.Errorf("sent %q", name)
		}
	}
}

// TestKept leaves received files in the inbox.
func TestKept(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	n := a.open(func(c *sftpnet.Config) { c.After = sftpnet.AfterKeep })
	a.put("a.999", interchange(1000))
	if err := n.Remove(t.Context(), a.listed(n, "a.999"), [32]byte{}); err != nil {
		t.Error(err)
	}
	if got, err := a.receive(n); err != nil || len(got) != 1 {
		t.Errorf("left are %v, %v", named(got), err)
	}
}

// TestCannotRemove does not ask again at once when the server does not let us remove a
// file.
func TestCannotRemove(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	a.put("a.999", interchange(1000))
	if err := os.Chmod(a.inbox, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, after := range []sftpnet.After{sftpnet.AfterDelete, sftpnet.AfterArchive} {
		n := a.open(func(c *sftpnet.Config) { c.After = after })
		f := a.listed(n, "a.999")
		for _, refused := range []bool{true, false, true} {
			if err := n.Remove(t.Context(), f, [32]byte{}); clearing.OfFile(err) != refused || err == nil == refused {
				t.Errorf("remove: %v", err)
			}
			if !refused {
				a.clock.Advance(time.Hour)
			}
		}
	}
}

// TestArchive keeps every content in the archive, whatever its name.
func TestArchive(t *testing.T) {
	t.Parallel()
	a := newAccount(t, testservers.StartSSH(t))
	n := a.open(func(c *sftpnet.Config) { c.After = sftpnet.AfterArchive })
	for _, size := range []int{1000, 1100, 1100, 1000} {
		a.put("a.999", interchange(size))
		if got, err := a.receive(n); err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", named(got), err)
		}
		if err := n.Remove(t.Context(), a.listed(n, "a.999"), sha256.Sum256(interchange(size))); err != nil {
			t.Fatal(err)
		}
	}
	sizes := map[int64]int{}
	for _, name := range a.in(a.archive) {
		info, err := os.Stat(filepath.Join(a.archive, name))
		if err != nil {
			t.Fatal(err)
		}
		sizes[info.Size()]++
	}
	if sizes[1000] == 0 || sizes[1100] != 1 || len(a.in(a.inbox)) > 0 {
		t.Errorf("archived %v, in the inbox: %v", sizes, a.in(a.inbox))
	}
}

// TestConfig refuses what cannot work before it connects.
func TestConfig(t *testing.T) {
	t.Parallel()
	good := sftpnet.Config{Addr: "sftp.example.com", User: "molar", Password: []byte("p"), HostKey: "SHA256:" + strings.Repeat("A", 43), Outbox: "in", Inbox: "out"}
	if _, err := sftpnet.New(good); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*sftpnet.Config){
		"addr":           func(c *sftpnet.Config) { c.Addr = "" },
		"user":           func(c *sftpnet.Config) { c.User = "" },
		"key, password":  func(c *sftpnet.Config) { c.Password = nil },
		"key: ":          func(c *sftpnet.Config) { c.Key = []byte("-----BEGIN") },
		"host key: give": func(c *sftpnet.Config) { c.HostKey = "\n" },
		"fingerprint":    func(c *sftpnet.Config) { c.HostKey = "SHA256:abc" },
		"neither a line": func(c *sftpnet.Config) { c.HostKey = "MD5:00" },
		"@cert-authority": func(c *sftpnet.Config) {
			c.HostKey = "@cert-authority * ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPKSUTyz1HwHReFVvD5obVsALAgJRNarH4TRpNePnAS"
		},
		"different folders": func(c *sftpnet.Config) { c.Inbox = "in/" },
		"the inbox":         func(c *sftpnet.Config) { c.Archive = "out" },
		"name the folder":   func(c *sftpnet.Config) { c.After = sftpnet.AfterArchive },
		"after receipt":     func(c *sftpnet.Config) { c.After = "burn" },
		"slash":             func(c *sftpnet.Config) { c.TempPrefix = "tmp/" },
		"temp folder":       func(c *sftpnet.Config) { c.TempFolder = "out/" },
	} {
		c := good
		change(&c)
		if _, err := sftpnet.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range []string{"a.999", "a%0A", "\xff", "..", "a\nb", "%"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		shown := sftpnet.Escaped(name)
		for _, r := range shown {
			if r == '\n' || r < 0x20 || r == 0xFFFD && !strings.ContainsRune(name, r) {
				t.Fatalf("%q is shown as %q", name, shown)
			}
		}
		back, ok := sftpnet.Unescaped(shown)
		usable := name != "" && name != "." && name != ".." && !strings.Contains(name, "/")
		if ok != usable || ok && back != name {
			t.Errorf("%q became %q, then %q, %t", name, shown, back, ok)
		}
		if raw, ok := sftpnet.Unescaped(name); ok && sftpnet.Escaped(raw) != name {
			t.Errorf("%q is unescaped to %q", name, raw)
		}
	})
}
