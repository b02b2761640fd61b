// Package docs serves the documentation: guides for people who have something to do, a
// reference of the contract, and a page for each error and each reason of a rejection.
// Every page is Markdown first, also the reference. So each page has a twin that programs
// read, and all pages are one text at /llms-full.txt. No page asks another server for
// anything.
package docs

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

//go:embed guides errors.md rejections.md assets clients samples.json page.html
var files embed.FS

// Page is a page of the documentation.
type Page struct {
	Path     string // such as /docs/guides/quick-start
	Title    string
	Summary  string // one sentence, for lists and search
	Section  string // of the navigation; empty for a page that it does not name
	Markdown string // without the title
}

// Docs is the documentation of one contract.
type Docs struct {
	Pages  []*Page
	byPath map[string]*Page

	html   *template.Template
	render goldmark.Markdown
	made   sync.Map // pages in HTML, by path
	index  func() []byte
}

// Handler returns the handler of the documentation of a contract, an OpenAPI document. The
// pages are made with the first request: a process that nobody asks for them pays nothing.
func Handler(contract []byte) fasthttp.RequestHandler {
	load := sync.OnceValues(func() (*Docs, error) { return New(contract) })
	return fasthttp.CompressHandler(func(c *fasthttp.RequestCtx) {
		d, err := load()
		if err != nil {
			panic(err) // a test makes every page
		}
		d.serve(c)
	})
}

// New returns the documentation of a contract.
func New(contract []byte) (*Docs, error) {
	guides, err := guides()
	if err != nil {
		return nil, err
	}
	reference, err := reference(contract)
	if err != nil {
		return nil, err
	}
	problems, err1 := entries("errors.md", "/docs/errors", "Errors")
	rejections, err2 := entries("rejections.md", "/docs/rejections", "Reasons of rejections")
	html, err3 := template.ParseFS(files, "page.html")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	d := &Docs{
		Pages: slices.Concat(guides, reference, problems, rejections), byPath: map[string]*Page{}, html: html,
		render: goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithAttribute()),
			goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(codeBlocks{}, 100)))),
	}
	d.Pages = append([]*Page{d.home()}, d.Pages...)
	for _, p := range d.Pages {
		d.byPath[p.Path] = p
	}
	d.index = sync.OnceValue(d.searchIndex)
	return d, nil
}

// guides returns the guides in the order of their files' names, whose numbers are no part
// of their paths.
func guides() (all []*Page, err error) {
	names, err := fs.Glob(files, "guides/*.md")
	wheels, err1 := fs.Glob(files, "clients/*.whl") // one, whose name has the version
	if err := errors.Join(err, err1); err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		_, slug, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".md"), "-")
		p, err := page("/docs/guides/"+slug, strings.ReplaceAll(string(text), "molar_billing-VERSION-py3-none-any.whl", path.Base(wheels[0])))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p.Section = "Guides"
		all = append(all, p)
	}
	return all, nil
}

// page reads a page: a title, a paragraph that is its summary, and the rest.
func page(at, text string) (*Page, error) {
	title, rest, found := strings.Cut(strings.TrimPrefix(text, "# "), "\n\n")
	if !found || !strings.HasPrefix(text, "# ") {
		return nil, errors.New("a page begins with a title and its summary")
	}
	summary, _, _ := strings.Cut(rest, "\n\n")
	return &Page{Path: at, Title: title, Summary: strings.ReplaceAll(strings.TrimSpace(summary), "\n", " "), Markdown: rest}, nil
}

