package journeys_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod"
)

// served returns a browser for a site with one page, which has a script and the
// policy of the dashboard.
func served(tb testing.TB, page, script string) *browser {
	tb.Helper()
	site := http.NewServeMux()
	site.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'")
		_, _ = fmt.Fprint(w, `<!doctype html><html lang="en"><title>Test</title><meta name="viewport" content="width=device-width"><link rel="icon" href="/icon"><body>`+page+`<script src="/script.js"></script>`)
	})
	site.HandleFunc("/icon", func(http.ResponseWriter, *http.Request) {})
	site.HandleFunc("/script.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = fmt.Fprint(w, script)
	})
	server := httptest.NewServer(site)
	tb.Cleanup(server.Close)
	return newBrowser(tb, server.URL)
}

// recorder is a test whose faults another test examines.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	faults []string
	ends   []func()
}

func (r *recorder) Cleanup(f func())                  { r.ends = append(r.ends, f) }
func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }
func (r *recorder) Failed() bool                      { return false }

func (r *recorder) Error(args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprint(args...))
}

func (r *recorder) end() {
	for i := len(r.ends) - 1; i >= 0; i-- {
		r.ends[i]()
	}
}

// TestFaultsFailAJourney has pages with one fault each.
func TestFaultsFailAJourney(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, script, want string }{
		"none":              {"", "console.log('x'); console.info('y')", ""},
		"console":           {"", "console.error('broken', 1)", "console.error: broken"},
		"warning":           {"", "console.warn('deprecated')", "console.warning: deprecated"},
		"exception":         {"", "throw new TypeError('no claim')", "no claim"},
		"promise":           {"", "Promise.reject(new Error('no promise'))", "no promise"},
		"inline script":     {"<script>1</script>", "", "Content Security Policy"},
		"inline style":      {"<p style='color: red'>x</p>", "", "Content Security Policy"},
		"injected markup":   {"", "document.body.innerHTML = '<p>x</p>'", "TrustedHTML"},
		"missing":           {"<p>Now</p>", "fetch('/missing').then(() => { document.querySelector('p').textContent = 'Later' })", "GET /missing replied 404"},
		"another machine":   {"<img src='http://molar.example/x.png' alt=''>", "", "leaves this machine"},
		"another port":      {"", "fetch('http://127.0.0.1:1/x').catch(() => {})", "Content Security Policy"},
		"axe, in the light": {"<style></style><button></button>", "", "in the light: button-name"},
		"axe, in the dark": {"<main><h1>x</h1><p>Faint</p></main>", `
			const style = new CSSStyleSheet()
			style.replaceSync("@media (prefers-color-scheme: dark) { p { color: #777; background: #666 } }")
			document.adoptedStyleSheets = [style]`, "in the dark: color-contrast"},
		"a screen outside of landmarks": {"<main></main><p>Over there</p>", "", "in the light: region"},
		"moving": {"<main><h1>x</h1>" + strings.Repeat("word ", 800) + "</main>", `
			const above = document.createElement("div")
			above.style.height = "400px"
			requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector("main").prepend(above)))`, "moves while it loads"},
		"wider than a phone": {"<main><h1>x</h1><img alt='' src='/icon' width='800' height='10'></main>", "", "wider than a phone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{TB: t}
			b := served(r, c.page, c.script)
			page := b.tab()
			page.open("/")
			page.seesNo("Now")
			if strings.Contains(name, "screen") || strings.Contains(name, "axe") || strings.Contains(name, "phone") {
				page.screen("harness")
			}
			if name == "moving" {
				page.until("what moved", func(r *rod.Page) error {
					_, err := r.Timeout(time.Second).Eval("() => { if (window.shifts.length === 0) throw new Error('nothing') }")
					return err
				})
				page.still("harness")
			}
			r.end()
			all := strings.Join(r.faults, "\n")
			if !strings.Contains(all, c.want) || (c.want == "") != (all == "") {
				t.Errorf("found %q, want %q", all, c.want)
			}
		})
	}
}

