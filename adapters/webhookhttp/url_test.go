package webhookhttp

import (
	"bufio"
	"encoding/json"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/webhook"
)

// TestURLs has at least one URL for each rule, and its neighbours that pass.
func TestURLs(t *testing.T) {
	t.Parallel()
	long := "https://example.com/" + strings.Repeat("a", webhook.MaxWebhookURL-len("https://example.com/"))
	label := strings.Repeat("a", 63)
	name253 := strings.Repeat("abcdefg.", 31) + "a.com"
	if len(name253) != 253 {
		t.Fatal(len(name253))
	}
	for raw, want := range map[string]string{ // what is called, or ! and part of the message
		"https://hooks.example.com":           "https://hooks.example.com",
		"HTTPS://hooks.example.com/a?b=c&d":   "https://hooks.example.com/a?b=c&d",
		"https://EXAMPLE.com./":               "https://example.com/",
		"https://example.com?x":               "https://example.com?x",
		"https://example.com/@/:80/..":        "https://example.com/@/:80/..",
		"https://example.com/?u=https://a@b/": "https://example.com/?u=https://a@b/",
		"https://bücher.example.com/ä?ö=\"<>": "https://xn--bcher-kva.example.com/%C3%A4?%C3%B6=%22%3C%3E",
		"https://faß.example.com/":            "https://xn--fa-hia.example.com/",
		"https://xn--bcher-kva.example.com/":  "https://xn--bcher-kva.example.com/",
		"https://ｅｘａｍｐｌｅ。com/":                "https://example.com/",
		"https://r3---a.example.com/":         "https://r3---a.example.com/",
		"https://1.2.3.4.example.com/":        "https://1.2.3.4.example.com/",
		"https://0x7f.example.com/":           "https://0x7f.example.com/",
		"https://" + label + ".com/":          "https://" + label + ".com/",
		"https://" + name253 + "/":            "https://" + name253 + "/",
		long:                                  long,
		long + "a":                            "!2048",
		"":                                    "!https://",
		"https://":                            "!address",
		"https:///path":                       "!address",
		"https:example.com":                   "!https://",
		"https:/example.com":                  "!https://",
		"//example.com":                       "!https://",
		"http://example.com":                  "!https://",
		"ftp://example.com":                   "!https://",
		"javascript:alert(1)":                 "!https://",
		"https://example.com/ ":               "!spaces",
		" https://example.com/":               "!spaces",
		"https://exam\tple.com/":              "!spaces",
		"https://example.com/\r\nX: y":        "!spaces",
		"https://example.com/\x00":            "!spaces",
		"https://example.com/\x7f":            "!spaces",
		"https://example.com\\@127.0.0.1/":    "!spaces",
		"https://example.com/\xff":            "!UTF-8",
		"https://example.com/%zz":             "!cannot be read",
		"https://example.com/#":               "!fragment",
		"https://example.com/#a":              "!fragment",
		"https://example.com#@127.0.0.1/":     "!fragment",
		"https://user@example.com/":           "!user name",
		"https://user:pass@example.com/":      "!user name",
		"https://@example.com/":               "!user name",
		"https://example.com%2f@127.0.0.1/":   "!user name",
		"https://127.0.0.1/":                  "!address",
		"https://8.8.8.8/":                    "!address",
		"https://127.0.0.1./":                 "!address",
		"https://127.1/":                      "!address",
		"https://0/":                          "!address",
		"https://2130706433/":                 "!address",
		"https://017700000001/":               "!address",
		"https://0x7f000001/":                 "!address",
		"https://0x7f.1/":                     "!address",
		"https://a.0x/":                       "!address",
		"https://1.2.3.4.5/":                  "!address",
		"https://256.256.256.256/":            "!address",
		"https://①②⑦.⓪.⓪.①/":                  "!address",
		"https://１２７.０.０.１/":                  "!address",
		"https://127。0。0。1/":                  "!address",
		"https://127%2e0%2e0%2e1/":            "!address",
		"https://[::1]/":                      "!address",
		"https://[::1]:443/":                  "!address",
		"https://[::ffff:127.0.0.1]/":         "!address",
		"https://[fe80::1%25lo]/":             "!address",
		"https://::1/":                        "!address",
		"https://exa%6dple.com/":              "!address",
		"https://%e2%91%a0.example.com/":      "!address",
		"https://./":                          "!address",
		"https://../":                         "!address",
		"https://example.com../":              "!address",
		"https://example..com/":               "!not valid",
		"https://.example.com/":               "!not valid",
		"https://-a.example.com/":             "!",
		"https://a_b.example.com/":            "!not valid",
		"https://a,b.example.com/":            "!not valid",
		"https://xn--a.example.com/":          "!not valid",
		"https://" + label + "a.com/":         "!not valid",
		"https://a" + name253 + "/":           "!not valid",
		"https://localhost/":                  "!two parts",
		"https://vm/":                         "!two parts",
		"https://metadata/":                   "!two parts",
		"https://com./":                       "!two parts",
		"https://a.localhost/":                "!is not on the internet",
		"https://A.LocalHost./":               "!is not on the internet",
		"https://printer.local/":              "!is not on the internet",
		"https://localhost.localdomain/":      "!is not on the internet",
		"https://metadata.google.internal/":   "!is not on the internet",
		"https://nas.lan/":                    "!is not on the internet",
		"https://nas.home.arpa/":              "!is not on the internet",
		"https://1.0.0.127.in-addr.arpa/":     "!is not on the internet",
		"https://a.test/":                     "!is not on the internet",
		"https://a.invalid/":                  "!is not on the internet",
		"https://a.example/":                  "!is not on the internet",
		"https://a.onion/":                    "!is not on the internet",
		"https://a.alt/":                      "!is not on the internet",
		"https://example.com:443/":            "https://example.com:443/",
		"https://example.com:1024/":           "https://example.com:1024/",
		"https://example.com:65535/x":         "https://example.com:65535/x",
		"https://example.com:/":               "!port",
		"https://example.com:0/":              "!port",
		"https://example.com:22/":             "!port",
		"https://example.com:80/":             "!port",
		"https://example.com:1023/":           "!port",
		"https://example.com:65536/":          "!port",
		"https://example.com:65979/":          "!port", // 443 in 16 bits
		"https://example.com:0443/":           "!port",
		"https://example.com:+443/":           "!port",
		"https://example.com:-443/":           "!port",
		"https://example.com:４４３/":            "!port",
		"https://example.com:443:443/":        "!port",
		"https://example.com:https/":          "!port",
	} {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			err := newClient(t, Options{}).Check(t.Context(), raw)
			if message, refused := strings.CutPrefix(want, "!"); refused {
				if f := faultOf(t, err); !strings.Contains(f.Message, message) {
					t.Errorf("%q does not say %q", f.Message, message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			to, _ := newClient(t, Options{}).rules.read(raw)
			if got := to.url.String(); got != want {
				t.Errorf("calls %s", got)
			}
		})
	}
}

type corpusRow []string

func (r corpusRow) column(i int) string {
	if i < len(r) {
		return r[i]
	}
	return ""
}

// corpus reads a table of the folder that MOLAR_CORPUS_DIR names; none when it
// names none.
func corpus(t *testing.T, name string) (rows []corpusRow) {
	t.Helper()
	dir := os.Getenv("MOLAR_CORPUS_DIR")
	if dir == "" {
		t.Log("MOLAR_CORPUS_DIR is unset: files from outside the project are not tried")
		return nil
	}
	f, err := os.Open(filepath.Join(dir, "ssrf", name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		rows = append(rows, strings.Split(lines.Text(), "\t"))
	}
	if err := lines.Err(); err != nil || len(rows) < 2 {
		t.Fatal(len(rows), err)
	}
	return rows[1:]
}

func TestURLCorpus(t *testing.T) {
	t.Parallel()
	public, private := newClient(t, Options{}), newClient(t, Options{Resolver: always("169.254.169.254")})
	ordinary := regexp.MustCompile(`^https://(example\.(com|org)|[0-9a-f]{40}\.flaws\.cloud)/`)
	count := map[string]int{}
	for _, row := range corpus(t, "urls.tsv") {
		var raw string
		if err := json.Unmarshal([]byte(row.column(0)), &raw); err != nil {
			t.Fatal(row.column(0), err)
		}
		judged, verdict := public, row.column(1)
		count[verdict]++
		switch verdict {
		case "refuse":
		case "refuse-if-resolves-private":
			judged = private
		case "judgement":
			if ordinary.MatchString(raw) {
				if err := public.Check(t.Context(), raw); err != nil {
					t.Errorf("%s: %v", raw, err)
				}
				continue
			}
		default:
			t.Errorf("%s: verdict %s", raw, verdict)
		}
		if err := judged.Check(t.Context(), raw); err == nil {
			t.Errorf("%q (%s) may be called", raw, row.column(2))
		} else {
			faultOf(t, err)
		}
		// The stored URL is judged alike when something is posted to it.
		if a := judged.attempt(t.Context(), webhook.Message{URL: raw}); a.Status != 0 || a.Error == "" {
			t.Errorf("%q (%s) was called: %+v", raw, row.column(2), a)
		}
	}
	t.Log(count)
}

// FuzzURL holds what passes to have one reading: ours is that of net/url, that of
// the WHATWG (taken apart here after its rules for what is left of the text), and
// that of a second pass.
func FuzzURL(f *testing.F) {
	for _, seed := range []string{
		"https://hooks.example.com:8443/a/b?c=d", "https://①②⑦.⓪.⓪.①/", "https://example.com\\@127.0.0.1/", "https://a@b.com:80/#",
		"https://faß。example.com./?ä", "https://[::ffff:7f00:1]:443/", "https://0x7f.1", "https://exa%6dple.com:0443", "HtTpS://xn--bcher-kva.com/%ff",
	} {
		f.Add(seed)
	}
	r, err := newRules(nil)
	if err != nil {
		f.Fatal(err)
	}
	host := regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?$`)
	f.Fuzz(func(t *testing.T, raw string) {
		to, faults := r.read(raw)
		if len(faults) > 0 {
			if len(faults) != 1 || faults[0].Message == "" || to != nil {
				t.Fatal(faults)
			}
			return
		}
		called := to.url.String()
		again, err := url.Parse(called)
		if err != nil || again.Scheme != "https" || again.User != nil || again.Fragment != "" || again.Hostname() != to.host {
			t.Fatalf("%q calls %q: %v", raw, called, err)
		}
		if !host.MatchString(to.host) || len(to.host) > 253 {
			t.Fatalf("%q names the host %q", raw, to.host)
		}
		if _, err := netip.ParseAddr(to.host); err == nil {
			t.Fatalf("%q is an address", to.host)
		}
		if n, err := strconv.Atoi(again.Port()); again.Port() != "" && (err != nil || n != 443 && n < 1024 || n > 65535) {
			t.Fatalf("%q has the port %s", raw, again.Port())
		}
		authority, _, _ := strings.Cut(strings.NewReplacer("\\", "/", "?", "/", "#", "/").Replace(raw[len("https://"):]), "/")
		written := authority[strings.LastIndexByte(authority, '@')+1:]
		if end := strings.LastIndexByte(written, ':'); end >= 0 {
			written = written[:end]
		}
		if name, faults := r.name(written); len(faults) > 0 || name != to.host {
			t.Fatalf("%q names %q and calls %q", raw, written, to.host)
		}
		if len(called) > webhook.MaxWebhookURL {
			return // only what it is written with, percent-encoded, makes it too long
		}
		if second, faults := r.read(called); len(faults) > 0 || second.host != to.host || second.url.String() != called {
			t.Fatalf("%q calls %q, and that is judged otherwise: %v", raw, called, faults)
		}
		line := again.RequestURI()
		for i := range len(line) {
			if line[i] <= ' ' || line[i] >= 0x7f {
				t.Fatalf("%q is sent as %q", raw, line)
			}
		}
	})
}
