package batches_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// folder is a clearinghouse's folder with files for us.
type folder struct {
	once  bool // it removes what is read
	keeps bool // received files stay

	mu      sync.Mutex
	files   map[clearing.RemoteFile]string
	read    map[string]int // how often each was read, by name
	reading func(name string) error
}

func newFolder() *folder {
	return &folder{files: map[clearing.RemoteFile]string{}, read: map[string]int{}, reading: func(string) error { return nil }}
}

// put puts a version of a file there, in place of any other.
func (d *folder) put(name, content string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.remove(func(f clearing.RemoteFile) bool { return f.Name == name })
	d.files[clearing.RemoteFile{Name: name, Size: int64(len(content)), Time: at.UTC(), Rests: true}] = content
}

func (d *folder) remove(which func(clearing.RemoteFile) bool) {
	for f := range d.files {
		if which(f) {
			delete(d.files, f)
		}
	}
}

func (d *folder) names() (all []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for f := range d.files {
		all = append(all, f.Name)
	}
	slices.Sort(all)
	return all
}

func (d *folder) reads(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.read[name]
}

func (d *folder) List(context.Context) (all []clearing.RemoteFile, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for f := range d.files {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b clearing.RemoteFile) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Name, b.Name))
	})
	return all, nil
}

func (d *folder) Read(_ context.Context, f clearing.RemoteFile, take func(part []byte) error) error {
	f.Rests = true
	d.mu.Lock()
	content, there := d.files[f]
	d.read[f.Name]++
	if d.once {
		delete(d.files, f)
	}
	d.mu.Unlock()
	if !there {
		return clearing.ErrFileGone
	}
	for part := range slices.Chunk([]byte(content), 10) {
		if err := take(part); err != nil {
			return err
		}
	}
	return d.reading(f.Name)
}

func (d *folder) Remove(_ context.Context, f clearing.RemoteFile, _ [32]byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f.Rests = true; !d.keeps {
		delete(d.files, f)
	}
	return nil
}

type faultyFolder struct {
	*folder
	*porttest.Fault
}

func (d faultyFolder) List(ctx context.Context) (all []clearing.RemoteFile, err error) {
	err = d.Call("List", func() (err error) { all, err = d.folder.List(ctx); return err })
	return all, err
}

func (d faultyFolder) Read(ctx context.Context, f clearing.RemoteFile, take func(part []byte) error) error {
	return d.Call("Read", func() error { return d.folder.Read(ctx, f, take) })
}

func (d faultyFolder) Remove(ctx context.Context, f clearing.RemoteFile, digest [32]byte) error {
	return d.Call("Remove", func() error { return d.folder.Remove(ctx, f, digest) })
}

// line is a connection of the deployment with a folder.
type line struct {
	*fixture
	*folder

	service *batches.Service
}

func newLine(t *testing.T) *line {
	t.Helper()
	l := &line{fixture: newFixture(t), folder: newFolder()}
	l.service = l.over(l.store, l.folder)
	l.fixture.service = l.service
	return l
}

const lineName = "con_line"

func (l *line) over(store ports.Store, in ports.Inbox) *batches.Service {
	n := sandbox(l.network)
	n.Name, n.Replies, n.Inbox = lineName, nil, in
	return l.buildOn(store, n)
}

// process returns the use cases of a process that may die.
func (l *line) process(f *porttest.Fault) *batches.Service {
	return l.over(porttest.Store{Store: l.store, Fault: f}, faultyFolder{l.folder, f})
}

