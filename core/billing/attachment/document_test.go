package attachment_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
)

func TestDocumentTypes(t *testing.T) {
	t.Parallel()
	// Networks number them 1 to 16; photos and X-rays are those from 9 on.
	want := map[string]struct {
		medium attachment.Medium
		pwk    string
	}{
		"1": {attachment.MediumPaper, "EB"}, "2": {attachment.MediumPaper, "03"}, "3": {attachment.MediumPaper, "OZ"},
		"4": {attachment.MediumPaper, "B4"}, "5": {attachment.MediumPaper, "DG"}, "6": {attachment.MediumPaper, "DG"},
		"7": {attachment.MediumPaper, "P6"}, "8": {attachment.MediumPaper, "OZ"}, "9": {attachment.MediumFilm, "XP"},
		"10": {attachment.MediumFilm, "RB"}, "11": {attachment.MediumFilm, "RB"}, "12": {attachment.MediumFilm, "RB"},
		"13": {attachment.MediumFilm, "RB"}, "14": {attachment.MediumFilm, "RB"}, "15": {attachment.MediumFilm, "RB"},
		"16": {attachment.MediumFilm, "RB"},
	}
	labels := map[string]bool{}
	for _, d := range attachment.DocumentTypes() {
		found, ok := attachment.FindDocumentType(d.Code)
		w, listed := want[d.Code]
		if !ok || found != d || !listed || d.Medium != w.medium || d.PWK01 != w.pwk || d.Label == "" || labels[d.Label] {
			t.Errorf("document type %+v, want %+v and a label of its own", d, w)
		}
		labels[d.Label] = true
	}
	if len(labels) != len(want) {
		t.Errorf("%d document types, want %d", len(labels), len(want))
	}
	for _, code := range []string{"", "0", "99", "01", " 1", "RB", "１"} {
		if d, ok := attachment.FindDocumentType(code); ok {
			t.Errorf("code %q is %+v", code, d)
		}
	}
}

func TestSniffImage(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]attachment.ImageFormat{
		"\xff\xd8\xff\xe0\x00\x10JF":       attachment.FormatJPEG,
		"\xff\xd8\xff\xdb\x00\x43\x00\x00": attachment.FormatJPEG,
		"\xff\xd8\xff":                     attachment.FormatJPEG,
		"\xff\xd8\x00\xe0":                 "",
		"\xff\xd8":                         "",
		"\x89PNG\r\n\x1a\n":                attachment.FormatPNG,
		"\x89PNG\r\n\x1a\nIHDR":            attachment.FormatPNG,
		"\x89PNG\n\x1a\n\x00":              "", // what a text mode makes of it
		"\x89PNG\r\n\x1a":                  "",
		"%PDF-1.7":                         "",
		"GIF89a\x01\x00":                   "",
		"RIFF\x00\x00\x00\x00":             "",
		"II*\x00\x08\x00\x00\x00":          "",
		" \xff\xd8\xff":                    "",
		"":                                 "",
	} {
		if got := attachment.SniffImage([]byte(head)); got != want {
			t.Errorf("SniffImage(%q) = %q, want %q", head, got, want)
		}
	}
}

func TestBlobsOfADocument(t *testing.T) {
	t.Parallel()
	d := attachment.Document{ID: billing.DocumentID{15: 1}}
	u := attachment.Upload{Document: d}
	for name, prefix := range map[string]string{d.Blob(): attachment.DocumentBlobs, u.Blob(): attachment.StagingBlobs} {
		if name != prefix+d.ID.String() || !billing.ValidBlobName(name) || !billing.ValidBlobPrefix(prefix) {
			t.Errorf("blob %q", name)
		}
	}
	for name, want := range map[string]bool{
		"documents/doc_1": true, "a": true, "a/b.c/-_": true, strings.Repeat("a", 255): true, "...": true,
		"": false, "/": false, "a/": false, "/a": false, "a//b": false, ".": false, "a/..": false, "../a": false, "a/./b": false,
		"a b": false, "a\\b": false, "a\x00": false, "é": false, "a%2f": false, strings.Repeat("a", 256): false,
	} {
		if billing.ValidBlobName(name) != want {
			t.Errorf("ValidBlobName(%q) = %t", name, !want)
		}
	}
}
