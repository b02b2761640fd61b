package sftpnet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/sftp"

	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/adapters/testservers"
)

// TestProbe tries an account step by step, and leaves nothing there.
func TestProbe(t *testing.T) {
	t.Parallel()
	server := testservers.StartSSH(t)
	a := newAccount(t, server)
	for what, c := range map[string]struct {
		change func(*sftpnet.Config)
		fails  string
		write  bool
	}{
		"all":                   {func(*sftpnet.Config) {}, "", true},
		"no archive":            {func(c *sftpnet.Config) { c.Archive, c.After = "", "" }, "", true},
		"address":               {func(c *sftpnet.Config) { c.AllowPrivate = false }, "the server accepts a connection", true},
		"host key":              {func(c *sftpnet.Config) { c.HostKey = "SHA256:" + strings.Repeat("A", 43) }, "the host key agrees", true},
		"password":              {func(c *sftpnet.Config) { c.Key, c.Password = nil, []byte("wrong") }, "sign-in", true},
		"no outbox":             {func(c *sftpnet.Config) { c.Outbox = "/none" }, "the outbox can be written", true},
		"no inbox":              {func(c *sftpnet.Config) { c.Inbox = "/none" }, "the inbox can be read", true},
		"archive gone":          {func(c *sftpnet.Config) { c.Archive, c.After = "/none", sftpnet.AfterArchive }, "the archive can be written", true},
		"unwritten, no outbox":  {func(c *sftpnet.Config) { c.Outbox = "/none" }, "the outbox can be written", false},
		"unwritten, no archive": {func(c *sftpnet.Config) { c.Archive, c.After = "/none", sftpnet.AfterArchive }, "the archive can be written", false},
		"unwritten":             {func(*sftpnet.Config) {}, "", false},
	} {
		steps := a.open(c.change).Probe(t.Context(), c.write)
		failed := ""
		for i, s := range steps {
			if s.Err != nil && i == len(steps)-1 {
				failed = s.Name
			} else if s.Err != nil {
				t.Errorf("%s: went on after %s", what, s.Name)
			}
		}
		if failed != c.fails || c.fails == "" && len(steps) != 8 {
			t.Errorf("%s: %s failed of %d steps: %+v", what, failed, len(steps), steps)
		}
		if last := steps[len(steps)-1]; c.fails == "" && !c.write && steps[6].NotTried == "" || c.write && last.NotTried != "" {
			t.Errorf("%s: %+v", what, steps)
		}
		if strings.Contains(fmt.Sprint(steps), "wrong") {
			t.Errorf("%s: a step shows the password", what)
		}
	}
	if left := slices.Concat(a.in(a.outbox), a.in(a.archive)); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// TestProbeOfUploads uploads a file as batches are, and says which way fits the server.
func TestProbeOfUploads(t *testing.T) {
	t.Parallel()
	const step = 6 // the outbox
	for what, c := range map[string]struct {
		server *deviant
		change func(*sftpnet.Config)
		opened string // the path that was written, or its beginning
		detail string
		err    string
	}{
		"polite":           {&deviant{}, func(*sftpnet.Config) {}, "/outbox/temp_b.837.", "/outbox/temp_b.837.", ""},
		"polite, folder":   {&deviant{}, func(c *sftpnet.Config) { c.TempFolder, c.TempPrefix = "/tmp", "x-" }, "/tmp/x-b.837.", "/tmp/x-b.837.", ""},
		"polite, direct":   {&deviant{}, direct, "/outbox/b.837", "/outbox/b.837", ""},
		"takes":            {&deviant{takesAtClose: true}, func(*sftpnet.Config) {}, "/outbox/temp_b.837.", "", "set the option upload to direct"},
		"takes, direct":    {&deviant{takesAtClose: true}, direct, "/outbox/b.837", "so the option upload fits", ""},
		"acts":             {&deviant{actsAtClose: true}, func(*sftpnet.Config) {}, "/outbox/temp_b.837.", "", ""},
		"refuses renaming": {&deviant{}, func(*sftpnet.Config) {}, "/outbox/temp_b.837.", "", "set the option upload to direct"},
		"full":             {&deviant{}, func(*sftpnet.Config) {}, "/outbox/temp_b.837.", "", "SSH_FX_FAILURE"},
	} {
		config := c.server.start(t)
		config.TestName = "b.837"
		c.change(&config)
		var opened []string
		c.server.refuses = func(call, name string, _ int64) error {
			if call == "open" {
				opened = append(opened, name)
			}
			if call == "rename" && what == "refuses renaming" || call == "write" && what == "full" {
				return sftp.ErrSSHFxFailure
			}
			return nil
		}
		n := dial(t, config)
		if steps := n.Probe(t.Context(), false); len(steps) != 8 || steps[step].NotTried == "" || steps[step].Err != nil || len(opened) > 0 {
			t.Errorf("%s, without a file: %+v, %v", what, steps, opened)
		}
		steps := n.Probe(t.Context(), true)
		got := steps[len(steps)-1]
		if c.err == "" {
			got = steps[step]
		}
		if len(opened) != 1 || !strings.HasPrefix(opened[0], c.opened) || !strings.Contains(got.Detail, c.detail) ||
			(got.Err == nil) != (c.err == "") || got.Err != nil && !strings.Contains(got.Err.Error(), c.err) {
			t.Errorf("%s: opened %v, %+v", what, opened, steps)
		}
		if left := slices.Concat(c.server.in("/outbox"), c.server.in("/tmp")); len(left) > 0 {
			t.Errorf("%s: left are %v", what, left)
		}
	}
}
