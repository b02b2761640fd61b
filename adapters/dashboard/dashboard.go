// Package dashboard serves the pages for people: the built files of web, which
// the binary contains. The pages themselves use only the HTTP API.
//
// web has the sources, and dist has the build, which is committed. Only a change
// of web needs Node.
package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"
)

//go:embed all:dist
var dist embed.FS

// screens returns the screens of each mode: the second segment of a path such
// as /test/claims. The router of web knows what is below them.
func screens() []string {
	return []string{"eligibility", "schedule", "estimates", "claims", "appeals", "attachments", "payer-requests", "remittances", "deposits", "reports", "patients", "developers", "settings"}
}

// isScreen reports whether the application has a screen at the address.
func isScreen(address string) bool {
	mode, rest, _ := strings.Cut(strings.TrimPrefix(address, "/"), "/")
	screen, _, _ := strings.Cut(rest, "/")
	switch mode {
	case "", "sign-in":
		return address == "/"+mode
	case "test", "live":
		return rest == "" || slices.Contains(screens(), screen)
	default:
		return false
	}
}

// New returns the handler of the pages. It is one of fasthttp, like the server
// of the API: the files are in memory, and leave it without a copy.
func New() (fasthttp.RequestHandler, error) {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, err
	}
	p, err := newPages(built)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	return p.serve, nil
}

// pages are the files of a build.
type pages struct {
	app   *file            // index.html, the page of every screen
	files map[string]*file // the others, by path
}

// file is a file with all that a reply needs.
type file struct {
	mime   string
	cache  string
	tag    string
	plain  []byte
	zipped func() []byte // nil for a format that is compressed already
}

const (
	index  = "index.html"
	hashed = "assets/" // the folder of files whose names change with their content
)

func newPages(built fs.FS) (*pages, error) {
	p := &pages{files: map[string]*file{}}
	err := fs.WalkDir(built, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := read(built, name)
		if name == index {
			p.app = f
		} else {
			p.files["/"+name] = f
		}
		return err
	})
	if err == nil && p.app == nil {
		err = errors.New("the build has no " + index)
	}
	return p, err
}

func read(built fs.FS, name string) (*file, error) {
	b, err := fs.ReadFile(built, name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	f := &file{cache: "no-cache", plain: b, tag: `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`}
	if strings.HasPrefix(name, hashed) {
		f.cache = "public, max-age=31536000, immutable"
	}
	var text bool
	if f.mime, text = mime(name); f.mime == "" {
		return nil, fmt.Errorf("%s: files of this kind are not served", name)
	}
	if text {
		f.zipped = sync.OnceValue(func() []byte { return zip(b) }) // a service without a dashboard's users never needs it
	}
	return f, nil
}

// mime returns the type of a file, and whether compression makes it smaller.
func mime(name string) (mime string, text bool) {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8", true
	case ".js":
		return "text/javascript; charset=utf-8", true
	case ".css":
		return "text/css; charset=utf-8", true
	case ".svg":
		return "image/svg+xml", true
	case ".png":
		return "image/png", false
	case ".woff2":
		return "font/woff2", false
	default:
		return "", false
	}
}

func zip(b []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(b)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err) // neither the level nor the memory can fail
	}
	return out.Bytes()
}

// policy lets the pages load and do only what they need: files and data of
// their own origin, and images that they hold in memory.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' blob: data:; " +
	"form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// serve replies to a request for a page or one of its files.
func (p *pages) serve(c *fasthttp.RequestCtx) {
	h := &c.Response.Header
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if !c.IsGet() && !c.IsHead() {
		h.Set("Allow", "GET, HEAD")
		refuse(c, http.StatusMethodNotAllowed, "A page supports only GET and HEAD.")
		return
	}
	name := string(c.URI().PathOriginal())
	switch f := p.files[name]; {
	case f != nil:
		f.send(c, http.StatusOK)
	case strings.HasPrefix(name, "/"+hashed): // a page of an earlier release asks for its files
		refuse(c, http.StatusNotFound, "This file does not exist. Load the page again.")
	case isScreen(name):
		p.app.send(c, http.StatusOK)
	default:
		p.app.send(c, http.StatusNotFound)
	}
}

// refuse replies with a text instead of a page.
func refuse(c *fasthttp.RequestCtx, status int, why string) {
	c.Response.Header.Set("Cache-Control", "no-store")
	c.Response.Header.SetContentType("text/plain; charset=utf-8")
	c.Response.SetStatusCode(status)
	c.Response.SetBodyString(why + "\n")
}

// send replies with the file, or with 304 to a browser that has it.
func (f *file) send(c *fasthttp.RequestCtx, status int) {
	h := &c.Response.Header
	h.Set("Cache-Control", f.cache)
	h.Set("ETag", f.tag)
	h.Set("Vary", "Accept-Encoding")
	if status == http.StatusOK && f.known(string(c.Request.Header.Peek("If-None-Match"))) {
		c.Response.SetStatusCode(http.StatusNotModified)
		return
	}
	c.Response.SetStatusCode(status)
	h.SetContentType(f.mime)
	if f.zipped != nil && c.Request.Header.HasAcceptEncoding("gzip") {
		h.Set("Content-Encoding", "gzip")
		c.Response.SetBodyRaw(f.zipped())
		return
	}
	c.Response.SetBodyRaw(f.plain)
}

// known reports whether the tags of If-None-Match name the file. The tags are
// weak, because both encodings of a file have the same.
func (f *file) known(tags string) bool {
	for tag := range strings.SplitSeq(tags, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(f.tag, "W/") {
			return true
		}
	}
	return false
}
