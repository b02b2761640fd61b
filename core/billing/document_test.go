package billing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
)

func TestDocumentTypes(t *testing.T) {
	t.Parallel()
	// Networks number them 1 to 16; photos and X-rays are those from 9 on.
	want := map[string]struct {
		medium billing.Medium
		pwk    string
	}{
		"1": {billing.MediumPaper, "EB"}, "2": {billing.MediumPaper, "03"}, "3": {billing.MediumPaper, "OZ"},
		"4": {billing.MediumPaper, "B4"}, "5": {billing.MediumPaper, "DG"}, "6": {billing.MediumPaper, "DG"},
		"7": {billing.MediumPaper, "P6"}, "8": {billing.MediumPaper, "OZ"}, "9": {billing.MediumFilm, "XP"},
		"10": {billing.MediumFilm, "RB"}, "11": {billing.MediumFilm, "RB"}, "12": {billing.MediumFilm, "RB"},
		"13": {billing.MediumFilm, "RB"}, "14": {billing.MediumFilm, "RB"}, "15": {billing.MediumFilm, "RB"},
		"16": {billing.MediumFilm, "RB"},
	}
	labels := map[string]bool{}
	for _, d := range billing.DocumentTypes() {
		found, ok := billing.FindDocumentType(d.Code)
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
		if d, ok := billing.FindDocumentType(code); ok {
			t.Errorf("code %q is %+v", code, d)
		}
	}
}

func TestDocumentRequests(t *testing.T) {
	t.Parallel()
	today := billing.Date{Year: 2026, Month: 3, Day: 20}
	left, right := new("left"), new("right")
	date := new("2026-03-20")
	for _, d := range billing.DocumentTypes() {
		film := d.Medium == billing.MediumFilm
		for name, c := range map[string]struct {
			date, orientation *string
			film, paper       []string
		}{
			"bare":             {nil, nil, []string{"image_date required", "orientation required"}, nil},
			"left":             {date, left, nil, []string{"image_date not_allowed", "orientation not_allowed"}},
			"right":            {date, right, nil, []string{"image_date not_allowed", "orientation not_allowed"}},
			"long ago":         {new("1999-12-31"), left, nil, []string{"image_date not_allowed", "orientation not_allowed"}},
			"undated":          {nil, left, []string{"image_date required"}, []string{"orientation not_allowed"}},
			"unoriented":       {date, nil, []string{"orientation required"}, []string{"image_date not_allowed"}},
			"tomorrow":         {new("2026-03-21"), left, []string{"image_date range"}, []string{"image_date not_allowed", "orientation not_allowed"}},
			"no day":           {new("2026-02-30"), left, []string{"image_date format"}, []string{"image_date not_allowed", "orientation not_allowed"}},
			"empty":            {new(""), new(""), []string{"image_date required", "orientation required"}, []string{"image_date not_allowed", "orientation not_allowed"}},
			"no orientation":   {date, new("up"), []string{"orientation not_allowed"}, []string{"image_date not_allowed", "orientation not_allowed"}},
			"in upper case":    {date, new("LEFT"), []string{"orientation not_allowed"}, []string{"image_date not_allowed", "orientation not_allowed"}},
			"both of it wrong": {new("x"), new("x"), []string{"image_date format", "orientation not_allowed"}, []string{"image_date not_allowed", "orientation not_allowed"}},
		} {
			t.Run(d.Code+" "+name, func(t *testing.T) {
				t.Parallel()
				want := c.paper
				if film {
					want = c.film
				}
				r := intake.DocumentRequest{DocumentType: d.Code, ImageDate: c.date, Orientation: c.orientation, FileName: "x.jpg"}
				got, faults := r.Document(today)
				if !slices.Equal(told(faults), want) {
					t.Fatalf("faults %v, want %v", told(faults), want)
				}
				if len(want) > 0 {
					return
				}
				if got.Type != d.Code || got.Medium != d.Medium || got.FileName != "x.jpg" || got.Size != 0 || !got.ID.IsZero() {
					t.Errorf("document %+v", got)
				}
				if film && (got.ImageDate.String() != *c.date || string(got.Orientation) != *c.orientation) || !film && (!got.ImageDate.IsZero() || got.Orientation != "") {
					t.Errorf("document %+v", got)
				}
			})
		}
	}
}

func TestDocumentRequestsOfNoType(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		r    intake.DocumentRequest
		want []string
	}{
		"none":    {intake.DocumentRequest{}, []string{"document_type required"}},
		"blank":   {intake.DocumentRequest{DocumentType: " ", ImageDate: new("x")}, []string{"document_type required"}},
		"unknown": {intake.DocumentRequest{DocumentType: "99", Orientation: new("left")}, []string{"document_type not_allowed"}},
		"form": {
			intake.DocumentRequest{Faults: billing.Faults{{Field: "document_type", Code: billing.FaultTooMany}}},
			[]string{"document_type too_many"},
		},
		"form of a film": {
			intake.DocumentRequest{DocumentType: "9", Faults: billing.Faults{{Field: "file", Code: billing.FaultRequired}}},
			[]string{"file required", "image_date required", "orientation required"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, faults := c.r.Document(billing.Date{Year: 2026, Month: 3, Day: 20}); !slices.Equal(told(faults), c.want) {
				t.Errorf("faults %v, want %v", told(faults), c.want)
			}
		})
	}
}

func TestSniffImage(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]billing.ImageFormat{
		"\xff\xd8\xff\xe0\x00\x10JF":       billing.FormatJPEG,
		"\xff\xd8\xff\xdb\x00\x43\x00\x00": billing.FormatJPEG,
		"\xff\xd8\xff":                     billing.FormatJPEG,
		"\xff\xd8\x00\xe0":                 "",
		"\xff\xd8":                         "",
		"\x89PNG\r\n\x1a\n":                billing.FormatPNG,
		"\x89PNG\r\n\x1a\nIHDR":            billing.FormatPNG,
		"\x89PNG\n\x1a\n\x00":              "", // what a text mode makes of it
		"\x89PNG\r\n\x1a":                  "",
		"%PDF-1.7":                         "",
		"GIF89a\x01\x00":                   "",
		"RIFF\x00\x00\x00\x00":             "",
		"II*\x00\x08\x00\x00\x00":          "",
		" \xff\xd8\xff":                    "",
		"":                                 "",
	} {
		if got := billing.SniffImage([]byte(head)); got != want {
			t.Errorf("SniffImage(%q) = %q, want %q", head, got, want)
		}
	}
}

func TestBlobsOfADocument(t *testing.T) {
	t.Parallel()
	d := billing.Document{ID: billing.DocumentID{15: 1}}
	u := billing.Upload{Document: d}
	for name, prefix := range map[string]string{d.Blob(): billing.DocumentBlobs, u.Blob(): billing.StagingBlobs} {
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
