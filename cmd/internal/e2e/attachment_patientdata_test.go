package e2e_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/testservers"
)

// canary is a load of sentinel patient data, with the messages that the caller
// received.
type canary struct {
	*system
	t         *testing.T
	sentinels []string
	steps     int
	shown     strings.Builder
	uploaded  map[string]bool // paths of the attachments that got images
}

// The sentinels within images, which are not even stored.
const (
	inEXIF    = "Zyxcanaryexif"
	inComment = "Zyxcanarycomment"
	inTrailer = "Zyxcanarytrailer"
	inPNGText = "Zyxcanarytext"
)

// attachmentDataStaysIn searches for the patients of attachments and payer
// requests. It searches the images too: stored ones have no metadata, and no
// upload leaves a file behind.
func (s *watchedSystem) attachmentDataStaysIn(t *testing.T) {
	t.Helper()
	c := &canary{system: s.system, t: t, uploaded: map[string]bool{}, sentinels: []string{
		"Zyxcanaryfirst", "Zyxcanarylast", "1947-03-29", "19470329", "Zyxcanarysubscriber", "ZYXCANARYMEMBER", "1953-11-17", "19531117",
		"Zyxcanarynarrative", "Zyxcanaryfile", "Zyxcanaryrequested", "Zyxcanarywrong", inEXIF, inComment, inTrailer, inPNGText,
	}}
	c.attach()
	c.ask()
	c.faults(s.images)
	c.images()

	_, events := get(t, s.urls[0]+"/events?limit=100", s.key)
	if !strings.Contains(events, "attachment.completed") || !strings.Contains(events, "payer_request.received") {
		t.Errorf("the events lack some: %s", events)
	}
	texts := map[string]string{"events": events}
	named := map[string]*process{"api": s.apis[0], "payerworker": s.workers[0], "pngworker": s.pngs[0]}
	s.metrics(texts, named)
	s.workers[0].kill() // without a worker the jobs stay in the queue, where the test reads them
	s.pngs[0].kill()
	maps.Copy(texts, c.messages())
	s.workers[0].start(io.Discard)
	s.pngs[0].start(io.Discard)
	s.logs(texts, named)
	texts["messages to the caller"] = c.shown.String()
	search(t, c.sentinels, texts)
	for _, dir := range []string{s.temp, s.uploads} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left in a temporary folder: %v, %v", left, err)
		}
	}
}

// send sends a request under a new key and expects the status.
func (c *canary) send(want int, path, contentType string, body []byte) reply {
	c.t.Helper()
	c.steps++
	r, err := post(c.t.Context(), http.DefaultClient, c.urls[0]+path, c.key, fmt.Sprint("canary-", c.steps), contentType, body)
	if err != nil {
		c.t.Fatalf("%s: %v", path, err)
	}
	if r.status != want {
		c.t.Errorf("%s: status %d, want %d: %v", path, r.status, want, r.body)
	}
	fmt.Fprintln(&c.shown, r.body["message"], r.body["errors"])
	return r
}

func (c *canary) json(want int, path, body string) reply {
	c.t.Helper()
	return c.send(want, path, "application/json", []byte(body))
}

// about returns the part of a body with the patient and the subscriber.
const about = `"patient":{"first_name":"Zyxcanaryfirst","last_name":"Zyxcanarylast","date_of_birth":"1947-03-29"},
	"subscriber":{"first_name":"Zyxcanarysubscriber","last_name":"Zyxcanarylast","member_id":"ZYXCANARYMEMBER","relationship":"spouse"},
	"service_dates":{"from":"2026-01-05","to":"2026-01-05"}`

func (c *canary) attachment(narrative string) (path string) {
	c.t.Helper()
	r := c.json(http.StatusCreated, "/attachments", fmt.Sprintf(`{"office_id":%q,"payer_id":"CHTEST","narrative":"Zyxcanarynarrative %s",%s}`, c.office, narrative, about))
	return "/attachments/" + idOf(r)
}

// upload sends an image as a bitewing, or as the fields say instead.
func (c *canary) upload(want int, path, fileName string, content []byte, fields ...field) {
	c.t.Helper()
	if len(fields) == 0 {
		fields = []field{{"document_type", "11"}, {"image_date", "1953-11-17"}, {"orientation", "left"}}
	}
	contentType, body := formBody(fileName, content, fields...)
	c.send(want, path+"/documents", contentType, body)
	if want == http.StatusCreated {
		c.uploaded[path] = true
	}
}

