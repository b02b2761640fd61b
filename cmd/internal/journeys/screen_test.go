package journeys_test

import (
	"bytes"
	"compress/zlib"
	_ "embed" // axe-core
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// The widths of the screens that are looked at.
const (
	desktop = 1280
	phone   = 390 // an iPhone's
)

// axe is axe-core, which finds faults of accessibility.
//
//go:embed testdata/axe/axe.min.js
var axe string

// screen looks at the screen as it is: in light and in dark on a desktop it must pass
// axe at WCAG 2.1 A and AA, its tables must be whole, and on a phone nothing may be wider
// than the page. It shows no message that is for programs. With MOLAR_SCREENSHOTS=DIR a
// picture of each goes to DIR, as NAME-light.png.
func (p *page) screen(name string) {
	p.tb.Helper()
	p.whole(name)
	for _, dark := range []bool{false, true} {
		p.shows(desktop, dark)
		p.picture(name + map[bool]string{false: "-light", true: "-dark"}[dark])
		if dark {
			p.contrast(name, "")
		} else {
			p.accessible(name + " in the light")
		}
	}
	p.shows(phone, false)
	p.picture(name + "-phone")
	p.fits(name)
	p.shows(desktop, false)
	if strings.Contains(p.text(), "errors lists") {
		p.tb.Errorf("%s shows what the API says to programs", name)
	}
}

// shows changes the width of the page and its colors.
func (p *page) shows(width int, dark bool) {
	p.tb.Helper()
	if err := p.emulate(width, dark); err != nil {
		p.tb.Fatal(err)
	}
	// Chromium may keep inherited colors of the other theme until the styles change.
	if _, err := p.rod.Timeout(patience).Eval(`() => {
		const { style } = document.documentElement
		for (const scheme of ["only light", ""]) {
			style.colorScheme = scheme
			void getComputedStyle(document.body).color
		}
	}`); err != nil {
		p.tb.Fatal(err)
	}
	if err := p.rod.Timeout(patience).WaitRepaint(); err != nil {
		p.tb.Fatal(err)
	}
}

func (p *page) emulate(width int, dark bool) error {
	colors, height := "light", 900
	if dark {
		colors = "dark"
	}
	if width == phone {
		height = 844
	}
	return errors.Join(
		proto.EmulationSetDeviceMetricsOverride{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width == phone}.Call(p.rod),
		proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{
			{Name: "prefers-color-scheme", Value: colors}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}}.Call(p.rod),
	)
}

// accessible fails the journey on faults that axe-core finds.
func (p *page) accessible(what string) {
	p.tb.Helper()
	p.accessibleBut(what, "")
}

// accessibleBut is accessible without the parts of the page that a selector names.
func (p *page) accessibleBut(what, without string) {
	p.tb.Helper()
	p.audit(what, `runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] },
		rules: { region: { enabled: true } }, // everything is inside a landmark`, without)
}

// contrast fails the journey on faults of the dark colors. They are all that differs from
// the page in the light.
func (p *page) contrast(what, without string) {
	p.tb.Helper()
	p.audit(what+" in the dark", `runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] }`, without)
}

// audit runs rules of axe-core.
func (p *page) audit(what, rules, without string) {
	p.tb.Helper()
	r := p.rod.Timeout(patience)
	there, err := p.eval(r, "() => typeof axe") // since a screen before, in the same document
	if err == nil && there == "undefined" {
		_, err = proto.RuntimeEvaluate{Expression: axe + ";0"}.Call(r)
	}
	if err != nil {
		p.tb.Fatal(err)
	}
	found, err := r.Evaluate(rod.Eval(`async (without) => {
		const { violations } = await axe.run(without === "" ? document : { exclude: [[without]] }, {
			resultTypes: ["violations"], `+rules+`
		})
		return violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + "\n" + n.failureSummary))
	}`, without).ByPromise())
	if err != nil {
		p.tb.Fatalf("axe: %v", err)
	}
	for _, fault := range found.Value.Arr() {
		p.tb.Errorf("%s: %s", what, fault.Str())
	}
}

