package intake_test

import (
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/intake"
)

func TestDocumentRequests(t *testing.T) {
	t.Parallel()
	today := billing.Date{Year: 2026, Month: 3, Day: 20}
	left, right := new("left"), new("right")
	date := new("2026-03-20")
	for _, d := range attachment.DocumentTypes() {
		film := d.Medium == attachment.MediumFilm
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
				if !slices.Equal(found(faults), want) {
					t.Fatalf("faults %v, want %v", found(faults), want)
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
			if _, faults := c.r.Document(billing.Date{Year: 2026, Month: 3, Day: 20}); !slices.Equal(found(faults), c.want) {
				t.Errorf("faults %v, want %v", found(faults), c.want)
			}
		})
	}
}
