package clearinghouse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/molar-billing/molar/adapters/clearinghouse"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestClaims sends a file and reads everything that comes back about it.
func TestClaims(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.connect(t)
	drop(t, c, "inbound/claims 1.837", batchOf(t, 1, "60054", "-PAID-ERA", "-REJECTED", "-INFO-REQUEST"))
	files := f.outbound(t, c, 6)
	if got, want := kinds(files), "-clearinghouse-1.277 -payer-1.277 -payment-1.835 -request-1.277 .999 .ta1"; got != want {
		t.Fatalf("the messages are %s, want %s", got, want)
	}
	ta1, _, err := acknowledgements.DecodeFunctional(bytes.NewReader(files[".ta1"]))
	if err != nil || len(ta1.Interchanges) != 1 || ta1.Interchanges[0].Verdict() != acknowledgements.VerdictAccepted || ta1.Interchanges[0].Control != "000000001" {
		t.Errorf("the TA1 is %+v, %v", ta1, err)
	}
	if ta1.Interchange.Sender != f.ReceiverID || ta1.Interchange.SenderQualifier != "30" || ta1.Interchange.Receiver != f.SenderID || ta1.Interchange.Test {
		t.Errorf("the TA1 is from and to %+v", ta1.Interchange)
	}
	ack, _, err := acknowledgements.DecodeFunctional(bytes.NewReader(files[".999"]))
	if err != nil || ack.Standard != acknowledgements.Standard999 || len(ack.Groups) != 1 || ack.Groups[0].Verdict() != acknowledgements.VerdictAccepted || ack.Group.Sender != f.ReceiverID {
		t.Errorf("the 999 is %+v, %v", ack, err)
	}
	paid, err := remittance.NewDecoder(bytes.NewReader(files["-payment-1.835"])).Next()
	if err != nil || paid.Total != 64_00 {
		t.Errorf("the payment is %+v, %v, want 64.00", paid, err)
	}
	if inbound, err := c.ReadDir("inbound"); err != nil || len(inbound) != 0 {
		t.Errorf("inbound has %d files, %v", len(inbound), err)
	}
	if log := f.log.String(); strings.Contains(log, "claims") || strings.Contains(log, "ROE") {
		t.Errorf("the log has a client's words:\n%s", log)
	}
}

// TestOptions sends files to simulators with other options.
func TestOptions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*clearinghouse.Options)
		send   func([]byte) []byte
		want   string
		note   string
	}{
		"997":                        {func(o *clearinghouse.Options) { o.Use997 = true }, nil, "-clearinghouse-1.277 -payer-1.277 .997 .ta1", "000"},
		"strict, right":              {func(o *clearinghouse.Options) { o.Strict = true }, nil, "-clearinghouse-1.277 -payer-1.277 .999 .ta1", "000"},
		"strict, test file":          {func(o *clearinghouse.Options) { o.Strict = true }, func(b []byte) []byte { return bytes.Replace(b, []byte("*0*P*"), []byte("*0*T*"), 1) }, ".ta1", "020"},
		"strict, of test, live file": {func(o *clearinghouse.Options) { o.Strict, o.Usage = true, "T" }, nil, ".ta1", "020"},
		"strict, other receiver":     {func(o *clearinghouse.Options) { o.Strict, o.ReceiverID = true, "OTHER" }, nil, ".ta1", "008"},
		"strict, other sender":       {func(o *clearinghouse.Options) { o.Strict, o.SenderID = true, "OTHER" }, nil, ".ta1", "006"},
		"test file":                  {func(*clearinghouse.Options) {}, func(b []byte) []byte { return bytes.Replace(b, []byte("*0*P*"), []byte("*0*T*"), 1) }, "-clearinghouse-1.277 -payer-1.277 .999 .ta1", "000"},
		"reports":                    {faults("sftp:reports"), nil, "-clearinghouse-1.277 -payer-1.277 .999 .ta1 _STATUS.txt", "000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, test.change)
			c := f.connect(t)
			file := batchOf(t, 1, "60054", "")
			if test.send != nil {
				file = test.send(file)
			}
			drop(t, c, "inbound/f.837", file)
			files := f.outbound(t, c, strings.Count(test.want, " ")+1)
			if got := kinds(files); got != test.want {
				t.Errorf("the messages are %s, want %s", got, test.want)
			}
			ta1, _, err := acknowledgements.DecodeFunctional(bytes.NewReader(files[".ta1"]))
			if err != nil || ta1.Interchanges[0].Note != test.note {
				t.Errorf("the TA1 is %+v, %v", ta1, err)
			}
		})
	}
}