// A control that the keyboard does not reach, or whose focus does not show, cannot be
// clicked.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	page := served(t, `<p><button>Before</button> <button>Good</button> <button tabindex="-1">Skipped</button>
		<span role="button">Plain</span> <button id="hidden">Hidden</button> <button id="trap">Trap</button></p>`, `
		const style = new CSSStyleSheet()
		style.replaceSync("#hidden:focus { outline: none }")
		document.adoptedStyleSheets = [style]
		document.getElementById("trap").onfocus = () => document.querySelector("button").focus()`).tab()
	page.open("/")
	for name, want := range map[string]string{
		"Good": "", "Skipped": "not in the order of Tab", "Plain": "not in the order of Tab", "Hidden": "does not show its focus", "Trap": "does not take the focus",
	} {
		r := page.rod.Timeout(patience)
		el, err := page.find(r, clickable(), name)
		if err != nil {
			t.Fatal(err)
		}
		if err := activate(r, el); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	page := served(r, "", "fetch('/missing').then(() => document.body.append('Done'))").tab()
	page.refused(404, "GET /missing")
	page.refused(404, "GET /other")
	page.mayBeRefused(500, "GET /third")
	page.open("/")
	page.sees("Done")
	r.end()
	if len(r.faults) != 1 || !strings.Contains(r.faults[0], "/other") {
		t.Errorf("found %q, want only the refusal that did not come", r.faults)
	}
}

const form = `<main><h1>A claim</h1>
	<label>Member ID <input id="member" value="old"></label>
	<label>Birth date <input id="birth" type="date"></label>
	<input id="images" type="file" multiple hidden><button id="add">Add X-rays</button>
	<a href="/?other">Other</a>
	<label>Payer <select id="payer"><option>Cedar</option><option>Alder</option></select></label>
	<table><thead><tr><th>Tooth</th></tr></thead><tbody>
		<tr><td>14</td><td><button>Remove</button></td></tr><tr><td>15</td><td><button>Remove</button></td></tr></tbody></table>
	<button id="late" disabled>Save</button><p id="out"></p></main>`

const formScript = `
	const at = (id) => document.getElementById(id)
	for (const b of document.querySelectorAll("tr button")) b.onclick = () => b.closest("tr").remove()
	at("add").onclick = () => at("images").click()
	at("images").onchange = () => { at("out").textContent = at("images").files.length + " images" }
	at("late").onclick = () => { at("out").textContent = [at("member").value, at("birth").value, at("payer").value].join(" ") }
	at("payer").onchange = () => setTimeout(() => { at("late").disabled = false }, 300)
	addEventListener("keydown", (e) => { if (e.ctrlKey && e.key === "k") { e.preventDefault(); navigator.clipboard.writeText("copied it"); at("out").append(" palette") } })`

func TestWhatAPersonDoes(t *testing.T) {
	t.Parallel()
	page := served(t, form, formScript).tab()
	page.open("/")
	page.seesA("heading", "A claim")
	page.fill("Member ID", "W123")
	page.has("Member ID", "W123")
	page.fill("Birth date", "1985-04-12")
	page.choose("Payer", "Alder")
	page.click("Save") // which is disabled for a moment
	page.sees("W123 1985-04-12 Alder")
	page.row("15").click("Remove")
	page.within("table", "").seesNo("15")
	page.sees("14")
	page.press("Control+K")
	page.sees("palette")
	if text := page.copied(); text != "copied it" {
		t.Errorf("copied %q", text)
	}
	page.clickA("textbox", "Member ID")
	page.press("Control+A")
	page.types("X9")
	page.has("Member ID", "X9")
	page.press("Shift+Tab")
	page.tabTo("Save")
	page.press("Enter")
	page.sees("X9 1985-04-12")
	page.focuses("Save")
	page.upload("Add X-rays", "harness_test.go", "page_test.go")
	page.sees("2 images")
	page.click("Other")
	page.at("/?other")
	page.back()
	page.at("/")
	if page.address() != "/" || !strings.Contains(page.text(), "Member ID Birth date") {
		t.Errorf("back is %s: %s", page.address(), page.text())
	}
	if sheets := page.printed(); len(sheets) != 1 || !strings.Contains(sheets[0], "MemberID") {
		t.Errorf("the form prints as %q", sheets)
	}
}

// A journey that ends on a page with typed text, as one that fails may, does not wait for
// an answer to the browser's question.
func TestTypedTextDoesNotHoldAJourney(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	page := served(r, form, `addEventListener("beforeunload", (e) => e.preventDefault())`).tab()
	page.open("/")
	page.fill("Member ID", "typed")
	ended := make(chan struct{})
	go func() {
		r.end()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the journey does not end")
	}
	if len(r.faults) > 0 {
		t.Error(r.faults)
	}
}

// What a journey creates with a key belongs to its practice alone.
func TestPractice(t *testing.T) {
	t.Parallel()
	practice, other := newPractice(t), newPractice(t)
	made := practice.post("/eligibility", map[string]any{
		"office_id": practice.office, "payer_id": "CHTEST",
		"subscriber": map[string]string{
			"first_name": "Jane", "last_name": "Doe", "date_of_birth": "1985-04-12", "member_id": "SANDBOX-ACTIVE-FULL",
		},
	})
	if read := practice.get(fmt.Sprint("/eligibility/", made["id"])); read["status"] != "active" {
		t.Errorf("the check is %v", read)
	}
	if list := other.get("/eligibility"); list["data"] == nil || len(list["data"].([]any)) > 0 {
		t.Errorf("another practice has %v", list)
	}
}
