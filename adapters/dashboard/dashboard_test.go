package dashboard

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/valyala/fasthttp"
)

// built is a build with one file of each kind that matters.
func built(t *testing.T) *pages {
	t.Helper()
	p, err := newPages(fstest.MapFS{
		"index.html":         {Data: []byte("<!doctype html>" + strings.Repeat("<p>Molar", 100))},
		"icon.svg":           {Data: []byte("<svg/>")},
		"assets/main-1a2.js": {Data: []byte(strings.Repeat("claims();", 100))},
		"assets/sans.woff2":  {Data: []byte("font")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// get requests a path, with pairs of a header and its value.
func (p *pages) get(path string, headers ...string) *fasthttp.Response {
	var c fasthttp.RequestCtx
	c.Request.SetRequestURI(path)
	for i := 0; i < len(headers); i += 2 {
		if c.Request.Header.Set(headers[i], headers[i+1]); headers[i] == "method" {
			c.Request.Header.SetMethod(headers[i+1])
		}
	}
	p.serve(&c)
	return &c.Response
}

func TestPaths(t *testing.T) {
	t.Parallel()
	p := built(t)
	const page, text = "text/html; charset=utf-8", "text/plain; charset=utf-8"
	const always, once = "no-cache", "public, max-age=31536000, immutable"
	for path, want := range map[string]struct {
		status      int
		mime, cache string
	}{
		"/":                               {200, page, always},
		"/sign-in":                        {200, page, always},
		"/test":                           {200, page, always},
		"/live/":                          {200, page, always},
		"/live/claims":                    {200, page, always},
		"/test/claims/clm_1?state=denied": {200, page, always},
		"/icon.svg":                       {200, "image/svg+xml", always},
		"/assets/main-1a2.js":             {200, "text/javascript; charset=utf-8", once},
		"/assets/sans.woff2":              {200, "font/woff2", once},
		"/nonsense":                       {404, page, always},
		"/index.html":                     {404, page, always},
		"/claims":                         {404, page, always},
		"/test/nonsense":                  {404, page, always},
		"/test/claimsclaims":              {404, page, always},
		"/sign-in/claims":                 {404, page, always},
		"/stage/claims":                   {404, page, always},
		"/test/%63laims":                  {404, page, always},
		"/test/claims/../icon.svg":        {200, page, always}, // a path is read as it is
		"/assets/main-0.js":               {404, text, "no-store"},
		"/assets/":                        {404, text, "no-store"},
		"/assets/../dashboard.go":         {404, text, "no-store"},
	} {
		r := p.get(path)
		if r.StatusCode() != want.status || string(r.Header.ContentType()) != want.mime || string(r.Header.Peek("Cache-Control")) != want.cache {
			t.Errorf("%s: %d, %s, %s; want %v", path, r.StatusCode(), r.Header.ContentType(), r.Header.Peek("Cache-Control"), want)
		}
		for name, value := range map[string]string{
			"Content-Security-Policy":      policy,
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := string(r.Header.Peek(name)); got != value {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"} {
		if r := p.get("/", "method", method); r.StatusCode() != http.StatusMethodNotAllowed || string(r.Header.Peek("Allow")) != "GET, HEAD" {
			t.Errorf("%s: %d", method, r.StatusCode())
		}
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	p := built(t)
	for path, want := range map[string]string{"/": "gzip", "/assets/main-1a2.js": "gzip", "/assets/sans.woff2": "", "/icon.svg": "gzip"} {
		plain, zipped := p.get(path), p.get(path, "Accept-Encoding", "gzip, deflate, br, zstd")
		if got := string(zipped.Header.Peek("Content-Encoding")); got != want || len(plain.Header.Peek("Content-Encoding")) > 0 {
			t.Errorf("%s: encoding %q, want %q", path, got, want)
		}
		if string(plain.Header.Peek("Vary")) != "Accept-Encoding" {
			t.Errorf("%s does not vary", path)
		}
		if want == "" {
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader(zipped.Body()))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(r); err != nil || !bytes.Equal(b, plain.Body()) {
			t.Errorf("%s: the compressed file is another: %v", path, err)
		}
	}
	if r := p.get("/", "Accept-Encoding", "gzip;q=0"); len(r.Header.Peek("Content-Encoding")) > 0 {
		t.Error("compressed for a client that reads no gzip")
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	p := built(t)
	tag := string(p.get("/").Header.Peek("ETag"))
	if other := string(p.get("/assets/main-1a2.js").Header.Peek("ETag")); tag == other || tag == "" {
		t.Fatalf("two files have the tag %q", tag)
	}
	for sent, want := range map[string]int{
		tag: 304, "*": 304, strings.TrimPrefix(tag, "W/"): 304, `"other", ` + tag: 304, `W/"other"`: 200, "": 200,
	} {
		r := p.get("/test/claims", "If-None-Match", sent)
		if r.StatusCode() != want || want == 304 && len(r.Body()) > 0 || string(r.Header.Peek("ETag")) != tag {
			t.Errorf("If-None-Match %q: %d with %d bytes, want %d", sent, r.StatusCode(), len(r.Body()), want)
		}
	}
	if r := p.get("/nonsense", "If-None-Match", tag); r.StatusCode() != http.StatusNotFound {
		t.Errorf("an unknown path: %d", r.StatusCode())
	}
}

func TestBuildsThatAreNotServed(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]fstest.MapFS{
		"no page":         {"assets/main-1a2.js": {}},
		"an unknown kind": {"index.html": {}, "assets/main-1a2.js.map": {}},
	} {
		if _, err := newPages(files); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTheBuild holds the committed build to the policy, and to its budget.
func TestTheBuild(t *testing.T) {
	t.Parallel()
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPages(files)
	if err != nil {
		t.Fatal(err)
	}
	page := string(p.app.plain)
	for _, inline := range []string{"<style", " style=", "javascript:", " onload=", "<base"} {
		if strings.Contains(page, inline) {
			t.Errorf("%s has %q, which the policy forbids", index, inline)
		}
	}
	for _, script := range regexp.MustCompile(`<script[^>]*>`).FindAllString(page, -1) {
		if !strings.Contains(script, ` src="/assets/`) {
			t.Errorf("%s is an inline script, which the policy forbids", script)
		}
	}
	initial := 0
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		f := p.files[m[1]]
		if f == nil {
			t.Errorf("%s refers to %s, which the build does not have", index, m[1])
			continue
		}
		if strings.HasSuffix(m[1], ".js") {
			initial += len(f.zipped())
		}
	}
	if t.Logf("the initial JavaScript has %d bytes", initial); initial > 200_000 {
		t.Errorf("the initial JavaScript has %d bytes compressed; load screens lazily, the budget is 200,000", initial)
	}
	name := regexp.MustCompile(`-[\w-]{8}\.\w+$`)
	for path := range p.files {
		if strings.HasPrefix(path, "/"+hashed) && !name.MatchString(path) {
			t.Errorf("%s is cached for a year, and its name has no hash", path)
		}
	}
}

// A reload shows every screen of the router.
func TestScreensOfTheRouter(t *testing.T) {
	t.Parallel()
	router, err := os.ReadFile("web/src/routes.tsx")
	if err != nil {
		t.Fatal(err)
	}
	paths := regexp.MustCompile(`"(/[^"]*)": shown\(`).FindAllSubmatch(router, -1)
	if len(paths) == 0 {
		t.Fatal("no screen was found in the router")
	}
	for _, p := range paths {
		if path := "/test" + strings.TrimSuffix(string(p[1]), "/"); !isScreen(path) {
			t.Errorf("the router has %s, which the service does not serve: add it to screens", path)
		}
	}
}

// All styles are one file, so a class of two screens is a mistake: the styles of parts
// that screens share are in ui.
func TestStylesOfScreens(t *testing.T) {
	t.Parallel()
	classes := func(pattern string) map[string]string {
		files, err := filepath.Glob("web/src/" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		in := map[string]string{}
		for _, file := range files {
			css, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, class := range regexp.MustCompile(`\.([a-zA-Z][\w-]*)[^{}]*{`).FindAllSubmatch(css, -1) {
				in[string(class[1])] = file
			}
		}
		return in
	}
	shared := classes("ui/*.css")
	maps.Copy(shared, classes("*.css"))
	maps.Copy(shared, classes("shell/*.css"))
	folders, err := filepath.Glob("web/src/screens/*/*.css")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, file := range folders {
		for class := range classes(strings.TrimPrefix(file, "web/src/")) {
			if other := seen[class]; other != "" && shared[class] == "" && filepath.Dir(other) != filepath.Dir(file) {
				t.Errorf("%s and %s both have .%s", other, file, class)
			}
			seen[class] = file
		}
	}
}
