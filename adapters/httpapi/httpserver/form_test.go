package httpserver

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/molar-billing/molar/core/billing"
)

const boundary = "a-boundary"

// textOf and fileOf are parts of a form.
func textOf(name, value string) string {
	return "Content-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value
}

func fileOf(content string) string {
	return "Content-Disposition: form-data; name=\"file\"; filename=\"x-ray.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n" + content
}

func formOf(parts ...string) string {
	body := ""
	for _, p := range parts {
		body += "--" + boundary + "\r\n" + p + "\r\n"
	}
	return body + "--" + boundary + "--\r\n"
}

// readTestForm reads a form as the server does.
func readTestForm(t *testing.T, body io.Reader, boundary string) *Form {
	t.Helper()
	f := &Form{into: &billing.Faults{}}
	err := f.read(body, boundary, func() (File, error) {
		file, err := os.CreateTemp(t.TempDir(), "")
		t.Cleanup(func() { _ = file.Close() })
		return file, err
	})
	if err != nil {
		t.Fatal(err)
	}
	*f.into = append(*f.into, f.faults...)
	return f
}

// named is a field as replies name it.
func named(field string) string { return cmp.Or(field, "body") }

// summary is what an operation reads of a form, and its faults, in one text.
func (f *Form) summary(t *testing.T) string {
	t.Helper()
	said := fmt.Sprintf("type=%q", f.Text("document_type"))
	if date := f.OptionalText("image_date"); date != nil {
		said += fmt.Sprintf(" date=%q", *date)
	}
	if file := f.File(); file != nil {
		b, err := io.ReadAll(file.Content)
		if err != nil || int64(len(b)) != file.Size {
			t.Errorf("%d bytes of %d, %v", len(b), file.Size, err)
		}
		said += fmt.Sprintf(" file=%q %q", file.Name, b)
	}
	f.End()
	for _, fault := range *f.into {
		said += " " + named(fault.Field) + ":" + string(fault.Code)
	}
	return said
}

