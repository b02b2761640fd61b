package clearinghouse_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/molar-billing/molar/adapters/clearinghouse"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestHelpListsEverything holds the help to the tables, and every name of a fault to
// its parser.
func TestHelpListsEverything(t *testing.T) {
	t.Parallel()
	help := clearinghouse.FaultsHelp()
	for _, name := range clearinghouse.FaultNames() {
		if !strings.Contains(help, name) && !strings.Contains(help, ", "+strings.TrimPrefix(name, "core:")+" ") {
			t.Errorf("the help does not list %s", name)
		}
		for _, form := range []string{name, name + "=0.5", name + "=1"} {
			if faults, err := clearinghouse.ParseFaults([]string{form}); err != nil || len(faults) != 1 {
				t.Errorf("%s: %v, %v", form, faults, err)
			}
		}
	}
	for _, bad := range []string{"", "=1", "core:d0", "core:d14", "core:hang=", "core:hang=0", "core:hang=1.1", "core:hang=NaN", "hang"} {
		if _, err := clearinghouse.ParseFaults([]string{bad}); err == nil {
			t.Errorf("--fault %q was accepted", bad)
		}
	}
	scenarios := clearinghouse.ScenariosHelp()
	for _, ending := range append(sandboxnet.Endings(), sandboxnet.ClaimEndings()...) {
		if !strings.Contains(scenarios, " "+ending) {
			t.Errorf("the help does not list %s", ending)
		}
	}
}

// TestSFTPFaults meets the faults of the connection and of transfers.
func TestSFTPFaults(t *testing.T) {
	t.Parallel()
	file := batchOf(t, 1, "CHTEST", "")
	dial := func(f *fixture) (*ssh.Client, error) { return ssh.Dial("tcp", f.SFTPAddr, f.clientConfig(t)) }
	for name, check := range map[string]func(t *testing.T, f *fixture){
		"sftp:silent": func(t *testing.T, f *fixture) {
			t.Helper()
			conn, err := net.Dial("tcp", f.SFTPAddr)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			_ = conn.SetReadDeadline(time.Now().Add(time.Second))
			if n, err := conn.Read(make([]byte, 1)); n != 0 || !isTimeout(err) {
				t.Errorf("%d bytes, %v", n, err)
			}
		},
		"sftp:host-key": func(t *testing.T, f *fixture) {
			t.Helper()
			if _, err := dial(f); err == nil || !strings.Contains(err.Error(), "host key mismatch") {
				t.Error(err)
			}
		},
		"sftp:login": func(t *testing.T, f *fixture) {
			t.Helper()
			if _, err := dial(f); err == nil || !strings.Contains(err.Error(), "unable to authenticate") {
				t.Error(err)
			}
		},
		"sftp:full": func(t *testing.T, f *fixture) {
			t.Helper()
			if err := upload(f.connect(t), "inbound/a", file); err == nil || !strings.Contains(err.Error(), "account is full") {
				t.Error(err)
			}
		},
		"sftp:rename": func(t *testing.T, f *fixture) {
			t.Helper()
			c := f.connect(t)
			drop(t, c, "inbound/a.tmp", file)
			if err := c.Rename("inbound/a.tmp", "inbound/a"); !os.IsPermission(err) {
				t.Error(err)
			}
			if err := c.PosixRename("inbound/a.tmp", "inbound/a"); !os.IsPermission(err) {
				t.Error(err)
			}
		},
		"sftp:cut": func(t *testing.T, f *fixture) {
			t.Helper()
			large := bytes.Repeat(file, 1<<20/len(file))
			conn, err := dial(f)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			c, err := sftp.NewClient(conn)
			if err != nil {
				t.Fatal(err)
			}
			if err := upload(c, "inbound/a.tmp", large); err == nil {
				t.Error("the upload was not cut")
			}
			if err := conn.Wait(); err == nil {
				t.Error("the connection ended well")
			}
			if info, err := os.Stat(f.dir + "/files/inbound/a.tmp"); err != nil || info.Size() >= int64(len(large)) {
				t.Errorf("%+v, %v", info, err)
			}
		},
		"sftp:hang": func(t *testing.T, f *fixture) {
			t.Helper()
			c := f.connect(t)
			ended := make(chan error, 1)
			go func() { ended <- upload(c, "inbound/a.tmp", bytes.Repeat(file, 1<<20/len(file))) }()
			select {
			case err := <-ended:
				t.Errorf("the upload ended: %v", err)
			case <-time.After(time.Second):
			}
			_ = c.Close()
			<-ended
		},
		"sftp:lost": func(t *testing.T, f *fixture) {
			t.Helper()
			c := f.connect(t)
			drop(t, c, "inbound/a", file)
			porttest.Await(t, "the file to be taken", func() bool { return strings.Contains(f.log.String(), `"answered":false`) })
			if all, err := c.ReadDir("inbound"); err != nil || len(all) != 0 {
				t.Errorf("%d files, %v", len(all), err)
			}
		},
		"sftp:twice": func(t *testing.T, f *fixture) {
			t.Helper()
			c := f.connect(t)
			drop(t, c, "inbound/a", file)
			f.outbound(t, c, 10)
			if again := f.messages(t, "again-a-"); len(again) != 5 || len(f.messages(t, "a-")) != 5 {
				t.Errorf("%v came again", again)
			}
		},
		"sftp:names": func(t *testing.T, f *fixture) {
			t.Helper()
			c := f.connect(t)
			drop(t, c, "inbound/a", file)
			f.outbound(t, c, 10)
			if mine := f.messages(t, "a-"); len(mine) != 5 {
				t.Errorf("%d messages, want 5", len(mine))
			}
		},
		"sftp:partial": becomesRight(file),
		"sftp:changed": becomesRight(file),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, newFixture(t, faults(name)))
		})
	}
}

