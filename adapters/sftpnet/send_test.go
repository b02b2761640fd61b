package sftpnet_test

import (
	"strings"
	"testing"

	"github.com/pkg/sftp"

	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports/porttest"
)

// dial returns an instance that ends with the test.
func dial(t *testing.T, c sftpnet.Config) *sftpnet.Clearinghouse {
	t.Helper()
	n, err := sftpnet.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	return n
}

func direct(c *sftpnet.Config) { c.Direct = true }

// TestTakenAtClose sends ten times to a server that takes each file when its upload ends.
// It gets one copy, and the outcome is unknown.
func TestTakenAtClose(t *testing.T) {
	t.Parallel()
	d := &deviant{takesAtClose: true}
	s, n := newSender("a.837", 3000), dial(t, d.start(t))
	for i := range 10 {
		err := s.send(t, n)
		wantReason(t, "sending", err, network.ReasonUnknownOutcome)
		if i == 0 && !strings.Contains(err.Error(), "set the option upload to direct") {
			t.Errorf("the error does not say what to do: %v", err)
		}
	}
	if got := d.shown(); len(got) != 1 || d.opens != 1 {
		t.Errorf("%d copies arrived of %d uploads", len(got), d.opens)
	}
}

// trial is a server, and what strikes the first sender of a file.
type trial struct {
	server string // polite, takes or acts: see deviant
	direct bool
	strikes
	ends   string // how the attempts of two senders end, by their reasons; ok for nil
	copies int    // whole ones that the clearinghouse has in the end
	files  int    // that were opened to write
}

// strikes are the faults of a trial. A call that is cut may have had its effect.
type strikes struct {
	call   string           // of the server: see deviant
	before int64            // only a write that ends here or before; zero for any
	always bool             // not once
	cut    bool             // the connection is cut, else the call is refused
	after  bool             // the call that is cut has its effect
	also   func(d *deviant) // runs at the call
}

const (
	trialSize = 5000
	firstPart = trialSize - 1<<10
)

