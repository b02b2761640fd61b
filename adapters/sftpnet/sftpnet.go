// Package sftpnet exchanges files with a clearinghouse over SFTP.
//
// A file goes up under a temporary name, complete, and then gets its own name in one
// step, or directly under its own name: ADR 61. Received files are read once they rest, and leave the inbox once the
// service has stored them. Names and contents from the other side are hostile: no name
// becomes a local path, and sizes, listings and times have limits. ADR 55.
package sftpnet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/molar-billing/molar/adapters/publicaddr"
	"github.com/molar-billing/molar/ports"
)

// Config describes an account at a clearinghouse.
type Config struct {
	Addr         string // host:port; 22 is the default port
	User         string
	Password     []byte // at least one of Password and Key
	Key          []byte // private key, PEM or OpenSSH, without passphrase
	HostKey      string // lines of known_hosts, or fingerprints such as SHA256:...; one must match
	AllowPrivate bool   // an address that is not public

	Outbox  string // the folder for our files
	Inbox   string // the folder with files for us
	Archive string // the folder for received files
	After   After  // what happens to received files; empty: AfterArchive with an Archive, else AfterKeep

	Direct     bool   // a file goes up under its own name at once; otherwise it is renamed
	TempPrefix string // of the name of a file until it is complete; empty: DefaultTempPrefix
	TempFolder string // the folder of such a file; empty: Outbox
	TestName   string // of the file that Probe uploads; empty: DefaultTestName
	MaxFile    int64  // larger files are not read; zero: DefaultMaxFile
	Times      Times  // zero values: those of DefaultTimes
}

// After is what happens to a file in the inbox once the service has stored it.
type After string

// The treatments of received files.
const (
	AfterArchive After = "archive"
	AfterDelete  After = "delete"
	AfterKeep    After = "keep" // the file stays
)

// The defaults of Config. Clearinghouses that are known to skip files by name skip this
// prefix.
const (
	DefaultTempPrefix = "temp_"
	DefaultTestName   = "molar.txt"
	DefaultMaxFile    = 128 << 20
	defaultPort       = "22"
)

// Times limit how long each part may take.
type Times struct {
	Connect  time.Duration // connecting, with handshake and sign-in
	Step     time.Duration // one request; a transfer without progress
	Transfer time.Duration // a whole transfer
	Idle     time.Duration // an idle session ends after it
	Settle   time.Duration // that a file must rest before it is read
}

// DefaultTimes returns the limits that New uses for zero values.
func DefaultTimes() Times {
	return Times{Connect: 30 * time.Second, Step: 30 * time.Second, Transfer: 15 * time.Minute, Idle: time.Minute, Settle: 2 * time.Second}
}

// The pauses after failed connections: each is twice the one before.
const (
	leastPause = time.Second
	mostPause  = time.Minute
)

// Clearinghouse is a clearinghouse that exchanges files over SFTP. It has one session
// at most, and its calls take turns.
type Clearinghouse struct {
	config Config
	pins   []pin
	auth   []ssh.AuthMethod
	dialer *net.Dialer
	now    func() time.Time

	turn chan struct{} // holds a value while a call has the session and the fields below

	session  *session
	idle     *time.Timer
	closed   bool
	pin      int           // the index of the pin that matched last
	pause    time.Duration // after the last failed connection
	failed   error         // the last failed connection
	resume   time.Time     // when to connect again after it
	leftover []string      // temporary names that could not be removed

	looks map[string]*look // of the files in the inbox, by name
}

var (
	_ ports.Sender = (*Clearinghouse)(nil)
	_ ports.Inbox  = (*Clearinghouse)(nil)
	_ ports.Peer   = (*Clearinghouse)(nil)
)