// sftpCommand runs the client of OpenSSH with a batch of commands.
func (f *fixture) sftpCommand(t *testing.T, args []string, commands string) (out string, err error) {
	t.Helper()
	batch := filepath.Join(t.TempDir(), "batch")
	if err := os.WriteFile(batch, []byte(commands), 0o600); err != nil {
		t.Fatal(err)
	}
	host, port, _ := strings.Cut(f.SFTPAddr, ":")
	args = append([]string{"-b", batch, "-o", "UserKnownHostsFile=" + f.dir + "/known_hosts", "-P", port}, args...)
	cmd := exec.CommandContext(t.Context(), "sftp", append(args, f.SFTPUser+"@"+host)...)
	b, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Fatal("the sftp command is missing: apt-get install openssh-client")
	}
	return string(b), err
}

// TestOpenSSH drives the server with the client of OpenSSH: an upload under a
// temporary name, a download, and every attempt to leave the account.
func TestOpenSSH(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	local := t.TempDir()
	claims := filepath.Join(local, "claims.837")
	if err := os.WriteFile(claims, batchOf(t, 1, "CHTEST", ""), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(f.dir, "password")
	key := []string{"-i", f.SFTPKeyFile}
	out, err := f.sftpCommand(t, key, "put -p "+claims+" inbound/claims.tmp\nls -l inbound\nrename inbound/claims.tmp inbound/claims.837\n")
	if err != nil || !strings.Contains(out, "claims.tmp") {
		t.Fatalf("%v:\n%s", err, out)
	}
	f.outbound(t, f.connect(t), 5)
	out, err = f.sftpCommand(t, key, "cd outbound\nmget *.999 "+local+"/\nrm *.999\nls\nmkdir /archive\nrename "+mustMatch(t, f.dir+"/files/outbound/*.ta1")+" /archive/got.ta1\nls /archive\n")
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	if got, err := filepath.Glob(local + "/*.999"); err != nil || len(got) != 1 {
		t.Errorf("%v arrived, %v:\n%s", got, err, out)
	}
	for _, name := range []string{"outbound/*.999", "outbound/*.ta1"} {
		if left, _ := filepath.Glob(f.dir + "/files/" + name); len(left) > 0 {
			t.Errorf("%v is still there", left)
		}
	}
	if _, err := os.Stat(f.dir + "/files/archive/got.ta1"); err != nil {
		t.Error(err)
	}

	// From inside, the account is all there is.
	before, err := os.ReadFile(secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"get ../password " + local + "/stolen", "get /../../password " + local + "/stolen", "get " + secret + " " + local + "/stolen",
		"rm ../password", "rename ../password inbound/password", "rename inbound ../in", "rmdir inbound", "rmdir /", "symlink /etc/passwd inbound/link", "symlink ../../password inbound/link",
		"ln ../password inbound/hard", "get inbound/link " + local + "/stolen", "cd ../state", "ls ../state",
	} {
		if out, err := f.sftpCommand(t, key, command+"\n"); err == nil {
			t.Errorf("%s worked:\n%s", command, out)
		}
	}
	if _, err := os.Stat(local + "/stolen"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file outside the account was read: %v", err)
	}
	// Links that someone else makes do not lead out either.
	if err := os.Symlink(secret, f.dir+"/files/inbound/secret.837"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(f.dir+"/state", f.dir+"/files/state"); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"get inbound/secret.837 " + local + "/stolen", "ls state/mail", "put " + claims + " state/mail/x"} {
		if out, err := f.sftpCommand(t, key, command+"\n"); err == nil {
			t.Errorf("%s worked:\n%s", command, out)
		}
	}
	after, err := os.ReadFile(secret)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the password changed, %v", err)
	}
}

func mustMatch(t *testing.T, pattern string) string {
	t.Helper()
	all, err := filepath.Glob(pattern)
	if err != nil || len(all) != 1 {
		t.Fatalf("%s matches %v, %v", pattern, all, err)
	}
	return filepath.Base(all[0])
}

