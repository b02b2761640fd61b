package httpserver

import (
	"bytes"
	"io"
	"mime/multipart"
	"strings"
	"testing"
	"testing/iotest"
)

// A form is read alike with and without headerTabs, but for the control
// characters in its headers.
func TestHeaderTabs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"--b\r\nA: \x01x\x7f\r\n\r\n\x01--b\r\n\x01":                     "--b\r\nA: \tx\t\r\n\r\n\x01--b\r\n\x01",
		"\x01\n\n--bb\n\x01\n--b \t\r\nA:\x02\r\n\r\n--b\r\nA:\x02":      "\x01\n\n--bb\n\x01\n--b \t\r\nA:\t\r\n\r\n--b\r\nA:\t",
		"--b\r\nA:\r\n\r\nx\n--b\r\nA:\x02\r\n--b\r\nA:\x02\r\n\r\n\x02": "--b\r\nA:\r\n\r\nx\n--b\r\nA:\x02\r\n--b\r\nA:\t\r\n\r\n\x02",
		"--b\nA:\x02\n\n\x02\n--b\nA:\x02":                               "--b\nA:\t\n\n\x02\n--b\nA:\t",
		"--b\r\nA:\x00\r\n\x01A:\r\n\r\n\r\n--b--\r\n\x02":               "--b\r\nA:\x00\r\n\x01A:\r\n\r\n\r\n--b--\r\n\x02",
	} {
		for how, from := range map[string]io.Reader{
			"at once": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
		} {
			got, err := io.ReadAll(&headerTabs{from: from, dash: "--b"})
			if err != nil || string(got) != want {
				t.Errorf("%q %s: %q, %v, want %q", in, how, got, err, want)
			}
		}
	}
}

// No byte of a part is another one, whatever the form: what mime/multipart
// makes of it is the same without its control characters.
func FuzzHeaderTabs(f *testing.F) {
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\n--b\r\n\x01\r\n--b--\r\n"))
	f.Add([]byte("x\n--b\nContent-Disposition: form-data; name=a\n\n--b\n\n\x01\r\n--b\n--b--"))
	f.Fuzz(func(t *testing.T, body []byte) {
		plain, tabbed := partsOf(bytes.NewReader(body)), partsOf(&headerTabs{from: bytes.NewReader(body), dash: "--b"})
		if len(tabbed) < len(plain) {
			t.Fatalf("%d parts, want %d", len(tabbed), len(plain))
		}
		for i := range plain {
			if plain[i] != tabbed[i] {
				t.Fatalf("part %d is %q, want %q", i, tabbed[i], plain[i])
			}
		}
	})
}

// partsOf gives the content of each part up to the first that is broken.
func partsOf(body io.Reader) (contents []string) {
	parts := multipart.NewReader(body, "b")
	for {
		part, err := parts.NextRawPart()
		if err != nil {
			return contents
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return contents
		}
		contents = append(contents, string(content))
	}
}
