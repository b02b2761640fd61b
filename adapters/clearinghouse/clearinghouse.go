package clearinghouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
	"golang.org/x/sync/errgroup"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
)

// accountName is the user of both protocols.
const accountName = "practice"

// The identifiers of the account in X12 and in CORE envelopes.
const (
	DefaultSenderID   = "PRACTICE"
	DefaultReceiverID = "MOLARCH"
)

// Options configure the simulator.
type Options struct {
	SFTP, CORE string // addresses; port 0 picks a free one
	Data       string // data folder
	Public     bool   // the addresses may be reachable from other machines
	Strict     bool   // accept only the account's identifiers and usage
	Usage      string // P or T, for Strict; empty means P
	SenderID   string // of the account; empty for the default
	ReceiverID string // of the clearinghouse; empty for the default
	Use997     bool   // acknowledge with 997 instead of 999
	SignIn     string // password, key or both; empty means both
	ERADelay   time.Duration
	Faults     []string
	Log        *slog.Logger

	settled time.Duration // for tests; zero means the usual time
	limits  limits        // for tests; zero means the usual ones
}

// Account is what a client needs to connect.
type Account struct {
	SFTPAddr     string `json:"sftp_addr"`
	SFTPUser     string `json:"sftp_user"`
	SFTPKeyFile  string `json:"sftp_key_file"`
	SFTPHostKey  string `json:"sftp_host_key"` // a line for known_hosts
	CORESOAPURL  string `json:"core_soap_url"`
	COREMIMEURL  string `json:"core_mime_url"`
	COREUser     string `json:"core_user"`
	COREPassword string `json:"core_password"` // the SFTP password too
	CAFile       string `json:"ca_file"`
	SenderID     string `json:"sender_id"`
	ReceiverID   string `json:"receiver_id"`
}

// clock is the clock of the machine.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

// check completes the options, or says what is wrong.
func (o *Options) check() error {
	defaults := map[*string]string{
		&o.SenderID: DefaultSenderID, &o.ReceiverID: DefaultReceiverID, &o.Usage: "P", &o.SignIn: "both",
	}
	for field, fallback := range defaults {
		if *field == "" {
			*field = fallback
		}
	}
	for flag, address := range map[string]string{"sftp": o.SFTP, "core": o.CORE} {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return fmt.Errorf("--%s %q: want host:port, such as 127.0.0.1:0", flag, address)
		}
		if ip := net.ParseIP(host); !o.Public && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return fmt.Errorf("--%s %s: other machines could reach this address; use one of 127.0.0.1, or add --public if they should", flag, address)
		}
	}
	const longestID = 15 // ISA06
	for flag, id := range map[string]string{"sender-id": o.SenderID, "receiver-id": o.ReceiverID} {
		if string(x12.Clip(id, longestID)) != id {
			return fmt.Errorf("--%s %q: want at most 15 upper-case letters, digits and spaces", flag, id)
		}
	}
	if o.Usage != "P" && o.Usage != "T" {
		return fmt.Errorf("--usage %q: want P (production) or T (test)", o.Usage)
	}
	if o.SignIn != "both" && o.SignIn != "password" && o.SignIn != "key" {
		return fmt.Errorf("--sign-in %q: want password, key or both", o.SignIn)
	}
	if o.limits == (limits{}) {
		o.limits = usualLimits()
	}
	if o.settled == 0 {
		o.settled = settled
	}
	return nil
}

// refuse returns the note (TA105) for an envelope that is not the account's.
func (o *Options) refuse(i x12.Interchange, g x12.Group) string {
	const sender, receiver, usage = "006", "008", "020"
	switch {
	case i.Receiver != o.ReceiverID || g != (x12.Group{}) && g.Receiver != o.ReceiverID:
		return receiver
	case i.Sender != o.SenderID || g != (x12.Group{}) && g.Sender != o.SenderID:
		return sender
	case i.Test != (o.Usage == "T"):
		return usage
	default:
		return ""
	}
}