// TestSignIn signs in with every method, and with wrong ones.
func TestSignIn(t *testing.T) {
	t.Parallel()
	dial := func(f *fixture, change func(*ssh.ClientConfig)) error {
		config := f.clientConfig(t)
		change(config)
		c, err := ssh.Dial("tcp", f.SFTPAddr, config)
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	withPassword := func(p string) func(*ssh.ClientConfig) {
		return func(c *ssh.ClientConfig) { c.Auth = []ssh.AuthMethod{ssh.Password(p)} }
	}
	asKey := func(*ssh.ClientConfig) {}
	both := newFixture(t)
	for name, err := range map[string]error{"key": dial(both, asKey), "password": dial(both, withPassword(both.COREPassword))} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	begun := time.Now()
	for name, err := range map[string]error{
		"no method":      dial(both, func(c *ssh.ClientConfig) { c.Auth = nil }),
		"wrong password": dial(both, withPassword("wrong")), "no password": dial(both, withPassword("")),
		"another user": dial(both, func(c *ssh.ClientConfig) { c.User = "root" }),
	} {
		if err == nil {
			t.Errorf("signed in with %s", name)
		}
	}
	if took := time.Since(begun); took < 2*time.Second {
		t.Errorf("two wrong passwords took %s, want at least a second each", took)
	}
	for method, accepted := range map[string]func(*ssh.ClientConfig){"key": asKey, "password": nil} {
		f := newFixture(t, func(o *clearinghouse.Options) { o.SignIn = method })
		if accepted == nil {
			accepted = withPassword(f.COREPassword)
		}
		if err := dial(f, accepted); err != nil {
			t.Errorf("--sign-in %s: %v", method, err)
		}
		refused := asKey
		if method == "key" {
			refused = withPassword(f.COREPassword)
		}
		if err := dial(f, refused); err == nil {
			t.Errorf("--sign-in %s accepted the other method", method)
		}
	}
	// More keys may be allowed while the server runs.
	own, err := ssh.ParsePrivateKey(mustRead(t, both.SFTPKeyFile))
	if err != nil {
		t.Fatal(err)
	}
	other := newFixture(t)
	if err := dial(other, func(c *ssh.ClientConfig) { c.Auth = []ssh.AuthMethod{ssh.PublicKeys(own)} }); err == nil {
		t.Error("signed in with the key of another simulator")
	}
	if err := os.WriteFile(other.dir+"/authorized_keys", ssh.MarshalAuthorizedKey(own.PublicKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dial(other, func(c *ssh.ClientConfig) { c.Auth = []ssh.AuthMethod{ssh.PublicKeys(own)} }); err != nil {
		t.Errorf("with a key of authorized_keys: %v", err)
	}
}

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestOnlySFTP asks for everything else that SSH can do.
func TestOnlySFTP(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c, err := ssh.Dial("tcp", f.SFTPAddr, f.clientConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	for what, ask := range map[string]func(*ssh.Session) error{
		"a command":          func(s *ssh.Session) error { return s.Run("id") },
		"a shell":            (*ssh.Session).Shell,
		"another subsystem":  func(s *ssh.Session) error { return s.RequestSubsystem("netconf") },
		"a terminal":         func(s *ssh.Session) error { return s.RequestPty("xterm", 24, 80, nil) },
		"an agent's channel": func(*ssh.Session) error { _, _, err := c.OpenChannel("auth-agent@openssh.com", nil); return err },
		"a tunnel": func(*ssh.Session) error {
			conn, err := c.Dial("tcp", f.SFTPAddr)
			if err == nil {
				_ = conn.Close()
			}
			return err
		},
		"a tunnel to here": func(*ssh.Session) error {
			ln, err := c.Listen("tcp", "127.0.0.1:0")
			if err == nil {
				_ = ln.Close()
			}
			return err
		},
	} {
		s, err := c.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if err := ask(s); err == nil {
			t.Errorf("%s was granted", what)
		}
		_ = s.Close()
	}
}

// TestUnfinishedFiles proves that a file is read only when it is complete.
func TestUnfinishedFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t) // half a file is read after 10 seconds; on a slow machine no writer pauses that long
	c := f.connect(t)
	file := batchOf(t, 1, "60054", "")
	half := len(file) / 2
	for _, name := range []string{"a.tmp", "b.837.part", "temp_c.837", ".d.837", "E.FILEPART"} {
		drop(t, c, "inbound/"+name, file)
	}
	open, err := c.Create("inbound/open.837")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open.Write(file); err != nil { // whole, but the client has not closed it
		t.Fatal(err)
	}
	// A file of a local program, which has no handle here, and grows.
	growing, err := os.Create(f.dir + "/files/inbound/growing.837")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = growing.Close() }()
	grown := make(chan struct{})
	go func() {
		defer close(grown)
		for n := range 20 {
			_, _ = growing.Write(file[len(file)*n/20 : len(file)*(n+1)/20])
			<-time.After(100 * time.Millisecond)
		}
	}()
	drop(t, c, "inbound/cut.837", file[:half])
	<-grown
	porttest.Await(t, "the growing file's and the cut file's messages", func() bool { return len(f.messages(t, "growing-")) == 4 && len(f.messages(t, "cut-")) > 0 })
	for _, name := range []string{"a", "b", "temp_c", "d", "E", "open"} {
		if got := f.messages(t, name+"-"); len(got) > 0 {
			t.Errorf("%s was read: %v", name, got)
		}
	}
	if b := mustRead(t, f.dir+"/files/outbound/"+f.messages(t, "cut-")[0]); !bytes.Contains(b, []byte("~AK9*R*")) {
		t.Errorf("the reply to half a file is %s", b)
	}
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Rename("inbound/a.tmp", "inbound/a.837"); err != nil {
		t.Fatal(err)
	}
	porttest.Await(t, "the messages about the finished files", func() bool { return len(f.messages(t, "open-")) == 4 && len(f.messages(t, "a-")) == 4 })
}

// messages lists the files of outbound whose names begin so.
func (f *fixture) messages(t *testing.T, prefix string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(f.dir + "/files/outbound")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if strings.HasPrefix(e.Name(), prefix) {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestGarbage drops files that are not what they should be. Each gets one reply, and
// the server continues.
func TestGarbage(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *clearinghouse.Options) { o.Settles(time.Second) })
	c := f.connect(t)
	isa := batchOf(t, 1, "60054", "")
	for name, file := range map[string]struct {
		content []byte
		want    string
	}{
		"empty":    {nil, "_REJECTED.txt"},
		"text":     {[]byte("Dear clearinghouse,\nplease pay."), "_REJECTED.txt"},
		"binary":   {bytes.Repeat([]byte{0, 0xff, 'I', 'S', 'A', '~'}, 10_000), "_REJECTED.txt"},
		"large":    {bytes.Repeat([]byte("garbage~"), 100<<20/8), "_REJECTED.txt"},
		"toolarge": {bytes.Repeat(isa, 40<<20/len(isa)), "_REJECTED.txt"},
		"claims":   {bytes.Replace(isa, []byte("~CLM*"), []byte(strings.Repeat("~CLM*", 20_001)), 1), "_REJECTED.txt"},
		"segment":  {append(bytes.Clone(isa[:106]), bytes.Repeat([]byte("x"), 1<<20)...), ".999"},
		"inquiry":  {inquiry("W1"), ".999 .ta1"},
		"headonly": {isa[:106], ".999"},
		"twoinone": {append(bytes.Clone(isa), isa...), "-clearinghouse-1.277 -clearinghouse-2.277 -payer-1.277 -payer-2.277 .999 .ta1"},
	} {
		drop(t, c, "inbound/"+name+".837", file.content)
		porttest.Await(t, "the reply to "+name, func() bool {
			var got []string
			for _, n := range f.messages(t, name+"-") {
				got = append(got, kindOf(n))
			}
			return strings.Join(got, " ") == file.want
		})
	}
	drop(t, c, "inbound/good.837", isa)
	porttest.Await(t, "the messages about a good file", func() bool { return len(f.messages(t, "good-")) == 4 })
}

// TestLimits fills the account. Uploads are refused and nothing is lost; once there
// is room, the rest is delivered.
func TestLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *clearinghouse.Options) { o.Limit(10_000, 60_000, 12, 8) })
	c := f.connect(t)
	if err := upload(c, "inbound/large.837", make([]byte, 20_000)); err == nil || !strings.Contains(err.Error(), "larger than the limit") {
		t.Errorf("a file above the limit: %v", err)
	}
	if err := c.Remove("inbound/large.837"); err != nil {
		t.Error(err)
	}
	if err := c.Truncate("inbound", 1<<40); err == nil {
		t.Error("a folder was truncated")
	}
	refused, sent := 0, 0
	for n := range 12 {
		err := upload(c, fmt.Sprintf("inbound/f%02d.837", n), batchOf(t, n+1, "60054", ""))
		switch {
		case err == nil:
			sent++
		case strings.Contains(err.Error(), "the account is full"):
			refused++
		default:
			t.Fatal(err)
		}
	}
	if refused == 0 {
		t.Error("no upload was refused")
	}
	got := map[string]bool{}
	porttest.Await(t, "four messages about each file", func() bool {
		for _, name := range f.messages(t, "f") {
			got[name] = true
			if err := c.Remove("outbound/" + name); err != nil {
				t.Fatal(err)
			}
		}
		return len(got) == 4*sent
	})
}

