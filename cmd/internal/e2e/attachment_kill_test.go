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
	"log/slog"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/minioblob"
	"github.com/molar-billing/molar/adapters/testservers"
)

// s3 is the test server that stores the images of a system.
func s3(server *testservers.S3Server, bucket string) string {
	return "s3://" + strings.TrimPrefix(strings.TrimSuffix(server.URL(), "/"), "http://") + "/" + bucket + "?tls=false"
}

// TestKillsWithImages kills each kind of process, the broker, the database and
// the image store with kill -9 while attachments are created, filled with JPEGs
// and PNGs and sent. Then it compares the replies with the database and the
// images. Nothing acknowledged is lost, nothing happened twice, no document is
// without its image, and the sweep leaves no image without a document. At the end the
// attachments are old enough to go, and the process that removes them is killed between
// their rows and their images.
func TestKillsWithImages(t *testing.T) {
	t.Parallel()
	const clients = 6
	server := testservers.StartS3(t)
	s := startSystem(t, 2, 2, "MOLAR_BLOB_URL="+s3(server, "kills"))
	s.pngs = s.spawn("pngworker", 2)
	load := startLoad(s, clients, s.sendAttachment)
	count := 0
	for round := range rounds(t, 6) {
		for _, v := range []victim{
			kills(s.apis[round%2]), kills(s.apis...), kills(s.workers...), kills(s.pngs...),
			{server.Kill, server.Restart},
			{s.postgres.Kill, s.postgres.Restart},
			{s.rabbit.Kill, s.rabbit.Restart},
		} {
			pause(100 * time.Millisecond)
			v.die(400 * time.Millisecond)
			count++
		}
	}
	sent := load.stop()
	t.Logf("%d attachments sent with their images through %d kills", len(sent), count)
	s.verifyAttachments(sent)
	s.verifySweep(server, sent)
}

// sentAttachment is an attachment as the reply to its closing showed it.
type sentAttachment struct {
	id, number string
	documents  map[string]string // ID -> MD5 of the image
}

// sendAttachment creates an attachment, uploads a JPEG and a PNG, and closes
// it.
func (s *system) sendAttachment(ctx context.Context, n int) (out sentAttachment, ok bool) {
	step := func(key, path, contentType string, body []byte) (r reply) {
		r, ok = s.insist(ctx, fmt.Sprintf("%s-%d", key, n), path, contentType, body)
		return r
	}
	made := step("make", "/attachments", "application/json", attachmentBody(s.office, "Decay."))
	out = sentAttachment{id: idOf(made), documents: map[string]string{}}
	for name, asPNG := range map[string]bool{"a.jpg": false, "b.png": true} {
		if contentType, body := uploadBody(name, photo(n, asPNG)); ok {
			step(name, "/attachments/"+out.id+"/documents", contentType, body)
		}
	}
	closed := reply{status: http.StatusBadGateway}
	for again := 0; ok && closed.status == http.StatusBadGateway; again++ { // the network did not finish: close again
		closed = step(fmt.Sprintf("close%d", again), "/attachments/"+out.id+"/close", "application/json", []byte("{}"))
	}
	out.number, _ = closed.body["attachment_number"].(string)
	documents, _ := closed.body["documents"].([]any)
	for _, d := range documents {
		d, _ := d.(map[string]any)
		out.documents[d["id"].(string)] = d["md5"].(string)
	}
	return out, ok
}

func attachmentBody(office, narrative string) []byte {
	return fmt.Appendf(nil, `{"office_id":%q,"payer_id":"CHTEST","narrative":%q,
		"patient":{"first_name":"Kim","last_name":"Doe","date_of_birth":"2010-01-01"},
		"subscriber":{"first_name":"Jane","last_name":"Doe","member_id":"M1","relationship":"child"},
		"service_dates":{"from":"2026-01-05","to":"2026-01-05"}}`, office, narrative)
}

// photo returns an image that differs for each n.
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

// uploadBody returns a form with the image as a bitewing.
func uploadBody(name string, content []byte) (contentType string, body []byte) {
	return formBody(name, content, field{"document_type", "11"}, field{"image_date", "2026-01-02"}, field{"orientation", "right"})
}

// field adds a part to a form.
type field struct{ name, value string }

func formBody(fileName string, content []byte, fields ...field) (contentType string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		_ = w.WriteField(f.name, f.value)
	}
	f, _ := w.CreateFormFile("file", fileName)
	_, _ = f.Write(content)
	_ = w.Close()
	return w.FormDataContentType(), b.Bytes()
}

// verifyAttachments compares the replies with the database and the images once
// all work is done.
func (s *system) verifyAttachments(sent []sentAttachment) {
	s.tb.Helper()
	if len(sent) == 0 {
		s.tb.Error("no attachment was sent")
	}
	await(s.tb, "the end of all work", func() bool { return s.count("SELECT count(*) FROM jobs") == 0 })
	s.none(map[string]string{
		"attachments still being sent":               `SELECT count(*) FROM attachments WHERE sending IS NOT NULL`,
		"uploads still pending":                      `SELECT count(*) FROM uploads WHERE state = 'pending'`,
		"attachments with more than two documents":   `SELECT count(*) FROM attachments a WHERE (SELECT count(*) FROM documents d WHERE d.attachment_id = a.id) > 2`,
		"closed attachments without two documents":   `SELECT count(*) FROM attachments a WHERE state = 'closed' AND (SELECT count(*) FROM documents d WHERE d.attachment_id = a.id) <> 2`,
		"closed attachments without exactly 1 event": `SELECT count(*) FROM attachments a WHERE state = 'closed' AND (SELECT count(*) FROM events e WHERE e.resource_id = a.id AND e.type = 'attachment.completed' AND e.sequence = 1) <> 1`,
		"events of open attachments":                 `SELECT count(*) FROM events e JOIN attachments a ON a.id = e.resource_id WHERE a.state = 'open' OR e.sequence <> 1`,
	})
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

// verifyImages reads every image that was sent.
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

// verifySweep lets a worker sweep what the kills left, and nothing else.
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
	all := func() int { return s.count("SELECT count(*) FROM documents") }
	documents := all()
	s.tb.Logf("%d images of %d documents, and %d waiting PNGs, are there before the sweep", count("documents/"), documents, count("staging/"))
	pause(time.Second) // until the last of them is older than the age below
	sweeper := s.spawn("eraworker", 1, "MOLAR_ORPHAN_AGE=1s")[0]
	await(s.tb, "the sweep of images without a document", func() bool { return count("documents/") <= documents && count("staging/") == 0 })
	if n := count("documents/"); n != documents {
		s.tb.Errorf("%d images are left of %d documents", n, documents)
	}
	s.verifyImages(sent)
	sweeper.stop()

	if _, err := s.db.ExecContext(s.tb.Context(), `ALTER TABLE retention DROP CONSTRAINT retention_keep_check;
UPDATE retention SET keep = '-1 minute' WHERE kind = 'records' AND mode = 'test'`); err != nil {
		s.tb.Fatal(err)
	}
	killed := s.spawn("eraworker", 1)[0] // removes images without a document after a day
	await(s.tb, "the rows of old attachments to go", func() bool { return all() == 0 })
	killed.kill()
	if n := count("documents/"); n != documents {
		s.tb.Errorf("%d images of %d documents whose rows are gone are left, want all", n, documents)
	}
	s.spawn("eraworker", 1, "MOLAR_ORPHAN_AGE=1s")
	await(s.tb, "the images of old attachments to go", func() bool { return count("documents/") == 0 && count("thumbnails/") == 0 })
}
