package clearinghouse

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/subtle"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// The files of the SFTP account.
const (
	hostKeyFile        = "host_key"
	accountKeyFile     = "client_key"
	authorizedKeysFile = "authorized_keys"
	passwordFile       = "password"
	knownHostsFile     = "known_hosts"
)

// The limits of connections.
const (
	maxConnections = 64
	maxChannels    = 4 // of a connection
	maxTries       = 6 // of a sign-in
	signInTime     = 30 * time.Second
	idleTime       = 15 * time.Minute
	badLoginDelay  = time.Second
)

var errNotAllowed = errors.New("the user, the password or the key is wrong")

// sftpServer serves the account over SSH.
type sftpServer struct {
	folder  *folder
	account *account
	config  *ssh.ServerConfig
	faults  Faults
	log     *slog.Logger

	password []byte
	key      ssh.PublicKey // of the account
}

// methods are the ways to sign in.
type methods struct{ password, key bool }

func newSFTPServer(f *folder, a *account, m methods, faults Faults, log *slog.Logger) (*sftpServer, ssh.PublicKey, error) {
	s := &sftpServer{folder: f, account: a, faults: faults, log: log}
	host, err := sshKey(f, hostKeyFile)
	if err != nil {
		return nil, nil, err
	}
	own, err := sshKey(f, accountKeyFile)
	if err != nil {
		return nil, nil, err
	}
	if s.password, err = f.secret(passwordFile, password); err != nil {
		return nil, nil, err
	}
	s.password, s.key = bytes.TrimSpace(s.password), own.PublicKey()
	s.config = &ssh.ServerConfig{MaxAuthTries: maxTries, ServerVersion: "SSH-2.0-clearinghouse"}
	announced := host.PublicKey()
	if faults.strikes(sftpHostKey) {
		_, other, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return nil, nil, err
		}
		if host, err = ssh.NewSignerFromKey(other); err != nil {
			return nil, nil, err
		}
	}
	s.config.AddHostKey(host)
	if m.key {
		s.config.PublicKeyCallback = s.checkKey
	}
	if m.password {
		s.config.PasswordCallback = s.checkPassword
	}
	return s, announced, nil
}

// sshKey reads a private key, or makes it at the first start.
func sshKey(f *folder, name string) (ssh.Signer, error) {
	text, err := f.secret(name, func() ([]byte, error) {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return nil, err
		}
		block, err := ssh.MarshalPrivateKey(key, "clearinghouse simulator")
		return pem.EncodeToMemory(block), err
	})
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(text)
	if err != nil {
		return nil, errors.New(f.join(name) + " is not a private key: remove it, and the next start makes a new one")
	}
	return signer, nil
}

func (s *sftpServer) checkPassword(c ssh.ConnMetadata, given []byte) (*ssh.Permissions, error) {
	user := subtle.ConstantTimeCompare([]byte(c.User()), []byte(accountName))
	right := subtle.ConstantTimeCompare(given, s.password)
	if user&right == 1 && !s.faults.strikes(sftpLogin) {
		return &ssh.Permissions{}, nil
	}
	<-time.After(badLoginDelay) // for this connection alone
	return nil, errNotAllowed
}

