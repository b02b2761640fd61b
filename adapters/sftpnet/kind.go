package sftpnet

import (
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// Kind is the kind of connections over SFTP: claims, as files in folders.
func Kind() ports.ConnectionKind {
	return ports.ConnectionKind{Kind: network.Kind{
		Name: "sftp", Carries: []network.Transaction{network.Claims}, Ends: true,
		Document: func(c *network.Connection) network.Document { return new(document).of(c) },
	}, Open: open}
}

// document is the document of a connection over SFTP.
type document struct {
	settings struct {
		Addr    string // host:port
		User    string
		HostKey string // lines of known_hosts, or fingerprints such as SHA256:...
		Outbox  string // the folder where Molar puts files
		Inbox   string // the folder where Molar gets files
		Archive string `json:",omitempty"` // the folder for received files; empty for none
	}
	secrets struct {
		Password string `json:",omitempty"`
		Key      []byte `json:",omitempty"` // PEM
	}
	options struct {
		direct                 bool
		tempPrefix, tempFolder string // empty for the defaults
		after                  After  // empty for the default
	}
}

// of returns the tables of the document of a connection.
func (d *document) of(c *network.Connection) network.Document {
	s, o := &d.settings, &d.options
	required := func(name string, value *string) func(*billing.Faults) {
		return func(f *billing.Faults) { network.JudgeRequired(f, name, *value) }
	}
	addr := network.TextField(&s.Addr, "addr", "host:port", func(f *billing.Faults) { d.judgeAddr(f, c) })
	addr.Label, addr.Address = "address", true
	return network.Document{
		Settings: s, Secrets: &d.secrets,
		Fields: []network.Field{
			addr,
			network.TextField(&s.User, "user", "the name with which Molar signs in", required("user", &s.User)),
			network.FileField(&d.secrets.Key, "key_file", "the private key of the user, PEM or OpenSSH; this or password_file", d.judgeSecrets),
			network.PasswordField(&d.secrets.Password, "password_file", "the password of the user"),
			network.TextField(&s.HostKey, "host_key", "a line of known_hosts, or a fingerprint (SHA256:...), as the clearinghouse publishes it;\n"+
				`while it changes its key, both, with \n between them`, d.judgeHostKey),
			network.TextField(&s.Outbox, "outbox", "the folder where Molar puts files", required("outbox", &s.Outbox)),
			network.TextField(&s.Inbox, "inbox", "the folder where Molar gets files", d.judgeInbox),
			network.TextField(&s.Archive, "archive", "the folder for files that were received (default: none)", d.judgeArchive),
			network.PrivateField(c),
		},
		Options: []network.Option{
			network.Choice(&o.direct, "upload", "How a batch reaches the outbox over SFTP: rename uploads it under a temporary name and then renames it; direct uses its own name at once, for networks that take each file at the end of its upload.",
				network.Named(false, "rename"), network.Named(true, "direct")),
			network.Text(&o.tempPrefix, "temp_prefix", DefaultTempPrefix, "The prefix of the temporary name, which is prefix, name, a point and 16 hexadecimal digits.",
				"1 to 40 letters, digits, underscores, points and dashes", tempPrefixForm.MatchString),
			network.Text(&o.tempFolder, "temp_folder", "", "The folder of temporary names, on the same disk as the outbox. By default it is the outbox.",
				"a folder's path of at most 1024 characters, without control characters, or empty for the default", validFolder),
			network.Choice(&o.after, "after_receipt", "What happens at the network to a file after its import. Default archives it if the connection has an archive folder, and else keeps it.",
				network.Named(After(""), "default"), network.Named(AfterArchive, ""), network.Named(AfterDelete, ""), network.Named(AfterKeep, "")),
		},
	}
}

// open opens a connection over SFTP.
func open(c *network.Connection) (*ports.Network, error) {
	d := &document{}
	if err := c.Load(d.of(c)); err != nil {
		return nil, err
	}
	s, o := &d.settings, &d.options
	test := clearing.NewBatch(billing.Scope{Mode: c.Mode}, c.Network(), 0, 0, billing.RealAt(time.Now()), time.Now())
	house, err := New(Config{
		Addr: s.Addr, User: s.User, Password: []byte(d.secrets.Password), Key: d.secrets.Key, HostKey: s.HostKey,
		AllowPrivate: c.Settings.AllowPrivate, Outbox: s.Outbox, Inbox: s.Inbox, Archive: s.Archive,
		After: o.after, Direct: o.direct, TempPrefix: o.tempPrefix, TempFolder: o.tempFolder,
		TestName: c.Settings.Options.FileName(test, &c.Settings.Envelope, test.CreatedAt),
	})
	if err != nil {
		return nil, err
	}
	return &ports.Network{Claims: house, Inbox: house, Peer: house}, nil
}

func (d *document) judgeAddr(f *billing.Faults, c *network.Connection) {
	addr := d.settings.Addr
	network.JudgeRequired(f, "addr", addr)
	host, port, err := net.SplitHostPort(addr)
	if n, e := strconv.ParseUint(port, 10, 16); err != nil || e != nil || host == "" || n == 0 || strings.ContainsAny(host, "/@ ") {
		f.Add("addr", billing.FaultFormat, "The address must be host:port, such as sftp.example.com:22.")
		return
	}
	c.JudgeHost(f, "addr", host)
}

func (d *document) judgeSecrets(f *billing.Faults) {
	if len(d.secrets.Key) == 0 && d.secrets.Password == "" {
		f.Add("key_file", billing.FaultRequired, "Name the file of the private key in key_file, or that of the password in password_file.")
	}
}

func (d *document) judgeHostKey(f *billing.Faults) {
	d.settings.HostKey = strings.TrimSpace(d.settings.HostKey)
	if _, err := parseHostKey(d.settings.HostKey); f.Required("host_key", d.settings.HostKey, 8192) && err != nil {
		f.Add("host_key", billing.FaultFormat, "The host key must be a line of known_hosts, or a fingerprint such as SHA256:... that the clearinghouse publishes, or several such lines.")
	}
}

func (d *document) judgeInbox(f *billing.Faults) {
	network.JudgeRequired(f, "inbox", d.settings.Inbox)
	if d.settings.Inbox == d.settings.Outbox {
		f.Add("inbox", billing.FaultConflict, "The inbox and the outbox must be two folders, seen from Molar: it puts files into the outbox, and gets files from the inbox.")
	}
}

func (d *document) judgeArchive(f *billing.Faults) {
	s := &d.settings
	network.JudgeOptional(f, "archive", s.Archive)
	if s.Archive != "" && (s.Archive == s.Inbox || s.Archive == s.Outbox) {
		f.Add("archive", billing.FaultConflict, "The archive must be a folder of its own.")
	}
}

var tempPrefixForm = regexp.MustCompile(`^[0-9A-Za-z_.-]{1,40}$`)

// maxFolder is the longest path of a folder, in characters.
const maxFolder = 1024

func validFolder(s string) bool {
	return len(s) <= maxFolder && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
