package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports/porttest"
)

// shownUpload is what reached the operation of an upload.
type shownUpload struct {
	DocumentType string  `json:"document_type"`
	ImageDate    *string `json:"image_date"`
	FileName     string  `json:"file_name"`
	Size         int64   `json:"size"`
	Sum          string  `json:"sum"`
	Fingerprint  string  `json:"fingerprint"`
}

func showUpload(x *exchange) (*reply, error) {
	var faults billing.Faults
	f := x.form(&faults)
	out := shownUpload{
		DocumentType: f.Text("document_type"),
		ImageDate:    f.OptionalText("image_date"),
		Fingerprint:  hex.EncodeToString(x.call.Request.Fingerprint[:]),
	}
	file := f.File()
	f.End()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file.Content); err != nil {
		return nil, err
	}
	out.FileName, out.Size, out.Sum = file.Name, file.Size, hex.EncodeToString(sum.Sum(nil))
	return &reply{status: http.StatusCreated, body: out}, nil
}

func (a response) upload(t *testing.T) (u shownUpload) {
	t.Helper()
	if a.StatusCode != http.StatusCreated {
		t.Fatalf("status %d %s", a.StatusCode, a.body)
	}
	if err := json.Unmarshal([]byte(a.body), &u); err != nil {
		t.Fatal(err)
	}
	return u
}

const boundary = "a-boundary"

// textOf and fileOf are parts of a form.
func textOf(name, value string) string {
	return "Content-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value
}

func fileOf(content string) string {
	return "Content-Disposition: form-data; name=\"file\"; filename=\"x-ray.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n" + content
}

func formOf(parts ...string) string {
	body := ""
	for _, p := range parts {
		body += "--" + boundary + "\r\n" + p + "\r\n"
	}
	return body + "--" + boundary + "--\r\n"
}

// uploadHead is the start of an upload, with more lines.
func uploadHead(target, secret string, more ...string) string {
	lines := append([]string{
		"POST " + target + " HTTP/1.1", "Host: molar", "Authorization: Bearer " + secret,
		"Idempotency-Key: k", "Content-Type: multipart/form-data; boundary=" + boundary,
	}, more...)
	return strings.Join(lines, "\r\n") + "\r\n"
}

// sendUpload sends a whole upload with its length.
func (w *rawConn) sendUpload(target, secret, body string) {
	w.t.Helper()
	w.Send("%s\r\n", uploadHead(target, secret, "Content-Length: "+strconv.Itoa(len(body))))
	w.Send("%s", body)
}

// askUpload is ask for a whole upload.
func (p *probe) askUpload(t *testing.T, target, secret, body string) response {
	t.Helper()
	return p.ask(t, "%s\r\n%s", uploadHead(target, secret, "Content-Length: "+strconv.Itoa(len(body))), body)
}

func TestUpload(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{TempDir: t.TempDir()})
	w := dial(t, p.addr)
	image := strings.Repeat("\x00\xff\r\n--a-bound", 100_000)
	body := formOf(textOf("document_type", "RB"), fileOf(image), textOf("image_date", ""))
	sum := sha256.Sum256([]byte(image))
	want := shownUpload{DocumentType: "RB", FileName: "x-ray.jpg", Size: int64(len(image)), Sum: hex.EncodeToString(sum[:])}
	for i := range 3 { // on one connection
		if i == 1 {
			w.Send("%s\r\n%x\r\n%s\r\n0\r\n\r\n", uploadHead("/upload", goodSecret, "Transfer-Encoding: chunked"), len(body), body)
		} else {
			w.sendUpload("/upload", goodSecret, body)
		}
		a := w.reply()
		got := a.upload(t)
		if want.Fingerprint == "" {
			want.Fingerprint = got.Fingerprint
		}
		if got != want || a.Close {
			t.Errorf("upload %d: %+v, close %v, want %+v", i, got, a.Close, want)
		}
		if open := openFiles(t, p.server.tempDir); len(open) > 0 {
			t.Errorf("upload %d: %q are open after the reply", i, open)
		}
	}
	p.wantNoUploads()
}

// wantNoUploads checks that nothing is held for uploads any more.
func (p *probe) wantNoUploads() {
	p.t.Helper()
	porttest.Await(p.t, "the end of all uploads", func() bool {
		return p.server.uploads.all()+p.server.arrived.all()+len(openFiles(p.t, p.server.tempDir)) == 0
	})
	if left, err := os.ReadDir(p.server.tempDir); err != nil || len(left) > 0 {
		p.t.Errorf("%v are left, %v", left, err)
	}
}

