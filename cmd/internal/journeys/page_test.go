package journeys_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
)

// patience limits every wait for something that must happen.
const patience = 2 * time.Minute

// page is a tab of a browser, or a part of it (within, row).
type page struct {
	tb      testing.TB
	browser *browser
	rod     *rod.Page
	watch   *watch
	scope   []part // each within the one before
}

// part is a part of a page: by its role and name, or a row by a text in it.
type part struct{ role, name, text string }

func (a part) String() string {
	if a.text != "" {
		return fmt.Sprintf("the row with %q", a.text)
	}
	return fmt.Sprintf("the %s %q", a.role, a.name)
}

// until tries until it succeeds, or the patience ends. It rests longer than it looks, since
// looking keeps a busy page from what is waited for.
func (p *page) until(what string, try func(r *rod.Page) error) {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.tb.Context(), patience)
	defer cancel()
	var last error
	for {
		began := time.Now()
		err := try(p.rod.Context(ctx))
		if err == nil {
			return
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			p.tb.Fatalf("%s: %v", p.in(what), last)
		case <-time.After(max(20*time.Millisecond, min(3*time.Since(began), time.Second))):
		}
	}
}

func (p *page) in(what string) string {
	for _, s := range slices.Backward(p.scope) {
		what += " in " + s.String()
	}
	return what
}

// open loads a path of the service.
func (p *page) open(path string) {
	p.tb.Helper()
	p.load(p.browser.origin + path)
}

func (p *page) load(address string) {
	p.tb.Helper()
	r := p.rod.Timeout(patience)
	if err := r.Navigate(address); err != nil {
		p.tb.Fatalf("open %s: %v", address, err)
	}
	if err := r.WaitLoad(); err != nil {
		p.tb.Fatalf("open %s: %v", address, err)
	}
}

// reload loads the page again.
func (p *page) reload() {
	p.tb.Helper()
	if err := p.rod.Timeout(patience).Reload(); err != nil {
		p.tb.Fatal(err)
	}
}

// back goes back in the history.
func (p *page) back() {
	p.tb.Helper()
	// Later, because the page that goes back at once may be gone before it replies.
	if _, err := p.rod.Timeout(patience).Eval("() => { setTimeout(() => history.back()) }"); err != nil {
		p.tb.Fatal(err)
	}
}

// address returns the path and the query of the page.
func (p *page) address() string {
	p.tb.Helper()
	text, err := p.eval(p.rod.Timeout(patience), "() => location.pathname + location.search")
	if err != nil {
		p.tb.Fatal(err)
	}
	return text
}

// fragment returns the fragment of the page's address, with its #.
func (p *page) fragment() string {
	p.tb.Helper()
	text, err := p.eval(p.rod.Timeout(patience), "() => location.hash")
	if err != nil {
		p.tb.Fatal(err)
	}
	return text
}

// at waits until the page has a path, and its query if the path has one.
func (p *page) at(path string) {
	p.tb.Helper()
	p.until("the address", func(r *rod.Page) error {
		have, err := p.eval(r, "() => location.pathname + location.search")
		if want, err := url.QueryUnescape(path); err == nil && !strings.Contains(want, "?") {
			have, _, _ = strings.Cut(have, "?")
		}
		if err == nil && have != path {
			err = fmt.Errorf("is %s, want %s", have, path)
		}
		return err
	})
}

// within returns the part of the page with a role and a name, such as a dialog.
func (p *page) within(role, name string) *page { return p.narrow(part{role: role, name: name}) }

// row returns the row of a table, or the item of a list, that contains a text.
func (p *page) row(text string) *page { return p.narrow(part{text: text}) }

func (p *page) narrow(to part) *page {
	inner := *p
	inner.scope = append(slices.Clone(p.scope), to)
	return &inner
}

// click does what a click does, by the keyboard: Tab reaches what has the name, such as a
// button, a link, a tab or an option, and Enter or Space activates it.
func (p *page) click(name string) {
	p.tb.Helper()
	p.until(fmt.Sprintf("click %q", name), func(r *rod.Page) error { return p.clickOne(r, clickable(), name) })
}

// clickA clicks what has the role and the name, when the name is not enough.
func (p *page) clickA(role, name string) {
	p.tb.Helper()
	p.until(fmt.Sprintf("click the %s %q", role, name), func(r *rod.Page) error { return p.clickOne(r, []string{role}, name) })
}

func (p *page) clickOne(r *rod.Page, roles []string, name string) error {
	el, err := p.find(r, roles, name)
	if err != nil {
		return err
	}
	return activate(r, el)
}

