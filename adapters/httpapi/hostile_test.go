package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver"
	"github.com/molar-billing/molar/core/billing/caller"
)

// hostileBodies are of a megabyte each, and made to cost as much as they can.
func hostileBodies() map[string]string {
	const size = 1 << 20
	fill := func(before, piece, after string) string {
		return before + strings.Repeat(piece, (size-len(before)-len(after))/len(piece)) + after
	}
	numbered := func(n int, format string) string { // format takes i, possibly twice
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	name := strings.Repeat("n", 800)
	deep := strings.Repeat(`{"`+name+`":`, 29)
	return map[string]string{
		"duplicates below a long name": fill(`{"`+strings.Repeat("n", size/2)+`":{`, `"a":1,`, `"a":1}}`),
		"duplicates":                   fill("{", `"a":1,`, `"a":1}`),
		"duplicates of every name":     `{` + numbered(4900, `"name%[1]d":1,"name%[1]d":1,`) + fill(`"a":"`, "x", `"}`)[:size-200_000] + `"}`,
		"duplicates of a deep object": `{"a":1,"a":` + deep + `{` + numbered(4900, `"%[1]d":1,"%[1]d":1,`) + `"a":1}` +
			strings.Repeat("}", 29) + `}`,
		"duplicates that a fault covers": `{"x":` + deep + `{"y":1,"y":1,"y":{` + numbered(4900, `"%[1]d":1,"%[1]d":1,`) + `"a":1}}` +
			strings.Repeat("}", 29) + `}`,
		"deep objects":             fill("{", `"a":`+strings.Repeat(`{"a":`, 30)+"1"+strings.Repeat("}", 30)+",", `"b":1}`),
		"deep lists":               fill(`{"lines":[`, strings.Repeat("[", 29)+strings.Repeat("]", 29)+",", "1]}"),
		"too deep":                 fill(`{"a":`, "[", ""),
		"unknown fields":           `{` + numbered(9900, `"a long field which is unknown everywhere, of which there are many, in this body here %d":1,`) + `"a":1}`,
		"unknown fields, shorter":  `{` + numbered(90_000, `"%d":1,`) + `"a":1}`,
		"unknown fields of a line": `{"lines":[{` + numbered(9900, `"%d":1,`) + `"a":1}]}`,
		"unknown fields of items":  `{"name":"x","items":[` + strings.TrimSuffix(numbered(500, `{"item_id":"%d",`+numbered(37, `"unknown field %d":1,`)+`"a":1},`), ",") + `]}`,
		"a long name":              fill(`{"`, "n", `":1}`),
		"long names":               `{` + numbered(100, `"`+strings.Repeat("n", 10_000)+`%d":1,`) + `"a":1}`,
		"names that sort slowly":   `{` + numbered(9900, `"`+strings.Repeat("n", 90)+`%d":1,`) + `"a":1}`,
		"items of a wrong type":    `{"lines":[` + strings.Repeat("1,", 9900) + `1],"procedure_codes":1,"event_types":1}`,
		"texts of a wrong type":    `{"procedure_codes":[` + strings.Repeat("1,", 9900) + `1]}`,
		"more items":               fill(`{"lines":[`, "1,", "1]}"),
		"objects":                  `{"lines":[` + strings.Repeat("{},", 9900) + `{}]}`,
		"more objects":             fill(`{"lines":[`, "{},", "{}]}"),
		"event types":              `{"event_types":[` + numbered(9900, `"type.%d",`) + `"ping"]}`,
		"procedures":               `{"procedure_codes":[` + numbered(9900, `"D%04d",`) + `"D0120"]}`,
		"a big number":             fill(`{"lines":[{"quantity":`, "9", "}]}"),
		"a small number":           fill(`{"lines":[{"quantity":0.`, "0", "1}]}"),
		"big numbers":              `{"lines":[` + strings.Repeat(`{"quantity":1`+strings.Repeat("9", 150)+`e99},`, 4900) + `{}]}`,
		"escapes":                  fill(`{"tenant_reference":"`, `\u0001`, `"}`),
		"escapes of a letter":      fill(`{"tenant_reference":"`, `\n`, `"}`),
		"escapes in names":         `{` + numbered(9900, `"\u0041\u0041\u0041\u0041\u0041\u0041\u0041\u0041\u0041\u0041\u0041\u0041\u0041%d":1,`) + `"a":1}`,
		"half pairs":               fill(`{"tenant_reference":"`, `\ud800`, `"}`),
		"half pairs in a list":     `{"procedure_codes":[` + strings.Repeat(`"\ud800",`, 9900) + `1]}`,
		"characters to escape":     fill(`{"tenant_reference":"`, "\uE000", `"}`),
		"white space":              fill(`{"a":1`, " \n", `}`),
		"long texts": `{"office_id":"` + strings.Repeat("x", 1<<17) + `","payer_id":"` + strings.Repeat("é", 1<<16) +
			`","service_date":"` + strings.Repeat("2026-01-01", 1<<13) + `","narrative":"` + strings.Repeat("ł ", 1<<16) +
			`","url":"https://` + strings.Repeat("a.", 1<<16) + `","note":"` + strings.Repeat("~", 1<<17) + `","name":"` + strings.Repeat("\u200b", 1<<15) + `"}`,
		"a subscriber": `{"subscriber":{"first_name":"` + strings.Repeat("é", 1<<17) + `","last_name":"` + strings.Repeat("\u0301", 1<<17) +
			`","date_of_birth":"` + strings.Repeat("9", 1<<17) + `","member_id":"` + strings.Repeat(" ", 1<<17) + `","gender":"` + strings.Repeat("m", 1<<17) + `"}}`,
	}
}

// hostileForms are bodies of uploads, with the boundary B.
func hostileForms() map[string]string {
	const (
		size  = 1 << 20
		disp  = "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.png\""
		end   = "\r\n--B--\r\n"
		limit = httpserver.FormLimit - 1000
	)
	fill := func(before, piece string, n int) string { return before + strings.Repeat(piece, n/len(piece)) }
	params := strings.Builder{}
	for i := 0; params.Len() < limit; i++ {
		fmt.Fprintf(&params, "; filename*%d=x", i)
	}
	return map[string]string{
		"lines that begin as a boundary": fill(disp+"\r\n\r\n", "\r\n--", size) + end,
		"line feeds":                     fill(disp+"\r\n\r\n", "\n", size) + end,
		"header lines":                   fill(disp+"\r\n", "a:b\r\n", limit) + "\r\n" + end,
		"parameters":                     "--B\r\nContent-Disposition: form-data; name=\"file\"" + params.String() + "\r\n\r\n" + end,
		"a long file name":               "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + strings.Repeat("\u0301", limit/2) + "\"\r\n\r\n" + end,
		"parts":                          fill("", "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n", limit) + end,
		"before the form":                fill("", "--B \t", size),
		"after the form":                 fill(disp+"\r\n\r\n"+end, "--B\r\n", size),
	}
}

// hostileAllocation is how many bytes a body of a megabyte may make the service
// allocate in all, from its first byte to the reply.
const hostileAllocation = 20 << 20

// No body costs much, at any operation: of the parser, of what an operation
// reads, of the rules that judge it, of its fingerprint and of the reply. Bytes
// that are allocated stand for the work here; BenchmarkHostileBodies shows the
// time.
func TestHostileBodies(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	s := startService(t)
	m := s.make(t)
	asClose := []string{"void", "post", "rotate_secret", "disable", "enable", "ping"} // they too read nothing
	bodies, forms := hostileBodies(), hostileForms()
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	person := "Sec-Fetch-Site: same-origin\r\nMolar-Mode: test\r\nCookie: " + owner.headers["Cookie"]
	for i := range s.server.routes {
		r := &s.server.routes[i]
		sent, kind := bodies, "application/json"
		switch {
		case r.body == noBody, slices.Contains(asClose, path.Base(r.path)):
			continue
		case r.body == uploadBody:
			sent, kind = forms, "multipart/form-data; boundary=B"
		}
		by := "Authorization: Bearer " + s.key
		if slices.Contains([]caller.Need{caller.NeedNothing, caller.NeedSelf, caller.NeedSession, caller.NeedOwner}, r.need) {
			by = person
		}
		for name, body := range sent {
			w := dial(t, s.addr)
			before := allocated()
			for _, piece := range []string{
				fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost%s\r\n%s\r\nIdempotency-Key: hostile\r\nContent-Type: %s\r\n"+
					"Content-Length: %d\r\n\r\n", r.method, root+m.path(r), s.addr[strings.LastIndex(s.addr, ":"):], by, kind, len(body)),
				body,
			} {
				if _, err := io.WriteString(w, piece); err != nil {
					t.Fatal(err)
				}
			}
			a := w.reply()
			if a.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s %s, %s: status %d %.200s", r.method, r.path, name, a.StatusCode, a.body)
			}
			if n := allocated() - before; n > hostileAllocation {
				t.Errorf("%s %s, %s: %d bytes allocated", r.method, r.path, name, n)
			}
			_ = w.Close()
		}
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
