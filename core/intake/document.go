package intake

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
)

// DocumentRequest is a request to add an image, as a caller wrote it; nothing is
// parsed yet. Nil is a value that was left out.
type DocumentRequest struct {
	DocumentType string
	ImageDate    *string
	Orientation  *string
	FileName     string
	Faults       billing.Faults // found when the body was decoded
}

// Document validates the request and returns the requested document, without an
// image yet. The date of an image must not be after today.
func (r DocumentRequest) Document(today billing.Date) (attachment.Document, billing.Faults) {
	f := slices.Clone(r.Faults)
	d := attachment.Document{Type: r.DocumentType, FileName: r.FileName}
	if !f.Required("document_type", r.DocumentType, 0) {
		return d, f
	}
	t, known := attachment.FindDocumentType(r.DocumentType)
	d.Medium = t.Medium
	switch {
	case !known:
		f.Add("document_type", billing.FaultNotAllowed, "Unknown document type. GET /document_types lists the codes.")
	case t.Medium == attachment.MediumFilm:
		film(&d, &f, r, today)
	default:
		paperHasNone(&f, "image_date", r.ImageDate)
		paperHasNone(&f, "orientation", r.Orientation)
	}
	return d, f
}

func film(d *attachment.Document, f *billing.Faults, r DocumentRequest, today billing.Date) {
	if r.ImageDate == nil || billing.Blank(*r.ImageDate) {
		f.Add("image_date", billing.FaultRequired, "An X-ray or photo needs the date on which it was taken.")
	} else if date, err := billing.ParseDate(*r.ImageDate); err != nil {
		f.Add("image_date", billing.FaultFormat, "The value must be a valid date in the form YYYY-MM-DD.")
	} else if today.Before(date) {
		f.Add("image_date", billing.FaultRange, "The date of an image must not be in the future.")
	} else {
		d.ImageDate = date
	}
	if r.Orientation == nil || billing.Blank(*r.Orientation) {
		f.Add("orientation", billing.FaultRequired, "An X-ray or photo needs its orientation, left or right.")
		return
	}
	d.Orientation = attachment.Orientation(*r.Orientation)
	if d.Orientation != attachment.OrientationLeft && d.Orientation != attachment.OrientationRight {
		f.Add("orientation", billing.FaultNotAllowed, "The orientation must be left or right.")
	}
}

func paperHasNone(f *billing.Faults, field string, value *string) {
	if value != nil {
		f.Add(field, billing.FaultNotAllowed, "This document type is for paper. Leave out the value.")
	}
}