func TestForm(t *testing.T) {
	t.Parallel()
	good := textOf("document_type", "RB")
	file := fileOf("image")
	const said = `type="RB" file="x-ray.jpg" "image"`
	header := func(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n\r\n" }
	disposition := func(params string) string { return header("Content-Disposition: form-data; " + params) }
	lf := strings.ReplaceAll(formOf(good, file), "\r\n", "\n")
	for name, c := range map[string]struct{ body, want string }{
		"plain":                         {formOf(good, file), said},
		"in another order":              {formOf(file, good), said},
		"with a date":                   {formOf(textOf("image_date", "2026-01-02"), file, good), `type="RB" date="2026-01-02" file="x-ray.jpg" "image"`},
		"an empty date":                 {formOf(textOf("image_date", ""), file, good), said},
		"preamble":                      {"This is a form.\r\n\r\n" + formOf(good, file), said},
		"epilogue":                      {formOf(good, file) + "And more.\r\n--" + boundary + "\r\n" + textOf("document_type", "other") + "\r\n", said},
		"no line end at the end":        {strings.TrimSuffix(formOf(good, file), "\r\n"), said},
		"LF alone":                      {lf, said},
		"spaces after a boundary":       {strings.ReplaceAll(formOf(good, file), "--"+boundary+"\r\n", "--"+boundary+" \t\r\n"), said},
		"lower case header":             {formOf(good, strings.Replace(file, "Content-Disposition", "content-disposition", 1)), said},
		"an empty file":                 {formOf(good, fileOf("")), `type="RB" file="x-ray.jpg" ""`},
		"a file of boundaries":          {formOf(good, fileOf("\r\n--a-boundar\r\n--a-boundaryx\r\n---a-boundary")), `type="RB" file="x-ray.jpg" "\r\n--a-boundar\r\n--a-boundaryx\r\n---a-boundary"`},
		"a form in the form":            {formOf(good, fileOf("--inner\r\n\r\nx\r\n--inner--\r\n")), `type="RB" file="x-ray.jpg" "--inner\r\n\r\nx\r\n--inner--\r\n"`},
		"a boundary that goes on":       {formOf(good, fileOf("--"+boundary+"-inner\r\n\r\nx")), `type="RB" file="x-ray.jpg" "--a-boundary-inner\r\n\r\nx"`},
		"text that ends in white space": {formOf(textOf("document_type", " RB\r\n\r\n"), file), `type=" RB\r\n\r\n" file="x-ray.jpg" "image"`},
		"binary":                        {formOf(good, strings.Replace(file, "Content-Type", "Content-Transfer-Encoding: Binary\r\nContent-Type", 1)), said},

		"nothing":                   {"", `type="" body:format`},
		"no parts":                  {formOf(), `type="" file:required`},
		"no file":                   {formOf(good), `type="RB" file:required`},
		"file as text":              {formOf(good, textOf("file", "image")), `type="RB" file="file" "image"`},
		"text as a file":            {formOf(disposition(`name="document_type"; filename="blob"`)+"RB", file), `type="" file="x-ray.jpg" "image" document_type:type`},
		"text twice":                {formOf(good, good, file), said + ` document_type:conflict`},
		"file twice":                {formOf(file, good, fileOf("another")), said + ` file:conflict`},
		"unknown part":              {formOf(good, file, textOf("patient", "x")), said + ` patient:unknown`},
		"unknown file":              {formOf(good, file, strings.Replace(file, `"file"`, `"file2"`, 1)), said + ` file2:unknown`},
		"not UTF-8":                 {formOf(textOf("document_type", "R\xff"), file), `type="" file="x-ray.jpg" "image" document_type:format`},
		"U+0000":                    {formOf(textOf("document_type", "R\x00"), file), `type="" file="x-ray.jpg" "image" document_type:format`},
		"base64":                    {formOf(header("Content-Disposition: form-data; name=document_type", "Content-Transfer-Encoding: base64")+"UkI=", file), `type="UkI=" file="x-ray.jpg" "image" document_type:not_allowed`},
		"quoted-printable":          {formOf(good, strings.Replace(file, "Content-Type", "Content-Transfer-Encoding: quoted-printable\r\nContent-Type", 1)), said + ` file:not_allowed`},
		"name with a long tail":     {formOf(good, file, textOf(strings.Repeat("n", 300), "")), said + " " + strings.Repeat("n", 300) + ":unknown"},
		"a part without a header":   {formOf(good, "\r\nx", file), `type="RB" body:format`},
		"no disposition":            {formOf(good, header("Content-Type: text/plain")+"x", file), `type="RB" body:format`},
		"two dispositions":          {formOf(good, header("Content-Disposition: form-data; name=a", "Content-Disposition: form-data; name=b")+"x"), `type="RB" body:format`},
		"another disposition":       {formOf(good, header("Content-Disposition: attachment; name=a")+"x"), `type="RB" body:format`},
		"no name":                   {formOf(good, disposition(`filename="x"`)+"x"), `type="RB" body:format`},
		"an empty name":             {formOf(good, disposition(`name=""; filename="x"`)+"x"), `type="RB" body:format`},
		"two names":                 {formOf(good, disposition(`name="file"; name="document_type"`)+"x"), `type="RB" body:format`},
		"a name without its end":    {formOf(good, disposition(`name="file`)+"x"), `type="RB" body:format`},
		"a line that is no header":  {formOf(good, header("Content-Disposition form-data")+"x"), `type="RB" body:format`},
		"a header that is folded":   {formOf(good, header("Content-Disposition: form-data;", " name=image_date")+"x", file), `type="RB" date="x" file="x-ray.jpg" "image"`},
		"first header line folded":  {formOf(good, header(" Content-Disposition: form-data; name=file")+"x"), `type="RB" body:format`},
		"NUL in a header":           {formOf(good, disposition("name=\"file\"; filename=\"a\x00b\"")+"x"), `type="RB" body:format`},
		"no last boundary":          {strings.TrimSuffix(formOf(good, file), "--\r\n") + "\r\n", `type="RB" file="x-ray.jpg" "image" body:format`},
		"another boundary":          {strings.ReplaceAll(formOf(good, file), boundary, "other"), `type="" body:format`},
		"only the last boundary":    {"--" + boundary + "--", `type="" file:required`},
		"a long line before":        {strings.Repeat("x", 5_000) + "\r\n" + formOf(good, file), `type="" body:format`},
		"20 parts":                  {formOf(append([]string{good, file}, many(18)...)...), said + unknown(18)},
		"21 parts":                  {formOf(append([]string{good, file}, many(19)...)...), said + ` body:too_many`},
		"10,000 parts":              {formOf(append([]string{good, file}, many(9_998)...)...), said + ` body:too_many`},
		"64 KiB of text":            {formOf(good, file, textOf("image_date", strings.Repeat("x", 65_000))), `type="RB" date="` + strings.Repeat("x", 65_000) + `" file="x-ray.jpg" "image"`},
		"too much text":             {formOf(good, textOf("image_date", strings.Repeat("x", 80_000)), file), `type="RB" body:too_long`},
		"too large a header":        {formOf(good, header("X: "+strings.Repeat("x", 80_000), "Content-Disposition: form-data; name=a")+"x", file), `type="RB" body:too_long`},
		"too many headers":          {formOf(good, strings.Repeat("A:\r\n", 20_000)+"\r\n", file), `type="RB" body:too_long`},
		"16 headers":                {formOf(good, strings.Repeat("A:\r\n", 14)+file), said},
		"17 headers":                {formOf(good, strings.Repeat("A:\r\n", 15)+file), `type="RB" body:too_long`},
		"a header of 8 KiB":         {formOf(good, "A: "+strings.Repeat("x", 8_050)+"\r\n"+file), said},
		"a header beyond 8 KiB":     {formOf(good, "A: "+strings.Repeat("x", 8_192)+"\r\n"+file), `type="RB" body:too_long`},
		"too long a preamble":       {strings.Repeat("x\r\n", 30_000) + formOf(good, file), `type="" body:too_long`},
		"too much after the file":   {formOf(good, fileOf(strings.Repeat("x", 5)), textOf("a", strings.Repeat("x", 80_000))), `type="RB" file="x-ray.jpg" "xxxxx" body:too_long`},
		"too large a file of names": {formOf(good, fileOf("image"), strings.Replace(fileOf(strings.Repeat("x", 80_000)), `"file"`, `"file2"`, 1)), said + ` body:too_long`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, body := range map[string]io.Reader{
				"at once":        strings.NewReader(c.body),
				"byte by byte":   iotest.OneByteReader(strings.NewReader(c.body)),
				"end with bytes": iotest.DataErrReader(strings.NewReader(c.body)),
			} {
				if got := readTestForm(t, body, boundary).summary(t); got != c.want {
					t.Errorf("%s: read %.300s, want %.300s", how, got, c.want)
				}
			}
		})
	}
}