// fits fails the journey if the page is wider than the window.
func (p *page) fits(what string) {
	p.tb.Helper()
	p.finds(what+" is wider than a phone: ", `() => {
		const page = document.documentElement
		return page.scrollWidth <= page.clientWidth ? "" : page.scrollWidth + " of " + page.clientWidth + " pixels: " +
			[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > page.clientWidth + 1)
				.slice(0, 5).map((e) => e.tagName + "." + e.className).join(", ")
	}`)
	p.finds(what+" cuts the text of ", `() => {
		const c = document.createElement("canvas").getContext("2d")
		return [...document.querySelectorAll("select")].filter((s) => s.checkVisibility()).filter((s) => {
			const style = getComputedStyle(s), arrow = 20
			c.font = style.font
			const space = s.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow
			return c.measureText(s.selectedOptions[0]?.text ?? "").width > space
		}).map((s) => (s.labels[0]?.textContent ?? "") + ": " + s.selectedOptions[0].text + ", " + s.clientWidth).join("; ")
	}`)
}

// still fails the journey if parts of the page moved while it loaded, as web.dev's
// Cumulative Layout Shift counts it: 0.1 and more is felt.
func (p *page) still(what string) {
	p.tb.Helper()
	p.finds(what+" moves while it loads, by ", `() => {
		const named = (e) => e?.nodeType === 1 ? e.tagName + "." + e.className : String(e?.textContent).slice(0, 40)
		let most = 0, sum = 0, first = 0, last = 0
		for (const s of window.shifts) {
			sum = s.startTime - last < 1000 && s.startTime - first < 5000 ? sum + s.value : s.value
			if (sum === s.value) first = s.startTime
			last = s.startTime
			most = Math.max(most, sum)
		}
		return most < 0.1 ? "" : most.toFixed(3) + ": " + window.shifts.map((s) => s.value.toFixed(3) + " " +
			s.sources.map((o) => named(o.node) + " " + o.previousRect.y + " to " + o.currentRect.y).join(", ")).join("; ")
	}`)
}

// whole fails the journey if the page is a little taller than the window, or if a table
// breaks a word or an email address into two lines.
func (p *page) whole(what string) {
	p.tb.Helper()
	p.finds(what+" ", `() => {
		const over = document.documentElement.scrollHeight - document.documentElement.clientHeight
		if (over > 0 && over < 4) return "is " + over + " pixels too tall"
		const range = document.createRange()
		for (const cell of document.querySelectorAll(".table td")) {
			const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT, (t) => t.parentElement.closest("code, pre") ? 2 : 1)
			while (texts.nextNode()) {
				for (const word of texts.currentNode.data.matchAll(/[\p{L}\p{N}]{2,24}|\S+@\S+/gu)) {
					range.setStart(texts.currentNode, word.index)
					range.setEnd(texts.currentNode, word.index + word[0].length)
					if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) return "breaks " + word[0]
				}
			}
		}
		return ""
	}`)
}

// finds fails the journey if a script returns a fault of the page.
func (p *page) finds(prefix, script string) {
	p.tb.Helper()
	fault, err := p.eval(p.rod.Timeout(patience), script)
	if err != nil {
		p.tb.Fatal(err)
	}
	if fault != "" {
		p.tb.Error(prefix + fault)
	}
}

// pictures is the folder of pictures: that of the variable MOLAR_SCREENSHOTS, or else
// one for pictures of failures alone.
func pictures() (dir string, all bool) {
	if dir := os.Getenv("MOLAR_SCREENSHOTS"); dir != "" {
		return dir, true
	}
	return filepath.Join(os.TempDir(), "molar-screenshots"), false
}

// picture stores a picture of the whole page, if MOLAR_SCREENSHOTS names a folder.
func (p *page) picture(name string) {
	p.tb.Helper()
	dir, wanted := pictures()
	if !wanted {
		return
	}
	b, err := p.rod.Timeout(patience).Screenshot(true, &proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng, OptimizeForSpeed: true})
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), b, 0o644)
	}
	if err != nil {
		p.tb.Fatalf("picture %s: %v", name, err)
	}
}

