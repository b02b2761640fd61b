package journeys_test

import (
	_ "embed" // axe-core
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

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

// screen looks at the screen as it is: in light and in dark on a desktop it must
// pass axe at WCAG 2.1 A and AA, and on a phone nothing may be wider than the
// page. It shows no message that is for programs. With MOLAR_SCREENSHOTS=DIR a picture of each goes to DIR, as NAME-light.png.
func (p *page) screen(name string) {
	p.tb.Helper()
	for _, dark := range []bool{false, true} {
		p.shows(desktop, dark)
		p.picture(name + map[bool]string{false: "-light", true: "-dark"}[dark])
		p.accessible(fmt.Sprintf("%s (dark: %t)", name, dark))
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
	r := p.rod.Timeout(patience)
	there, err := p.eval(r, "() => typeof axe") // since a screen before, in the same document
	if err == nil && there == "undefined" {
		_, err = proto.RuntimeEvaluate{Expression: axe + ";0"}.Call(r)
	}
	if err != nil {
		p.tb.Fatal(err)
	}
	found, err := r.Evaluate(rod.Eval(`async () => {
		const { violations } = await axe.run(document, {
			runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }, resultTypes: ["violations"],
		})
		return violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + "\n" + n.failureSummary))
	}`).ByPromise())
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
	wide, err := p.rod.Timeout(patience).Eval(`() => {
		const page = document.documentElement
		return page.scrollWidth <= page.clientWidth ? "" : page.scrollWidth + " of " + page.clientWidth + " pixels: " +
			[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > page.clientWidth + 1)
				.slice(0, 5).map((e) => e.tagName + "." + e.className).join(", ")
	}`)
	if err != nil {
		p.tb.Fatal(err)
	}
	if text := wide.Value.Str(); text != "" {
		p.tb.Errorf("%s is wider than a phone: %s", what, text)
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

// printed returns the number of pages of Letter paper that the page prints on.
func (p *page) printed() int {
	p.tb.Helper()
	stream, err := p.rod.Timeout(patience).PDF(&proto.PagePrintToPDF{PrintBackground: true})
	if err != nil {
		p.tb.Fatal(err)
	}
	b, err := io.ReadAll(stream)
	if err != nil {
		p.tb.Fatal(err)
	}
	return len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(b, -1))
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
