package corenet

import (
	"bytes"
	"encoding/xml"
	"testing"

	"github.com/molar-billing/molar/core/billing/network"
)

// FuzzRead reads replies of any bytes. Each ends as a payload that begins with ISA, or
// as an error with a reason.
func FuzzRead(f *testing.F) {
	const x12 = "ISA*00*          *00*          *ZZ*NET            *ZZ*MOLAR          *260615*1304*^*00501*000000001*0*T*:~TA1*000000007*260615*1304*R*020~IEA*0*000000001~"
	soap := func(payload string) string {
		return `<?xml version="1.0"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Header><a/></s:Header><s:Body><r><PayloadID>x</PayloadID><Payload>` +
			payload + `</Payload><ErrorCode>Success</ErrorCode></r></s:Body></s:Envelope>`
	}
	for _, seed := range [][2]string{
		{"application/soap+xml", soap("<![CDATA[" + x12 + "]]>")},
		{"text/xml", soap("&lt;![CDATA[" + x12 + "]]&gt;")},
		{"text/xml", soap("SVNBKjAw")},
		{"text/xml", soap(`<i:Include xmlns:i="u" href="cid:a%40b"/>`)},
		{"multipart/related; boundary=b", "--b\r\nContent-ID: <a>\r\n\r\n" + soap(`<Include href="cid:p"/>`) + "\r\n--b\r\nContent-ID: <p>\r\nContent-Transfer-Encoding: base64\r\n\r\nSVNB\r\n--b--"},
		{"multipart/form-data; boundary=b", "--b\nContent-Disposition: form-data; name=Payload\n\n" + x12 + "\n--b--"},
		{"text/html", "<html>"},
		{"text/plain", x12},
		{"application/json", `{"a":1}`},
		{"text/xml", `<e:Envelope xmlns:e="u"><e:Body><e:Fault><faultcode>e:Server</faultcode></e:Fault></e:Body></e:Envelope>`},
		{"text/xml", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		sent := bytes.Clone(body)
		r, err := read(contentType, body)
		if !bytes.Equal(sent, body) {
			t.Fatal("the body changed")
		}
		if err != nil {
			if network.ReasonOf(err) != network.ReasonProtocol {
				t.Fatalf("error without a reason: %v", err)
			}
			return
		}
		r.status = 200
		_ = r.refusal()
		got, form := unwrap(r.payload)
		if (got == nil) == (form == "") || got != nil && !startsISA(got) || len(got) > len(body) {
			t.Fatalf("%d bytes, form %q, of %d", len(got), form, len(body))
		}
		if got != nil {
			_ = rejection(got)
		}
	})
}

// FuzzLongestTag compares the tags of a document with those of the decoder. None of the
// decoder's may be longer: it keeps a tag in memory at many times its size.
func FuzzLongestTag(f *testing.F) {
	for _, seed := range []string{
		`<a b="c>d" e='"'/>`, `<!--> <a "--><b a=">" a=">"/>`, `<![CDATA[<a "]]><b>`, `<?x <a "?><b c="d">`, `<!a "<b>"><c d="e">`, `<a><!---- ><b "></a>`, "</a b>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		longest := longestTag(b)
		d := xml.NewDecoder(bytes.NewReader(b))
		d.CharsetReader = charset
		for before := int64(0); ; before = d.InputOffset() {
			token, err := d.RawToken()
			if err != nil {
				return
			}
			if _, is := token.(xml.Directive); is {
				return // it is an error
			}
			if _, is := token.(xml.StartElement); is && d.InputOffset()-before > int64(longest) {
				t.Fatalf("a tag of %d bytes, want at most %d", d.InputOffset()-before, longest)
			}
		}
	})
}