// TestManyFiles sends thousands of files over several connections at once.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	const files, clients = 2_000, 4
	f := newFixture(t)
	done := make(chan error, clients)
	for n := range clients {
		c := f.connect(t)
		go func() {
			for i := n; i < files; i += clients {
				if err := upload(c, fmt.Sprintf("inbound/m%d.837", i), batchOf(t, i+1, "60054", "")); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range clients {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]int{}
	c := f.connect(t)
	porttest.Await(t, "four messages about each file", func() bool {
		all, err := c.ReadDir("outbound")
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range all {
			got[info.Name()]++
			if err := c.Remove("outbound/" + info.Name()); err != nil {
				t.Fatal(err)
			}
		}
		return len(got) >= 4*files
	})
	if len(got) != 4*files {
		t.Errorf("%d messages, want %d", len(got), 4*files)
	}
}

// TestSessionLimits opens more than a session may.
func TestSessionLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.connect(t)
	drop(t, c, "inbound/a.tmp", []byte("x"))
	var open []*sftp.File
	for len(open) < 1000 {
		r, err := c.Open("inbound/a.tmp")
		if err != nil {
			break
		}
		open = append(open, r)
	}
	if len(open) == 0 || len(open) == 1000 {
		t.Errorf("a session has %d open files", len(open))
	}
	for _, r := range open {
		_ = r.Close()
	}
	if _, err := c.ReadDir("inbound"); err != nil {
		t.Errorf("after all are closed: %v", err)
	}
}

// TestSecrets reads the modes of the files, and starts again: keys and certificates
// stay, and a second process is refused.
func TestSecrets(t *testing.T) {
	t.Parallel()
	f := &fixture{dir: t.TempDir(), log: &syncBuffer{}}
	stop := f.start(t, options())
	first := f.Account
	err := filepath.WalkDir(f.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 && name != f.dir {
			t.Errorf("%s has mode %o", name, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Data = f.dir
	if err := clearinghouse.Run(t.Context(), o, nil); err == nil || !strings.Contains(err.Error(), "--data DIR") {
		t.Errorf("a second process in the folder: %v", err)
	}
	ca := mustRead(t, f.CAFile)
	stop()
	f.start(t, options())
	if f.COREPassword != first.COREPassword || strings.Fields(f.SFTPHostKey)[2] != strings.Fields(first.SFTPHostKey)[2] || !bytes.Equal(ca, mustRead(t, f.CAFile)) {
		t.Error("a restart changed the keys")
	}
	if len(f.COREPassword) < 32 {
		t.Errorf("the password has %d characters", len(f.COREPassword))
	}
}

// TestRestart stops the simulator while a remittance is not due yet, and while a file
// is there that nothing has read.
func TestRestart(t *testing.T) {
	t.Parallel()
	f := &fixture{dir: t.TempDir(), log: &syncBuffer{}}
	stop := f.start(t, options(func(o *clearinghouse.Options) { o.ERADelay = 5 * time.Second }))
	drop(t, f.connect(t), "inbound/a.837", batchOf(t, 1, "CHTEST", ""))
	f.outbound(t, f.connect(t), 4)
	stop()
	if err := os.WriteFile(f.dir+"/files/inbound/b.837", batchOf(t, 2, "60054", ""), 0o600); err != nil {
		t.Fatal(err)
	}
	f.start(t, options())
	porttest.Await(t, "the rest of the messages", func() bool { return len(f.messages(t, "a-")) == 5 && len(f.messages(t, "b-")) == 4 })
}

// TestBadOptions reads what each mistake is reported as.
func TestBadOptions(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*clearinghouse.Options){
		"add --public":   func(o *clearinghouse.Options) { o.SFTP = "0.0.0.0:0" },
		"--core example": func(o *clearinghouse.Options) { o.CORE = "example.com:443" },
		"want host:port": func(o *clearinghouse.Options) { o.SFTP = "2222" },
		"no such fault":  faults("core:sleep"),
		"a probability":  faults("core:hang=2"),
		"at most 15":     func(o *clearinghouse.Options) { o.SenderID = "A*B" },
		"--usage":        func(o *clearinghouse.Options) { o.Usage = "X" },
		"--sign-in":      func(o *clearinghouse.Options) { o.SignIn = "none" },
	} {
		o := options(change)
		o.Data = t.TempDir()
		if err := clearinghouse.Run(t.Context(), o, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