// entries returns a page for each part of a file, which begins with a title of the second
// level, and one that lists them.
func entries(name, at, section string) ([]*Page, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(string(text), "\n## ")
	list, err := page(at, parts[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	list.Section = "Reference"
	list.Title = cmp.Or(list.Title, section)
	all := []*Page{list}
	var rows strings.Builder
	rows.WriteString("\n\n")
	for _, part := range parts[1:] {
		p, err := page(at+"/"+strings.Fields(part)[0], "# "+part)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&rows, "- [`%s`](%s): %s\n", p.Title, p.Path, p.Summary)
		all = append(all, p)
	}
	list.Markdown = strings.TrimSpace(list.Markdown) + rows.String()
	return all, nil
}

// home returns the first page: what there is, with its summaries.
func (d *Docs) home() *Page {
	var b strings.Builder
	b.WriteString("Eligibility checks, attachments, claims and remittances over one HTTP API, with a sandbox of payers that respond in real X12.\n")
	for _, section := range sections() {
		fmt.Fprintf(&b, "\n## %s\n\n", section)
		for _, p := range d.Pages {
			if p.Section == section {
				fmt.Fprintf(&b, "- [%s](%s): %s\n", p.Title, p.Path, p.Summary)
			}
		}
	}
	return &Page{Path: "/docs", Title: "Molar documentation", Summary: "What Molar does, and how to use it.", Markdown: b.String()}
}

// HTML returns a page as browsers show it.
func (d *Docs) HTML(p *Page) ([]byte, error) {
	if made, ok := d.made.Load(p.Path); ok {
		return made.([]byte), nil
	}
	var body, out bytes.Buffer
	if err := d.render.Convert([]byte(p.Markdown), &body); err != nil {
		return nil, err
	}
	// What is wider than the page scrolls, with the keys too.
	text := strings.ReplaceAll(body.String(), "<table>", `<table tabindex="0">`)
	err := d.html.Execute(&out, map[string]any{"Page": p, "Pages": d.Pages, "Sections": sections(), "Body": template.HTML(text)}) //nolint:gosec // made of our own Markdown, without raw HTML
	d.made.Store(p.Path, out.Bytes())
	return out.Bytes(), err
}

// text returns a page as Markdown.
func (p *Page) text() string { return "# " + p.Title + "\n\n" + strings.TrimSpace(p.Markdown) + "\n" }

// searchIndex returns what the search of the pages looks through, as JSON.
func (d *Docs) searchIndex() []byte {
	type entry struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		Summary string `json:"summary"`
		Text    string `json:"text"`
	}
	var all []entry
	for _, p := range d.Pages {
		all = append(all, entry{p.Path, p.Title, p.Summary, p.Markdown})
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err) // strings always encode
	}
	return b
}

// policy is that of the dashboard: a page loads what is of its own origin.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"

func (d *Docs) serve(c *fasthttp.RequestCtx) {
	h := &c.Response.Header
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if !c.IsGet() && !c.IsHead() {
		h.Set("Allow", "GET, HEAD")
		reply(c, http.StatusMethodNotAllowed, "text/plain; charset=utf-8", []byte("A page supports only GET and HEAD.\n"))
		return
	}
	const markdown, plain = "text/markdown; charset=utf-8", "text/plain; charset=utf-8"
	at := strings.TrimSuffix(string(c.URI().PathOriginal()), "/")
	p, twin := d.byPath[at], false
	if p == nil {
		p, twin = d.byPath[strings.TrimSuffix(at, ".md")], strings.HasSuffix(at, ".md")
	}
	h.Set("Vary", "Accept")
	switch {
	case p != nil && (twin || strings.Contains(string(c.Request.Header.Peek("Accept")), "text/markdown")):
		reply(c, http.StatusOK, markdown, []byte(p.text()))
	case p != nil:
		b, err := d.HTML(p)
		if err != nil {
			panic(err) // a test makes every page
		}
		reply(c, http.StatusOK, "text/html; charset=utf-8", b)
	case at == "/llms.txt":
		reply(c, http.StatusOK, plain, []byte(d.byPath["/docs"].text()))
	case at == "/llms-full.txt":
		var all strings.Builder
		for _, p := range d.Pages {
			all.WriteString(p.text() + "\n")
		}
		reply(c, http.StatusOK, plain, []byte(all.String()))
	case at == "/docs/search.json":
		reply(c, http.StatusOK, "application/json", d.index())
	case strings.HasPrefix(at, "/docs/assets/"), strings.HasPrefix(at, "/docs/clients/"):
		if b, err := files.ReadFile(strings.TrimPrefix(at, "/docs/")); err == nil {
			reply(c, http.StatusOK, cmp.Or(mime.TypeByExtension(path.Ext(at)), "application/octet-stream"), b)
			return
		}
		fallthrough
	default:
		reply(c, http.StatusNotFound, plain, []byte("This page does not exist. /docs lists the pages that do.\n"))
	}
}

func reply(c *fasthttp.RequestCtx, status int, kind string, b []byte) {
	c.Response.SetStatusCode(status)
	c.Response.Header.SetContentType(kind)
	c.Response.SetBodyRaw(b)
}

// sections are the parts of the navigation.
func sections() []string { return []string{"Guides", "Reference"} }