// attach creates attachments without a claim: with accepted and refused images,
// and with a sending that fails first.
func (c *canary) attach() {
	c.t.Helper()
	const refused = http.StatusUnprocessableEntity
	a := c.attachment("SANDBOX-NETWORK-ERROR")
	jpeg, png := metadataJPEG(1), metadataPNG(2)
	c.upload(http.StatusCreated, a, `C:\Zyxcanarylast\Zyxcanaryfile.jpg`, jpeg)
	c.upload(http.StatusCreated, a, "Zyxcanaryfile.png", png)
	c.upload(refused, a, "Zyxcanaryfile.pdf", []byte("%PDF-1.7 Zyxcanarytext Zyxcanarylast"))
	c.upload(refused, a, "Zyxcanaryfile.jpg", jpeg[:len(jpeg)/2])
	c.upload(refused, a, "Zyxcanaryfile.png", png[:100])
	c.upload(refused, a, "Zyxcanaryfile.png", damaged(png))
	c.upload(refused, a, "Zyxcanaryfile.jpg", jpeg, field{"document_type", "Zyxcanarywrong"})
	c.upload(refused, a, "Zyxcanaryfile.jpg", jpeg, field{"document_type", "11"}, field{"image_date", "Zyxcanarywrong"}, field{"orientation", "Zyxcanarywrong"})
	c.upload(refused, a, "Zyxcanaryfile.jpg", jpeg, field{"document_type", "7"}, field{"image_date", "1953-11-17"})
	c.upload(refused, a, "Zyxcanaryfile.jpg", jpeg, field{"document_type", "7"}, field{"caption", "Zyxcanarywrong"})
	for _, body := range []string{
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"Zyxcanaryfile\r\n\r\nZyxcanarylast\r\n--x--\r\n",
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"Zyxcanaryfile\"\r\n\r\nZyxcanarylast",
		"--x\r\nZyxcanarywrong\r\n\r\nZyxcanarylast\r\n--x--\r\n",
		"Zyxcanarywrong",
	} {
		c.send(refused, a+"/documents", "multipart/form-data; boundary=x", []byte(body))
	}
	c.json(http.StatusBadGateway, a+"/close", `{}`)
	c.json(refused, a+"/close", `{"note":"Zyxcanarywrong"}`)
	r, err := send(c.t.Context(), http.DefaultClient, http.MethodPatch, c.urls[0]+a, c.key, "canary-patch", "application/json",
		[]byte(`{"narrative":"Zyxcanarynarrative"}`))
	if err != nil || r.status != http.StatusOK {
		c.t.Errorf("PATCH: %v %v", r, err)
	}
	c.json(http.StatusOK, a+"/close", `{}`)
	c.upload(http.StatusConflict, a, "Zyxcanaryfile.jpg", metadataJPEG(3))
	c.json(refused, "/attachments", fmt.Sprintf(`{"office_id":%q,"payer_id":"CHTEST","kind":"Zyxcanarywrong","claim_id":"Zyxcanarylast",%s}`, c.office, about))
	c.json(http.StatusNotFound, "/attachments", fmt.Sprintf(`{"office_id":%q,"payer_id":"Zyxcanarylast",%s}`, c.office, about))
	c.json(refused, "/attachments", fmt.Sprintf(`{"office_id":%q,"payer_id":"CHTEST",%s}`, c.office, strings.ReplaceAll(about, "spouse", "Zyxcanarywrong")))
	for _, path := range []string{
		"/attachments?claim_id=Zyxcanarylast", "/attachments/Zyxcanarylast", a + "/documents/Zyxcanarylast/content", "/payer_requests/Zyxcanarylast?x=Zyxcanarywrong",
	} {
		_, body := get(c.t, c.urls[0]+path, c.key)
		fmt.Fprintln(&c.shown, body)
	}
}

// ask records payer requests and answers them.
func (c *canary) ask() {
	c.t.Helper()
	const refused = http.StatusUnprocessableEntity
	record := func() string {
		r := c.json(http.StatusCreated, "/payer_requests", `{"payer_id":"CHTEST","reference_number":"R1","requested":"Zyxcanaryrequested of Zyxcanarylast","due_date":"2027-01-02"}`)
		return "/payer_requests/" + idOf(r) + "/answer"
	}
	c.json(refused, "/payer_requests", `{"payer_id":"CHTEST","claim_id":"Zyxcanarylast","reference_number":"R1","requested":"Zyxcanaryrequested","due_date":"Zyxcanarywrong"}`)
	c.json(http.StatusNotFound, "/payer_requests", `{"payer_id":"Zyxcanarylast","reference_number":"R1","requested":"Zyxcanaryrequested"}`)
	answer := record()
	c.json(refused, answer, `{"attachment_id":"Zyxcanarylast","narrative":"Zyxcanarynarrative"}`)
	c.json(refused, answer, `{"narrative":"Zyxcanarynarrative","patient":{"first_name":"Zyxcanaryfirst"}}`)
	body := fmt.Sprintf(`{"office_id":%q,"narrative":"Zyxcanarynarrative SANDBOX-NETWORK-ERROR",%s}`, c.office, about)
	c.json(http.StatusBadGateway, answer, body)
	c.json(http.StatusOK, answer, `{"narrative":"Zyxcanarynarrative"}`)
	c.json(http.StatusOK, answer, body) // answered already
}

