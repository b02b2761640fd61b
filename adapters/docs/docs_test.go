package docs

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

const contractFile = "../httpapi/openapi.yaml"

func whole(t *testing.T) *Docs {
	t.Helper()
	contract, err := os.ReadFile(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(contract)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every error and every reason of a rejection has a page that says what to do.
func TestEachCodeHasAPage(t *testing.T) {
	t.Parallel()
	d := whole(t)
	var want []string
	for _, c := range billing.Codes() {
		want = append(want, "/docs/errors/"+string(c))
	}
	for _, c := range coverage.ReasonCodes() {
		want = append(want, "/docs/rejections/"+string(c))
	}
	for _, at := range want {
		if p := d.byPath[at]; p == nil {
			t.Errorf("%s is missing", at)
		} else if !strings.Contains(p.Markdown, "**Do.**") || p.Summary == "" {
			t.Errorf("%s does not say what to do", at)
		}
	}
	for _, p := range d.Pages {
		if regexp.MustCompile(`^/docs/(errors|rejections)/`).MatchString(p.Path) && !slices.Contains(want, p.Path) {
			t.Errorf("%s is about no code", p.Path)
		}
	}
}

// Every link of a page leads to a page, and to a part that is there.
func TestLinks(t *testing.T) {
	t.Parallel()
	d := whole(t)
	found := 0
	for _, p := range d.Pages {
		html, err := d.HTML(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(string(html), -1) {
			at, part, _ := strings.Cut(m[1], "#")
			switch {
			case strings.HasPrefix(at, "https://"), at == "/api/v1/openapi.yaml":
				continue
			case strings.HasPrefix(at, "/docs/assets/"):
				if _, err := files.ReadFile(strings.TrimPrefix(at, "/docs/")); err != nil {
					t.Errorf("%s: %v", p.Path, err)
				}
				continue
			}
			found++
			to := p
			if at != "" {
				to = d.byPath[strings.TrimSuffix(at, ".md")]
			}
			if to == nil {
				t.Errorf("%s leads to %s, which is no page", p.Path, m[1])
				continue
			}
			there, err := d.HTML(to)
			if err != nil {
				t.Fatal(err)
			}
			if part != "" && !bytes.Contains(there, []byte(`id="`+part+`"`)) {
				t.Errorf("%s leads to %s, which has no such part", p.Path, m[1])
			}
		}
		if bytes.Contains(html, []byte("raw HTML omitted")) {
			t.Errorf("%s has HTML in its Markdown", p.Path)
		}
		if bytes.Contains(html, []byte(`src="http`)) {
			t.Errorf("%s loads from another server", p.Path)
		}
	}
	if found < 1000 {
		t.Errorf("%d links", found)
	}
}

// The reference has every operation, and its examples are JSON.
func TestReference(t *testing.T) {
	t.Parallel()
	d := whole(t)
	contract, err := os.ReadFile(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, p := range d.Pages {
		if strings.HasPrefix(p.Path, "/docs/reference") {
			all.WriteString(p.Markdown)
		}
	}
	operations := regexp.MustCompile(`(?m)^ +operationId: (\w+)`).FindAllSubmatch(contract, -1)
	for _, m := range operations {
		if !strings.Contains(all.String(), " {#"+string(m[1])+"}\n") {
			t.Errorf("the reference lacks %s", m[1])
		}
	}
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(all.String(), -1)
	for _, m := range examples {
		if !json.Valid([]byte(m[1])) {
			t.Errorf("no JSON: %.300s", m[1])
		}
	}
	if len(operations) < 100 || len(examples) < 80 {
		t.Errorf("%d operations, %d examples", len(operations), len(examples))
	}
}

// The command of an upload has the file and the fields of its example. Where a file may come in place of JSON, it sends JSON.
func TestReferenceCommands(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, p := range whole(t).Pages {
		all.WriteString(p.Markdown)
	}
	if strings.Contains(all.String(), "-d '\"") {
		t.Error("a command sends a text as JSON")
	}
	for _, m := range regexp.MustCompile(`-d '.*"until":"(\d{4}-\d\d-\d\d)"`).FindAllStringSubmatch(all.String(), -1) {
		if m[1] < "2029" {
			t.Errorf("a command says until %s, which must be after today", m[1])
		}
	}
	for _, want := range []string{"-F file=@march.csv \\\n  -F account=6789", "-F file=@payments.835\n", "-F file=@pano.jpg \\\n  -F document_type=13"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the reference lacks %s", want)
		}
	}
}

// A page has a twin for programs, and what is no page is 404.
func TestServe(t *testing.T) {
	t.Parallel()
	contract, err := os.ReadFile(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	serve := Handler(contract)
	for _, c := range []struct {
		at, accept, mime, has string
		status                int
	}{
		{"/docs", "", "text/html; charset=utf-8", "<h1>Molar documentation</h1>", 200},
		{"/docs/", "", "text/html; charset=utf-8", "Quick start", 200},
		{"/docs/guides/quick-start", "text/html", "text/html; charset=utf-8", "<pre tabindex=\"0\"><code class=\"language-sh\">", 200},
		{"/docs/guides/quick-start", "text/markdown", "text/markdown; charset=utf-8", "# Quick start\n\nA check", 200},
		{"/docs/guides/quick-start.md", "", "text/markdown; charset=utf-8", "# Quick start\n\nA check", 200},
		{"/docs/errors/CONFLICT", "", "text/html; charset=utf-8", "<h1>CONFLICT</h1>", 200},
		{"/docs/reference/claims", "", "text/html; charset=utf-8", `<h2 id="createClaim">`, 200},
		{"/docs/search.json", "", "application/json", `"/docs/rejections/NAME_MISMATCH"`, 200},
		{"/docs/assets/docs.css", "", "text/css; charset=utf-8", "grid", 200},
		{"/llms.txt", "", "text/plain; charset=utf-8", "(/docs/guides/quick-start)", 200},
		{"/llms-full.txt", "", "text/plain; charset=utf-8", "# NAME_MISMATCH\n", 200},
		{"/docs/nosuch", "", "text/plain; charset=utf-8", "does not exist", 404},
		{"/docs/assets/../docs.go", "", "text/plain; charset=utf-8", "does not exist", 404},
		{"/docs/assets/%2e%2e/docs.go", "", "text/plain; charset=utf-8", "does not exist", 404},
	} {
		var ctx fasthttp.RequestCtx
		ctx.Request.SetRequestURI(c.at)
		ctx.Request.Header.Set("Accept", c.accept)
		serve(&ctx)
		if ctx.Response.StatusCode() != c.status || string(ctx.Response.Header.ContentType()) != c.mime || !bytes.Contains(ctx.Response.Body(), []byte(c.has)) {
			t.Errorf("%s: %d %s %.200s", c.at, ctx.Response.StatusCode(), ctx.Response.Header.ContentType(), ctx.Response.Body())
		}
	}
	var ctx fasthttp.RequestCtx
	ctx.Request.SetRequestURI("/docs")
	ctx.Request.Header.SetMethod("POST")
	if serve(&ctx); ctx.Response.StatusCode() != 405 {
		t.Errorf("POST: %d", ctx.Response.StatusCode())
	}
}

// The pages have the colors and sizes of the dashboard.
func TestTokensAreTheDashboards(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../dashboard/web/src/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := files.ReadFile("assets/tokens.css"); err != nil || !bytes.Equal(got, want) {
		t.Error("copy adapters/dashboard/web/src/tokens.css to adapters/docs/assets")
	}
}

// The first view of a page asks for at most six files, and for at most 300 kB, as browsers receive them.
func TestPagesAreSmall(t *testing.T) {
	t.Parallel()
	d := whole(t)
	size := func(b []byte) int { return len(fasthttp.AppendGzipBytes(nil, b)) }
	loaded := regexp.MustCompile(`(?:href|src)="(/docs/assets/[^"]+)"`)
	largest, at := 0, ""
	for _, p := range d.Pages {
		html, err := d.HTML(p)
		if err != nil {
			t.Fatal(err)
		}
		sum, asked := size(html), map[string]bool{}
		for _, m := range loaded.FindAllSubmatch(html, -1) {
			asked[string(m[1])] = true
		}
		asked["/docs/assets/minisearch.js"] = true // docs.js imports it
		for name := range asked {
			b, err := files.ReadFile(strings.TrimPrefix(name, "/docs/"))
			if err != nil {
				t.Fatal(err)
			}
			sum += size(b)
		}
		if pictures := bytes.Count(html, []byte("<img ")); len(asked)-pictures > 5 || sum > 300_000 {
			t.Errorf("%s asks for %d files, and for %d bytes", p.Path, len(asked)+1, sum)
		}
		if sum > largest {
			largest, at = sum, p.Path
		}
	}
	t.Logf("the largest is %s with %d bytes", at, largest)
}

// Tabs have each language once: blocks that do not fit begin tabs of their own.
func TestTabs(t *testing.T) {
	t.Parallel()
	block := func(language string) string { return "```" + language + "\nx\n```\n\n" }
	d := whole(t)
	for _, c := range []struct {
		languages []string
		tabs      int
	}{
		{[]string{"sh", "go", "typescript", "python"}, 1},
		{[]string{"go", "go"}, 0},
		{[]string{"go", "python", "go", "python"}, 2},
		{[]string{"json", "go"}, 0},
		{[]string{"sh", "text", "python"}, 0},
	} {
		var text string
		for _, language := range c.languages {
			text += block(language)
		}
		html, err := d.HTML(&Page{Path: "/docs/" + strings.Join(c.languages, "-"), Markdown: text})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(html), "<fieldset"); got != c.tabs || strings.Count(string(html), "<pre ") != len(c.languages) {
			t.Errorf("%v: %d tabs of\n%s", c.languages, got, html)
		}
	}
}
