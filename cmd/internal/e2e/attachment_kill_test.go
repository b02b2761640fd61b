package e2e_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/minioblob"
	"github.com/molar-billing/molar/adapters/testservers"
)

// s3 is where a server of the tests keeps the images of one.
func s3(server *testservers.S3Server, bucket string) string {
	return "s3://" + strings.TrimPrefix(strings.TrimSuffix(server.URL(), "/"), "http://") + "/" + bucket + "?tls=false"
}

// TestKillsWithImages kills each kind of process, the broker, the database and
// the image store with kill -9 while attachments are made, filled with JPEGs
// and PNGs and sent, and then holds what was answered against the database and
// the images: nothing acknowledged is lost, nothing happened twice, no document
// is without its image, and after the sweep no image without a document.
func TestKillsWithImages(t *testing.T) {
	t.Parallel()
	const clients = 6
	server := testservers.StartS3(t)
	s := startSystem(t, 2, 2, "MOLAR_BLOB_URL="+s3(server, "kills"))
	s.startPNG(2)
	load := startAttachments(s, clients)
	kills := 0
	for round := range rounds(t, 6) {
		both := func(p []*process) (kill, restart func()) {
			return func() { p[0].kill(); p[1].kill() }, func() { p[0].start(io.Discard); p[1].start(io.Discard) }
		}
		one := func(p *process) (kill, restart func()) { return p.kill, func() { p.start(io.Discard) } }
		for _, victim := range []func() (kill, restart func()){
			func() (func(), func()) { return one(s.apis[round%2]) },
			func() (func(), func()) { return both(s.apis) },
			func() (func(), func()) { return both(s.workers) },
			func() (func(), func()) { return both(s.pngs) },
			func() (func(), func()) { return server.Kill, server.Restart },
			func() (func(), func()) { return s.postgres.Kill, s.postgres.Restart },
			func() (func(), func()) { return s.rabbit.Kill, s.rabbit.Restart },
		} {
			pause(time.Duration(100+rand.IntN(400)) * time.Millisecond)
			kill, restart := victim()
			kill()
			pause(time.Duration(rand.IntN(100)) * time.Millisecond)
			restart()
			kills++
		}
	}
	sent := load.stop()
	t.Logf("%d attachments sent with their images through %d kills", len(sent), kills)
	s.verifyAttachments(sent)
	s.verifySweep(server, sent)
}

// sentAttachment is an attachment as the reply that closed it showed it.
type sentAttachment struct {
	id, number string
	documents  map[string]string // ID -> MD5 of the image
}

// attachmentLoad makes attachments, each step until it is answered, whatever
// happens on the way.
type attachmentLoad struct {
	s      *system
	cancel context.CancelFunc
	done   sync.WaitGroup
	n      atomic.Int64
	mu     sync.Mutex
	sent   []sentAttachment
}

func startAttachments(s *system, clients int) *attachmentLoad {
	ctx, cancel := context.WithCancel(s.tb.Context())
	l := &attachmentLoad{s: s, cancel: cancel}
	for range clients {
		l.done.Go(func() {
			for ctx.Err() == nil {
				l.one(context.WithoutCancel(ctx), int(l.n.Add(1)))
			}
		})
	}
	return l
}

func (l *attachmentLoad) stop() []sentAttachment {
	l.cancel()
	l.done.Wait()
	return l.sent
}