// faults makes the servers fail under requests and jobs.
func (c *canary) faults(server *testservers.S3Server) {
	c.t.Helper()
	a := c.attachment("")
	c.upload(http.StatusCreated, a, "Zyxcanaryfile.jpg", metadataJPEG(4))
	server.Kill()
	c.upload(http.StatusServiceUnavailable, a, "Zyxcanaryfile.jpg", metadataJPEG(5))
	c.upload(http.StatusServiceUnavailable, a, "Zyxcanaryfile.png", metadataPNG(6))
	had := len(c.workers[0].log())
	closing := func() int {
		r, _ := post(c.t.Context(), http.DefaultClient, c.urls[0]+a+"/close", c.key, "canary-close", "application/json", []byte("{}"))
		fmt.Fprintln(&c.shown, r.body["message"], r.body["errors"])
		return r.status
	}
	if status := closing(); status != http.StatusServiceUnavailable {
		c.t.Errorf("close without the image store: %d", status)
	}
	await(c.t, "a job that rests", func() bool { return strings.Contains(c.workers[0].log()[had:], "without success") })
	server.Restart()
	await(c.t, "the attachment is closed", func() bool { return closing() == http.StatusOK })
	c.postgres.Kill()
	r, err := post(c.t.Context(), http.DefaultClient, c.urls[0]+"/attachments", c.key, "canary-down", "application/json",
		fmt.Appendf(nil, `{"office_id":%q,"payer_id":"CHTEST","narrative":"Zyxcanarynarrative",%s}`, c.office, about))
	if err == nil && r.status < http.StatusInternalServerError {
		c.t.Errorf("without a database: %d %v", r.status, r.body)
	}
	fmt.Fprintln(&c.shown, r.body)
	c.postgres.Restart()
	await(c.t, "the database", func() bool {
		code, _ := get(c.t, c.urls[0]+a, c.key)
		return code == http.StatusOK
	})
}

// images searches the stored images.
func (c *canary) images() {
	c.t.Helper()
	found := 0
	for path := range c.uploaded {
		_, body := get(c.t, c.urls[0]+path, c.key)
		for _, part := range strings.Split(body, `"id":"doc_`)[1:] {
			code, image := get(c.t, c.urls[0]+path+"/documents/doc_"+part[:strings.IndexByte(part, '"')]+"/content", c.key)
			if code != http.StatusOK || !strings.HasPrefix(image, "\xff\xd8\xff") {
				c.t.Errorf("%s: status %d, %d bytes that are no JPEG", path, code, len(image))
			}
			search(c.t, c.sentinels, map[string]string{"a stored image": image})
			found++
		}
	}
	if want := c.count("SELECT count(*) FROM documents"); found != want || found == 0 {
		c.t.Errorf("%d images were searched, %d are stored", found, want)
	}
}

// messages returns the messages in the queues when an attachment is closed, and
// a PNG uploaded, and no worker runs.
func (c *canary) messages() map[string]string {
	c.t.Helper()
	a, b := c.attachment(""), c.attachment("")
	c.upload(http.StatusCreated, a, "Zyxcanaryfile.jpg", metadataJPEG(7))
	contentType, body := uploadBody("Zyxcanaryfile.png", metadataPNG(8))
	out := map[string]string{}
	for queue, request := range map[string]func(){
		"molar.attachment_send": func() {
			_, _ = post(c.t.Context(), http.DefaultClient, c.urls[0]+a+"/close", c.key, "canary-queued-close", "application/json", []byte("{}"))
		},
		"molar.png_convert": func() {
			_, _ = post(c.t.Context(), http.DefaultClient, c.urls[0]+b+"/documents", c.key, "canary-queued-png", contentType, body)
		},
	} {
		go request()
		out[queue] = c.message(queue)
	}
	return out
}

// metadataJPEG returns a photo with EXIF, a comment, and bytes after its end.
func metadataJPEG(n int) []byte {
	segment := func(marker byte, content string) []byte {
		b := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(content)+2))
		return append(b, content...)
	}
	image := photo(n, false)
	exif := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x0e\x01\x02\x00\x0e\x00\x00\x00\x1a\x00\x00\x00\x00\x00\x00\x00" + inEXIF + "\x00"
	return slices.Concat(image[:2], segment(0xe1, exif), segment(0xfe, inComment), image[2:], []byte(inTrailer))
}

// metadataPNG returns a photo with a text, and bytes after its end.
func metadataPNG(n int) []byte {
	const header = 8 + 25 // the signature and IHDR
	image := photo(n, true)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len("Comment\x00")+len(inPNGText)))
	chunk = append(chunk, "tEXtComment\x00"+inPNGText...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return slices.Concat(image[:header], chunk, image[header:], []byte(inTrailer))
}

// damaged returns the PNG with a fault that only its pixels show: their length
// is correct, and so are all checksums of chunks.
func damaged(png []byte) []byte {
	b := bytes.Clone(png)
	at := bytes.Index(b, []byte("IDAT"))
	size := int(binary.BigEndian.Uint32(b[at-4:]))
	for i := at + 4 + size/2; i < at+4+size; i++ {
		b[i] = 0x55
	}
	binary.BigEndian.PutUint32(b[at+4+size:], crc32.ChecksumIEEE(b[at:at+4+size]))
	return b
}
