package attachment

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Medium is the medium of a document.
type Medium string

// The media.
const (
	MediumFilm  Medium = "film"  // an X-ray or a photo, with a date and an orientation
	MediumPaper Medium = "paper" // text
)

// Orientation is the side of the patient at the left edge of a mounted film.
type Orientation string

// The orientations; paper has none.
const (
	OrientationLeft  Orientation = "left"
	OrientationRight Orientation = "right"
)

// DocumentType is the type of a document, with its codes.
type DocumentType struct {
	Code   string // as attachment networks number it, "1" to "16"
	Label  string
	Medium Medium
	PWK01  string // the report type code for an 837's PWK segment
}

// DocumentTypes returns the types, numbered as dental attachment networks do,
// with the report type codes of X12 data element 755.
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

// FindDocumentType returns the document type with the code.
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
	ID            billing.DocumentID
	Type          string // a DocumentType's code
	Medium        Medium
	ImageDate     billing.Date // zero for paper
	Orientation   Orientation  // empty for paper
	FileName      string       // for display; the stored file is named by the ID
	ConvertedFrom ImageFormat  // empty for an upload that was a JPEG
	Size          int64        // bytes of the stored JPEG, as are the sums
	MD5           [md5.Size]byte
	SHA256        [sha256.Size]byte // identifies the image
	CreatedAt     time.Time
}

// ImageFormat is the format of an uploaded image.
type ImageFormat string

// The formats that are accepted.
const (
	FormatJPEG ImageFormat = "jpeg"
	FormatPNG  ImageFormat = "png"
)

// SniffImage returns the format that the first 8 bytes of a file indicate. It
// returns the empty format for a file that is not accepted.
func SniffImage(head []byte) ImageFormat {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return FormatJPEG
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return FormatPNG
	}
	return ""
}

// The prefixes of an image's blobs: the stored JPEG, its thumbnail, and the PNG
// that waits for conversion. The document's ID follows.
const (
	DocumentBlobs  = "documents/"
	ThumbnailBlobs = "thumbnails/"
	StagingBlobs   = "staging/"
)

// Blob returns the name of the stored JPEG.
func (d *Document) Blob() string { return DocumentBlobs + d.ID.String() }

// ThumbnailBlob returns the name of the thumbnail.
func (d *Document) ThumbnailBlob() string { return ThumbnailBlobs + d.ID.String() }

// UploadState is the state of the conversion of an uploaded PNG.
type UploadState string

// The states of an upload. An upload leaves pending once.
const (
	UploadPending   UploadState = "pending"
	UploadDone      UploadState = "done"      // the attachment has the document
	UploadRefused   UploadState = "refused"   // because of the image or the attachment
	UploadCancelled UploadState = "cancelled" // its caller stopped waiting
)

// Upload is a PNG on its way to becoming a document.
type Upload struct {
	AttachmentID billing.AttachmentID
	Document     Document // without the image's figures, which the conversion sets
	SHA256       [sha256.Size]byte
	Size         int64  // bytes of the PNG
	Key          string // the idempotency key that waits for it
	State        UploadState
	Refusal      *billing.Error // set only for a refused upload
	CreatedAt    time.Time
}

// Work returns the ID that an idempotency key refers to until the conversion
// ends.
func (u *Upload) Work() billing.JobID { return billing.JobID(u.Document.ID) }

// Blob returns the name of the PNG.
func (u *Upload) Blob() string { return StagingBlobs + u.Document.ID.String() }