// checkKey accepts the account's own key, and those in authorized_keys, a file that
// only the user of the simulator writes.
func (s *sftpServer) checkKey(c ssh.ConnMetadata, given ssh.PublicKey) (*ssh.Permissions, error) {
	if c.User() != accountName || s.faults.strikes(sftpLogin) {
		return nil, errNotAllowed
	}
	allowed := []ssh.PublicKey{s.key}
	rest, err := s.folder.ReadFile(authorizedKeysFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for len(rest) > 0 {
		var key ssh.PublicKey
		if key, _, _, rest, err = ssh.ParseAuthorizedKey(rest); err != nil {
			break
		}
		allowed = append(allowed, key)
	}
	if slices.ContainsFunc(allowed, func(k ssh.PublicKey) bool { return bytes.Equal(k.Marshal(), given.Marshal()) }) {
		return &ssh.Permissions{}, nil
	}
	return nil, errNotAllowed
}

// serve accepts connections until ctx ends, and then closes them.
func (s *sftpServer) serve(ctx context.Context, ln net.Listener) error {
	var open sync.WaitGroup
	defer open.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(ctx, func() { _ = ln.Close() })()
	slots := make(chan struct{}, maxConnections)
	for {
		conn, err := ln.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case slots <- struct{}{}:
			open.Go(func() {
				defer func() { <-slots }()
				s.connection(ctx, conn)
			})
		default:
			_ = conn.Close()
		}
	}
}

func (s *sftpServer) connection(ctx context.Context, conn net.Conn) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	if s.faults.strikes(sftpSilent) {
		_, _ = io.Copy(io.Discard, conn)
		return
	}
	// The library waits for the client without a limit of its own.
	late := time.AfterFunc(signInTime, func() { _ = conn.Close() })
	c, channels, requests, err := ssh.NewServerConn(&idleConn{conn}, s.config)
	late.Stop()
	if err != nil {
		if errors.Is(err, errNotAllowed) || isAuthError(err) {
			s.log.WarnContext(ctx, "refused an SFTP sign-in")
		}
		return
	}
	go ssh.DiscardRequests(requests)
	ctx, end := context.WithCancel(ctx)
	go func() {
		_ = c.Wait()
		end()
	}()
	var sessions sync.WaitGroup
	slots := make(chan struct{}, maxChannels)
	for ch := range channels {
		if ch.ChannelType() != "session" {
			_ = ch.Reject(ssh.UnknownChannelType, "only SFTP sessions are supported")
			continue
		}
		select {
		case slots <- struct{}{}:
		default:
			_ = ch.Reject(ssh.ResourceShortage, "too many sessions")
			continue
		}
		channel, asked, err := ch.Accept()
		if err != nil {
			<-slots
			continue
		}
		sessions.Go(func() {
			defer func() { <-slots }()
			s.session(ctx, channel, asked, func() { _ = c.Close() })
		})
	}
	sessions.Wait()
}

func isAuthError(err error) bool {
	_, is := errors.AsType[*ssh.ServerAuthError](err)
	return is
}

// session serves the subsystem sftp, and nothing else.
func (s *sftpServer) session(ctx context.Context, channel ssh.Channel, asked <-chan *ssh.Request, cut func()) {
	defer func() { _ = channel.Close() }()
	ctx, end := context.WithCancel(ctx)
	defer end()
	for r := range asked {
		const name = "\x00\x00\x00\x04sftp" // as a string of SSH
		if r.Type != "subsystem" || string(r.Payload) != name {
			_ = r.Reply(false, nil)
			continue
		}
		_ = r.Reply(true, nil)
		go ssh.DiscardRequests(asked)
		h := &handlers{account: s.account, faults: s.faults, cut: cut, gone: ctx.Done()}
		server := sftp.NewRequestServer(&endedChannel{channel, end}, sftp.Handlers{FileGet: h, FilePut: h, FileCmd: h, FileList: h})
		_ = server.Serve() // the client is gone, or broke the protocol; either way the session ends
		_, _ = channel.SendRequest("exit-status", false, make([]byte, 4))
		return
	}
}

// endedChannel calls end when the client's side ends, so that transfers that hang on
// purpose end too.
type endedChannel struct {
	ssh.Channel

	end func()
}

func (e *endedChannel) Read(b []byte) (int, error) {
	n, err := e.Channel.Read(b)
	if err != nil {
		e.end()
	}
	return n, err
}

// idleConn closes a connection on which nothing happens.
type idleConn struct{ net.Conn }

func (c *idleConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(idleTime)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c *idleConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(idleTime)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
