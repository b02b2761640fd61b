package billing_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

type place struct {
	City string `field:"city"`
	ZIP  string `field:"zip"`
}

type parts struct {
	Note string `field:"note"`
}

type sheet struct {
	ID    int
	Name  string   `field:"name"`
	Home  place    `field:"home"`
	Work  *place   `field:"work"`
	Codes []string `field:"codes"`
	State string

	parts
}

// Each change of content is a version, which names the fields that differ, and a caller of
// an earlier version learns their last changes.
func TestEdits(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	var e billing.Edits
	now := sheet{ID: 1, Name: "a", Home: place{"Albany", "1"}, Work: &place{"Troy", "2"}, Codes: []string{"x"}}
	change := func(by string, edit func(s *sheet)) {
		next := now
		work := *now.Work
		next.Work = &work
		edit(&next)
		noon = noon.Add(time.Minute)
		e = e.After(now, next, by, noon)
		now = next
	}
	since := func(seen int) string {
		err := e.Expect(seen)
		if err == nil {
			return "none"
		}
		var out string
		refused, _ := errors.AsType[*billing.Error](err)
		for _, c := range refused.Changed {
			out += fmt.Sprintf("%s %s %d ", c.Field, c.By, c.At.Minute())
		}
		return out
	}
	for _, x := range []struct {
		by      string
		edit    func(s *sheet)
		version int
	}{
		{"ann", func(*sheet) {}, 1},
		{"ann", func(s *sheet) { s.ID, s.State = 2, "sent" }, 1},
		{"ann", func(s *sheet) { s.Name, s.Home.ZIP = "b", "3" }, 2},
		{"bo", func(s *sheet) { s.Name, s.Work.City = "c", "Utica" }, 3},
		{"bo", func(s *sheet) { s.Codes = nil }, 4},
		{"bo", func(s *sheet) { s.Codes = []string{} }, 4},
		{"cy", func(s *sheet) { s.Note = "n" }, 5},
	} {
		before := e
		if change(x.by, x.edit); e.Version() != x.version {
			t.Fatalf("version %d, want %d", e.Version(), x.version)
		}
		if before.Expect(before.Version()) != nil || len(before.Last) > len(e.Last) {
			t.Fatal("a change reached the edits before it")
		}
	}
	for seen, want := range map[int]string{
		0: "none", 5: "none", 4: "note cy 7 ", 3: "codes bo 5 note cy 7 ", 2: "name bo 4 work.city bo 4 codes bo 5 note cy 7 ",
		1: "home.zip ann 3 name bo 4 work.city bo 4 codes bo 5 note cy 7 ", 6: "",
	} {
		if got := since(seen); got != want {
			t.Errorf("since %d: %q, want %q", seen, got, want)
		}
	}
	if got := (billing.Edits{}).After(sheet{}, sheet{Work: &place{}}, "ann", noon); got.Last["work"].Version != 2 {
		t.Errorf("a part that came is %v", got)
	}
}