func many(n int) (parts []string) {
	for i := range n {
		parts = append(parts, textOf("p"+strconv.Itoa(i), ""))
	}
	return parts
}

func unknown(n int) (faults string) {
	for i := range n {
		faults += " p" + strconv.Itoa(i) + ":unknown"
	}
	return faults
}

// A form that is cut short anywhere is none: not one byte of a file may be
// missing unnoticed.
func TestFormCutShort(t *testing.T) {
	t.Parallel()
	whole := formOf(textOf("document_type", "RB"), fileOf("image"), textOf("image_date", "2026-01-02"))
	complete := len(whole) - len("\r\n")
	for n := range complete {
		if f := readTestForm(t, strings.NewReader(whole[:n]), boundary); !f.broken {
			t.Errorf("%d bytes of %d were taken for a form", n, len(whole))
		}
	}
	for _, n := range []int{complete, len(whole)} {
		if f := readTestForm(t, strings.NewReader(whole[:n]), boundary); f.broken {
			t.Errorf("%d bytes of %d: %v", n, len(whole), f.faults)
		}
	}
}

// An error of the body, and of the temporary file, is not the form's.
func TestFormThatDoesNotArrive(t *testing.T) {
	t.Parallel()
	whole := formOf(textOf("document_type", "RB"), fileOf(strings.Repeat("x", 100_000)), textOf("image_date", "2026-01-02"))
	cut := Malformed()
	for _, n := range []int{0, 1, 10, 50, 100, 150, 200, 5_000, 50_000, 100_150, len(whole) - 3} {
		body := io.MultiReader(strings.NewReader(whole[:n]), iotest.ErrReader(cut))
		err := (&Form{}).read(body, boundary, func() (File, error) { return os.CreateTemp(t.TempDir(), "") })
		if !errors.Is(err, cut) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = full.Close() }()
	for _, temp := range []func() (File, error){
		func() (File, error) { return full, nil },
		func() (File, error) { return nil, io.ErrNoProgress },
	} {
		f := &Form{}
		if err := f.read(strings.NewReader(whole), boundary, temp); err == nil || f.broken {
			t.Errorf("no disk: %v, broken %v", err, f.broken)
		}
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 300)
	for param, want := range map[string]string{
		`filename="a.jpg"`:                      "a.jpg",
		`filename=a.jpg`:                        "a.jpg",
		`filename=""`:                           "file",
		`filename="   "`:                        "file",
		`filename="dir/"`:                       "file",
		`filename="../../etc/passwd"`:           "passwd",
		`filename="/a.jpg"`:                     "a.jpg",
		`filename="C:\Users\jane\x ray.jpg"`:    "x ray.jpg",
		`filename="C:\\Users\\jane\\x-ray.jpg"`: "x-ray.jpg",
		`filename="a/b\c.jpg"`:                  "c.jpg",
		`filename="a\b/c.jpg"`:                  "c.jpg",
		`filename="say \"ah\".jpg"`:             `say "ah".jpg`,
		`filename="a;b=c.jpg"`:                  "a;b=c.jpg",
		`filename="a%22b.jpg"`:                  "a%22b.jpg",
		"filename=\"a\tb.jpg\"":                 "ab.jpg",
		"filename=\"\x01a\a\x1bb\x7f.jpg\"":     "ab.jpg",
		"filename=\"a\x00b.jpg\"":               `<nil> body:format`,
		"filename=\"a\u0085b\u009f.jpg\"":       "ab.jpg",
		"filename=\"\u202egpj.exe\"":            "gpj.exe",
		"filename=\"\u2066a\u2069\u200f.jpg\"":  "a.jpg",
		"filename=\"👩\u200d👧.jpg\"":             "👩\u200d👧.jpg",
		"filename=\"é𝒳.jpg\"":                   "é𝒳.jpg",
		"filename=\"\xe9.jpg\"":                 "\ufffd.jpg",
		`filename="` + long + `"`:               long[:2*255],
		`filename*=UTF-8''%e2%82%ac%20a.jpg`:    "€ a.jpg",
		`filename*=utf-8'en'a%2Fb%5Cc.jpg`:      "c.jpg",
		`filename*=UTF-8''a%00%0d%0Ab.jpg`:      "ab.jpg",
		`filename="a"; filename*=UTF-8''b.jpg`:  "b.jpg",
		`filename*0="a"; filename*1="b.jpg"`:    "ab.jpg",
		`filename*=UTF-8''%ff.jpg`:              "\ufffd.jpg",
		`filename*=ISO-8859-1''%e9.jpg`:         `file`, // an encoding that is out of use
		`x="y"`:                                 `file`,
		`filename="a"; filename="b"`:            `<nil> body:format`,
		`filename=é.jpg`:                        `<nil> body:format`,
	} {
		f := readTestForm(t, strings.NewReader(formOf("Content-Disposition: form-data; name=\"file\"; "+param+"\r\n\r\nimage")), boundary)
		got := "<nil>"
		if file := f.File(); file != nil {
			got = file.Name
		}
		for _, fault := range *f.into {
			got += " " + named(fault.Field) + ":" + string(fault.Code)
		}
		if got != want {
			t.Errorf("%s: read %q, want %q", param, got, want)
		}
	}
}

