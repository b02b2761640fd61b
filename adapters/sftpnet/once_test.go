package sftpnet_test

import (
	"context"
	"database/sql"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/networktest"
	"github.com/molar-billing/molar/ports/porttest"
)

// once is a server that removes a file when it has been opened and is closed, whether all
// of it was read or not. What it shows lies in a folder.
type once struct {
	folder string

	mu    sync.Mutex
	began map[string]bool // the files that were opened
}

func newOnce(t *testing.T) (*once, sftpnet.Config) {
	t.Helper()
	o := &once{folder: t.TempDir(), began: map[string]bool{}}
	c := ownServer{passwords: true, handlers: &sftp.Handlers{FileGet: o, FilePut: ownServer{}, FileCmd: ownServer{}, FileList: o}}.start(t)
	c.After = sftpnet.AfterDelete
	return o, c
}

func (o *once) put(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(o.folder, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (o *once) path(r *sftp.Request) string {
	return filepath.Join(o.folder, filepath.Base(r.Filepath))
}

// Fileread opens a file.
func (o *once) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	f, err := os.Open(o.path(r))
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.began[filepath.Base(f.Name())] = true
	return opened{f}, nil
}

// opened is a file that goes once it is closed.
type opened struct{ *os.File }

func (o opened) Close() error { return errors.Join(o.File.Close(), os.Remove(o.Name())) }

// Filelist lists the folder, or one of its files.
func (o *once) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	if r.Method != "List" {
		info, err := os.Lstat(o.path(r))
		return infos{info}, err
	}
	entries, err := os.ReadDir(o.folder)
	var all infos
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, info)
		}
	}
	return all, err
}

type infos []fs.FileInfo

func (all infos) ListAt(to []fs.FileInfo, at int64) (n int, err error) {
	if n = copy(to, all[min(at, int64(len(all))):]); n < len(to) {
		err = io.EOF
	}
	return n, err
}

// TestRemovedOnRead keeps what was read whole, although the server has removed it.
func TestRemovedOnRead(t *testing.T) {
	t.Parallel()
	o, c := newOnce(t)
	c.Times.Settle = time.Nanosecond
	n, err := sftpnet.New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = n.Close() }()
	for _, name := range []string{"a.835", "b.999", "c.txt"} {
		o.put(t, name, interchange(1000))
	}
	if _, err := n.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	if files, err := (&networktest.Folder{Inbox: n}).Receive(t.Context(), 100); err != nil || len(files) != 3 {
		t.Errorf("%d files came of 3, error %v", len(files), err)
	}
}

// TestKilledWhereReadFilesGo kills a worker whenever some bytes have passed, at a server
// that removes what is read. Each kill loses one file at most, whose download had begun,
// and it is reported by name; every other file is taken once.
func TestKilledWhereReadFilesGo(t *testing.T) {
	t.Parallel()
	rounds := 100
	if testing.Short() {
		rounds = 4
	}
	o, c := newOnce(t)
	var database string
	store := pgtest.Open(t, func(o *pgstore.Options) { database = o.URL })
	admin, err := sql.Open("postgres", database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() })
	p := newProxy(t, c.Addr)
	settings := workerSettings{Database: pgtest.Service(t, database), Account: c}
	settings.Account.Addr, settings.Account.Times.Settle = p.addr(), time.Millisecond
	var env strings.Builder
	if err := gob.NewEncoder(hex.NewEncoder(&env)).Encode(settings); err != nil {
		t.Fatal(err)
	}
	// known lists the files that were taken, and those that are reported as lost.
	known := func() (took, lost []string) {
		porttest.System(t, store, func(ctx context.Context, tx ports.SystemTx) error {
			took, lost = nil, nil
			all, err := tx.Quarantine.List(ctx)
			for _, q := range all {
				took = append(took, q.Name)
			}
			problems, e := tx.Received.Problems(ctx)
			for _, f := range problems {
				if f.State != clearing.FileLost {
					t.Errorf("%s is %s: %s", f.Name, f.State, f.Reason)
				}
				lost = append(lost, f.Name)
			}
			return errors.Join(err, e)
		})
		return took, lost
	}
	var names []string
	put := func(files, size int) {
		for range files {
			name := fmt.Sprintf("%04d.txt", len(names))
			names = append(names, name)
			o.put(t, name, []byte(strings.Repeat("report "+name+"\n", size/16)))
		}
	}
	run := func(f fault) (killed bool) {
		if _, err := admin.ExecContext(t.Context(), "UPDATE turns SET lease_until = now()"); err != nil {
			t.Fatal(err)
		}
		worker := exec.CommandContext(t.Context(), os.Args[0])
		worker.Env, worker.Stderr = append(os.Environ(), workerEnv+"="+env.String()), os.Stderr
		if f.up+f.down > 0 {
			f.then = func() { _ = worker.Process.Kill() }
		}
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		p.set(f)
		dead := make(chan struct{})
		go func() {
			_ = worker.Wait()
			close(dead)
		}()
		porttest.Await(t, "the worker is killed, or all files are known", func() bool {
			select {
			case <-dead:
				killed = true
			default:
			}
			took, lost := known()
			return killed || len(took)+len(lost) == len(names)
		})
		_ = worker.Process.Kill()
		<-dead
		return killed
	}
	const files, size = 3, 100_000
	put(files, size)
	if run(fault{}) {
		t.Fatal("the worker ended by itself")
	}
	up, down := p.counts()
	kills := 0
	for n := range rounds {
		put(files, size)
		f := fault{down: 1 + rand.Int64N(down)}
		if n%3 == 0 {
			f = fault{up: 1 + rand.Int64N(up)}
		}
		if run(f) {
			kills++
		}
	}
	if run(fault{}) {
		t.Fatal("the worker ended by itself")
	}
	took, lost := known()
	t.Logf("%d rounds, %d kills; %d files were taken, %d lost", rounds, kills, len(took), len(lost))
	if len(lost) > kills {
		t.Errorf("%d files are lost by %d kills", len(lost), kills)
	}
	for _, name := range lost {
		if o.mu.Lock(); !o.began[name] || slices.Contains(took, name) {
			t.Errorf("%s is reported as lost; its download began: %t", name, o.began[name])
		}
		o.mu.Unlock()
	}
	all := append(took, lost...)
	if slices.Sort(all); !slices.Equal(all, names) {
		t.Errorf("%v are known of %v", all, names)
	}
}