// Run runs the simulator until ctx ends, and calls ready when it listens.
func Run(ctx context.Context, o Options, ready func(Account) error) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	faults, err := ParseFaults(o.Faults)
	if err != nil {
		return err
	}
	f, err := openFolder(o.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	store, err := openMail(f, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.close()) }()
	files, err := openAccount(f, o.limits)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.root.Close()) }()
	received, err := openReceived(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, received.Close()) }()

	sftpServer, hostKey, err := newSFTPServer(f, files, methods{password: o.SignIn != "key", key: o.SignIn != "password"}, faults, o.Log)
	if err != nil {
		return err
	}
	network := sandboxnet.Options{ERADelay: o.ERADelay, Standard: acknowledgements.Standard999, TA1: true, Addressed: true}
	if o.Use997 {
		network.Standard = acknowledgements.Standard997
	}
	core := &coreServer{payers: sandboxnet.NewEligibility(clock{}), sent: f.sent, options: network, now: time.Now, faults: faults, log: o.Log}
	if o.Strict {
		network.Refuse, core.refuse = o.refuse, o.refuse
	}
	r := &reader{
		folder: f, account: files, mail: store, network: sandboxnet.NewClearinghouse(clock{}, store, network),
		now: time.Now, settled: o.settled, faults: faults, log: o.Log, early: map[string]time.Time{}, received: received,
	}

	sftpListener, err := listen(ctx, "sftp", o.SFTP)
	if err != nil {
		return err
	}
	coreListener, err := listen(ctx, "core", o.CORE)
	if err != nil {
		return errors.Join(err, sftpListener.Close())
	}
	config, err := certificates(f, coreListener.Addr(), faults)
	if err == nil {
		core.account = o.account(f, sftpServer, hostKey, sftpListener.Addr(), coreListener.Addr())
		if o.Strict {
			core.strict = core.account
		}
		err = f.replace(knownHostsFile, []byte(core.account.SFTPHostKey+"\n"))
	}
	if err == nil {
		err = ready(*core.account)
	}
	if err != nil {
		return errors.Join(err, sftpListener.Close(), coreListener.Close())
	}
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error { return r.run(ctx) })
	work.Go(func() error { return sftpServer.serve(ctx, sftpListener) })
	work.Go(func() error { return core.serve(ctx, coreListener, config) })
	return work.Wait()
}

// openReceived opens the log of files that were taken. It ends a line that a killed
// process did not finish.
func openReceived(f *folder) (*os.File, error) {
	log, err := f.OpenFile(receivedFile, os.O_CREATE|os.O_APPEND|os.O_RDWR, privateFile)
	if err != nil {
		return nil, err
	}
	info, err := log.Stat()
	if err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		if _, err = log.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			_, err = log.WriteString("\n")
		}
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return log, nil
}

func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w; port 0 picks a free one", flag, err)
	}
	return ln, nil
}

// certificates returns the TLS of the endpoint. A client certificate of the CA is
// accepted, and needed for Phase IV alone.
func certificates(f *folder, address net.Addr, faults Faults) (*tls.Config, error) {
	now := time.Now()
	ca, err := openAuthority(f, now)
	if err != nil {
		return nil, err
	}
	if err := ca.client(now); err != nil {
		return nil, err
	}
	server, err := ca.server(now, hostsOf(address))
	if err == nil && faults.strikes(coreCertificate) {
		server, err = ca.expired(now, hostsOf(address))
	}
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		Certificates: []tls.Certificate{server}, MinVersion: tls.VersionTLS12,
		ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: ca.pool(),
	}, nil
}

func (o *Options) account(f *folder, s *sftpServer, hostKey ssh.PublicKey, sftpAddr, coreAddr net.Addr) *Account {
	at := reachable(sftpAddr)
	base := "https://" + reachable(coreAddr)
	return &Account{
		SFTPAddr: at, SFTPUser: accountName, SFTPKeyFile: f.join(accountKeyFile),
		SFTPHostKey: knownhosts.Line([]string{knownhosts.Normalize(at)}, hostKey),
		CORESOAPURL: base + soapPath, COREMIMEURL: base + mimePath,
		COREUser: accountName, COREPassword: string(s.password), CAFile: f.join(caFile),
		SenderID: o.SenderID, ReceiverID: o.ReceiverID,
	}
}

// reachable returns an address for clients on this machine.
func reachable(a net.Addr) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(strings.TrimSpace(host), port)
}
