package corenet_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
)

// deviation is what a real network sends, and what becomes of it.
type deviation struct {
	name    string
	reply   func(in *received, x12 string) reply
	reason  network.Reason // empty for a response that is accepted
	says    string         // a part of the error
	options func(*corenet.Config)
}

// deviations are those of the networks that were seen, D1 to D13, and variations.
func deviations() []deviation {
	errorPage := `{"message":"An error occurred while processing Quillfeather"}`
	html := "<!DOCTYPE html>\n<html><body><p>Quillfeather &nbsp; <br> not found</body></html>"
	return []deviation{
		{name: "D1 JSON in a payload of Success", reason: network.ReasonProtocol, says: "JSON", reply: func(in *received, _ string) reply {
			return in.respond(errorPage, "Success")
		}},
		{name: "D1 JSON escaped", reason: network.ReasonProtocol, says: "JSON", reply: func(in *received, _ string) reply {
			return in.soap(escaped(errorPage), "Success")
		}},
		{name: "D2 a 999", reason: network.ReasonRejected, says: "999 R; segment NM1 at 8: 8, element 9: 7", reply: func(in *received, _ string) reply {
			return in.respond(rejected999, "Success")
		}},
		{name: "D2 a TA1", reason: network.ReasonRejected, says: "TA1 R note 020", reply: func(in *received, _ string) reply {
			return in.respond(rejectedTA1, "Success")
		}},
		{name: "D3 MTOM whose boundary only the body has", reply: func(in *received, x12 string) reply {
			return mtom(in, "application/soap+xml", x12, "")
		}},
		{name: "D3 MTOM as the standard has it", reply: func(in *received, x12 string) reply {
			return mtom(in, `multipart/related; type="application/xop+xml"; start="<root>"; start-info="application/soap+xml"; boundary=outer`, x12, "")
		}},
		{name: "D3 MTOM with base64", reply: func(in *received, x12 string) reply {
			return mtom(in, `multipart/related; boundary="outer"`, base64.StdEncoding.EncodeToString([]byte(x12)), "Content-Transfer-Encoding: base64\r\n")
		}},
		{name: "D3 plain text", reply: func(_ *received, x12 string) reply {
			return reply{contentType: "text/plain", body: "\r\n" + x12}
		}},
		{name: "D3 plain words", reason: network.ReasonProtocol, says: "text", reply: func(*received, string) reply {
			return reply{contentType: "text/plain", body: "Quillfeather: the file is not here"}
		}},
		{name: "D4 SOAP 1.1 with wrappers, newlines and indents", reply: func(in *received, x12 string) reply {
			return reply{contentType: "text/xml", body: `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>
				<realTimeTransaction xmlns="http://example.com/he"><body><PayloadID>` + in.fields["PayloadID"] + `</PayloadID>
				<TimeStamp>2020-03-05 02:34:15.487</TimeStamp><Payload>
				` + escaped(strings.ReplaceAll(x12, "~", "~\r\n\t\t\t\t")) + `
				</Payload></body></realTimeTransaction></soapenv:Body></soapenv:Envelope>`}
		}},
		{name: "D5 own namespaces, alphabetical and prefixed", reply: func(in *received, x12 string) reply {
			return reply{contentType: "text/xml; charset=utf-8", body: soapEnvelope("", `<RealTimeTransactionResponse xmlns="http://tempuri.org/"><RealTimeTransactionResult`+
				` xmlns:a="http://schemas.datacontract.org/2004/07/Payer.Core"><a:CORERuleVersion>2.2.0</a:CORERuleVersion><a:ErrorCode>Success</a:ErrorCode><a:ErrorMessage/>`+
				`<a:Password>secret</a:Password><a:Payload>`+escaped(x12)+`</a:Payload><a:PayloadID>`+in.fields["PayloadID"]+
				`</a:PayloadID><a:UserName>u</a:UserName></RealTimeTransactionResult></RealTimeTransactionResponse>`)}
		}},
		{name: "D6 an odd error code beside a 271", reply: func(in *received, x12 string) reply { return in.respond(x12, "VT04_034") }},
		{name: "D6 an odd error code alone", reason: network.ReasonRefused, says: "VT04_034", reply: func(in *received, _ string) reply {
			return in.respond("", "VT04_034")
		}},
		{name: "D7 CDATA as text", reply: func(in *received, x12 string) reply {
			return in.soap(escaped("<![CDATA["+x12+"]]>"), "Success")
		}},
		{name: "D7 CDATA as text in a form", reply: func(in *received, x12 string) reply { return in.form("<![CDATA["+x12+"]]>", "Success") }},
		{name: "D7 CDATA escaped twice", reply: func(in *received, x12 string) reply {
			return in.soap(escaped(escaped("<![CDATA["+x12+"]]>")), "Success")
		}},
		{name: "D7 X12 escaped twice", reply: func(in *received, x12 string) reply {
			return in.soap(escaped(escaped(strings.ReplaceAll(x12, ":", ">"))), "Success")
		}},
		{name: "D8 BHT03 of another request", reason: network.ReasonMismatch, says: "BHT03", reply: func(in *received, x12 string) reply {
			return in.respond(strings.Replace(x12, "BHT*0022*11*ELG", "BHT*0022*11*XYZ", 1), "Success")
		}},
		{name: "D8 TRN02 of another request", reason: network.ReasonMismatch, says: "TRN02", reply: func(in *received, x12 string) reply {
			return in.respond(strings.Replace(x12, "TRN*2*ELG", "TRN*2*XYZ", 1), "Success")
		}},
		{name: "D8 PayloadID of another request", reason: network.ReasonMismatch, says: "PayloadID", reply: func(in *received, x12 string) reply {
			in.fields["PayloadID"] = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
			return in.respond(x12, "Success")
		}},
		{
			name: "D8 a network with numbers of its own", options: func(c *corenet.Config) { c.PayloadIDByExchange, c.ReferenceByExchange = true, true },
			reply: func(in *received, x12 string) reply {
				in.fields["PayloadID"] = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
				return in.respond(strings.Replace(x12, "BHT*0022*11*ELG", "BHT*0022*11*XYZ", 1), "Success")
			},
		},
		{name: "D8 only the payer's own trace", reply: func(in *received, x12 string) reply {
			return in.respond(strings.Replace(x12, "TRN*2*ELG", "TRN*1*XYZ", 1), "Success")
		}},
		{name: "D8 no numbers at all", reply: func(in *received, x12 string) reply {
			in.fields["PayloadID"] = ""
			return in.respond(without(x12, "TRN*", "BHT*"), "Success")
		}},
		{name: "D8 another member under our numbers", reason: network.ReasonMismatch, says: "its member is not ours", reply: func(in *received, x12 string) reply {
			return in.respond(member(x12, "NM1*IL*1*ZYX*OTHER****MI*Z999999", "19700101"), "Success")
		}},
		{name: "D8 another member, without numbers and without a birth date", reason: network.ReasonMismatch, says: "its member is not ours", reply: func(in *received, x12 string) reply {
			in.fields["PayloadID"] = ""
			return in.respond(without(member(x12, "NM1*IL*1*ZYX*OTHER****MI*Z999999", ""), "TRN*", "BHT*"), "Success")
		}},
		{name: "D8 a relative with another ID", reason: network.ReasonMismatch, says: "its member is not ours", reply: func(in *received, x12 string) reply {
			return in.respond(member(x12, "NM1*IL*1*QUILLFEATHER*BASIL****MI*Z999999", "19700101"), "Success")
		}},
		{name: "a member with another name and birth date", reply: func(in *received, x12 string) reply {
			return in.respond(member(x12, "NM1*IL*1*PLUME*O****MI*W998877", "19850413"), "Success")
		}},
		{name: "a member with an ID that the payer has extended", reply: func(in *received, x12 string) reply {
			return in.respond(member(x12, "NM1*IL*1*PLUME*O****MI*00W998877-00", "19850413"), "Success")
		}},
		{name: "a member with a new ID beside the old one", reply: func(in *received, x12 string) reply {
			return in.respond(member(x12, "NM1*IL*1*PLUME*O****MI*Z999999~REF*Q4*W998877", "19850413"), "Success")
		}},
		{name: "a member with another name and ID", reply: func(in *received, x12 string) reply {
			return in.respond(member(x12, "NM1*IL*1*PLUME*O****MI*Z999999", "19850412"), "Success")
		}},
		{name: "a member with another birth date and ID", reply: func(in *received, x12 string) reply {
			return in.respond(member(x12, "NM1*IL*1*Quill-Feather*OTT****MI*Z999999", "19700101"), "Success")
		}},
		{name: "the payer repeats only the name of the member", reply: func(in *received, x12 string) reply {
			return in.respond(member(x12, "NM1*IL*1*PLUME*O", ""), "Success")
		}},
		{name: "the payer repeats nothing of the member", reply: func(in *received, x12 string) reply {
			return in.respond(member(x12, "NM1*IL*1", ""), "Success")
		}},
		{name: "D9 signatures and tokens in the header", reply: func(in *received, x12 string) reply {
			r := in.soap(cdata(x12), "Success")
			r.body = strings.Replace(r.body, "<soap:Header>", `<soap:Header><wsse:Security xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd">`+
				`<wsse:BinarySecurityToken>TUlJ</wsse:BinarySecurityToken><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:Object><Payload>no</Payload></ds:Object></ds:Signature></wsse:Security>`, 1)
			return r
		}},
		{name: "D10 other IDs of the receiver, and 00401 with U", reply: func(in *received, x12 string) reply {
			return in.respond(strings.Replace(strings.Replace(x12, "*CHTEST         *", "*OFFICE ALLY    *", 1), "*^*00501*", "*U*00401*", 1), "Success")
		}},
		{name: "D10 a 999 about other sets", reason: network.ReasonRejected, says: "999 R", reply: func(in *received, _ string) reply {
			return in.respond(strings.ReplaceAll(rejected999, "AK2*270", "AK2*837"), "Success")
		}},
		{name: "D11 text/xml around SOAP 1.2", reply: func(in *received, x12 string) reply {
			r := in.respond(x12, "Success")
			if !in.isForm() {
				r.contentType, r.header = "text/xml", map[string]string{"SOAPAction": "RealTimeTransaction"}
			}
			return r
		}},
		{name: "D12 free text for a receiver", reply: func(in *received, x12 string) reply {
			r := in.respond(x12, "Success")
			r.body = strings.ReplaceAll(r.body, "<ReceiverID>MOLAR<", "<ReceiverID>Trizetto/GatewayEDI &amp; Co<")
			return r
		}},
		{name: "D13 base64", reply: func(in *received, x12 string) reply {
			return in.respond(base64.StdEncoding.EncodeToString([]byte(x12)), "Success")
		}},
		{name: "D13 base64 in lines without padding", reply: func(in *received, x12 string) reply {
			return in.soap(lines(base64.RawStdEncoding.EncodeToString([]byte(x12))), "Success")
		}},
		{name: "D13 an HTML page", reason: network.ReasonProtocol, says: "HTML", reply: func(*received, string) reply {
			return reply{contentType: "text/html", body: html}
		}},
		{name: "D13 an HTML page in a payload", reason: network.ReasonProtocol, says: "HTML", reply: func(in *received, _ string) reply {
			return in.respond(html, "Success")
		}},

		{name: "a page that claims to be SOAP", reason: network.ReasonProtocol, says: "HTML", reply: func(*received, string) reply {
			return reply{contentType: "application/soap+xml", body: html}
		}},
		{name: "JSON", reason: network.ReasonProtocol, says: "JSON", reply: func(*received, string) reply {
			return reply{contentType: "application/json", body: errorPage}
		}},
		{name: "nothing", reason: network.ReasonProtocol, says: "empty", reply: func(*received, string) reply { return reply{} }},
		{name: "an envelope without a payload", reason: network.ReasonProtocol, says: "empty", reply: func(in *received, _ string) reply {
			return in.respond("", "Success")
		}},
		{name: "words as payload", reason: network.ReasonProtocol, says: "text", reply: func(in *received, _ string) reply {
			return in.respond("Quillfeather is unknown", "Success")
		}},
		{name: "X12 amid words", reason: network.ReasonProtocol, says: "text", reply: func(in *received, x12 string) reply {
			return in.respond("Your response: "+x12, "Success")
		}},
		{name: "a 270", reason: network.ReasonProtocol, says: "no 271", reply: func(in *received, _ string) reply {
			return in.respond(string(in.x12), "Success")
		}},
		{name: "half a 271", reason: network.ReasonProtocol, says: "no 271", reply: func(in *received, x12 string) reply {
			return in.respond(x12[:len(x12)/2], "Success")
		}},
		{name: "UnAuthorized", reason: network.ReasonUnauthorized, says: "sign-in", reply: func(in *received, _ string) reply {
			return in.respond("", "UnAuthorized")
		}},
		{name: "UnAuthorized with a status", reason: network.ReasonUnauthorized, says: "sign-in", reply: func(in *received, _ string) reply {
			r := in.respond("", "Unauthorized")
			r.status = 500
			return r
		}},
		{name: "status 401", reason: network.ReasonUnauthorized, says: "401", reply: func(*received, string) reply { return reply{status: 401} }},
		{name: "status 403", reason: network.ReasonUnauthorized, says: "403", reply: func(*received, string) reply {
			return reply{status: 403, contentType: "text/html", body: html}
		}},
		{name: "status 415", reason: network.ReasonRefused, says: "415", reply: func(*received, string) reply { return reply{status: 415} }},
		{name: "status 500", reason: network.ReasonRefused, says: "500", reply: func(*received, string) reply { return reply{status: 500, body: html} }},
		{name: "status 500 with a 271", reason: network.ReasonRefused, says: "500", reply: func(in *received, x12 string) reply {
			r := in.respond(x12, "Success")
			r.status = 500
			return r
		}},
		{name: "status 503", reason: network.ReasonRefused, says: "503", reply: func(*received, string) reply { return reply{status: 503} }},
		{name: "a SOAP 1.2 fault", reason: network.ReasonRefused, says: "Receiver VersionMismatch", reply: func(*received, string) reply {
			return reply{status: 500, contentType: "application/soap+xml", body: soapFault("s:Receiver", "core:VersionMismatch")}
		}},
		{name: "a SOAP fault with status 200", reason: network.ReasonRefused, says: "Sender", reply: func(*received, string) reply {
			return reply{contentType: "text/xml", body: soapFault("s:Sender", "x:y")}
		}},
		{name: "a SOAP fault about the sign-in", reason: network.ReasonUnauthorized, says: "sign-in", reply: func(*received, string) reply {
			return reply{status: 500, contentType: "text/xml", body: soapFault("s:Sender", "wsse:FailedAuthentication")}
		}},
		{name: "a SOAP 1.1 fault", reason: network.ReasonRefused, says: "Server", reply: func(*received, string) reply {
			return reply{status: 500, contentType: "text/xml", body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultcode>e:Server</faultcode>` +
				`<faultstring>Quillfeather</faultstring><detail><Value>Ottoline</Value></detail></e:Fault></e:Body></e:Envelope>`}
		}},
		{name: "a code with patient data", reason: network.ReasonRefused, says: "(unreadable)", reply: func(in *received, _ string) reply {
			return in.respond("", "Quillfeather, Ottoline is unknown")
		}},
		{name: "two payloads", reason: network.ReasonProtocol, says: "two", reply: func(in *received, x12 string) reply {
			r := in.respond(x12, "Success")
			if in.isForm() {
				boundary, _, _ := strings.Cut(r.body, "\r\n")
				r.body = boundary + "\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n" + x12 + "\r\n" + r.body
				return r
			}
			r.body = strings.Replace(r.body, "<ErrorCode>", "<Payload/><ErrorCode>", 1)
			return r
		}},
		{name: "elements in the payload", reason: network.ReasonProtocol, says: "elements", reply: func(in *received, _ string) reply {
			return in.soap("<ISA/>", "Success")
		}},
		{name: "a reference to a file", reason: network.ReasonProtocol, says: "refers", reply: func(in *received, _ string) reply {
			return in.soap(`<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="file:///etc/passwd"/>`, "Success")
		}},
		{name: "a reference to a page", reason: network.ReasonProtocol, says: "refers", reply: func(in *received, _ string) reply {
			return in.soap(`<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="http://127.0.0.1/x12"/>`, "Success")
		}},
		{name: "a reference to an absent part", reason: network.ReasonProtocol, says: "refers", reply: func(in *received, _ string) reply {
			return in.soap(`<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:absent"/>`, "Success")
		}},
		{name: "entities that expand", reason: network.ReasonProtocol, says: "document type", reply: func(in *received, x12 string) reply {
			r := in.soap("&x;", "Success")
			r.body = strings.Replace(r.body, "?>", `?><!DOCTYPE e [<!ENTITY x "`+escaped(x12)+`">]>`, 1)
			return r
		}},
		{name: "deep elements", reason: network.ReasonProtocol, says: "deep", reply: func(*received, string) reply {
			return reply{contentType: "text/xml", body: strings.Repeat("<a>", 100000)}
		}},
		{name: "a tag with endless attributes", reason: network.ReasonProtocol, says: "a tag of more than", reply: func(*received, string) reply {
			return reply{contentType: "text/xml", body: "<a " + strings.Repeat(`a="" `, 100000)}
		}},
		{name: "a tag whose attributes look like its end", reason: network.ReasonProtocol, says: "a tag of more than", reply: func(*received, string) reply {
			return reply{contentType: "text/xml", body: "<a " + strings.Repeat(`a=">" b='">' `, 50000) + "/>"}
		}},
		{name: "a tag behind a comment that seems to end", reason: network.ReasonProtocol, says: "a tag of more than", reply: func(*received, string) reply {
			return reply{contentType: "text/xml", body: `<!--> <a "--><b ` + strings.Repeat(`a=">" `, 100000) + "/>"}
		}},
		{name: "long comments and CDATA", reply: func(in *received, x12 string) reply {
			r := in.soap("<!--"+strings.Repeat(`"<a a=' `, 20000)+"-->"+cdata(x12+strings.Repeat("\n", 100000)), "Success")
			return r
		}},
		{name: "XML that breaks off", reason: network.ReasonProtocol, says: "malformed", reply: func(in *received, x12 string) reply {
			r := in.soap(cdata(x12), "Success")
			r.body = r.body[:len(r.body)-20]
			return r
		}},
		{name: "a form that breaks off", reason: network.ReasonProtocol, says: "multipart", reply: func(in *received, x12 string) reply {
			r := in.form(x12, "Success")
			r.body = r.body[:len(r.body)-80]
			return r
		}},
		{name: "many parts", reason: network.ReasonProtocol, says: "part 17", reply: func(*received, string) reply {
			return reply{contentType: "multipart/form-data; boundary=b", body: strings.Repeat("--b\r\nContent-Disposition: form-data; name=x\r\n\r\ny\r\n", 1000) + "--b--"}
		}},
		{name: "an unquoted name, and headers after it", reply: func(in *received, x12 string) reply {
			return reply{contentType: "multipart/form-data; boundary=b", body: "--b\r\nContent-Disposition: form-data; name=PayloadId\r\nContent-Type: text/plain\r\n\r\n" + in.fields["PayloadID"] +
				"\r\n--b\r\nContent-Disposition: form-data; name=\"Payload\"; filename=\"a.x12\"\r\nX-Other: y\r\n\r\n" + x12 + "\r\n--b--\r\n"}
		}},
		{name: "a form with line feeds alone", reply: func(in *received, x12 string) reply {
			return reply{contentType: `multipart/form-data; boundary="b"`, body: "--b\nContent-Disposition: form-data; name=\"Payload\"\n\n" + x12 + "\n--b--\n"}
		}},
		{name: "Latin-1", reply: func(in *received, x12 string) reply {
			r := in.soap(cdata(strings.Replace(x12, "PER*IC*Sandbox", "PER*IC*S\xe4ndbox", 1)), "Success")
			r.body = strings.Replace(r.body, "UTF-8", "ISO-8859-1", 1)
			return r
		}},
		{name: "an unknown encoding", reason: network.ReasonProtocol, says: "malformed", reply: func(in *received, x12 string) reply {
			r := in.soap(cdata(x12), "Success")
			r.body = strings.Replace(r.body, "UTF-8", "EBCDIC-US", 1)
			return r
		}},
		{name: "a byte order mark", reply: func(in *received, x12 string) reply {
			r := in.soap(cdata(x12), "Success")
			r.body = "\xef\xbb\xbf" + r.body
			return r
		}},
	}
}

func TestDeviations(t *testing.T) {
	t.Parallel()
	for _, d := range deviations() {
		for _, envelope := range []corenet.Envelope{corenet.SOAP220, corenet.MIME220} {
			t.Run(fmt.Sprint(d.name, "/", envelope), func(t *testing.T) {
				t.Parallel()
				s := newServer(t, func(s *server) { s.instead = d.reply })
				e := s.client(envelope, func(c *corenet.Config) {
					if d.options != nil {
						d.options(c)
					}
				})
				reason, err := inquire(t, e)
				if reason != d.reason || err != nil && !strings.Contains(err.Error(), d.says) {
					t.Errorf("%q, %v, want %q that says %q", reason, err, d.reason, d.says)
				}
				if n := len(s.seen()); n != 1 {
					t.Errorf("the network was asked %d times", n)
				}
			})
		}
	}
}

// TestRefusalsAreKept returns the 999 with the error, for the stored exchange, and no
// reply that may be about another patient.
func TestRefusalsAreKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		x12  string
		kept bool
	}{
		"a 999": {rejected999, true}, "a TA1": {rejectedTA1, true}, "words": {"no", false},
		"another 271": {"", false},
	} {
		s := newServer(t, func(s *server) {
			s.instead = func(in *received, x12 string) reply {
				if c.x12 == "" {
					return in.respond(strings.Replace(x12, "BHT*0022*11*ELG", "BHT*0022*11*XYZ", 1), "Success")
				}
				return in.respond(c.x12, "Success")
			}
		})
		b, err := s.client(corenet.MIME220).Inquire(t.Context(), request(t, quill("")))
		if err == nil || c.kept && string(b) != c.x12 || !c.kept && b != nil {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
}

// TestRejectionWithPlaceholders accepts a 271 that rejects the inquiry, and has words in
// place of the member. It has no benefits that could be another patient's.
func TestRejectionWithPlaceholders(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(s *server) {
		s.instead = func(in *received, x12 string) reply {
			return in.respond(member(x12, "NM1*IL*1*UNKNOWN*UNKNOWN****MI*NONE", "19000101"), "Success")
		}
	})
	q := quill("-NOT-FOUND")
	b, err := s.client(corenet.SOAP220).Inquire(t.Context(), request(t, q))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := edi.New().Answer(q, [][]byte{b}); err != nil || a.Outcome != coverage.OutcomeRejected {
		t.Errorf("%s, %v", a.Outcome, err)
	}
}

