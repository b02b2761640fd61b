package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// claim keeps a claim of the test office; change may change it.
func (s *service) claim(t *testing.T, change func(*claim.Claim)) *claim.Claim {
	t.Helper()
	now := time.Now()
	id := billing.NewID[billing.ClaimID](billing.RealAt(now))
	c := &claim.Claim{
		ID: id, Scope: s.test, Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal,
		PatientControlNumber: id.String()[10:], CreatedAt: now,
		Content: claim.Content{
			OfficeID: s.office, Payer: payerOf(t, "CHTEST"), PlaceOfService: "11",
			Subscriber: claim.Subscriber{
				FirstName: "Sam", LastName: "Example", DateOfBirth: billing.Date{Year: 1984, Month: 2, Day: 29}, MemberID: "SANDBOX-PAID-ERA",
				Gender: claim.GenderUnknown, Address: directory.Address{Line1: "2 Oak St", City: "Albany", State: "NY", ZIP: "12207"},
			},
			Lines: []claim.Line{{ProcedureCode: "D2740", ServiceDate: billing.Date{Year: 2026, Month: 1, Day: 2}, Fee: 125000, Quantity: 1, Tooth: "14"}},
		},
		Progress: claim.Progress{State: claim.Validated, UpdatedAt: now},
	}
	if change != nil {
		change(c)
	}
	porttest.In(t, s.store, c.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, c) })
	return c
}

// newKey makes a key of the test organization and mode, with its own places
// for uploads.
func (s *service) newKey(t *testing.T) string {
	t.Helper()
	return s.issue(t, s.test, "read", "submit")
}

// own is the body of an attachment on its own; change may change it.
func (s *service) own(change func(o anObject)) string {
	o := anObject{
		"office_id": s.office.String(), "payer_id": "CHTEST", "narrative": "The chart of the last visit.",
		"patient":       anObject{"first_name": "Kim", "last_name": "Example", "date_of_birth": "2015-06-01"},
		"subscriber":    anObject{"first_name": "Sam", "last_name": "Example", "member_id": "SANDBOX-1", "relationship": "child"},
		"service_dates": anObject{"from": "2026-01-02", "to": "2026-01-09"},
	}
	return jsonOf(o, change)
}

// letter is the body of a payer request about no claim.
func letter(change func(o anObject)) string {
	return jsonOf(anObject{"payer_id": "CHTEST", "reference_number": "REF-1", "requested": "The full-mouth series, please."}, change)
}

