package journeys_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// film stores an image of a tooth, as a PNG or a JPEG by its name, and returns
// its path. Its crown is at the top, so that a person sees how it is turned.
func film(t *testing.T, name string, width, height int) string {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			dx, dy := float64(x)/float64(width)-0.5, float64(y)/float64(height)
			shade := 30 + 60*dy
			if half := 0.28 - 0.2*dy; dy > 0.15 && dy < 0.85 && dx > -half && dx < half {
				shade = 230 - 120*dy
			}
			picture.SetGray(x, y, color.Gray{Y: uint8(shade)})
		}
	}
	encode := func(w io.Writer) error { return jpeg.Encode(w, picture, nil) }
	if strings.HasSuffix(name, ".png") {
		encode = func(w io.Writer) error { return png.Encode(w, picture) }
	}
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return stored(t, name, b.Bytes())
}

// stored stores a file, and returns its path.
func stored(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// crown creates a claim for a crown, and returns its ID.
func (p *practice) crown() string {
	p.t.Helper()
	return p.post("/claims", map[string]any{
		"office_id": p.office, "payer_id": "CHTEST",
		"subscriber": map[string]any{
			"first_name": "Sam", "last_name": "Example", "date_of_birth": "1984-02-29", "member_id": "SANDBOX-PAID-ERA", "gender": "male",
			"address": map[string]any{"line1": "2 Oak St", "city": "Albany", "state": "NY", "zip": "12207"},
		},
		"lines": []any{map[string]any{"procedure_code": "D2740", "service_date": "2026-01-09", "fee": "1250.00", "tooth": "14"}},
	})["id"].(string)
}

// document returns the stored image of a document of an attachment.
func (p *practice) document(attachment, fileName string) image.Image {
	p.t.Helper()
	for _, d := range p.get("/attachments/" + attachment)["documents"].([]any) {
		if d := d.(map[string]any); d["file_name"] == fileName {
			_, content := p.s.send(p.t, http.MethodGet, "/attachments/"+attachment+"/documents/"+d["id"].(string)+"/content",
				map[string]string{"Authorization": "Bearer " + p.key}, nil)
			picture, err := jpeg.Decode(bytes.NewReader(content))
			if err != nil {
				p.t.Fatal(err)
			}
			return picture
		}
	}
	p.t.Fatalf("the attachment has no document %q", fileName)
	return nil
}

func TestAttachXRays(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.crown()
	page := practice.signsIn("biller")
	page.open("/test/claims/" + claim)
	page.click("Add images")
	page.sees("Sam Example", "D2740 tooth 14")
	page.fill("Narrative", "Tooth 14 is fractured below the gum line.")
	page.sees("41 of 2,000 characters")
	page.screen("attachment-new")
	page.click("Continue to the images")
	page.sees("Add at least one image first.")
	attachment := strings.TrimPrefix(page.address(), "/test/attachments/")

	page.upload("Choose images", film(t, "crown.png", 640, 480), film(t, "lying.jpg", 400, 600))
	page.sees("crown.png", "lying.jpg", "Upload or leave out the 2 chosen images first.")
	page.click("Upload 2 images")
	page.sees("Choose what the image shows.")
	page.row("crown.png").choose("What it shows", "Bitewings")
	page.row("crown.png").fill("Taken on", "2026-01-09")
	page.row("lying.jpg").choose("What it shows", "Periapical")
	page.row("lying.jpg").fill("Taken on", "2026-01-09")
	page.row("lying.jpg").choose("Left edge shows", "Patient's left")
	page.click("Turn image 2 right")
	page.sees("A turned JPEG is compressed once more")
	page.screen("attachment-chosen")
	page.click("Upload 2 images")
	page.sees("Ready to send.")
	page.row("crown.png").sees("Bitewings", "Jan 9, 2026", "Patient's right on the left")
	page.row("lying.jpg").sees("Periapical", "Patient's left on the left")
	turned := practice.document(attachment, "lying.jpg")
	if b := turned.Bounds(); b.Dx() != 600 || b.Dy() != 400 {
		t.Errorf("the turned image is %v, want 600 by 400", b)
	}
	if brightness(turned, 450, 200) < brightness(turned, 90, 200)+50 { // the crown is at the right, the apex at the left
		t.Error("the image was turned left, want right")
	}
	page.screen("attachment-open")

	page.click("View Bitewings, crown.png")
	page.within("dialog", "Bitewings").sees("100%", "1 of 2")
	page.focuses("Image. Plus and minus change its size, arrow keys move it.")
	page.press("=")
	page.sees("150%")
	page.click("Larger")
	page.sees("200%")
	page.screen("attachment-viewer")
	page.press("PageDown")
	page.within("dialog", "Periapical").sees("100%", "2 of 2")
	page.press("Escape")

	page.click("Send to the payer")
	page.within("dialog", "Send to the payer?").click("Send and close")
	page.seesA("heading", "In the claim file")
	page.sees("Closed", "Note (NTE)", "Tooth 14 is fractured below the gum line.")
	page.seesNo("Choose images")
	page.screen("attachment-closed")
	number := practice.get("/attachments/" + attachment)["attachment_number"].(string)
	page.click("Open the claim")
	page.sees("2 documents", "Number "+number)
	page.click("Attachments")
	page.row(number).sees("Bitewings, Periapical", "Closed", "A claim")
	page.screen("attachments")
}

// brightness returns how bright an image is at a point.
func brightness(picture image.Image, x, y int) uint32 {
	r, _, _, _ := picture.At(x, y).RGBA()
	return r >> 8
}

func TestImagesThatCannotBeSent(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	const narrative = "<script>alert(1)</script> \u05e9\u05dc\u05d5\u05dd <b>bold</b>"
	attachment := practice.post("/attachments", map[string]any{"claim_id": practice.crown(), "narrative": narrative})["id"].(string)
	page := practice.signsIn("biller")
	page.open("/test/attachments")
	page.sees(narrative)
	page.open("/test/attachments/" + attachment)
	page.has("Narrative", narrative)
	broken := append([]byte{0xff, 0xd8, 0xff, 0xe0}, bytes.Repeat([]byte("not a picture "), 50)...)
	hostile := `"><img src=x onerror=alert(1)>.png`
	page.upload("Choose images",
		stored(t, "letter.pdf", []byte("%PDF-1.7\n")),
		stored(t, "words.png", []byte("These are words.")),
		stored(t, "heavy.jpg", append([]byte{0xff, 0xd8, 0xff, 0xe0}, make([]byte, 16<<20)...)),
		stored(t, "broken.jpg", broken),
		film(t, hostile, 320, 200))
	page.row("letter.pdf").sees("Payers do not accept a PDF here. Save its pages as JPEG or PNG images and choose those.")
	page.row("words.png").sees("This file is not a JPEG or PNG image.")
	page.row("heavy.jpg").sees("This file has 16.0 MB, and at most 15 MB can be sent.")
	for _, name := range []string{"broken.jpg", `onerror=alert(1)>`} {
		page.row(name).choose("What it shows", "Periodontal chart")
	}
	page.refused(http.StatusUnprocessableEntity, "POST /api/v1/attachments/"+attachment+"/documents")
	page.click("Upload 2 images")
	page.row("broken.jpg").sees("Request req_")
	page.seesA("button", "View Periodontal chart, %22><img src=x onerror=alert(1)>.png") // as browsers write it in a form
	page.screen("attachment-faults")
	for _, name := range []string{"letter.pdf", "words.png", "heavy.jpg", "broken.jpg"} {
		page.click("Leave out " + name)
	}
	page.sees("Ready to send.")
}

func TestAnswerAPayerRequest(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	day := func(days int) string { return time.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	claim := practice.crown()
	for reference, due := range map[string]any{"REF-SOON": day(4), "REF-NONE": nil} {
		practice.post("/payer_requests", map[string]any{"payer_id": "CHTEST", "reference_number": reference, "requested": "Please send proof of student status.", "due_date": due})
	}
	practice.post("/payer_requests", map[string]any{
		"claim_id": claim, "reference_number": "REF-LATE", "requested": "Please send the full-mouth series.\n<script>alert(1)</script>", "due_date": day(-3),
	})
	page := practice.signsIn("biller")
	page.click("Payer requests")
	page.row("REF-LATE").sees("overdue")
	page.sees("REF-SOON", "No date")
	page.screen("payer-requests")
	page.row("REF-LATE").clickA("link", "Molar Test Payer")
	page.sees("Please send the full-mouth series. <script>alert(1)</script>", "Sam Example", "Add an image or write a narrative.")
	page.upload("Choose images", film(t, "series.jpg", 800, 400))
	page.row("series.jpg").choose("What it shows", "Full-mouth series")
	page.row("series.jpg").fill("Taken on", "2026-01-09")
	page.click("Upload 1 image")
	page.seesA("button", "View Full-mouth series, series.jpg")
	page.fill("Narrative", "The series that you asked for.")
	page.screen("payer-request-open")
	page.click("Send to the payer")
	page.within("dialog", "Send the answer?").click("Send the answer")
	page.seesA("heading", "Your answer")
	page.sees("Answered", "The series that you asked for.")
	page.screen("payer-request-answered")
	page.within("navigation", "Screens").click("Payer requests")
	page.sees("REF-SOON")
	page.seesNo("REF-LATE")
	page.click("Answered")
	page.row("REF-LATE").clickA("link", "Molar Test Payer")
	page.click("Developer")
	page.sees("Payer request received")
	page.click("POST /payer_requests")
	page.click("payer request " + practice.get("/payer_requests?state=answered")["data"].([]any)[0].(map[string]any)["id"].(string))
	page.seesA("heading", "Request from Molar Test Payer")
}