const isa = "ISA*00*          *00*          *ZZ*NET            *ZZ*MOLAR          *260615*1304*^*00501*000000001*0*T*:~"

const rejected999 = isa + "GS*FA*NET*MOLAR*20260615*1304*1*X*005010X231A1~ST*999*0001*005010X231A1~AK1*HS*1*005010X279A1~AK2*270*0001*005010X279A1~" +
	"IK3*NM1*8**8~IK4*9*67*7*W998877~IK5*R*5~AK9*R*1*1*0~SE*8*0001~GE*1*1~IEA*1*000000001~"

const rejectedTA1 = isa + "TA1*000000007*260615*1304*R*020~IEA*0*000000001~"

// mtom returns a reply whose payload is an attachment.
func mtom(in *received, contentType, content, header string) reply {
	root := in.soap(`<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:payload%40net"/>`, "Success").body
	return reply{contentType: contentType, body: "--outer\r\nContent-Type: application/xop+xml\r\nContent-ID: <root>\r\n\r\n" + root +
		"\r\n--outer\r\nContent-Type: application/octet-stream\r\n" + header + "Content-ID: <payload@net>\r\n\r\n" + content + "\r\n--outer--\r\n"}
}

func soapFault(code, subcode string) string {
	return soapEnvelope("", `<s:Fault xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Code><s:Value>`+code+`</s:Value><s:Subcode><s:Value>`+subcode+
		`</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang="en">Quillfeather</s:Text></s:Reason><s:Detail><Value>Ottoline</Value></s:Detail></s:Fault>`)
}

func lines(s string) string {
	var b strings.Builder
	for len(s) > 76 {
		b.WriteString(s[:76] + "\r\n")
		s = s[76:]
	}
	return b.String() + s
}

// member replaces the subscriber's name and birth date. Without a date it removes the
// segment.
func member(x12, name, born string) string {
	x12 = regexp.MustCompile(`NM1\*IL\*[^~]*`).ReplaceAllString(x12, name)
	if born == "" {
		return without(x12, "DMG*")
	}
	return regexp.MustCompile(`DMG\*D8\*[0-9]+`).ReplaceAllString(x12, "DMG*D8*"+born)
}

// without removes the segments that begin so.
func without(x12 string, prefixes ...string) string {
	var kept []string
	for _, segment := range strings.Split(x12, "~") {
		drop := false
		for _, p := range prefixes {
			drop = drop || strings.HasPrefix(segment, p)
		}
		if !drop {
			kept = append(kept, segment)
		}
	}
	return strings.Join(kept, "~")
}