// rewritten is a form that says the same in another order, with another
// boundary, and with each name spelled in another way.
func (f *Form) rewritten(t *testing.T) (body []byte, boundary string) {
	t.Helper()
	encode := func(s string) (out string) {
		for _, b := range []byte(s) {
			out += fmt.Sprintf("%%%02x", b)
		}
		return out
	}
	contents := make([][]byte, len(f.parts))
	for i, p := range f.parts {
		contents[i] = p.text
		if p.content != nil {
			b, err := io.ReadAll(io.NewSectionReader(p.content, 0, p.size))
			if err != nil {
				t.Fatal(err)
			}
			contents[i] = b
		}
	}
	for n := 0; bytes.Contains(bytes.Join(contents, nil), []byte(boundary)) || boundary == ""; n++ {
		boundary = fmt.Sprintf("another-%d", n)
	}
	for i := len(f.parts) - 1; i >= 0; i-- {
		p := f.parts[i]
		body = fmt.Appendf(body, "--%s\r\nContent-Disposition: form-data; name*=utf-8''%s", boundary, encode(p.name))
		if p.isFile {
			body = append(body, `; filename=""`...)
			if p.fileName != "" {
				body = fmt.Appendf(body, "; filename*=utf-8''%s", encode(p.fileName))
			}
		}
		body = fmt.Appendf(body, "\r\n\r\n%s\r\n", contents[i])
	}
	return fmt.Appendf(body, "--%s--\r\n", boundary), boundary
}

