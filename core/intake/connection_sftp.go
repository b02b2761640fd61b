package intake

import (
	"bytes"
	"encoding/base64"
	"net"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
)

// sftp reads the fields of an account over SFTP.
func (r ConnectionRequest) sftp(f *billing.Faults, c *network.Connection) {
	c.Settings.SFTP = &network.SFTPSettings{Addr: r.Addr, User: r.User, HostKey: strings.TrimSpace(r.HostKey), Outbox: r.Outbox, Inbox: r.Inbox, Archive: r.Archive}
	c.Secrets = network.Secrets{Password: password(r.Password), Key: r.Key}
	if f.Required("addr", r.Addr, maxSetting) {
		host, port, err := net.SplitHostPort(r.Addr)
		if n, e := strconv.ParseUint(port, 10, 16); err != nil || e != nil || host == "" || n == 0 || strings.ContainsAny(host, "/@ ") {
			f.Add("addr", billing.FaultFormat, "The address must be host:port, such as sftp.example.com:22.")
		} else {
			r.public(f, "addr", host)
		}
	}
	r.setting(f, "user", r.User)
	if len(r.Key) == 0 && len(r.Password) == 0 {
		f.Add("key_file", billing.FaultRequired, "Name the file of the private key in key_file, or that of the password in password_file.")
	}
	if f.Required("host_key", r.HostKey, 8192) && !areHostKeys(c.Settings.SFTP.HostKey) {
		f.Add("host_key", billing.FaultFormat, "The host key must be a line of known_hosts, or a fingerprint such as SHA256:... that the clearinghouse publishes, or several such lines.")
	}
	r.setting(f, "outbox", r.Outbox)
	r.setting(f, "inbox", r.Inbox)
	if f.Optional("archive", &r.Archive, maxSetting) {
		r.clean(f, "archive", r.Archive)
	}
	folders := c.Settings.SFTP
	switch {
	case r.Inbox != "" && r.Inbox == r.Outbox:
		f.Add("inbox", billing.FaultConflict, "The inbox and the outbox must be two folders, seen from Molar: it puts files into the outbox, and gets files from the inbox.")
	case folders.Archive != "" && (folders.Archive == r.Inbox || folders.Archive == r.Outbox):
		f.Add("archive", billing.FaultConflict, "The archive must be a folder of its own.")
	}
}

// areHostKeys reports whether each line of the text is a host key. A server that
// changes its key has two for a time.
func areHostKeys(s string) bool {
	for line := range strings.Lines(s) {
		if !isHostKey(strings.TrimSpace(line)) {
			return false
		}
	}
	return true
}

// isHostKey reports whether the line is a fingerprint or a public key, with or without
// the host names of known_hosts before it.
func isHostKey(s string) bool {
	if digest, ok := strings.CutPrefix(s, "SHA256:"); ok {
		sum, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(digest, "="))
		return err == nil && len(sum) == 32
	}
	fields := strings.Fields(s)
	for i, kind := range fields {
		if i > 1 || i+1 == len(fields) || fields[0][0] == '@' {
			return false
		}
		if blob, err := base64.StdEncoding.DecodeString(fields[i+1]); err == nil && len(blob) > 4+len(kind) && bytes.HasPrefix(blob[4:], []byte(kind)) {
			return true
		}
	}
	return false
}
