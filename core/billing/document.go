package billing

import (
	"bytes"
	"crypto/md5" //nolint:gosec // G501: the interface shows MD5 sums; nothing trusts them
	"crypto/sha256"
	"slices"
	"time"
)

// Medium is what a document is a picture of.
type Medium string

// The media.
const (
	MediumFilm  Medium = "film"  // an X-ray or a photo: has a date and an orientation
	MediumPaper Medium = "paper" // something written
)

// Orientation is the side of the patient that a film shows on its left edge,
// as it was mounted.
type Orientation string

// The orientations; paper has none.
const (
	OrientationLeft  Orientation = "left"
	OrientationRight Orientation = "right"
)

// DocumentType is what a document shows.
type DocumentType struct {
	Code   string // as attachment networks number it, "1" to "16"
	Label  string
	Medium Medium
	PWK01  string // the report type code for an 837's PWK segment
}

// DocumentTypes lists what can be sent: the numbering that dental attachment
// networks share, with the report type codes of X12 data element 755.
func DocumentTypes() []DocumentType {
	return []DocumentType{
		{"1", "Explanation of benefits or coordination of benefits statement", MediumPaper, "EB"},
		{"2", "Narrative", MediumPaper, "03"},
		{"3", "Proof of student status", MediumPaper, "OZ"},
		{"4", "Referral", MediumPaper, "B4"},
		{"5", "Diagnosis", MediumPaper, "DG"},
		{"6", "Report", MediumPaper, "DG"},
		{"7", "Periodontal chart", MediumPaper, "P6"},
		{"8", "Progress notes", MediumPaper, "OZ"},
		{"9", "Intraoral photo", MediumFilm, "XP"},
		{"10", "Full-mouth series", MediumFilm, "RB"},
		{"11", "Bitewings", MediumFilm, "RB"},
		{"12", "Periapical", MediumFilm, "RB"},
		{"13", "Panoramic", MediumFilm, "RB"},
		{"14", "Partial mount", MediumFilm, "RB"},
		{"15", "Cephalometric", MediumFilm, "RB"},
		{"16", "Radiographic image", MediumFilm, "RB"},
	}
}

// FindDocumentType looks a document type up by its code.
func FindDocumentType(code string) (DocumentType, bool) {
	all := DocumentTypes()
	i := slices.IndexFunc(all, func(t DocumentType) bool { return t.Code == code })
	if i < 0 {
		return DocumentType{}, false
	}
	return all[i], true
}

// Document is an image of an attachment.
type Document struct {
	ID            DocumentID
	Type          string // a DocumentType's code
	Medium        Medium
	ImageDate     Date        // zero for paper
	Orientation   Orientation // empty for paper
	FileName      string      // for display; the stored file is named by the ID
	ConvertedFrom ImageFormat // empty for an upload that was a JPEG
	Size          int64       // bytes of the stored JPEG, as are the sums
	MD5           [md5.Size]byte
	SHA256        [sha256.Size]byte // makes two images the same
	CreatedAt     time.Time
}

// ImageFormat is the format of an uploaded image.
type ImageFormat string

// The formats that are taken.
const (
	FormatJPEG ImageFormat = "jpeg"
	FormatPNG  ImageFormat = "png"
)

// SniffImage tells the format of a file by its first 8 bytes; empty stands for
// one that is not taken.
func SniffImage(head []byte) ImageFormat {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return FormatJPEG
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return FormatPNG
	}
	return ""
}

// The blobs of an image: the stored JPEG, and the PNG that waits for its
// conversion. Both are named by the document.
const (
	DocumentBlobs = "documents/"
	StagingBlobs  = "staging/"
)

// Blob is the name of the stored JPEG.
func (d *Document) Blob() string { return DocumentBlobs + d.ID.String() }

// UploadState is where the conversion of an uploaded PNG stands.
type UploadState string

// The states of an upload. It moves once, out of pending.
const (
	UploadPending   UploadState = "pending"
	UploadDone      UploadState = "done"      // the document is there
	UploadRefused   UploadState = "refused"   // the image or the attachment did not allow it
	UploadCancelled UploadState = "cancelled" // whoever sent it gave up waiting
)

// Upload is a PNG on its way to becoming a document.
type Upload struct {
	AttachmentID AttachmentID
	Document     Document // as it is to be; the image's own figures come with the conversion
	SHA256       [sha256.Size]byte
	Size         int64  // bytes of the PNG
	Key          string // the idempotency key that waits for it
	State        UploadState
	Refusal      *Error // why, when it was refused
	CreatedAt    time.Time
}

// Work is what an idempotency key that waits for the upload refers to.
func (u *Upload) Work() JobID { return JobID(u.Document.ID) }

// Blob is the name of the PNG.
func (u *Upload) Blob() string { return StagingBlobs + u.Document.ID.String() }