// freed lets the turns of dead processes end, and returns a process.
func (l *line) freed() *batches.Service {
	l.t.Helper()
	db, err := sql.Open("postgres", l.url)
	if err == nil {
		_, err = db.ExecContext(l.t.Context(), "UPDATE turns SET lease_until = now()")
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return l.service
}

// fetch looks at the folder once.
func (l *line) fetch() batches.Received {
	l.t.Helper()
	got, err := l.freed().Receive(l.t.Context(), lineName)
	if err != nil {
		l.t.Fatal(err)
	}
	return got
}

// apply runs the jobs of received files.
func (l *line) apply() (all batches.Received) {
	l.t.Helper()
	l.freed()
	for _, j := range l.due() {
		if j.Kind != jobs.KindReceivedFile {
			continue
		}
		got, err := l.service.ApplyReceived(l.t.Context(), j)
		if err != nil {
			l.t.Fatal(err)
		}
		all.Files += got.Files
		all.Problems = append(all.Problems, got.Problems...)
	}
	return all
}

// took lists what the quarantine has, by name: that is where texts go.
func (l *line) took() (names []string) {
	l.t.Helper()
	for _, q := range l.quarantined() {
		names = append(names, q.Name)
	}
	slices.Sort(names)
	return names
}

// problems lists the files that wait for the operator, each with its state.
func (l *line) problems() (all []string) {
	l.t.Helper()
	porttest.System(l.t, l.store, func(ctx context.Context, tx ports.SystemTx) error {
		files, err := tx.Received.Problems(ctx)
		all = nil
		for _, f := range files {
			all = append(all, f.Name+" "+string(f.State))
		}
		return err
	})
	return all
}

func want[T comparable](t *testing.T, what string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestFetch stores files of several parts, applies them, and removes them after.
func TestFetch(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	long := strings.Repeat("a long report\n", 10)
	l.put("b.txt", "short", l.clock.Now())
	l.put("a.txt", long, l.clock.Now())
	if got := l.fetch(); got.Files != 2 {
		t.Errorf("received %+v", got)
	}
	want(t, "there until they are applied", l.names(), "a.txt", "b.txt")
	if got := l.apply(); got.Files != 2 || len(got.Problems) > 0 {
		t.Errorf("applied %+v", got)
	}
	want(t, "applied", l.took(), "a.txt", "b.txt")
	for _, q := range l.quarantined() {
		porttest.System(t, l.store, func(ctx context.Context, tx ports.SystemTx) error {
			whole, err := tx.Quarantine.Get(ctx, q.ID)
			if err == nil && q.Name == "a.txt" && string(whole.Content) != long {
				t.Errorf("the content is %q", whole.Content)
			}
			return err
		})
	}
	if got := l.fetch(); got.Files != 0 || len(l.names()) > 0 || len(l.due()) > 0 {
		t.Errorf("left are %v, and %d jobs", l.names(), len(l.due()))
	}
}

// TestFetchDiesAnywhere kills a process at each of its calls, at a clearinghouse that
// removes what is read. At most the file under way is lost, and it is reported.
func TestFetchDiesAnywhere(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	l.once = true
	n := 0
	porttest.EveryEnding(t, 12, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		n++
		l.clock.Advance(time.Second)
		var names []string
		for i := range 3 {
			names = append(names, fmt.Sprintf("%03d-%d.txt", n, i))
			l.put(names[i], "report of two parts "+names[i], l.clock.Now())
		}
		before := len(l.problems())
		porttest.Dies(func() { _, _ = l.process(f).Receive(t.Context(), lineName) })
		reported := l.fetch()
		l.fetch()
		l.apply()
		took, lost := l.took(), l.problems()[before:]
		for _, name := range names {
			if there := slices.Contains(took, name); there == slices.Contains(lost, name+" lost") {
				t.Errorf("%s was applied: %t; lost are %v", name, there, lost)
			}
		}
		if len(lost) > 1 || len(lost) != len(reported.Problems) || len(l.due()) > 0 || len(l.names()) > 0 {
			t.Errorf("lost %v, reported %d; %d jobs and %v are left", lost, len(reported.Problems), len(l.due()), l.names())
		}
	})
}

// TestApplyReceivedDiesAnywhere kills a process at each of its calls. Each file is applied
// once, and its job ends.
func TestApplyReceivedDiesAnywhere(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	n := 0
	porttest.EveryEnding(t, 6, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		n++
		names := []string{fmt.Sprintf("%03d-0.txt", n), fmt.Sprintf("%03d-1.txt", n)}
		for _, name := range names {
			l.put(name, "report "+name, l.clock.Now())
		}
		l.fetch()
		for _, j := range l.due() {
			porttest.Dies(func() { _, _ = l.process(f).ApplyReceived(t.Context(), j) })
		}
		l.apply()
		l.clock.Advance(time.Minute)
		l.apply()
		l.fetch()
		for _, name := range names {
			if times := len(slices.DeleteFunc(l.took(), func(n string) bool { return n != name })); times != 1 {
				t.Errorf("%s was applied %d times", name, times)
			}
		}
		if len(l.due()) > 0 || len(l.problems()) > 0 || len(l.names()) > 0 {
			t.Errorf("%d jobs, %v, %v are left", len(l.due()), l.problems(), l.names())
		}
	})
}

