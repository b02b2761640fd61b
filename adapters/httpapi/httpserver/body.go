package httpserver

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// body reads the body of a request, up to a limit. It returns a different error for
// a body that is too large, that stalled or that was cut short. Nothing else
// reads the body: fasthttp would decompress without a limit and read without a
// stall time.
type body struct {
	r        *Request
	src      io.Reader
	declared int // bytes, or -1 when chunked
	left     int // bytes left until the limit
	read     int
}

// Body starts reading the body. The caller reads it to its end or replies with
// an error. An unread body costs the connection.
func (r *Request) Body(limit int) io.Reader {
	stream := r.RequestBodyStream()
	if stream == nil {
		r.bodyDone = true
		return strings.NewReader("")
	}
	r.conn.startBody(r.server.config.Stall, time.Now().Add(r.server.config.Body))
	return &body{r: r, src: stream, declared: r.Request.Header.ContentLength(), left: limit}
}

// Read returns a *billing.Error or a *MessageError when it fails.
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
		b.r.conn.endBody()
		b.r.bodyDone = true
		return n, io.EOF
	default:
		return n, b.failure()
	}
}

// failure returns the reason that the body could not be read. The error of
// fasthttp is not enough: it calls a stalled trailer cut short.
func (b *body) failure() error {
	switch {
	case b.r.conn.stalled && b.r.server.Requests.Err() != nil:
		return &billing.Error{Code: billing.CodeTimeout, Message: "The service is stopping. Send the request again."}
	case b.r.conn.stalled:
		return &billing.Error{Code: billing.CodeRequestTimeout, Message: "The request body stopped arriving. Send the request again."}
	default:
		return Malformed()
	}
}