// printed returns the text of each page of Letter paper that the page prints on, without
// its white space.
func (p *page) printed() (sheets []string) {
	p.tb.Helper()
	stream, err := p.rod.Timeout(patience).PDF(&proto.PagePrintToPDF{PrintBackground: true})
	if err != nil {
		p.tb.Fatal(err)
	}
	b, err := io.ReadAll(stream)
	if err != nil {
		p.tb.Fatal(err)
	}
	if dir, wanted := pictures(); wanted {
		_ = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(p.tb.Name(), "/", "-")+".pdf"), b, 0o644)
	}
	objects := map[string][]byte{}
	for _, o := range regexp.MustCompile(`(?ms)^(\d+) 0 obj\n(.*?)\nendobj`).FindAllSubmatch(b, -1) {
		objects[string(o[1])] = o[2]
	}
	fonts := map[string]map[string]string{}
	for _, f := range regexp.MustCompile(`/(F\d+) (\d+) 0 R`).FindAllSubmatch(b, -1) {
		if to := regexp.MustCompile(`/ToUnicode (\d+) 0 R`).FindSubmatch(objects[string(f[2])]); to != nil {
			fonts[string(f[1])] = glyphs(string(inflated(p.tb, objects[string(to[1])])))
		}
	}
	for _, o := range regexp.MustCompile(`/Type /Page\n[^\x00]*?/Contents (\d+) 0 R`).FindAllSubmatch(b, -1) {
		var text strings.Builder
		font := map[string]string{}
		for _, t := range regexp.MustCompile(`/(F\d+) \S+ Tf|<([0-9A-F]+)>`).FindAllSubmatch(inflated(p.tb, objects[string(o[1])]), -1) {
			if len(t[1]) > 0 {
				font = fonts[string(t[1])]
			}
			for code := range slices.Chunk(t[2], 4) {
				text.WriteString(font[string(code)])
			}
		}
		sheets = append(sheets, strings.Join(strings.Fields(text.String()), ""))
	}
	return sheets
}

// inflated returns the stream of an object of a PDF.
func inflated(tb testing.TB, object []byte) []byte {
	tb.Helper()
	_, stream, _ := bytes.Cut(object, []byte("stream\n"))
	z, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		tb.Fatalf("a stream of the PDF: %v", err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		tb.Fatalf("a stream of the PDF: %v", err)
	}
	return text
}

// glyphs returns the text of each glyph of a font, by its code.
func glyphs(cmap string) map[string]string {
	of := map[string]string{}
	for _, line := range strings.Split(cmap, "\n") {
		codes := regexp.MustCompile(`<([0-9A-F]{4})>`).FindAllStringSubmatch(line, -1)
		if len(codes) < 2 {
			continue
		}
		first, _ := strconv.ParseUint(codes[0][1], 16, 16)
		last, _ := strconv.ParseUint(codes[len(codes)-2][1], 16, 16)
		text, _ := strconv.ParseUint(codes[len(codes)-1][1], 16, 16)
		for n := first; n <= last; n++ {
			of[fmt.Sprintf("%04X", n)] = string(rune(text + n - first))
		}
	}
	return of
}

// keepFailure stores a picture of the page of a journey that failed.
func (p *page) keepFailure() {
	if !p.tb.Failed() {
		return
	}
	name := "failed-" + strings.ReplaceAll(p.tb.Name(), "/", "-")
	r := p.rod.Timeout(patience)
	at, _ := p.eval(r, "() => location.href.split('#')[0]")
	dir, _ := pictures()
	if b, err := r.Screenshot(false, nil); err == nil && os.MkdirAll(dir, 0o755) == nil {
		_ = os.WriteFile(filepath.Join(dir, name+".png"), b, 0o644)
	}
	p.tb.Logf("the page was %s; its picture is %s.png in %s", at, name, dir)
}