// becomesRight sends a file and waits until its messages, which are wrong at first,
// are right.
func becomesRight(file []byte) func(t *testing.T, f *fixture) {
	return func(t *testing.T, f *fixture) {
		t.Helper()
		drop(t, f.connect(t), "inbound/a", file)
		wrong := 0
		porttest.Await(t, "whole messages", func() bool {
			right := 0
			for _, name := range f.messages(t, "a-") {
				if b := mustRead(t, f.dir+"/files/outbound/"+name); bytes.HasPrefix(b, []byte("ISA*")) && bytes.Contains(b, []byte("~IEA*")) {
					right++
				} else {
					wrong++
				}
			}
			return right == 5
		})
		if wrong == 0 {
			t.Error("every message was right at once")
		}
	}
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error) //nolint:errorlint // of a connection, never wrapped
	return ok && e.Timeout()
}

// TestStrangers connects without a word, with noise, and often.
func TestStrangers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	for _, noise := range []string{"", "GET / HTTP/1.1\r\n\r\n", strings.Repeat("x", 100_000), "SSH-2.0-x\r\n\x00\x00\x00\x00", "\xff\xff\xff\xff"} {
		c, err := net.Dial("tcp", f.SFTPAddr)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, noise)
		open = append(open, c)
	}
	drop(t, f.connect(t), "inbound/a.837", batchOf(t, 1, "60054", ""))
	f.outbound(t, f.connect(t), 4)
	for range 100 { // beyond the limit, connections are closed at once
		c, err := net.Dial("tcp", f.SFTPAddr)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	last := open[len(open)-1]
	_ = last.SetReadDeadline(time.Now().Add(time.Minute))
	if n, err := last.Read(make([]byte, 100)); err == nil && n == 0 || isTimeout(err) {
		t.Errorf("connection %d got %d bytes, %v", len(open), n, err)
	}
	for _, c := range open {
		_ = c.Close()
	}
	open = nil
	porttest.Await(t, "a place for a client", func() bool {
		c, err := ssh.Dial("tcp", f.SFTPAddr, f.clientConfig(t))
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// TestStopsWhileBusy stops the simulator in the middle of transfers and requests.
func TestStopsWhileBusy(t *testing.T) {
	t.Parallel()
	f := &fixture{dir: t.TempDir(), log: &syncBuffer{}}
	stop := f.start(t, options(faults("sftp:hang", "core:hang")))
	c := f.connect(t)
	ended := make(chan error, 2)
	go func() { ended <- upload(c, "inbound/a.tmp", make([]byte, 1<<20)) }()
	client, request := f.client(t, false), f.request(t.Context(), t)
	go func() {
		_, err := roundTrip(client, request)
		ended <- err
	}()
	porttest.Await(t, "an upload", func() bool { _, err := os.Stat(f.dir + "/files/inbound/a.tmp"); return err == nil })
	stop()
	for range 2 {
		if err := <-ended; err == nil {
			t.Error("work under way ended well")
		}
	}
}

func FuzzSOAP(f *testing.F) {
	f.Add(anyMessage().soap())
	f.Add([]byte(`<a xmlns="b"><![CDATA[x]]></a>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		payload, err := clearinghouse.ReadSOAP(body)
		if err == nil && len(payload) > len(body) {
			t.Errorf("the payload has %d bytes, the body %d", len(payload), len(body))
		}
	})
}

func FuzzMIME(f *testing.F) {
	body, _ := anyMessage().mime(f, strings.ToUpper)
	boundary, _, _ := bytes.Cut(body[2:], []byte("\r\n"))
	f.Add(body, string(boundary))
	f.Add([]byte("--x\r\n\r\n\r\n--x--"), "x")
	f.Fuzz(func(t *testing.T, body []byte, boundary string) {
		payload, err := clearinghouse.ReadMIME(body, boundary)
		if err == nil && len(payload) > len(body) {
			t.Errorf("the payload has %d bytes, the body %d", len(payload), len(body))
		}
	})
}

func anyMessage() *message {
	f := fixture{Account: clearinghouse.Account{SenderID: "A", ReceiverID: "B", COREUser: "u", COREPassword: "p"}}
	return f.message([]byte("ISA*~"))
}