// clickOn clicks an element with the mouse once it has stopped moving and nothing covers
// it. Only what is made for the mouse needs it.
func clickOn(el *rod.Element) error {
	soon, cancel := context.WithTimeout(el.GetContext(), 5*time.Second) // then it is looked up again
	defer cancel()
	el = el.Context(soon)
	if err := el.WaitStableRAF(); err != nil {
		return err
	}
	if err := el.ScrollIntoView(); err != nil {
		return err
	}
	at, err := el.Eval(`() => {
		const box = this.getBoundingClientRect()
		const x = box.x + box.width / 2, y = box.y + box.height / 2
		return this.contains(document.elementFromPoint(x, y)) ? { x, y } : null
	}`)
	if err != nil {
		return err
	}
	if at.Value.Nil() {
		return errors.New("something covers it")
	}
	mouse := el.Page().Context(soon).Mouse
	if err := mouse.MoveTo(proto.NewPoint(at.Value.Get("x").Num(), at.Value.Get("y").Num())); err != nil {
		return err
	}
	return mouse.Click(proto.InputMouseButtonLeft, 1)
}

// clickSurface clicks a surface of a tooth on the chart with the mouse. Surfaces have no
// name of their own: the tooth says which are chosen, and has keys for them.
func (p *page) clickSurface(tooth, side string) {
	p.tb.Helper()
	p.until(fmt.Sprintf("click the %s surface of tooth %s", side, tooth), func(r *rod.Page) error {
		root, err := p.root(r)
		if err != nil {
			return err
		}
		el, err := root.Element(fmt.Sprintf(`[data-tooth="%s"] [data-side="%s"]`, tooth, side))
		if err != nil {
			return err
		}
		return clickOn(el)
	})
}

// fill replaces the content of the field with the label. A date is 2006-01-02.
func (p *page) fill(label, value string) {
	p.tb.Helper()
	p.until(fmt.Sprintf("fill %q", label), func(r *rod.Page) error {
		el, err := p.find(r, fields(), label)
		if err != nil {
			return err
		}
		if kind, err := el.Property("type"); err == nil && kind.Str() == "date" {
			day, err := time.Parse(time.DateOnly, value)
			if err != nil {
				p.tb.Fatal(err)
			}
			if err := reach(r, el); err != nil { // on the month
				return err
			}
			return r.Keyboard.Type(keysOf(day.Format("01022006"))...)
		}
		if err := reach(r, el); err != nil {
			return err
		}
		if err := el.SelectAllText(); err != nil {
			return err
		}
		if value == "" {
			return r.Keyboard.Type(input.Backspace)
		}
		return r.InsertText(value)
	})
}

// choose chooses an option of the select or the combobox with the label.
func (p *page) choose(label, option string) {
	p.tb.Helper()
	native := false
	p.until(fmt.Sprintf("open %q", label), func(r *rod.Page) error {
		el, err := p.find(r, []string{"combobox", "listbox", "button"}, label)
		if err != nil {
			return err
		}
		if err := reach(r, el); err != nil {
			return err
		}
		if name, err := el.Property("tagName"); err != nil || name.Str() != "SELECT" {
			return errors.Join(err, r.Keyboard.Type(input.ArrowDown))
		}
		native = true
		return el.Select([]string{option}, true, rod.SelectorTypeText) // Chromium's own keys do the same
	})
	if !native {
		whole := *p
		whole.scope = nil // the list is often at the end of the page
		whole.clickA("option", option)
	}
}

// upload clicks what has the name, such as a button, and chooses files in the
// dialog that opens.
func (p *page) upload(name string, files ...string) {
	p.tb.Helper()
	choose, err := p.rod.Timeout(patience).HandleFileDialog()
	if err != nil {
		p.tb.Fatal(err)
	}
	p.click(name)
	if err := choose(files); err != nil {
		p.tb.Fatalf("choose files for %q: %v", name, err)
	}
}

// press presses a key, or keys at once: "Enter", "Control+K", "Shift+Tab".
func (p *page) press(keys string) {
	p.tb.Helper()
	names := strings.Split(keys, "+")
	actions := p.rod.Timeout(patience).KeyActions()
	for i, name := range names {
		k, ok := keyNames()[name]
		if r := []rune(strings.ToLower(name)); !ok && len(r) == 1 {
			k, ok = input.Key(r[0]), true
		}
		if !ok {
			p.tb.Fatalf("there is no key %q", name)
		}
		if i < len(names)-1 {
			actions = actions.Press(k)
		} else {
			actions = actions.Type(k)
		}
	}
	if err := actions.Do(); err != nil {
		p.tb.Fatal(err)
	}
}

// types types a text into what has the focus.
func (p *page) types(text string) {
	p.tb.Helper()
	if err := p.rod.Timeout(patience).InsertText(text); err != nil {
		p.tb.Fatal(err)
	}
}

// tabTo presses Tab until what has the name has the focus.
func (p *page) tabTo(name string) {
	p.tb.Helper()
	var passed []string
	for range 200 {
		p.press("Tab")
		now := p.focused()
		if now == name {
			return
		}
		passed = append(passed, now)
	}
	p.tb.Fatalf("Tab does not reach %q; it reached %q", name, passed)
}