func FuzzUploadForm(f *testing.F) {
	f.Add([]byte(formOf(textOf("document_type", "RB"), fileOf("image"), textOf("image_date", "2026-01-02"))), boundary)
	f.Add([]byte(strings.ReplaceAll(formOf(fileOf("a\r\n\r\nb"), textOf("file", "x")), "\r\n", "\n")), boundary)
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name*=utf-8''%00; filename*0=\"a\"; filename*1*=%ff\r\n\r\n\r\n--b--"), "b")
	f.Add([]byte("preamble\r\n--b \t\r\nContent-Disposition: form-data; name=file\r\n\r\n--b-\r\n--b--x\r\n--b--"), "b")
	for _, c := range corpusForms(f) {
		f.Add(c.body, c.boundary)
	}
	f.Fuzz(func(t *testing.T, body []byte, boundary string) {
		if boundary == "" || len(boundary) > maxBoundary {
			return
		}
		first := readTestForm(t, bytes.NewReader(body), boundary)
		slow := readTestForm(t, iotest.OneByteReader(bytes.NewReader(body)), boundary)
		if first.broken != slow.broken || !bytes.Equal(first.Meaning(), slow.Meaning()) {
			t.Errorf("byte by byte it reads differently")
		}
		first.checkLimits(t)
		if first.summary(t) != slow.summary(t) {
			t.Errorf("byte by byte it says something else")
		}
		if first.broken {
			return
		}
		again, other := first.rewritten(t)
		second := readTestForm(t, bytes.NewReader(again), other)
		if len(again) <= FormLimit && !bytes.Equal(first.Meaning(), second.Meaning()) {
			t.Errorf("%q means something else than %q: %v", again, body, second.faults)
		}
	})
}

func (f *Form) checkLimits(t *testing.T) {
	t.Helper()
	texts := 0
	for _, p := range f.parts {
		texts += len(p.text)
		if p.content != nil {
			continue
		}
		if p.size != int64(len(p.text)) || p.sum != sha256.Sum256(p.text) {
			t.Errorf("%d bytes of %d are there", len(p.text), p.size)
		}
	}
	if len(f.parts) > maxParts || texts > FormLimit+4096 {
		t.Errorf("%d parts with %d bytes", len(f.parts), texts)
	}
}
