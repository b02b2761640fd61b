package clearinghouse

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// The limits of the memory. They are those of the service's store.
const (
	removedFor = 7 * 24 * time.Hour
	notesFor   = 90 * 24 * time.Hour
)

// The logs of the memory. A line that a killed process did not finish does not
// count.
const (
	removedLog = "state/removed.log"
	notesLog   = "state/notes.log"
)

// mail is the memory of the sandbox's clearinghouse in files. A file of a message
// has a line of JSON, then the message. Its name in the folder is a digest of its
// name, because a name may be anything.
type mail struct {
	folder *folder
	now    func() time.Time

	mu      sync.Mutex
	waiting map[string]*message // by name
	removed map[string]bool     // the names of messages
	notes   map[[32]byte][]note // the notes under a key, the oldest first
	forgets journal             // of the removed names
	memory  journal             // of the notes
}

var _ sandboxnet.Mail = (*mail)(nil)

// message is a message without its content.
type message struct {
	Name  string       `json:"name"`
	Due   time.Time    `json:"due"`
	Org   string       `json:"org,omitempty"`
	Mode  billing.Mode `json:"mode,omitempty"`
	given time.Time    // until when it is not returned again
}

// note is a note in the log. Content is in its line, to keep memory small.
type note struct {
	by     [16]byte
	at, to int64 // the offsets of its line
}

// noteLine is a line of the log of notes.
type noteLine struct {
	At      time.Time `json:"at"`
	Key     string    `json:"key"`
	By      string    `json:"by"`
	Content []byte    `json:"content"`
}

func (n noteLine) made() time.Time { return n.At }

func (n noteLine) recall(m *mail, at, to int64) {
	var key [32]byte
	if b, err := hex.DecodeString(n.Key); err == nil && len(b) == len(key) {
		copy(key[:], b)
		m.notes[key] = append(m.notes[key], note{by: digest(n.By), at: at, to: to})
	}
}

// removedLine is a line of the log of removed names.
type removedLine struct {
	At   time.Time `json:"at"`
	Name string    `json:"name"`
}

func (r removedLine) made() time.Time { return r.At }

func (r removedLine) recall(m *mail, _, _ int64) { m.removed[r.Name] = true }

// logLine is a line of a log: when it was written, and what it means for the memory.
type logLine interface {
	made() time.Time
	recall(m *mail, at, to int64)
}

// journal is a log that grows. What a failed append wrote is overwritten by the next.
type journal struct {
	file *os.File
	size int64
}

func (j *journal) append(lines []byte) error {
	_, err := j.file.WriteAt(lines, j.size)
	if err == nil {
		j.size += int64(len(lines))
	}
	return err
}

func openMail(f *folder, now func() time.Time) (_ *mail, err error) {
	m := &mail{folder: f, now: now, waiting: map[string]*message{}, removed: map[string]bool{}, notes: map[[32]byte][]note{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	if err := openJournal[removedLine](m, &m.forgets, removedLog, removedFor); err != nil {
		return nil, fmt.Errorf("read %s: %w", removedLog, err)
	}
	if err := openJournal[noteLine](m, &m.memory, notesLog, notesFor); err != nil {
		return nil, fmt.Errorf("read %s: %w", notesLog, err)
	}
	return m, m.load()
}

func (m *mail) close() error {
	var errs []error
	for _, f := range []*os.File{m.forgets.file, m.memory.file} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// openJournal recalls the lines of a log, and writes it again without old lines and
// without the line that a killed process did not finish.
func openJournal[L logLine](m *mail, j *journal, name string, keep time.Duration) error {
	old, err := m.folder.OpenFile(name, os.O_CREATE|os.O_RDONLY, privateFile)
	if err != nil {
		return err
	}
	defer func() { _ = old.Close() }()
	tmp := tmpFolder + "/log"
	if j.file, err = m.folder.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_RDWR, privateFile); err != nil {
		return err
	}
	since, in, out := m.now().Add(-keep), bufio.NewReader(old), bufio.NewWriter(j.file)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var l L
		if json.Unmarshal(line, &l) != nil || l.made().Before(since) {
			continue
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		at := j.size
		j.size += int64(len(line))
		l.recall(m, at, j.size)
	}
	return errors.Join(out.Flush(), m.folder.Rename(tmp, name))
}

func digest(s string) (short [16]byte) {
	d := sha256.Sum256([]byte(s))
	copy(short[:], d[:])
	return short
}

// place returns the file of a message.
func place(name string) string {
	d := digest(name)
	return mailFolder + "/" + hex.EncodeToString(d[:])
}

// load reads which messages wait. It finishes removals that a killed process began.
func (m *mail) load() error {
	dir, err := m.folder.Open(mailFolder)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		w, _, err := m.read(mailFolder + "/" + name)
		if err != nil {
			return err
		}
		if m.removed[w.Name] {
			if err := m.folder.forget(place(w.Name)); err != nil {
				return err
			}
			continue
		}
		m.waiting[w.Name] = w
	}
	return nil
}

func (m *mail) read(name string) (*message, []byte, error) {
	content, err := m.folder.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	head, body, _ := bytes.Cut(content, []byte("\n"))
	var w message
	if err := json.Unmarshal(head, &w); err != nil {
		return nil, nil, fmt.Errorf("%s is not a message of this program: %w", m.folder.join(name), err)
	}
	return &w, body, nil
}

// Put stores files one by one. A file of which it may have been killed in the middle
// is put again under the same name.
func (m *mail) Put(ctx context.Context, files []sandboxnet.MailFile) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if m.waiting[f.Name] != nil || m.removed[f.Name] {
			continue
		}
		w := &message{Name: f.Name, Due: f.Due, Mode: f.Scope.Mode}
		if f.Scope.Org != (billing.OrgID{}) {
			w.Org = base64.RawURLEncoding.EncodeToString(f.Scope.Org[:])
		}
		head, err := json.Marshal(w)
		if err != nil {
			return err
		}
		if err := m.folder.replace(place(f.Name), append(append(head, '\n'), f.Content...)); err != nil {
			return fmt.Errorf("store a message: %w", err)
		}
		m.waiting[f.Name] = w
	}
	return ctx.Err()
}

