package httpapi

import (
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func TestUploadContentType(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{TempDir: t.TempDir()})
	body := formOf(textOf("document_type", "RB"), fileOf("image"))
	for contentType, good := range map[string]bool{
		"multipart/form-data; boundary=a-boundary":                  true,
		`Multipart/Form-Data; charset=utf-8; Boundary="a-boundary"`: true,
		"":                                     false,
		"multipart/form-data":                  false,
		`multipart/form-data; boundary=""`:     false,
		"multipart/mixed; boundary=a-boundary": false,
		"application/json":                     false,
		"application/x-www-form-urlencoded":    false,
		"multipart/form-data; boundary=a-boundary; boundary=b":               false,
		"multipart/form-data; boundary=" + strings.Repeat("b", 71):           false,
		"multipart/form-data; boundary=a-boundary\r\nContent-Type: text/css": false,
	} {
		w := dial(t, p.addr)
		w.Send("%s\r\n%s", strings.Replace(uploadHead("/upload", goodSecret, "Content-Length: "+strconv.Itoa(len(body))),
			"multipart/form-data; boundary="+boundary, contentType, 1), body)
		a := w.reply()
		if good {
			a.upload(t)
			continue
		}
		wantStatus(t, a, 422, billing.CodeInvalidRequest)
		code := "format"
		if contentType == "" {
			code = "required"
		}
		if want := `[{"field":"Content-Type","code":"` + code + `","message":"Send the body as multipart/form-data, with its boundary."},{"field":"body",`; !strings.Contains(a.body, want) || a.Close {
			t.Errorf("%s: close %v, answer %s", contentType, a.Close, a.body)
		}
	}
	p.wantNoUploads()
}

// The fingerprint is of what the form says, and of nothing else.
func TestFingerprintOfForms(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{TempDir: t.TempDir()})
	w := dial(t, p.addr)
	ask := func(target, boundary, body string) string {
		w.Send("%s\r\n%s", strings.Replace(uploadHead(target, goodSecret, "Content-Length: "+strconv.Itoa(len(body))), "a-boundary", boundary, 1), body)
		return w.reply().upload(t).Fingerprint
	}
	kind, file, date := textOf("document_type", "RB"), fileOf("image"), textOf("image_date", "2026-01-02")
	first := ask("/upload", boundary, formOf(kind, file, date))
	for name, body := range map[string]string{
		"order":    formOf(date, file, kind),
		"preamble": "x\r\n" + formOf(kind, file, date) + "y",
		"headers":  formOf(kind, strings.Replace(file, "image/jpeg", "image/png", 1), date),
	} {
		if ask("/upload", boundary, body) != first {
			t.Errorf("%s: another fingerprint", name)
		}
	}
	if ask("/upload", "b", strings.ReplaceAll(formOf(kind, file, date), boundary, "b")) != first {
		t.Error("boundary: another fingerprint")
	}
	seen := map[string]string{first: "the first"}
	for name, body := range map[string]string{
		"another type":  formOf(textOf("document_type", "RC"), file, date),
		"no date":       formOf(kind, file),
		"empty date":    formOf(kind, file, textOf("image_date", "")),
		"another image": formOf(kind, fileOf("imagE"), date),
		"another name":  formOf(kind, strings.Replace(file, "x-ray.jpg", "y-ray.jpg", 1), date),
		"another path":  formOf(kind, strings.Replace(file, "x-ray.jpg", "/x-ray.jpg", 1), date),
		"swapped":       formOf(textOf("document_type", "2026-01-02"), file, textOf("image_date", "RB")),
	} {
		got := ask("/upload", boundary, body)
		if seen[got] != "" {
			t.Errorf("%s has the fingerprint of %s", name, seen[got])
		}
		seen[got] = name
	}
}