// TestKeptFileIsReadOnce reads a file that stays once, whatever process looks.
func TestKeptFileIsReadOnce(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	l.keeps = true
	l.put("a.txt", "a report", l.clock.Now())
	for range 3 {
		l.fetch()
		l.apply()
		l.service = l.over(l.store, l.folder)
	}
	if l.reads("a.txt") != 1 {
		t.Errorf("it was read %d times", l.reads("a.txt"))
	}
	l.put("a.txt", "a report", l.clock.Now().Add(time.Hour))
	l.fetch()
	l.apply()
	if l.reads("a.txt") != 2 {
		t.Errorf("with another time it was read %d times", l.reads("a.txt"))
	}
}

// TestSetAside sets a file aside during whose download three processes have died, and
// receives those behind it. A download that fails while its process lives does not count.
func TestSetAside(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	l.put("a.txt", "a bad file", l.clock.Now())
	l.put("b.txt", "a report", l.clock.Now().Add(time.Second))
	l.reading = func(name string) error {
		if name == "a.txt" {
			return errors.New("the connection was cut")
		}
		return nil
	}
	for range 5 {
		if _, err := l.freed().Receive(t.Context(), lineName); err == nil {
			t.Fatal("no error")
		}
	}
	l.reading = func(string) error { return nil }
	for range 3 {
		l.freed()
		if !porttest.Dies(func() {
			_, _ = l.process(&porttest.Fault{Only: "Read", How: porttest.DiesAfter}).Receive(t.Context(), lineName)
		}) {
			t.Fatal("it lives")
		}
	}
	if got := l.fetch(); len(got.Problems) != 1 || got.Problems[0].Name != "a.txt" || got.Files != 1 {
		t.Errorf("received %+v", got)
	}
	l.apply()
	want(t, "problems", l.problems(), "a.txt set_aside")
	want(t, "applied", l.took(), "b.txt")
	if l.fetch(); l.reads("a.txt") != 8 {
		t.Errorf("it was read %d times", l.reads("a.txt"))
	}
	l.put("a.txt", "a good file", l.clock.Now())
	l.fetch()
	l.apply()
	want(t, "a later version", l.took(), "a.txt", "b.txt")
	want(t, "problems after it", l.problems())
}

// TestNotWhole leaves a file that is not whole for a quarter of an hour. Then it goes to
// the quarantine, once, and stays where it is; a later version is read anew.
func TestNotWhole(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	_, sent := l.submitted(l.practice)
	whole := string(l.functional(sent, "A", 1).Content)
	l.put("half.999", whole[:len(whole)-20], l.clock.Now())
	l.put("empty.999", "", l.clock.Now())
	for range 2 {
		l.fetch()
		l.apply()
		l.clock.Advance(7 * time.Minute)
	}
	want(t, "before the rest", l.took())
	l.clock.Advance(time.Minute)
	if got := l.apply(); len(got.Problems) != 2 || !strings.Contains(got.Problems[0].Reason, "not whole") {
		t.Errorf("reported %+v", got.Problems)
	}
	want(t, "after the rest", l.took(), "empty.999", "half.999")
	l.fetch()
	want(t, "at the clearinghouse", l.names(), "empty.999", "half.999")
	l.put("half.999", whole, l.clock.Now())
	l.fetch()
	l.apply()
	if b := l.batch(l.practice, sent.ID); b.State != clearing.BatchAcknowledged {
		t.Errorf("the batch is %s", b.State)
	}
	if l.fetch(); l.reads("half.999") != 2 || l.reads("empty.999") != 1 {
		t.Errorf("they were read %d and %d times", l.reads("half.999"), l.reads("empty.999"))
	}
	want(t, "at the clearinghouse", l.names(), "empty.999")
}

// TestGrowingFile applies the version that is whole, and keeps nothing of those before.
func TestGrowingFile(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	_, sent := l.submitted(l.practice)
	whole := string(l.functional(sent, "A", 1).Content)
	for _, end := range []int{100, len(whole) - 20, len(whole)} {
		l.put("a.999", whole[:end], l.clock.Now())
		l.fetch()
		l.apply()
		l.clock.Advance(time.Minute)
	}
	l.clock.Advance(time.Hour)
	l.apply()
	want(t, "in quarantine", l.took())
	if b := l.batch(l.practice, sent.ID); b.State != clearing.BatchAcknowledged || len(l.due()) > 0 {
		t.Errorf("the batch is %s, %d jobs are left", b.State, len(l.due()))
	}
}

