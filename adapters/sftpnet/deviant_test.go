package sftpnet_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"

	"github.com/molar-billing/molar/adapters/sftpnet"
)

// deviant is an SFTP server with the folders /outbox, /inbox and /tmp in memory, which
// treats files as some clearinghouses do. Set its fields before it starts.
type deviant struct {
	takesAtClose bool // it takes a file when its upload ends, whatever its name
	actsAtClose  bool // it acts on a file when its upload ends, and leaves it there

	// refuses returns the refusal of a call: open, write, close, stat, rename or remove.
	// Of a write it has the offset of the end.
	refuses func(call, name string, end int64) error

	mu    sync.Mutex
	files map[string]*stored // by path
	open  map[string]int     // handles that write, by path
	acted []*stored          // what it took or acted on, and has not shown yet
	opens int                // of files to write, since the start
}

// stored is a file of a deviant server.
type stored struct {
	name    string
	content []byte
	time    time.Time
}

func (s *stored) Name() string       { return s.name }
func (s *stored) Size() int64        { return int64(len(s.content)) }
func (*stored) Mode() fs.FileMode    { return 0o644 }
func (s *stored) ModTime() time.Time { return s.time }
func (*stored) IsDir() bool          { return false }
func (*stored) Sys() any             { return nil }

// start returns the configuration of a client.
func (d *deviant) start(t *testing.T) sftpnet.Config {
	t.Helper()
	d.files, d.open = map[string]*stored{}, map[string]int{}
	c := ownServer{passwords: true, files: d}.start(t)
	c.After, c.Times = sftpnet.AfterDelete, sftpnet.Times{Connect: 5 * time.Minute, Step: 5 * time.Minute}
	return c
}

// strikeAt runs do at one of the next calls about files in the outbox; zero is never.
func (d *deviant) strikeAt(calls int, do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refuses = func(_, name string, _ int64) error {
		if strings.HasPrefix(name, "/outbox/") {
			if calls--; calls == 0 {
				do()
			}
		}
		return nil
	}
}

// shown returns the contents that the server took or acted on since the last call.
func (d *deviant) shown() (all []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.acted {
		all = append(all, string(f.content))
	}
	d.acted = nil
	return all
}

// in lists the names in a folder.
func (d *deviant) in(folder string) (names []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.list(folder) {
		names = append(names, f.Name())
	}
	return names
}

// put puts a file into a folder.
func (d *deviant) put(name string, content []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name] = &stored{path.Base(name), content, time.Now()}
}

// uploads reports whether an upload to a name with the text has not ended.
func (d *deviant) uploads(text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, n := range d.open {
		if n > 0 && strings.Contains(name, text) {
			return true
		}
	}
	return false
}

func (d *deviant) list(folder string) (all listed) {
	for name, f := range d.files {
		if path.Dir(name) == path.Clean(folder) {
			all = append(all, new(*f))
		}
	}
	return all
}

// allow locks the server for a call, unless it refuses the call.
func (d *deviant) allow(call, name string, end int64) error {
	d.mu.Lock()
	if d.refuses != nil {
		if err := d.refuses(call, name, end); err != nil {
			d.mu.Unlock()
			return err
		}
	}
	return nil
}

// Fileread opens a file to read.
func (d *deviant) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[r.Filepath]
	if f == nil {
		return nil, os.ErrNotExist
	}
	return bytes.NewReader(f.content), nil
}

// Filewrite opens a file to write.
func (d *deviant) Filewrite(r *sftp.Request) (io.WriterAt, error) {
	if err := d.allow("open", r.Filepath, 0); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	f, asked := d.files[r.Filepath], r.Pflags()
	switch {
	case f == nil && !asked.Creat:
		return nil, os.ErrNotExist
	case f != nil && asked.Creat && asked.Excl:
		return nil, os.ErrExist
	case f == nil:
		f = &stored{name: path.Base(r.Filepath)}
		d.files[r.Filepath] = f
	case asked.Trunc:
		f.content = nil
	}
	d.opens++
	d.open[r.Filepath]++
	return &handle{d, f, r.Filepath}, nil
}

// handle is a file that is being written.
type handle struct {
	*deviant

	file *stored
	name string
}

// WriteAt writes a part.
func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	end := int(at) + len(b)
	if err := h.allow("write", h.name, int64(end)); err != nil {
		return 0, err
	}
	defer h.mu.Unlock()
	content := make([]byte, max(end, len(h.file.content)))
	copy(content, h.file.content)
	copy(content[at:], b)
	h.file.content, h.file.time = content, time.Now()
	return len(b), nil
}

// Close ends an upload, also that of a session that is gone.
func (h *handle) Close() error {
	refused := h.allow("close", h.name, 0)
	if refused != nil {
		h.mu.Lock()
	}
	defer h.mu.Unlock()
	h.open[h.name]--
	if h.files[h.name] != h.file || refused != nil {
		return refused // it was renamed, or removed
	}
	if h.takesAtClose {
		delete(h.files, h.name)
	}
	if h.takesAtClose || h.actsAtClose {
		h.acted = append(h.acted, &stored{h.file.name, bytes.Clone(h.file.content), h.file.time})
	}
	return nil
}

// Filecmd renames and removes files.
func (d *deviant) Filecmd(r *sftp.Request) error {
	if err := d.allow(strings.ToLower(r.Method), r.Filepath, 0); err != nil {
		return err
	}
	defer d.mu.Unlock()
	f := d.files[r.Filepath]
	switch {
	case f == nil:
		return os.ErrNotExist
	case r.Method == "Rename" && d.files[r.Target] != nil:
		return os.ErrExist
	case r.Method == "Rename":
		f.name = path.Base(r.Target)
		d.files[r.Target] = f
	case r.Method != "Remove":
		return os.ErrPermission
	}
	delete(d.files, r.Filepath)
	return nil
}

// Filelist lists a folder, or returns one file.
func (d *deviant) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	if err := d.allow(strings.ToLower(r.Method), r.Filepath, 0); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	switch f := d.files[r.Filepath]; {
	case r.Method == "List":
		return d.list(r.Filepath), nil
	case f != nil:
		return listed{new(*f)}, nil
	case r.Filepath == "/outbox", r.Filepath == "/inbox", r.Filepath == "/tmp":
		return listed{folder(path.Base(r.Filepath))}, nil
	}
	return nil, os.ErrNotExist
}

// folder is a folder of a deviant server.
type folder string

func (f folder) Name() string     { return string(f) }
func (folder) Size() int64        { return 0 }
func (folder) Mode() fs.FileMode  { return fs.ModeDir | 0o755 }
func (folder) ModTime() time.Time { return time.Unix(1_700_000_000, 0) }
func (folder) IsDir() bool        { return true }
func (folder) Sys() any           { return nil }

// listed is a listing.
type listed []fs.FileInfo

// ListAt copies entries.
func (l listed) ListAt(to []fs.FileInfo, at int64) (int, error) {
	if at >= int64(len(l)) {
		return 0, io.EOF
	}
	return copy(to, l[at:]), nil
}
