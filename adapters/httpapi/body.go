package httpapi

import (
	"errors"
	"io"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// body reads the request body, up to a limit. It returns a different error for
// a body that is too large, that stalled or that was cut short. Nothing else
// reads the body: fasthttp and Fiber would decompress without a limit and read
// without a stall time.
type body struct {
	x        *exchange
	src      io.Reader
	declared int // bytes, or -1 when chunked
	left     int // bytes left until the limit
	read     int
}

// openBody starts reading the body. The caller reads it to its end or returns
// an error. An unread body costs the connection.
func (x *exchange) openBody(limit int) io.Reader {
	stream := x.fctx.RequestBodyStream()
	if stream == nil {
		x.bodyDone = true
		return eof{}
	}
	x.conn.startBody(x.s.limits.Stall, time.Now().Add(x.s.limits.Body))
	return &body{x: x, src: stream, declared: x.fctx.Request.Header.ContentLength(), left: limit}
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// Read returns a *billing.Error or a *transportError when it fails.
func (b *body) Read(p []byte) (int, error) {
	if len(p) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.src.Read(p)
	b.read += n
	if n > b.left {
		return 0, tooLarge()
	}
	b.left -= n
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF) && (b.declared < 0 || b.read == b.declared): // fasthttp reports a declared body that is cut short in the same way
		b.x.conn.endBody()
		b.x.bodyDone = true
		return n, io.EOF
	default:
		return n, b.failure()
	}
}

// failure returns the reason that the body could not be read. The error of
// fasthttp is not enough: it calls a stalled trailer cut short.
func (b *body) failure() error {
	switch {
	case b.x.conn.stalled && b.x.s.base.Err() != nil:
		return &billing.Error{Code: billing.CodeTimeout, Message: "The service is stopping. Send the request again."}
	case b.x.conn.stalled:
		return &billing.Error{Code: billing.CodeRequestTimeout, Message: "The request body stopped arriving. Send the request again."}
	default:
		return malformed()
	}
}

func tooLarge() error {
	return &billing.Error{Code: billing.CodePayloadTooLarge, Message: "The request body is too large for this operation. Send a smaller one."}
}