// TestChangedWhileRead applies nothing of a file that may be of two versions, and keeps
// it, although another version has come.
func TestChangedWhileRead(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	l.put("a.txt", "first, then second", l.clock.Now())
	l.reading = func(string) error { return clearing.ErrFileChanged }
	l.fetch()
	l.reading = func(string) error { return nil }
	l.put("a.txt", "second", l.clock.Now().Add(time.Second))
	l.fetch()
	l.apply()
	want(t, "applied", l.took(), "a.txt")
	l.clock.Advance(15 * time.Minute)
	if got := l.apply(); len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Reason, "changed") {
		t.Errorf("reported %+v", got.Problems)
	}
	want(t, "after the rest", l.took(), "a.txt", "a.txt")
}

// TestRefusedFile asks again for a file that cannot be downloaded after an hour.
func TestRefusedFile(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	l.put("a.txt", "a report", l.clock.Now())
	l.reading = func(string) error { return &clearing.FileError{Err: errors.New("the server refuses to send it")} }
	for _, reports := range []int{1, 0, 1} {
		if got := l.fetch(); len(got.Problems) != reports {
			t.Errorf("reported %+v, want %d", got.Problems, reports)
		}
		l.clock.Advance(40 * time.Minute)
	}
	want(t, "problems", l.problems(), "a.txt refused")
	l.reading = func(string) error { return nil }
	l.clock.Advance(time.Hour)
	l.fetch()
	want(t, "problems once it can be read", l.problems())
}

// TestOneProcessFetches lets one process fetch at a time. The next one may once the lease
// of a process that died has ended.
func TestOneProcessFetches(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	l.put("a.txt", "a report", l.clock.Now())
	l.put("b.txt", "another", l.clock.Now().Add(time.Second))
	other := func() int {
		got, err := l.over(l.store, l.folder).Receive(t.Context(), lineName)
		if err != nil {
			t.Error(err)
		}
		return got.Files
	}
	l.reading = func(string) error {
		if n := other(); n != 0 {
			t.Errorf("%d files were fetched beside", n)
		}
		return nil
	}
	if got := l.fetch(); got.Files != 2 || l.reads("a.txt") != 1 {
		t.Errorf("received %+v", got)
	}
	l.reading = func(string) error { return nil }
	l.put("c.txt", "a third", l.clock.Now())
	porttest.System(t, l.store, func(ctx context.Context, tx ports.SystemTx) error { // a process that is killed then
		_, err := tx.Turns.Take(ctx, "fetch "+lineName, billing.JobID{1}, billing.FilesLease)
		return err
	})
	if other() != 0 {
		t.Error("two processes fetch")
	}
	start := time.Now()
	porttest.Await(t, "another process fetches", func() bool { return other() == 1 })
	t.Logf("the lease was free after %s", time.Since(start).Round(100*time.Millisecond))
}

// TestFailingFile leaves a file whose work fails to its own job, and then sets it aside.
// Those behind it are applied then.
func TestFailingFile(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	l.put("a.txt", "a bad report", l.clock.Now())
	l.fetch()
	l.clock.Advance(time.Second)
	l.put("b.txt", "a report", l.clock.Now())
	l.fetch()
	order := map[string]jobs.Job{}
	for _, j := range l.due() {
		porttest.System(t, l.store, func(ctx context.Context, tx ports.SystemTx) error {
			f, err := tx.Received.Lock(ctx, billing.FileID(j.Subject))
			order[f.Name] = j
			return err
		})
	}
	fails := func(name string) error {
		l.freed()
		_, err := l.over(porttest.Store{Store: l.store, Fault: &porttest.Fault{At: 4, Only: "System", How: porttest.FailsBefore}}, l.folder).
			ApplyReceived(t.Context(), order[name])
		return err
	}
	for range billing.JobAttempts {
		if err := fails("a.txt"); err == nil {
			t.Error("its own job does not fail")
		}
		if err := fails("b.txt"); err != nil {
			t.Errorf("the job of another file fails: %v", err)
		}
	}
	if err := l.service.FailReceived(t.Context(), order["a.txt"]); err != nil {
		t.Fatal(err)
	}
	l.clock.Advance(time.Minute)
	l.apply()
	want(t, "problems", l.problems(), "a.txt set_aside")
	want(t, "applied", l.took(), "b.txt")
}