// focused returns the name of what has the focus.
func (p *page) focused() (name string) {
	p.tb.Helper()
	r := p.rod.Timeout(patience)
	active, err := proto.RuntimeEvaluate{Expression: "document.activeElement"}.Call(r)
	if err != nil {
		p.tb.Fatal(err)
	}
	tree, err := proto.AccessibilityGetPartialAXTree{ObjectID: active.Result.ObjectID}.Call(r)
	if err != nil {
		p.tb.Fatal(err)
	}
	if len(tree.Nodes) == 0 || tree.Nodes[0].Name == nil {
		return ""
	}
	return tree.Nodes[0].Name.Value.Str()
}

// focuses waits until what has the name has the focus.
func (p *page) focuses(name string) {
	p.tb.Helper()
	p.until("the focus", func(*rod.Page) error {
		if now := p.focused(); now != name {
			return fmt.Errorf("is on %q, want %q", now, name)
		}
		return nil
	})
}

// sees waits until the page shows each text.
func (p *page) sees(texts ...string) {
	p.tb.Helper()
	p.until(fmt.Sprintf("see %q", texts), func(r *rod.Page) error {
		shown, err := p.shown(r)
		if err != nil {
			return err
		}
		for _, text := range texts {
			if !strings.Contains(shown, text) {
				return fmt.Errorf("%q is missing in: %s", text, shown)
			}
		}
		return nil
	})
}

// seesNo waits until the page shows none of the texts. See what came instead
// first: a page that is still loading shows none of them either.
func (p *page) seesNo(texts ...string) {
	p.tb.Helper()
	p.until(fmt.Sprintf("see no %q", texts), func(r *rod.Page) error {
		shown, err := p.shown(r)
		if err != nil {
			return err
		}
		for _, text := range texts {
			if strings.Contains(shown, text) {
				return fmt.Errorf("%q is in: %s", text, shown)
			}
		}
		return nil
	})
}

// seesA waits until the page has one thing with the role and the name, such as a
// heading or a dialog.
func (p *page) seesA(role, name string) {
	p.tb.Helper()
	p.until(fmt.Sprintf("see the %s %q", role, name), func(r *rod.Page) error {
		_, err := p.find(r, []string{role}, name)
		return err
	})
}

// has waits until the field with the label has the value.
func (p *page) has(label, value string) {
	p.tb.Helper()
	p.until(fmt.Sprintf("the field %q", label), func(r *rod.Page) error {
		el, err := p.find(r, fields(), label)
		if err != nil {
			return err
		}
		have, err := el.Property("value")
		if err == nil && have.Str() != value {
			err = fmt.Errorf("has %q, want %q", have.Str(), value)
		}
		return err
	})
}

// text returns what the page shows, its whitespace collapsed.
func (p *page) text() (text string) {
	p.tb.Helper()
	p.until("the text", func(r *rod.Page) (err error) {
		text, err = p.shown(r)
		return err
	})
	return text
}

// copied returns the text that the page copied last.
func (p *page) copied() (text string) {
	p.tb.Helper()
	p.until("a copied text", func(r *rod.Page) (err error) {
		if text, err = p.eval(r, "() => window.copied ?? ''"); err == nil && text == "" {
			err = errors.New("nothing was copied")
		}
		return err
	})
	return text
}

// record makes the page remember what it copies, because all tabs of Chromium
// share one clipboard, and what moved without a key or a click.
func (p *page) record() error {
	_, err := p.rod.EvalOnNewDocument(`
		navigator.clipboard && (navigator.clipboard.writeText = async (text) => { window.copied = text })
		window.shifts = []
		new PerformanceObserver((list) => window.shifts.push(...list.getEntries().filter((e) => !e.hadRecentInput)))
			.observe({ type: "layout-shift", buffered: true })`)
	return err
}

// onLoad runs a script in every document that the page loads from now on, before its own.
func (p *page) onLoad(script string) {
	p.tb.Helper()
	if _, err := p.rod.EvalOnNewDocument(script); err != nil {
		p.tb.Fatal(err)
	}
}

// offline takes the network away from the page, or gives it back.
func (p *page) offline(off bool) {
	p.tb.Helper()
	if err := (proto.NetworkEmulateNetworkConditions{Offline: off, DownloadThroughput: -1, UploadThroughput: -1}).Call(p.rod); err != nil {
		p.tb.Fatal(err)
	}
}

// refused expects the service to refuse a request, such as 401 "POST /api/v1/sessions".
// A journey fails on every refusal that it does not expect.
func (p *page) refused(status int, target string) {
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	p.watch.refusals = append(p.watch.refusals, &refusal{status: status, target: target})
}

