package httpserver

import (
	"io"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/molar-billing/molar/core/billing"
)

// Request is a request of a connection, and its reply.
type Request struct {
	*fasthttp.RequestCtx
	Unreadable error // the reply to a message that cannot be read
	BodyFault  error // the reply to a body that is not read, unless the request deserves another
	BodyLost   bool  // the body was not let in, because of the header section

	server   *Server
	conn     *conn
	hasBody  bool
	bodyDone bool
	cut      bool // bytes that are no request may follow
}

func (s *Server) newRequest(fctx *fasthttp.RequestCtx) *Request {
	h := &fctx.Request.Header
	r := &Request{RequestCtx: fctx, server: s, conn: fctx.Conn().(*conn), hasBody: h.ContentLength() > 0 || h.ContentLength() == -1}
	r.conn.writeStall = 0 // fasthttp limits the time of a whole reply
	switch string(h.Peek(guardHeader)) {
	case "":
		return r
	case verdictMalformed:
		r.Unreadable = Malformed()
	case verdictTooLarge:
		r.BodyFault = tooLarge()
	case verdictNoBody:
		r.BodyFault = takesNoBody(string(h.Method()))
	case verdictRefused:
		r.BodyLost = true
	}
	r.cut = true
	return r
}

// end closes the connection if the body has unread bytes, because they would
// be read as the next request.
func (r *Request) end() {
	if r.cut || r.hasBody && !r.bodyDone {
		r.SetConnectionClose()
		r.conn.lingerOnClose()
	}
	r.conn.arrived = time.Now() // from here on, read bytes belong to the next request
	r.conn.head = r.conn.head[:0]
}

// Arrived returns when the last byte of the request came.
func (r *Request) Arrived() time.Time { return r.conn.arrived }

// Values returns the value of each line of a header field.
func (r *Request) Values(name string) []string { return Values(r.Request.Header.RawHeaders(), name) }

// Stream replies with a body of size bytes. It is read and closed after Handle has returned, and each
// piece has the time for a reply.
func (r *Request) Stream(body io.ReadCloser, size int64) {
	r.conn.writeStall = r.server.config.Write
	r.Response.SetBodyStream(body, int(size))
}

// Follow limits each write of a reply without an end, which is the connection's last,
// and what the system keeps of it. It calls gone when the client closes the connection.
// It is for the first read of the body, when the server reads no more requests.
func (r *Request) Follow(gone func()) {
	r.conn.writeStall = feedStall
	if b, ok := r.conn.Conn.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = b.SetWriteBuffer(feedBuffer)
	}
	_ = r.conn.SetReadDeadline(time.Time{})
	go func() {
		_, _ = r.conn.Conn.Read(make([]byte, 1)) // a client has nothing more to send
		gone()
	}()
}

// Drop closes the connection in place of a reply.
func (r *Request) Drop() { _ = r.conn.Close() }

// MessageError is a fault of the HTTP message itself. It has an HTTP status
// instead of a code of the API.
type MessageError struct {
	Status  int
	Message string
}

func (e *MessageError) Error() string { return e.Message }

// Malformed returns the error for a message that is not well-formed HTTP.
func Malformed() error {
	return &MessageError{fasthttp.StatusBadRequest, "The request is not well-formed HTTP, or it was cut short."}
}

func tooLarge() error {
	return &billing.Error{Code: billing.CodePayloadTooLarge, Message: "The request body is too large for this operation. Send a smaller one."}
}

// takesNoBody returns the error for a body on a method that has none.
func takesNoBody(method string) error {
	message := method + " does not accept a body. Send the request without one."
	var faults billing.Faults
	faults.Add("", billing.FaultNotAllowed, message)
	return &billing.Error{Code: billing.CodeInvalidRequest, Message: message, Faults: faults}
}