// one makes an attachment, uploads a JPEG and a PNG, and closes it.
func (l *attachmentLoad) one(ctx context.Context, n int) {
	step := func(key, path, contentType string, body []byte) (reply, bool) {
		return l.insist(ctx, fmt.Sprintf("%s-%d", key, n), path, contentType, body)
	}
	made, ok := step("make", "/attachments", "application/json", attachmentBody(l.s.office, "Decay."))
	if !ok {
		return
	}
	id, _ := made.body["id"].(string)
	for _, upload := range []struct {
		key, name string
		image     []byte
	}{
		{"jpeg", "a.jpg", photo(n, false)}, {"png", "b.png", photo(n, true)},
	} {
		contentType, body := uploadBody(upload.name, upload.image)
		if _, ok := step(upload.key, "/attachments/"+id+"/documents", contentType, body); !ok {
			return
		}
	}
	for again := 0; ; again++ {
		closed, ok := step(fmt.Sprintf("close%d", again), "/attachments/"+id+"/close", "application/json", []byte("{}"))
		if !ok {
			return
		}
		if closed.status == http.StatusBadGateway {
			continue // the network did not finish, as the reply says: close again
		}
		out := sentAttachment{id: id, documents: map[string]string{}}
		out.number, _ = closed.body["attachment_number"].(string)
		documents, _ := closed.body["documents"].([]any)
		for _, d := range documents {
			d, _ := d.(map[string]any)
			out.documents[d["id"].(string)] = d["md5"].(string)
		}
		l.mu.Lock()
		l.sent = append(l.sent, out)
		l.mu.Unlock()
		return
	}
}

// insist sends a request with its key until there is an answer, and then once
// more: the replay is the same.
func (l *attachmentLoad) insist(ctx context.Context, key, path, contentType string, body []byte) (reply, bool) {
	client := &http.Client{Timeout: 40 * time.Second}
	defer client.CloseIdleConnections()
	var first *reply
	deadline := time.Now().Add(patience)
	for {
		r, err := post(ctx, client, l.s.urls[rand.IntN(len(l.s.urls))]+path, l.s.key, key, contentType, body)
		switch {
		case time.Now().After(deadline):
			l.s.tb.Errorf("key %s is stuck: status %d, %v %v, %v", key, r.status, r.body["error"], r.body["message"], err)
			return r, false
		case err != nil, r.status == http.StatusConflict && r.body["error"] == "IDEMPOTENCY_KEY_IN_USE", r.status == http.StatusTooManyRequests,
			r.status == http.StatusGatewayTimeout, r.status == http.StatusInternalServerError, r.status == http.StatusServiceUnavailable:
			pause(20 * time.Millisecond)
			continue
		case r.status == http.StatusOK, r.status == http.StatusCreated, r.status == http.StatusBadGateway:
		default:
			l.s.tb.Errorf("key %s: status %d: %v", key, r.status, r.body)
			return r, false
		}
		if first == nil {
			first = &r
			continue
		}
		if a, b := fmt.Sprint(first.body), fmt.Sprint(r.body); a != b || !r.replayed {
			l.s.tb.Errorf("key %s was answered\n%s\nand later (replayed %t)\n%s", key, a, r.replayed, b)
		}
		return r, true
	}
}

func attachmentBody(office, narrative string) []byte {
	return fmt.Appendf(nil, `{"office_id":%q,"payer_id":"CHTEST","narrative":%q,
		"patient":{"first_name":"Kim","last_name":"Doe","date_of_birth":"2010-01-01"},
		"subscriber":{"first_name":"Jane","last_name":"Doe","member_id":"M1","relationship":"child"},
		"service_dates":{"from":"2026-01-05","to":"2026-01-05"}}`, office, narrative)
}

