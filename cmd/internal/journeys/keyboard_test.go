package journeys_test

import (
	"context"
	"errors"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
)

// activate gives an element the focus as a person with a keyboard does, checks that the
// focus is visible, and presses the key that activates it. A field only gets the focus.
func activate(r *rod.Page, el *rod.Element) error {
	if err := reach(r, el); err != nil {
		return err
	}
	key, err := el.Eval(`() => {
		if (this.matches("[type=checkbox], [type=radio], [role=checkbox], [role=radio], [role=switch]")) return "Space"
		return this.matches("input:not([type=file], [type=button], [type=submit]), textarea, select") ? "" : "Enter"
	}`)
	if err != nil || key.Value.Str() == "" {
		return err
	}
	return r.Keyboard.Type(keyNames()[key.Value.Str()])
}

// reach gives an element the focus by the keys that lead to it.
func reach(r *rod.Page, el *rod.Element) error {
	soon, cancel := context.WithTimeout(el.GetContext(), 5*time.Second) // then it is looked up again
	defer cancel()
	r, el = r.Context(soon), el.Context(soon)
	inside, err := el.Eval(`() => this.closest("[role=menu], [role=listbox]") !== null`)
	if err != nil {
		return err
	}
	if inside.Value.Bool() {
		return reachByArrows(r, el)
	}
	return reachByTab(r, el)
}

// look is what a person sees of an element that the focus can change: its own style, and
// that of what stands for it.
const look = `const look = (e) => [[e, null], [e, "::after"], ...[...e.children].map((c) => [c, null])].map(([of, pseudo]) => {
	const { outline, boxShadow, borderColor, backgroundColor, stroke } = getComputedStyle(of, pseudo)
	return [outline, boxShadow, borderColor, backgroundColor, stroke].join()
}).join(";");`

// reachByTab goes back from the element and returns to it. The order of Tab is one ring,
// so what its neighbor leads to is reached from anywhere.
func reachByTab(r *rod.Page, el *rod.Element) error {
	ready, err := el.Eval(`() => {
		if (this.tabIndex < 0) return "is not in the order of Tab"
		this.focus()
		return document.activeElement === this ? "" : "does not take the focus"
	}`)
	if err != nil {
		return err
	}
	if fault := ready.Value.Str(); fault != "" {
		return errors.New(fault)
	}
	back := r.KeyActions().Press(input.ShiftLeft).Type(input.Tab)
	if err := back.Do(); err != nil {
		return err
	}
	before, err := el.Eval(`() => { ` + look + ` return document.activeElement === this ? "" : look(this) }`)
	if err != nil {
		return err
	}
	if before.Value.Str() == "" {
		return errors.New("Shift+Tab does not leave it")
	}
	if err := r.Keyboard.Type(input.Tab); err != nil {
		return err
	}
	now, err := el.Eval(`(before) => {
		`+look+`
		const active = document.activeElement
		if (active !== this) return "is not reached by Tab, which reached " + active.outerHTML.slice(0, 200)
		if (!this.matches(":focus-visible") || look(this) === before) return "does not show its focus"
		const box = [...this.getClientRects()].find((b) => b.width > 0 && b.height > 0)
		return box && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight ? "" : "is out of sight"
	}`, before.Value.Str())
	if err != nil {
		return err
	}
	if fault := now.Value.Str(); fault != "" {
		return errors.New(fault)
	}
	return nil
}

// reachByArrows goes through the open menu or list that has the element, and that has the
// focus itself or by its field.
func reachByArrows(r *rod.Page, el *rod.Element) error {
	for range 200 {
		at, err := el.Eval(`() => {
			const active = document.activeElement, whole = this.closest("[role=menu], [role=listbox]")
			if (!whole.contains(active) && active.getAttribute("aria-controls") !== whole.id) return "elsewhere"
			if (active !== this && active.getAttribute("aria-activedescendant") !== this.id) return "not yet"
			const { backgroundColor, boxShadow } = getComputedStyle(this)
			return backgroundColor === "rgba(0, 0, 0, 0)" && boxShadow === "none" ? "hidden" : ""
		}`)
		if err != nil {
			return err
		}
		switch at.Value.Str() {
		case "":
			return nil
		case "elsewhere":
			return errors.New("the focus is not in its list")
		case "hidden":
			return errors.New("does not show its focus")
		}
		if err := r.Keyboard.Type(input.ArrowDown); err != nil {
			return err
		}
	}
	return errors.New("the arrow keys do not reach it")
}