func jsonOf(o anObject, change func(o anObject)) string {
	if change != nil {
		change(o)
	}
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// with sets fields of a body.
func with(fields ...any) func(o anObject) {
	return func(o anObject) {
		for i := 0; i < len(fields); i += 2 {
			if name := fields[i].(string); fields[i+1] == nil {
				delete(o, name)
			} else {
				o[name] = fields[i+1]
			}
		}
	}
}

// must sends a request that succeeds with the status.
func (s *service) must(t *testing.T, status int, c call) response {
	t.Helper()
	a := s.do(t, c)
	if a.StatusCode != status {
		t.Fatalf("%s %s: status %d, want %d: %s", a.Request.Method, c.path, a.StatusCode, status, a.body)
	}
	return a
}

// attachment makes one on its own with the narrative, and gives its path.
func (s *service) attachment(t *testing.T, narrative string) string {
	t.Helper()
	a := s.must(t, 201, call{path: "/attachments", body: s.own(with("narrative", narrative))})
	return "/attachments/" + a.text(t, "id")
}

// payerRequest records one about no claim, and gives its path and its ID.
func (s *service) payerRequest(t *testing.T, change func(o anObject)) (path, id string) {
	t.Helper()
	id = s.must(t, 201, call{path: "/payer_requests", body: letter(change)}).text(t, "id")
	return "/payer_requests/" + id, id
}

// film and chart are the parts of an upload.
func film(file []byte) []string {
	return []string{textOf("document_type", "13"), textOf("image_date", "2026-01-02"), textOf("orientation", "left"), fileOf(string(file))}
}

func chart(file []byte) []string { return []string{textOf("document_type", "7"), fileOf(string(file))} }

// upload is the call that uploads the parts to the attachment of the path.
func upload(attachment string, parts []string) call {
	return call{
		method: http.MethodPost, path: attachment + "/documents", body: formOf(parts...),
		header: map[string]string{"Content-Type": "multipart/form-data; boundary=" + boundary},
	}
}

// patch and remove are calls that change an attachment.
func patch(attachment, narrative string) call {
	return call{method: http.MethodPatch, path: attachment, body: jsonOf(anObject{"narrative": narrative}, nil)}
}

func remove(attachment, document string) call {
	return call{method: http.MethodDelete, path: attachment + "/documents/" + document}
}

// documents lists the documents of the attachment that an answer holds.
func (a response) documents(t *testing.T, path ...string) (out []anObject) {
	t.Helper()
	list, ok := a.get(t, append(path, "documents")...).([]any)
	if !ok {
		t.Fatalf("no documents in %s", a.body)
	}
	for _, d := range list {
		out = append(out, d.(anObject))
	}
	return out
}

// jpegOf is a small JPEG, another for each n.
func jpegOf(n int) []byte { return encodedJPEG(flatImage(8, n), 90) }

// pngOf is a small PNG, half of it transparent, another for each n.
func pngOf(n int) []byte {
	img := flatImage(16, n)
	for x := range 16 {
		for y := range 8 {
			img.Set(x, y, color.Transparent)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func flatImage(side, n int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for x := range side {
		for y := range side { // the last rows spell n, coarse enough for a JPEG
			shade := uint8(40)
			if y >= side/2 && n>>(x*8/side)&1 == 1 {
				shade = 220
			}
			img.Set(x, y, color.NRGBA{shade, shade, shade, 255})
		}
	}
	return img
}

// noiseJPEG is a gray JPEG that compresses badly, of about a byte and a half a
// pixel.
func noiseJPEG(side int, seed uint64) []byte {
	img := image.NewGray(image.Rect(0, 0, side, side))
	random := rand.New(rand.NewPCG(seed, 7))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32())
	}
	return encodedJPEG(img, 100)
}

func encodedJPEG(img image.Image, quality int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// wantFields checks a refusal and its faults, each "field code".
func wantFields(t *testing.T, a response, fields string) {
	t.Helper()
	if got := strings.Join(a.fields(t), ","); a.StatusCode != 422 || a.code() != "INVALID_REQUEST" || got != fields {
		t.Errorf("status %d %s, want 422 %s: %s", a.StatusCode, got, fields, a.body)
	}
}

// refused is a body that is not taken, and its faults in any order.
type refused struct {
	body   string
	status int
	faults string
}

// refuses sends the bodies. What the rules of a request refuse has its tests
// beside them, in core/intake and core/billing; here are types, and what is
// looked up.
func (s *service) refuses(t *testing.T, path string, bodies map[string]refused) {
	t.Helper()
	for name, c := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.do(t, call{path: path, body: c.body, bad: true})
			got, want := a.fields(t), strings.Split(c.faults, ",")
			slices.Sort(got)
			slices.Sort(want)
			if a.StatusCode != c.status || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("status %d %s, want %d %s: %s", a.StatusCode, got, c.status, want, a.body)
			}
		})
	}
}

// wantReplay checks that second repeats first, but for a secret that it showed.
func wantReplay(t *testing.T, first, second response) {
	t.Helper()
	if second.StatusCode != first.StatusCode || second.body != first.hidden() || second.Header.Get("Idempotent-Replayed") != "true" ||
		second.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") || first.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("replay %d %v %s of %d %v %s", second.StatusCode, second.Header, second.body, first.StatusCode, first.Header, first.body)
	}
}