// openFiles lists the files of this process that are in the folder, those
// without a name included.
func openFiles(t *testing.T, dir string) (open []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && filepath.Dir(name) == dir {
			open = append(open, name)
		}
	}
	return open
}

func TestUploadLimitIsExact(t *testing.T) {
	t.Parallel()
	empty := len(formOf(textOf("document_type", "RB"), fileOf("")))
	p := startProbe(t, Options{TempDir: t.TempDir(), Limits: Limits{Upload: 100_000}})
	for size, want := range map[int]int{99_999: 201, 100_000: 201, 100_001: 413} {
		body := formOf(textOf("document_type", "RB"), fileOf(strings.Repeat("x", size-empty)))
		w := dial(t, p.addr)
		w.sendUpload("/upload", goodSecret, body)
		if a := w.reply(); a.StatusCode != want {
			t.Errorf("%d bytes declared: %d", size, a.StatusCode)
		}
		w = dial(t, p.addr)
		w.Send("%s\r\n%x\r\n%s\r\n0\r\n\r\n", uploadHead("/upload", goodSecret, "Transfer-Encoding: chunked"), size, body)
		if a := w.reply(); a.StatusCode != want {
			t.Errorf("%d bytes chunked: %d", size, a.StatusCode)
		}
	}
	if limits := (Limits{}).withDefaults(); limits.Upload != 15*1024*1024+64*1024 {
		t.Errorf("an upload may have %d bytes", limits.Upload)
	}
	p.wantNoUploads()
}

// What is wrong first in the order of the interface is reported.
func TestOrderOfUploadChecks(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{TempDir: t.TempDir(), Limits: Limits{Upload: 10_000, KeyUploads: 1, ArrivedUploads: 1, Stall: 5 * time.Second}})
	const tooLarge, noKey, noForm = "Content-Length: 10001", "Idempotency-Key: ", "Content-Type: text/plain"
	start := func(secret string, lines ...string) string {
		return "POST /upload HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer " + secret + "\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n"
	}
	ask := func(name, request string, status int) {
		t.Helper()
		a := p.ask(t, "%s", request)
		if a.StatusCode != status {
			t.Errorf("%s: status %d %s, want %d", name, a.StatusCode, a.body, status)
		}
		if wait := a.Header.Get("Retry-After"); (wait != "") != (status == 429) {
			t.Errorf("%s: Retry-After is %q", name, wait)
		}
	}
	// Nothing of a body comes but the byte that is read ahead, so every answer is
	// given before one is read.
	ask("all wrong but the place", start(goodSecret, tooLarge, noKey, noForm), 413)
	ask("encoding", start(goodSecret, "Content-Length: 10", "Content-Encoding: gzip", noKey, noForm)+"x", 415)
	ask("no idempotency key", start(goodSecret, "Content-Length: 10", noKey, noForm)+"x", 400)
	ask("bad idempotency key", start(goodSecret, "Content-Length: 10", "Idempotency-Key: a b", noForm)+"x", 422)
	ask("no body", start(goodSecret, "Content-Length: 10", "Idempotency-Key: k", noForm)+"x", 408)

	holder := dial(t, p.addr)
	holder.sendUpload("/upload/wait", goodSecret, formOf(fileOf("x")))
	<-p.waiting
	ask("no place for the key", start(goodSecret, tooLarge, noKey, noForm), 429)
	ask("an unknown key", start("absent", tooLarge, noKey, noForm), 401)
	ask("a key that only reads", start(readSecret, tooLarge, noKey, noForm), 403)
	ask("too large", start(otherSecret, tooLarge, noKey, noForm), 413)

	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", 10_001, strings.Repeat("x", 10_001))
	const chunked = "Transfer-Encoding: chunked"
	ask("too large in chunks", start(otherSecret, chunked, "Idempotency-Key: k", noForm)+chunk, 413)
	ask("too large, and a form first", uploadHead("/upload", otherSecret, chunked)+"\r\n"+fmt.Sprintf("%x\r\n%s\r\n", len(formOf()), formOf())+chunk, 413)
	ask("no place, and no form", start(otherSecret, "Content-Length: 1", "Idempotency-Key: k", noForm)+"x", 429)
	p.release <- struct{}{}
	if a := holder.reply(); a.StatusCode != 200 {
		t.Errorf("status %d %s", a.StatusCode, a.body)
	}
	ask("no form", start(goodSecret, "Content-Length: 1", "Idempotency-Key: k", noForm)+"x", 422)
	p.wantNoUploads()
}