// mayBeRefused is refused for a request that need not happen, or not so. An empty
// target is every request, such as after the end of a session.
func (p *page) mayBeRefused(status int, target string) {
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	p.watch.refusals = append(p.watch.refusals, &refusal{status: status, target: target, optional: true})
}

// tab opens a path in another tab of the same browser.
func (p *page) tab(path string) *page {
	p.tb.Helper()
	other := p.browser.tab()
	other.open(path)
	return other
}

// shown returns the text of the page or of its part.
func (p *page) shown(r *rod.Page) (string, error) {
	el, err := p.root(r)
	if err != nil {
		return "", err
	}
	text, err := el.Eval("() => (this === document ? document.body : this).innerText")
	if err != nil {
		return "", err
	}
	return strings.Join(strings.Fields(text.Value.Str()), " "), nil
}

func (p *page) eval(r *rod.Page, js string) (string, error) {
	v, err := r.Eval(js)
	if err != nil {
		return "", err
	}
	return v.Value.Str(), nil
}

// root returns the document, or the part of it.
func (p *page) root(r *rod.Page) (*rod.Element, error) {
	doc, err := r.ElementByJS(rod.Eval("() => document.documentElement"))
	if err != nil {
		return nil, err
	}
	for _, s := range p.scope {
		if s.text != "" {
			doc, err = rowOf(doc, s.text)
		} else {
			doc, err = one(r, doc, []string{s.role}, s.name)
		}
		if err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// rowOf returns the one visible row of a table, or item of a list, with a text.
func rowOf(in *rod.Element, text string) (*rod.Element, error) {
	rows, err := in.Elements("tbody tr, [role=row], li, [role=listitem], article")
	if err != nil {
		return nil, err
	}
	var found []*rod.Element
	for _, row := range rows {
		shown, err := row.Eval("() => this.checkVisibility() ? this.innerText : ''")
		if err != nil {
			return nil, err
		}
		if strings.Contains(strings.Join(strings.Fields(shown.Value.Str()), " "), text) {
			found = append(found, row)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d rows have %q", len(found), text)
	}
	return found[0], nil
}

// find returns the one thing with the name and one of the roles.
func (p *page) find(r *rod.Page, roles []string, name string) (*rod.Element, error) {
	root, err := p.root(r)
	if err != nil {
		return nil, err
	}
	return one(r, root, roles, name)
}

// one asks the accessibility tree of the browser, as a screen reader does.
func one(r *rod.Page, root *rod.Element, roles []string, name string) (*rod.Element, error) {
	res, err := proto.AccessibilityQueryAXTree{ObjectID: root.Object.ObjectID, AccessibleName: name}.Call(r)
	if err != nil {
		return nil, err
	}
	var found []*proto.AccessibilityAXNode
	var others []string
	for _, n := range res.Nodes {
		switch role := n.Role.Value.Str(); {
		case n.Ignored || n.BackendDOMNodeID == 0:
		case slices.Contains(roles, role):
			found = append(found, n)
		default:
			others = append(others, role)
		}
	}
	switch {
	case len(found) == 0 && len(others) > 0:
		return nil, fmt.Errorf("what has the name %q is %v", name, others)
	case len(found) != 1:
		return nil, fmt.Errorf("%d things have the name %q", len(found), name)
	}
	for _, property := range found[0].Properties {
		if property.Name == proto.AccessibilityAXPropertyNameDisabled && property.Value.Value.Bool() {
			return nil, fmt.Errorf("%q is disabled", name)
		}
	}
	return r.ElementFromNode(&proto.DOMNode{BackendNodeID: found[0].BackendDOMNodeID})
}

func clickable() []string {
	return []string{
		"button", "link", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "checkbox", "radio", "switch", "combobox",
		"treeitem", "gridcell", "DisclosureTriangle", "DisclosureTriangleGrouped", "slider",
	}
}

func fields() []string {
	return []string{"textbox", "searchbox", "combobox", "spinbutton", "Date", "DateTime", "InputTime", "slider"}
}

func keyNames() map[string]input.Key {
	return map[string]input.Key{
		"Control": input.ControlLeft, "Shift": input.ShiftLeft, "Alt": input.AltLeft, "Meta": input.MetaLeft,
		"Enter": input.Enter, "Escape": input.Escape, "Tab": input.Tab, "Space": input.Space, "Backspace": input.Backspace, "Delete": input.Delete,
		"Up": input.ArrowUp, "Down": input.ArrowDown, "Left": input.ArrowLeft, "Right": input.ArrowRight,
		"Home": input.Home, "End": input.End, "PageUp": input.PageUp, "PageDown": input.PageDown,
	}
}

func keysOf(text string) (keys []input.Key) {
	for _, r := range text {
		keys = append(keys, input.Key(r))
	}
	return keys
}
