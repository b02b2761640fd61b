package clearinghouse_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"go.uber.org/goleak"
	"golang.org/x/crypto/ssh"

	"github.com/molar-billing/molar/adapters/clearinghouse"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		child(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// fixture is a running simulator.
type fixture struct {
	clearinghouse.Account

	dir string
	log *syncBuffer
}

// options returns options for a test, with short times.
func options(change ...func(*clearinghouse.Options)) clearinghouse.Options {
	o := clearinghouse.Options{SFTP: "127.0.0.1:0", CORE: "127.0.0.1:0", ERADelay: 10 * time.Millisecond}
	for _, c := range change {
		c(&o)
	}
	return o
}

func faults(names ...string) func(*clearinghouse.Options) {
	return func(o *clearinghouse.Options) { o.Faults = names }
}

func newFixture(t *testing.T, change ...func(*clearinghouse.Options)) *fixture {
	t.Helper()
	f := &fixture{dir: t.TempDir(), log: &syncBuffer{}}
	f.start(t, options(change...))
	return f
}

// start runs the simulator until the end of the test, or until stop.
func (f *fixture) start(t *testing.T, o clearinghouse.Options) (stop func()) {
	t.Helper()
	o.Data, o.Log = f.dir, slog.New(slog.NewJSONHandler(f.log, nil))
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, ended := make(chan clearinghouse.Account, 1), make(chan error, 1)
	go func() {
		ended <- clearinghouse.Run(ctx, o, func(a clearinghouse.Account) error { ready <- a; return nil })
	}()
	select {
	case f.Account = <-ready:
	case err := <-ended:
		cancel()
		t.Fatal(err)
	}
	done := false
	stop = func() {
		if done {
			return
		}
		done = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the simulator ended with %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// syncBuffer is a log that several goroutines write.
type syncBuffer struct {
	text atomic.Value
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	for {
		old := b.text.Load()
		before, _ := old.(string)
		if b.text.CompareAndSwap(old, before+string(p)) {
			return len(p), nil
		}
	}
}

func (b *syncBuffer) String() string { s, _ := b.text.Load().(string); return s }

// clientConfig returns the SSH configuration of a client with the account's key.
func (f *fixture) clientConfig(t *testing.T) *ssh.ClientConfig {
	t.Helper()
	_, _, host, _, _, err := ssh.ParseKnownHosts([]byte(f.SFTPHostKey))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(f.SFTPKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.ParsePrivateKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return &ssh.ClientConfig{
		User: f.SFTPUser, Auth: []ssh.AuthMethod{ssh.PublicKeys(key)},
		HostKeyCallback: ssh.FixedHostKey(host), Timeout: time.Minute,
	}
}

// connect opens a session of SFTP.
func (f *fixture) connect(t *testing.T) *sftp.Client {
	t.Helper()
	conn, err := ssh.Dial("tcp", f.SFTPAddr, f.clientConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c, err := sftp.NewClient(conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// drop uploads a file under its own name.
func drop(t *testing.T, c *sftp.Client, name string, content []byte) {
	t.Helper()
	if err := upload(c, name, content); err != nil {
		t.Fatal(err)
	}
}

func upload(c *sftp.Client, name string, content []byte) error {
	w, err := c.Create(name)
	if err != nil {
		return err
	}
	if _, err := w.ReadFrom(bytes.NewReader(content)); err != nil {
		_ = w.Close()
		return err
	}
	return w.Close()
}

func read(t *testing.T, c *sftp.Client, name string) []byte {
	t.Helper()
	r, err := c.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// outbound waits until there are n files, and returns them by the end of their names.
func (f *fixture) outbound(t *testing.T, c *sftp.Client, n int) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	porttest.Await(t, fmt.Sprintf("%d files in outbound", n), func() bool {
		all, err := c.ReadDir("outbound")
		if err != nil {
			t.Fatal(err)
		}
		return len(all) >= n
	})
	all, err := c.ReadDir("outbound")
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all {
		files[kindOf(info.Name())] = read(t, c, path.Join("outbound", info.Name()))
	}
	return files
}

var id = regexp.MustCompile(`^.*-\d{14}[A-Z2-7]{8}`)

// kindOf returns the part of a message's name that states its kind.
func kindOf(name string) string { return id.ReplaceAllString(name, "") }

func kinds(files map[string][]byte) string {
	var all []string
	for k := range files {
		all = append(all, k)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func today() billing.Date { return billing.DateOf(time.Now()) }

// batchOf returns an 837D with one claim for each ending.
func batchOf(tb testing.TB, number int, payer string, endings ...string) []byte {
	tb.Helper()
	now := time.Now().UTC()
	b := claims.Batch{
		Interchange: x12.Interchange{Sender: clearinghouse.DefaultSenderID, ReceiverQualifier: "30", Receiver: clearinghouse.DefaultReceiverID, Created: now, Control: number},
		Group:       x12.Group{Sender: clearinghouse.DefaultSenderID, Receiver: clearinghouse.DefaultReceiverID, Created: now, Control: number},
		Control:     fmt.Sprintf("%04d", number), Reference: fmt.Sprint("B", number), CreatedAt: now,
		Submitter: claims.Submitter{Name: "Bright Smiles", ID: clearinghouse.DefaultSenderID},
		Receiver:  claims.Receiver{Name: "Clearinghouse", ID: clearinghouse.DefaultReceiverID},
	}
	for i, ending := range endings {
		b.Claims = append(b.Claims, claims.Claim{
			Billing: claims.BillingProvider{
				Name: "Bright Smiles", NPI: "1234567893", TaxID: "123456789", Phone: "5550100100",
				Address: claims.Address{Line1: "1 Main St", City: "Tulsa", State: "OK", ZIP: "741010001"},
			},
			Subscriber: claims.Subscriber{
				FirstName: "Jane", LastName: "Roe", DateOfBirth: billing.Date{Year: 1990, Month: 1, Day: 2}, MemberID: "W1" + ending, Gender: claims.GenderFemale,
				Address: claims.Address{Line1: "5 Elm St", City: "Tulsa", State: "OK", ZIP: "74103"},
			},
			Payer: claims.Payer{PayerID: payer, Name: "Payer"}, PatientControlNumber: fmt.Sprintf("C%dX%d", number, i),
			PlaceOfService: "11", Frequency: claims.FrequencyOriginal,
			Lines: []claims.Line{{Procedure: "D1110", ServiceDate: today(), Fee: 100_00, Quantity: 1}},
		})
	}
	var out bytes.Buffer
	if err := claims.Encode(&out, &b); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// inquiry returns a 270 about a member.
func inquiry(member string) []byte {
	now := time.Now().UTC()
	return eligibility.EncodeInquiry(&eligibility.Inquiry{
		Interchange: x12.Interchange{Sender: clearinghouse.DefaultSenderID, Receiver: clearinghouse.DefaultReceiverID, Created: now, Control: 7},
		Group:       x12.Group{Sender: clearinghouse.DefaultSenderID, Receiver: clearinghouse.DefaultReceiverID, Created: now, Control: 7},
		Reference:   "REF7", CreatedAt: now,
		Payer:    eligibility.Party{Name: eligibility.Name{Entity: "PR", Kind: "2", Last: "Payer", IDQualifier: "PI", ID: "CHTEST"}},
		Provider: eligibility.Party{Name: eligibility.Name{Entity: "1P", Kind: "2", Last: "Bright Smiles", IDQualifier: "XX", ID: "1234567893"}},
		Subscriber: eligibility.Party{
			Name:      eligibility.Name{Entity: "IL", Kind: "1", Last: "Roe", First: "Jane", IDQualifier: "MI", ID: member},
			BirthDate: billing.Date{Year: 1990, Month: 1, Day: 2},
			Traces:    []eligibility.Trace{{Type: "1", Number: "TRACE7", Originator: "9MOLAR"}},
			Dates:     []eligibility.Date{eligibility.On("291", today())},
		},
		Queries: []eligibility.Query{{ServiceTypes: []string{"35"}}},
	})
}