// Take returns messages that are due.
func (m *mail) Take(ctx context.Context, now time.Time, pause time.Duration, limit int) ([]clearing.IncomingFile, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var due []*message
	for _, w := range m.waiting {
		if !w.Due.After(now) && !w.given.After(now) {
			due = append(due, w)
		}
	}
	slices.SortFunc(due, func(a, b *message) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Name, b.Name)) })
	due = due[:min(len(due), limit)]
	files := make([]clearing.IncomingFile, 0, len(due))
	for _, w := range due {
		_, content, err := m.read(place(w.Name))
		if err != nil {
			return nil, err
		}
		f := clearing.IncomingFile{Scope: billing.Scope{Mode: w.Mode}, Name: w.Name, Content: content}
		if org, err := base64.RawURLEncoding.DecodeString(w.Org); err == nil {
			copy(f.Scope.Org[:], org)
		}
		files = append(files, f)
		w.given = now.Add(pause)
	}
	return files, nil
}

// Remove removes a message. Its name is in the log before the file goes.
func (m *mail) Remove(ctx context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.waiting[name] == nil {
		return nil
	}
	if !m.removed[name] {
		line, err := json.Marshal(removedLine{m.now(), name})
		if err != nil {
			return err
		}
		if err := m.forgets.append(append(line, '\n')); err != nil {
			return fmt.Errorf("store the removal of a message: %w", err)
		}
		m.removed[name] = true
	}
	if err := m.folder.forget(place(name)); err != nil {
		return err
	}
	delete(m.waiting, name)
	return nil
}

// holds reports whether the message waits, also while it is being delivered.
func (m *mail) holds(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waiting[name] != nil
}

// size returns the number of messages that wait.
func (m *mail) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiting)
}

// Remember stores notes in one write.
func (m *mail) Remember(ctx context.Context, notes []sandboxnet.Note) ([][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	type made struct {
		key [32]byte
		note
	}
	var news []made
	known := map[made]bool{} // key and maker of what this call adds
	for _, n := range notes {
		by := digest(n.By)
		id := made{n.Key, note{by: by}}
		if known[id] || slices.ContainsFunc(m.notes[n.Key], func(o note) bool { return o.by == by }) {
			continue
		}
		known[id] = true
		line, err := json.Marshal(noteLine{m.now(), hex.EncodeToString(n.Key[:]), n.By, n.Content})
		if err != nil {
			return nil, err
		}
		at := m.memory.size + int64(lines.Len())
		lines.Write(append(line, '\n'))
		news = append(news, made{n.Key, note{by: by, at: at, to: m.memory.size + int64(lines.Len())}})
	}
	if err := m.memory.append(lines.Bytes()); err != nil {
		return nil, fmt.Errorf("store notes: %w", err)
	}
	for _, n := range news {
		m.notes[n.key] = append(m.notes[n.key], n.note)
	}
	before := make([][]byte, len(notes))
	for i, n := range notes {
		under, by := m.notes[n.Key], digest(n.By)
		own := slices.IndexFunc(under, func(o note) bool { return o.by == by })
		if own == 0 {
			continue
		}
		content, err := m.content(under[own-1])
		if err != nil {
			return nil, err
		}
		before[i] = content
	}
	return before, nil
}

func (m *mail) content(n note) ([]byte, error) {
	line := make([]byte, n.to-n.at)
	if _, err := m.memory.file.ReadAt(line, n.at); err != nil {
		return nil, fmt.Errorf("read a note: %w", err)
	}
	var read noteLine
	err := json.Unmarshal(line, &read)
	return read.Content, err
}