// However an upload ends, nothing of it is left.
func TestUploadsLeaveNothing(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{TempDir: t.TempDir(), RequestTimeout: 2 * time.Second, Limits: Limits{KeyUploads: 100, ArrivedUploads: 100}})
	body := formOf(textOf("document_type", "RB"), fileOf(strings.Repeat("x", 300_000)), textOf("z", "z"))
	for cut := 0; cut < len(body); cut += len(body) / 50 {
		w := dial(t, p.addr)
		w.Send("%s\r\n%s", uploadHead("/upload", goodSecret, "Content-Length: "+strconv.Itoa(len(body))), body[:cut])
		if cut%2 == 0 {
			_ = w.SetLinger(0)
		}
		_ = w.Close()
	}
	for target, want := range map[string]int{"/upload": 422, "/upload/panic": 500, "/upload/wait": 504} {
		if a := p.askUpload(t, target, goodSecret, body); a.StatusCode != want || a.Close {
			t.Errorf("%s: status %d, close %v", target, a.StatusCode, a.Close)
		}
	}
	<-p.waiting

	// While one is in hand its file is open, and has no name to be left.
	inHand := startProbe(t, Options{TempDir: t.TempDir()})
	w := dial(t, inHand.addr)
	w.sendUpload("/upload/wait", goodSecret, body)
	<-inHand.waiting
	if open := openFiles(t, inHand.server.tempDir); len(open) != 1 {
		t.Errorf("%q are open", open)
	}
	if left, err := os.ReadDir(inHand.server.tempDir); err != nil || len(left) > 0 {
		t.Errorf("%v are there, %v", left, err)
	}
	_ = w.Close() // the client goes away while its upload is in hand
	inHand.release <- struct{}{}
	inHand.wantNoUploads()
	p.wantNoUploads()
}

// A folder that cannot be written to is there again later, and costs no client a
// place.
func TestUploadWithoutATempDir(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "missing")
	p := startProbe(t, Options{TempDir: dir})
	for range 3 {
		wantStatus(t, p.askUpload(t, "/upload", goodSecret, formOf(fileOf("image"))), 503, billing.CodeUnavailable)
	}
	if !strings.Contains(p.log.String(), "no such file or directory") {
		t.Errorf("the log has no cause: %s", p.log)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p.wantNoUploads()
}

// An upload is never in memory as a whole: in all, less is allocated for it
// than a fifteenth of it.
func TestMemoryOfUploads(t *testing.T) { //nolint:paralleltest // it measures what the process allocates
	p := startProbe(t, Options{TempDir: t.TempDir()})
	image := bytes.Repeat([]byte{'x'}, 1<<20)
	const uploads = 6
	before, after := formOf(textOf("document_type", "RB"), fileOf("")), "\r\n--"+boundary+"--\r\n"
	before = strings.TrimSuffix(before, after)
	length := "Content-Length: " + strconv.Itoa(len(before)+15<<20+len(after))
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	var wg sync.WaitGroup
	for i := range uploads {
		wg.Go(func() {
			w := dial(t, p.addr)
			w.Send("%s\r\n%s", uploadHead("/upload/wait", []string{goodSecret, otherSecret, thirdSecret}[i%3], length), before)
			for range 15 {
				if _, err := w.Write(image); err != nil {
					t.Error(err)
				}
			}
			w.Send("%s", after)
			if a := w.reply(); a.StatusCode != 200 {
				t.Errorf("status %d %s", a.StatusCode, a.body)
			}
		})
	}
	for range uploads {
		<-p.waiting
	}
	runtime.ReadMemStats(&end)
	close(p.release)
	wg.Wait()
	if each := (end.TotalAlloc - start.TotalAlloc) / uploads; each > 1<<20 {
		t.Errorf("%d bytes are allocated for an upload", each)
	} else {
		t.Logf("%d bytes are allocated for an upload", each)
	}
	p.wantNoUploads()
}

// Names and texts of a form belong to the client alone.
func TestUploadsAreNotLogged(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{TempDir: t.TempDir()})
	for _, target := range []string{"/upload", "/upload/panic"} {
		w := dial(t, p.addr)
		body := strings.ReplaceAll(formOf(textOf("document_type", "canary"), textOf("canary", "canary"), fileOf("canary")), "x-ray.jpg", "canary.jpg")
		w.sendUpload(target, goodSecret, body)
		w.reply()
	}
	if log := p.log.String(); strings.Contains(log, "canary") || strings.Contains(log, "Jane") || !strings.Contains(log, "request completed") {
		t.Errorf("the log is %s", log)
	}
}
