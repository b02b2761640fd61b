"""A CORE server in Python's own libraries, for TestPythonServer.

It reads the requests as other software does: SOAP with ElementTree, forms with the
email parser. It replies with a 271 of one benefit. Arguments: the certificate and its
key. It prints its port, and stops when its standard input ends.
"""

import http.server
import ssl
import sys
import threading
import xml.etree.ElementTree as ET
from email.message import EmailMessage
from email.parser import BytesParser
from xml.sax.saxutils import escape

SOAP = "{http://www.w3.org/2003/05/soap-envelope}"
WSSE = "{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd}"
FIELDS = ["PayloadType", "ProcessingMode", "PayloadID", "TimeStamp", "SenderID", "ReceiverID", "CORERuleVersion", "Payload"]


def read_soap(body):
    envelope = ET.fromstring(body)
    assert envelope.tag == SOAP + "Envelope", envelope.tag
    token = envelope.find(f"{SOAP}Header/{WSSE}Security/{WSSE}UsernameToken")
    message = envelope.find(SOAP + "Body")[0]
    assert message.tag == "{http://www.caqh.org/SOAP/WSDL/CORERule2.2.0.xsd}COREEnvelopeRealTimeRequest", message.tag
    assert [child.tag for child in message] == FIELDS, [child.tag for child in message]
    fields = {child.tag: child.text for child in message}
    fields["UserName"], fields["Password"] = (token.find(WSSE + name).text for name in ("Username", "Password"))
    return fields


def read_form(content_type, body):
    form = BytesParser().parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    assert form.get_content_type() == "multipart/form-data" and not form.defects, form.defects
    parts = form.get_payload()
    return {p.get_param("name", header="content-disposition"): p.get_payload(decode=True).decode() for p in parts}


def respond(request):
    segments = [s.split("*") for s in request.split("~")]
    first = {s[0]: s for s in reversed(segments)}
    isa = first["ISA"]
    isa[5], isa[6], isa[7], isa[8] = isa[7], isa[8], isa[5], isa[6]
    body = [
        "ST*271*0001*005010X279A1", "BHT*0022*11*" + first["BHT"][3] + "*20260320*1200",
        "HL*1**20*1", "NM1*PR*2*MOLAR TEST PAYER*****PI*CHTEST",
        "HL*2*1*21*1", "NM1*1P*2*BRIGHT SMILES*****XX*1234567893",
        "HL*3*2*22*0", "TRN*2*" + first["TRN"][2] + "*" + first["TRN"][3], "NM1*IL*1*QUILLFEATHER*OTTOLINE****MI*W998877", "EB*1*IND*35",
    ]
    body.append(f"SE*{len(body) + 1}*0001")
    gs = "GS*HB*CHTEST*MOLAR*20260320*1200*1*X*005010X279A1"
    return "~".join(["*".join(isa), gs, *body, "GE*1*1", "IEA*1*" + isa[13]]) + "~"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        content_type = self.headers["Content-Type"]
        is_form = content_type.startswith("multipart/")
        fields = read_form(content_type, body) if is_form else read_soap(body)
        payload, code = respond(fields["Payload"]), "Success"
        if (fields["UserName"], fields["Password"]) != ("molar&co", 'p<ss "wörd"'):
            payload, code = "", "UnAuthorized"
        reply = {"PayloadID": fields["PayloadID"], "Payload": payload, "ErrorCode": code, "ErrorMessage": "None"}
        if is_form:
            form = EmailMessage()
            form.make_mixed()
            form.replace_header("Content-Type", "multipart/form-data")
            for name, value in reply.items():
                part = EmailMessage()
                part.set_content(value, cte="base64" if name == "Payload" else "7bit")
                part["Content-Disposition"] = "form-data"
                part.set_param("name", name, header="Content-Disposition")
                form.attach(part)
            raw = form.as_bytes().split(b"\n\n", 1)[1]
            self.send(form["Content-Type"], raw)
        else:
            elements = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in reply.items())
            self.send(
                "application/soap+xml",
                f'<e:Envelope xmlns:e="{SOAP[1:-1]}"><e:Body><COREEnvelopeRealTimeResponse>{elements}</COREEnvelopeRealTimeResponse></e:Body></e:Envelope>'.encode(),
            )

    def send(self, content_type, body):
        self.send_response(200)
        self.send_header("Content-Type", content_type.replace("\n", ""))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
