package httpapi

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
)

// What is wrong with a form is reported all at once, and nothing is kept. The rules
// of each document type have their tests in core/intake.
func TestDocumentFormsRefused(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := s.attachment(t, "")
	file := fileOf(string(jpegOf(1)))
	kind, date, side := textOf("document_type", "13"), textOf("image_date", "2026-01-02"), textOf("orientation", "left")
	for name, c := range map[string]struct {
		parts  []string
		fields string
	}{
		"nothing":             {nil, "file required,document_type required"},
		"no file":             {[]string{kind, date, side}, "file required"},
		"a file that is text": {[]string{kind, date, side, textOf("file", "x")}, "file format"},
		"no type":             {[]string{file}, "document_type required"},
		"a label":             {[]string{file, textOf("document_type", "Panoramic"), date, side}, "document_type not_allowed"},
		"a bare film":         {[]string{file, kind}, "image_date required,orientation required"},
		"a time":              {[]string{file, kind, side, textOf("image_date", "2026-01-02T03:04:05Z")}, "image_date format"},
		"paper with a date":   {[]string{file, textOf("document_type", "7"), date, side}, "image_date not_allowed,orientation not_allowed"},
		"a part twice":        {[]string{file, kind, kind, date, side}, "document_type conflict"},
		"a PDF and no date":   {[]string{fileOf("%PDF-1.7\n%\xe2\xe3\xcf\xd3"), kind, side}, "image_date required,file format"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := upload(path, c.parts)
			up.key, up.bad = s.newKey(t), true
			wantFields(t, s.do(t, up), c.fields)
			if a := s.do(t, call{path: path}); len(a.documents(t)) != 0 {
				t.Errorf("attachment %s", a.body)
			}
		})
	}
	t.Run("no form", func(t *testing.T) {
		t.Parallel()
		wantFields(t, s.do(t, call{path: path + "/documents", body: "{}", key: s.newKey(t), bad: true}), "Content-Type format,body format")
	})
}

// chunk is a chunk of a PNG, whole.
func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// pngHead is the start of a PNG of the size, and a few chunks more.
func pngHead(width, height uint32, chunks ...[]byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	b := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 8, 2, 0, 0, 0))...)
	for _, c := range chunks {
		b = append(b, c...)
	}
	return b
}

// An image that the attachment has already changes nothing, whatever it is
// wrapped in.
func TestSameImageTwice(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := s.attachment(t, "")
	picture := jpegOf(1)
	comment := "\xff\xfe\x00\x10Jane Doe, 1984"
	wrapped := string(picture[:2]) + comment + string(picture[2:]) + "trailing Jane Doe"
	s.must(t, 201, upload(path, film([]byte(wrapped))))
	first := s.must(t, 201, upload(path, chart(pngOf(2))))
	before := s.must(t, 200, call{path: path}).body
	for _, parts := range [][]string{film([]byte(wrapped)), film(picture), chart(picture), chart(pngOf(2))} {
		if a := s.must(t, 201, upload(path, parts)); a.body != before || a.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s after %s", a.body, before)
		}
	}
	documents := first.documents(t)
	for _, d := range documents {
		content := s.must(t, 200, call{path: path + "/documents/" + d["id"].(string) + "/content"}).body
		if strings.Contains(content, "Jane") {
			t.Errorf("the stored image of %v has what it was wrapped in", d)
		}
		// What comes back is an image like any other, one made of a PNG too.
		if a := s.must(t, 201, upload(path, chart([]byte(content)))); a.body != before {
			t.Errorf("%s after %s", a.body, before)
		}
	}
	elsewhere := s.attachment(t, "")
	if a := s.must(t, 201, upload(elsewhere, chart(picture))); len(a.documents(t)) != 1 {
		t.Errorf("attachment %s", a.body)
	}
	s.wantStored(t, path, documents)
}

func TestDocumentsTakenOff(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path, other := s.attachment(t, ""), s.attachment(t, "")
	s.must(t, 201, upload(path, film(jpegOf(1))))
	both := s.must(t, 201, upload(path, chart(pngOf(2)))).documents(t)
	first := both[0]["id"].(string)
	gone := remove(path, first)
	gone.idem = "off"
	wantStatus(t, s.do(t, remove(other, first)), 404, billing.CodeNotFound)
	a := s.must(t, 204, gone)
	if a.body != "" || a.Header.Get("Content-Type") != "" {
		t.Errorf("reply %v %q", a.Header, a.body)
	}
	wantReplay(t, a, s.do(t, gone))
	wantStatus(t, s.do(t, remove(path, first)), 404, billing.CodeNotFound)
	wantStatus(t, s.do(t, call{path: gone.path + "/content"}), 404, billing.CodeNotFound)
	wantStatus(t, s.do(t, call{path: gone.path + "/thumbnail"}), 404, billing.CodeNotFound)
	left := s.must(t, 200, call{path: path}).documents(t)
	if len(left) != 1 || left[0]["id"] != both[1]["id"] {
		t.Errorf("documents %v", left)
	}
	again := s.must(t, 201, upload(path, film(jpegOf(1)))).documents(t)
	if len(again) != 2 || again[1]["id"] == first || again[1]["md5"] != both[0]["md5"] {
		t.Errorf("documents %v", again)
	}
	s.wantStored(t, path, again)
}

func TestDocumentTypeList(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a := s.must(t, 200, call{path: "/document_types"})
	rows, _ := a.get(t, "data").([]any)
	if len(rows) != len(attachment.DocumentTypes()) || a.get(t, "next_cursor") != nil {
		t.Fatalf("document types %s", a.body)
	}
}