// photo is an image that no other n has.
func photo(n int, asPNG bool) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 160, 120))
	r := rand.New(rand.NewPCG(uint64(n), 7))
	for i := range m.Pix {
		m.Pix[i] = uint8(r.Uint32()) | 1
	}
	m.Set(0, 0, color.White)
	var b bytes.Buffer
	err := jpeg.Encode(&b, m, nil)
	if asPNG {
		b.Reset()
		err = png.Encode(&b, m)
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// uploadBody is a form with the image as a bitewing.
func uploadBody(name string, content []byte) (contentType string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	f, _ := w.CreateFormFile("file", name)
	_, _ = f.Write(content)
	_ = w.WriteField("document_type", "11")
	_ = w.WriteField("image_date", "2026-01-02")
	_ = w.WriteField("orientation", "right")
	_ = w.Close()
	return w.FormDataContentType(), b.Bytes()
}

// verifyAttachments holds what was answered against the database and the
// images once all work is done.
func (s *system) verifyAttachments(sent []sentAttachment) {
	s.tb.Helper()
	if len(sent) == 0 {
		s.tb.Error("no attachment was sent")
	}
	await(s.tb, "the end of all work", func() bool { return s.count("SELECT count(*) FROM jobs") == 0 })
	for what, query := range map[string]string{
		"attachments still being sent":               `SELECT count(*) FROM attachments WHERE sending IS NOT NULL`,
		"uploads still pending":                      `SELECT count(*) FROM uploads WHERE state = 'pending'`,
		"attachments with more than two documents":   `SELECT count(*) FROM attachments a WHERE (SELECT count(*) FROM documents d WHERE d.attachment_id = a.id) > 2`,
		"closed attachments without two documents":   `SELECT count(*) FROM attachments a WHERE state = 'closed' AND (SELECT count(*) FROM documents d WHERE d.attachment_id = a.id) <> 2`,
		"closed attachments without exactly 1 event": `SELECT count(*) FROM attachments a WHERE state = 'closed' AND (SELECT count(*) FROM events e WHERE e.resource_id = a.id AND e.type = 'attachment.completed' AND e.sequence = 1) <> 1`,
		"events of open attachments":                 `SELECT count(*) FROM events e JOIN attachments a ON a.id = e.resource_id WHERE a.state = 'open' OR e.sequence <> 1`,
	} {
		if n := s.count(query); n != 0 {
			s.tb.Errorf("%d %s", n, what)
		}
	}
	numbers := map[string]string{}
	for _, a := range sent {
		if twin, taken := numbers[a.number]; a.number == "" || taken {
			s.tb.Errorf("%s and %s have the number %q", a.id, twin, a.number)
		}
		numbers[a.number] = a.id
		if len(a.documents) != 2 {
			s.tb.Errorf("%s was closed with %d documents", a.id, len(a.documents))
		}
	}
	s.verifyImages(sent)
}

// verifyImages reads every image of what was sent.
func (s *system) verifyImages(sent []sentAttachment) {
	s.tb.Helper()
	for _, a := range sent {
		for document, sum := range a.documents {
			code, content := get(s.tb, s.urls[0]+"/attachments/"+a.id+"/documents/"+document+"/content", s.key)
			if got := md5.Sum([]byte(content)); code != http.StatusOK || hex.EncodeToString(got[:]) != sum {
				s.tb.Errorf("%s of %s: status %d, %d bytes, not those that were answered", document, a.id, code, len(content))
			}
		}
	}
}

// verifySweep lets a worker sweep what the kills left over, and nothing else.
func (s *system) verifySweep(server *testservers.S3Server, sent []sentAttachment) {
	s.tb.Helper()
	blobs, err := minioblob.Open(s.tb.Context(), minioblob.Options{URL: s3(server, "kills"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		s.tb.Fatal(err)
	}
	defer blobs.Close()
	count := func(prefix string) (n int) {
		for _, err := range blobs.List(s.tb.Context(), prefix) {
			if err != nil {
				s.tb.Fatal(err)
			}
			n++
		}
		return n
	}
	documents := s.count("SELECT count(*) FROM documents")
	s.tb.Logf("%d images of %d documents, and %d waiting PNGs, are there before the sweep", count("documents/"), documents, count("staging/"))
	pause(time.Second) // until the last of them is older than the age below
	sweeper := newProcess(s.tb, "eraworker", append(s.env, "MOLAR_OPS_LISTEN="+freeAddr(s.tb), "MOLAR_ORPHAN_AGE=1s"))
	sweeper.start(io.Discard)
	await(s.tb, "the sweep of images without a document", func() bool { return count("documents/") <= documents && count("staging/") == 0 })
	if n := count("documents/"); n != documents {
		s.tb.Errorf("%d images are left of %d documents", n, documents)
	}
	s.verifyImages(sent)
}