// TestDecisions is the table of ADR 61.
func TestDecisions(t *testing.T) {
	t.Parallel()
	const polite, takes, acts = "polite", "takes", "acts"
	nothing := strikes{}
	firstPartCut := strikes{call: "write", before: firstPart, cut: true}
	lastPartCut := strikes{call: "write", cut: true}
	unclosed := strikes{call: "write", cut: true, after: true}
	sizeCut := strikes{call: "stat", cut: true, always: true}
	renameCut := strikes{call: "rename", cut: true}
	renamedCut := strikes{call: "rename", cut: true, after: true}
	openRefused := strikes{call: "open"}
	firstPartRefused := strikes{call: "write", before: firstPart}
	lastPartRefused := strikes{call: "write"}
	closeRefused := strikes{call: "close"}
	sizeRefused := strikes{call: "stat", always: true}
	renameRefused := strikes{call: "rename"}
	renamesRefused := strikes{call: "rename", always: true}
	shrinks := strikes{call: "close", also: func(d *deviant) {
		for _, f := range d.files {
			f.content = f.content[:firstPart]
		}
	}, after: true}
	for what, x := range map[string]trial{
		"polite, rename":              {polite, false, nothing, "ok ok", 1, 1},
		"takes, rename":               {takes, false, nothing, "unknown_outcome unknown_outcome", 1, 1},
		"acts, rename":                {acts, false, nothing, "ok ok", 1, 1},
		"polite, direct":              {polite, true, nothing, "ok ok", 1, 1},
		"takes, direct":               {takes, true, nothing, "ok unknown_outcome", 1, 1},
		"acts, direct":                {acts, true, nothing, "ok ok", 1, 1},
		"polite, rename, first part":  {polite, false, firstPartCut, "interrupted ok", 1, 2},
		"takes, rename, first part":   {takes, false, firstPartCut, "interrupted unknown_outcome", 1, 2},
		"polite, direct, first part":  {polite, true, firstPartCut, "interrupted unknown_outcome", 0, 1},
		"takes, direct, first part":   {takes, true, firstPartCut, "interrupted unknown_outcome", 0, 1},
		"acts, direct, first part":    {acts, true, firstPartCut, "interrupted unknown_outcome", 0, 1},
		"polite, rename, last part":   {polite, false, lastPartCut, "interrupted ok", 1, 2}, // the same file
		"takes, rename, last part":    {takes, false, lastPartCut, "interrupted unknown_outcome", 0, 1},
		"polite, direct, last part":   {polite, true, lastPartCut, "interrupted unknown_outcome", 0, 1},
		"takes, direct, last part":    {takes, true, lastPartCut, "interrupted unknown_outcome", 0, 1},
		"acts, direct, last part":     {acts, true, lastPartCut, "interrupted unknown_outcome", 0, 1},
		"polite, rename, not closed":  {polite, false, unclosed, "interrupted ok", 1, 1},
		"takes, rename, not closed":   {takes, false, unclosed, "interrupted unknown_outcome", 1, 1},
		"acts, rename, not closed":    {acts, false, unclosed, "interrupted ok", 1, 1},
		"polite, direct, not closed":  {polite, true, unclosed, "interrupted ok", 1, 1},
		"takes, direct, not closed":   {takes, true, unclosed, "interrupted unknown_outcome", 1, 1},
		"acts, direct, not closed":    {acts, true, unclosed, "interrupted ok", 1, 1},
		"polite, rename, size":        {polite, false, sizeCut, "interrupted ok", 1, 1},
		"takes, rename, size":         {takes, false, sizeCut, "interrupted unknown_outcome", 1, 1},
		"takes, direct, size":         {takes, true, sizeCut, "ok unknown_outcome", 1, 1},
		"acts, direct, size":          {acts, true, sizeCut, "ok ok", 1, 1},
		"rename cut":                  {polite, false, renameCut, "interrupted ok", 1, 1},
		"renamed and cut":             {polite, false, renamedCut, "interrupted ok", 1, 1},
		"rename, no file":             {polite, false, openRefused, "refused ok", 1, 1},
		"direct, no file":             {polite, true, openRefused, "refused ok", 1, 1},
		"rename, full at first":       {polite, false, firstPartRefused, "refused ok", 1, 2},
		"direct, full at first":       {acts, true, firstPartRefused, "refused ok", 1, 2},
		"rename, full at last":        {polite, false, lastPartRefused, "refused ok", 1, 2},
		"direct, full at last":        {polite, true, lastPartRefused, "refused ok", 1, 2},
		"acts, direct, full at last":  {acts, true, lastPartRefused, "refused ok", 1, 2},
		"takes, rename, full at last": {takes, false, lastPartRefused, "unknown_outcome unknown_outcome", 0, 1},
		"takes, direct, full at last": {takes, true, lastPartRefused, "unknown_outcome unknown_outcome", 0, 1},
		"rename, refused close":       {polite, false, closeRefused, "ok ok", 1, 1},
		"direct, refused close":       {polite, true, closeRefused, "ok ok", 1, 1},
		"rename, hidden":              {polite, false, sizeRefused, "unknown_outcome ok", 1, 1},
		"direct, hidden":              {polite, true, sizeRefused, "ok ok", 1, 1},
		"takes, direct, hidden":       {takes, true, sizeRefused, "ok unknown_outcome", 1, 1},
		"rename, shrinks":             {polite, false, shrinks, "unknown_outcome ok", 1, 2}, // the same file
		"direct, shrinks":             {polite, true, shrinks, "unknown_outcome unknown_outcome", 0, 1},
		"rename, refused once":        {polite, false, renameRefused, "refused ok", 1, 1},
		"rename, refused":             {polite, false, renamesRefused, "refused unknown_outcome", 0, 1},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			x.run(t)
		})
	}
}

func (x *trial) run(t *testing.T) {
	t.Helper()
	d := &deviant{takesAtClose: x.server == "takes", actsAtClose: x.server == "acts"}
	c := d.start(t)
	p := newProxy(t, c.Addr)
	c.Addr, c.Direct = p.addr(), x.direct
	ended, struck := false, false
	d.refuses = func(call, name string, end int64) error {
		s := &x.strikes
		ended = ended || call == "close"
		early := call == "write" && s.before == 0 && end != trialSize || call == "stat" && !ended
		if call != s.call || early || s.before > 0 && end > s.before || !strings.HasPrefix(name, "/outbox/") || struck && !s.always {
			return nil
		}
		struck = true
		if s.also != nil {
			s.also(d)
		}
		if s.cut {
			p.cut()
		}
		if s.after {
			return nil
		}
		return sftp.ErrSSHFxFailure
	}
	w := newSender("a.837", trialSize)
	var ends []string
	for range 2 {
		end := "ok"
		if err := w.send(t, dial(t, c)); err != nil {
			end = string(network.ReasonOf(err))
		}
		ends = append(ends, end)
		porttest.Await(t, "the end of each upload", func() bool { return !d.uploads("") })
		d.mu.Lock()
		ended = false // the next sender may look
		d.mu.Unlock()
	}
	copies := 0
	for _, content := range d.shown() {
		if content == string(w.file.Content) {
			copies++
		}
	}
	if f := d.files["/outbox/a.837"]; f != nil && string(f.content) == string(w.file.Content) && copies == 0 {
		copies++
	}
	if got := strings.Join(ends, " "); got != x.ends || copies != x.copies || d.opens != x.files {
		t.Errorf("%s, with %d copies of %d files; want %s, %d of %d; left are %v", got, copies, d.opens, x.ends, x.copies, x.files, d.in("/outbox"))
	}
}