// New returns a clearinghouse. It does not connect. The error names the field of Config
// that is wrong.
func New(c Config) (*Clearinghouse, error) {
	if _, _, err := net.SplitHostPort(c.Addr); err != nil && c.Addr != "" {
		c.Addr = net.JoinHostPort(strings.Trim(c.Addr, "[]"), defaultPort)
	}
	host, port, err := net.SplitHostPort(c.Addr)
	switch {
	case err != nil || host == "" || port == "":
		return nil, errors.New("addr: must be host:port")
	case c.User == "":
		return nil, errors.New("user: must not be empty")
	case c.Outbox == "" || c.Inbox == "":
		return nil, errors.New("outbox, inbox: both folders must be named")
	case path.Clean(c.Outbox) == path.Clean(c.Inbox):
		return nil, errors.New("outbox, inbox: must be different folders, or Molar would read its own files")
	case c.Archive != "" && path.Clean(c.Archive) == path.Clean(c.Inbox):
		return nil, errors.New("archive: must not be the inbox")
	case c.After == AfterArchive && c.Archive == "":
		return nil, errors.New("archive: name the folder for received files")
	case strings.ContainsAny(c.TempPrefix, "/\x00"):
		return nil, errors.New("temp prefix: must not contain a slash")
	case c.TempFolder != "" && path.Clean(c.TempFolder) == path.Clean(c.Inbox):
		return nil, errors.New("temp folder: must not be the inbox, or Molar would read its own files")
	}
	switch c.After {
	case "":
		if c.After = AfterKeep; c.Archive != "" {
			c.After = AfterArchive
		}
	case AfterArchive, AfterDelete, AfterKeep:
	default:
		return nil, fmt.Errorf("after receipt: %q is not archive, delete or keep", c.After)
	}
	d := DefaultTimes()
	c.Times = Times{
		cmp.Or(c.Times.Connect, d.Connect), cmp.Or(c.Times.Step, d.Step), cmp.Or(c.Times.Transfer, d.Transfer),
		cmp.Or(c.Times.Idle, d.Idle), cmp.Or(c.Times.Settle, d.Settle),
	}
	c.MaxFile, c.TestName = cmp.Or(c.MaxFile, DefaultMaxFile), cmp.Or(c.TestName, DefaultTestName)
	c.TempPrefix, c.TempFolder = cmp.Or(c.TempPrefix, DefaultTempPrefix), cmp.Or(c.TempFolder, c.Outbox)
	n := &Clearinghouse{config: c, now: time.Now, turn: make(chan struct{}, 1), looks: map[string]*look{}, dialer: &net.Dialer{}}
	if n.pins, err = parseHostKey(c.HostKey); err != nil {
		return nil, fmt.Errorf("host key: %w", err)
	}
	if n.auth, err = authMethods(c.Password, c.Key); err != nil {
		return nil, err
	}
	if !c.AllowPrivate {
		guard, err := publicaddr.New()
		if err != nil {
			return nil, err
		}
		n.dialer.ControlContext = guard.Control
	}
	return n, nil
}

// authMethods returns the ways to sign in: the key first, then the password, also for
// servers that ask for it interactively.
func authMethods(password, key []byte) (all []ssh.AuthMethod, err error) {
	if len(key) > 0 {
		signer, err := ssh.ParsePrivateKey(key)
		if _, locked := errors.AsType[*ssh.PassphraseMissingError](err); locked {
			return nil, errors.New("key: it has a passphrase; store a key without one")
		}
		if err != nil {
			return nil, errors.New("key: it cannot be read as a private key in PEM or OpenSSH form")
		}
		all = append(all, ssh.PublicKeys(signer))
	}
	if len(password) > 0 {
		word := string(password)
		all = append(all, ssh.Password(word), ssh.KeyboardInteractive(
			func(_, _ string, questions []string, echos []bool) ([]string, error) {
				answers := make([]string, len(questions))
				for i := range questions {
					if !echos[i] {
						answers[i] = word
					}
				}
				return answers, nil
			}))
	}
	if len(all) == 0 {
		return nil, errors.New("key, password: one of them is needed")
	}
	return all, nil
}

// take waits for this call's turn.
func (n *Clearinghouse) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case n.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (n *Clearinghouse) leave() { <-n.turn }

// Close ends the session. Later calls fail.
func (n *Clearinghouse) Close() error {
	n.turn <- struct{}{}
	defer n.leave()
	n.closed = true
	n.hangUp()
	return nil
}
