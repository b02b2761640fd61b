package httpapi

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver"
	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// exchange is one request and its reply.
type exchange struct {
	s       *Server
	req     *httpserver.Request
	id      billing.RequestID
	started time.Time
	method  string

	route    *route // nil until one matches
	page     bool   // the dashboard replies
	params   *fiber.Ctx
	caller   *caller.Caller   // nil until identified
	call     caller.Call      // the part of the request that use cases receive
	body     []byte           // of a jsonBody, an optionalBody, an emptyBody or a tableBody
	json     *jsonbody.Value  // the parsed body; nil if it cannot be read
	upload   *httpserver.Form // of an uploadBody
	file     *uploadedFile    // of the upload
	ctx      context.Context  // the request's own, for its use case
	cancel   context.CancelFunc
	code     billing.Code      // of the error in the reply
	refused  bool              // the reply is an error and shows no resource
	resource string            // the ID of a resource that the reply is about, without being its first field
	about    []string          // the IDs of patients that the reply shows, but does not name
	filters  map[string]string // of a list as a file, for the audit
	atEnd    []func()          // run by finish, last

	jsonFaults billing.Faults // faults in the form of the body
}

// reply is the result of a successful operation.
type reply struct {
	status   int
	body     any  // encoded as JSON
	replayed bool // repeats the reply of an earlier request with the idempotency key
	raw      []byte
	stream   *stream
	feed     *feed
	mime     string // of raw or stream
	fileName string // for the client to save it as: an ID and an extension
}

type exchangeKey struct{}

// begin starts the exchange and sets the headers that every reply has.
func (s *Server) begin(r *httpserver.Request) *exchange {
	x := &exchange{
		s:       s,
		req:     r,
		id:      billing.NewID[billing.RequestID](billing.RealAt(s.now())),
		started: time.Now(),
		method:  string(r.Request.Header.Method()),
	}
	x.call.Request.ID = x.id
	x.setCommon()
	r.SetUserValue(exchangeKey{}, x)
	s.metrics.inFlight.Inc()
	return x
}

// setCommon sets the headers that every reply has.
func (x *exchange) setCommon() {
	x.set("X-Request-Id", x.id.String())
	x.set("Cache-Control", "no-store")
	x.set("X-Content-Type-Options", "nosniff")
	if x.s.identifier.origin.secure() {
		x.set("Strict-Transport-Security", "max-age=31536000")
	}
}

func of(c *fiber.Ctx) *exchange {
	return c.Context().UserValue(exchangeKey{}).(*exchange) // set by serve
}

// run makes the checks that come before an operation, in the order of the API
// contract, runs the operation and writes its reply.
func (x *exchange) run(r *route, c *fiber.Ctx) {
	x.route, x.params = r, c
	x.startClock()
	out, err := x.operate(r)
	if err != nil {
		x.fail(err)
		return
	}
	x.markReplayed(out.replayed)
	if out.status >= http.StatusBadRequest { // kept under the key, or of a fault
		x.advise(x.code)
	}
	if out.fileName != "" {
		x.set("Content-Disposition", `attachment; filename="`+out.fileName+`"`)
	}
	switch {
	case out.feed != nil:
		x.sendFeed(out.feed)
	case out.stream != nil:
		x.send(out.status, out.mime, out.stream)
	case out.status == http.StatusNoContent:
		x.req.Response.SetStatusCode(out.status)
	case out.raw != nil:
		x.write(out.status, out.mime, out.raw)
	default:
		x.writeJSON(out.status, out.body)
	}
}

func (x *exchange) operate(r *route) (*reply, error) {
	if r.need != caller.NeedNothing {
		if err := x.authenticate(); err != nil {
			return nil, err
		}
		x.enter()
	}
	if err := x.meter(r.isCheck()); err != nil {
		return nil, err
	}
	if err := x.permit(r.need); err != nil {
		return nil, err
	}
	if err := x.admit(); err != nil {
		return nil, err
	}
	if r.body == uploadBody {
		if err := x.beginUpload(); err != nil {
			return nil, err
		}
	}
	if x.req.BodyFault != nil {
		return nil, x.req.BodyFault
	}
	if len(x.req.Values("Content-Encoding")) > 0 {
		return nil, &billing.Error{Code: billing.CodeUnsupportedEncoding, Message: "Send the body without a Content-Encoding."}
	}
	if r.changes() {
		var err error
		if x.call.Request.Key, err = readIdempotencyKey(x.req.Request.Header.RawHeaders()); err != nil {
			return nil, err
		}
	}
	if r.versioned() {
		var err error
		if x.call.Request.Seen, err = readVersion(x.req.Values(ifMatch)); err != nil {
			return nil, err
		}
	}
	if x.req.BodyLost { // the fault has gone since then
		return nil, httpserver.Malformed()
	}
	if err := x.readBody(r.body); err != nil {
		return nil, err
	}
	if r.changes() {
		x.call.Request.Fingerprint = x.fingerprint()
	}
	if r.body == emptyBody {
		x.document(&x.call.Request.Faults).End()
	}
	if out, err := x.strike(); out != nil || err != nil {
		return out, err
	}
	return r.handle(x)
}

// startClock restarts the request's deadline, counted from the arrival of its
// last byte. So it includes what was done since then, such as looking up the
// key.
func (x *exchange) startClock() {
	if x.cancel != nil {
		x.cancel()
	}
	x.ctx, x.cancel = context.WithDeadline(x.s.Requests, x.req.Arrived().Add(x.s.timeout))
}

// authenticate identifies the caller.
func (x *exchange) authenticate() (err error) {
	x.caller, err = x.s.identifier.identify(x.ctx, x.req.Request.Header.RawHeaders(), remote(x), x.client(), x.background())
	if err != nil {
		return err
	}
	x.call.Scope, x.call.Principal, x.call.Key = x.caller.Scope, x.caller.Principal, x.caller.Key
	if x.caller.User != nil {
		x.call.Session = x.caller.Session.ID
		x.call.Request.ID, x.call.Request.OfPerson = billing.RequestID{}, x.id // what a person makes has no request of a program
	}
	return nil
}

// permit checks that the caller may use the operation.
func (x *exchange) permit(need caller.Need) error {
	if need == caller.NeedNothing {
		return nil
	}
	return x.caller.Can(need)
}

// bearer returns the API key of a header section, if any.
func bearer(raw []byte) string {
	if lines := httpserver.Values(raw, "Authorization"); len(lines) == 1 {
		if scheme, token, ok := strings.Cut(lines[0], " "); ok && strings.EqualFold(scheme, "Bearer") {
			return token
		}
	}
	return ""
}

// readIdempotencyKey returns the idempotency key of a header section.
func readIdempotencyKey(raw []byte) (string, error) {
	lines := httpserver.Values(raw, idempotencyKey)
	var faults billing.Faults
	switch {
	case len(lines) == 0, len(lines) == 1 && lines[0] == "":
		return "", &billing.Error{
			Code:    billing.CodeIdempotencyKeyRequired,
			Message: "Send an Idempotency-Key header, such as a UUID, that is new for each operation.",
		}
	case len(lines) > 1:
		faults.Add(idempotencyKey, billing.FaultTooMany, "Send one Idempotency-Key.")
	case !caller.ValidIdempotencyKey(lines[0]):
		faults.Add(idempotencyKey, billing.FaultFormat, "An Idempotency-Key is 1 to 255 printable ASCII characters without spaces.")
	}
	return lines[0], faults.Err()
}

const idempotencyKey = "Idempotency-Key"

// readVersion returns the version in the lines of If-Match; zero for none, and for any.
func readVersion(lines []string) (seen int, err error) {
	var faults billing.Faults
	switch {
	case len(lines) == 0, len(lines) == 1 && lines[0] == "*":
	case len(lines) > 1:
		faults.Add(ifMatch, billing.FaultTooMany, "Send one If-Match.")
	case !versionForm.MatchString(lines[0]):
		faults.Add(ifMatch, billing.FaultFormat, `If-Match is the ETag of the resource with its quotes, such as "3", or *. Send one, and none that begins with W/.`)
	default:
		seen, err = strconv.Atoi(strings.Trim(lines[0], `"`))
	}
	return seen, cmp.Or(faults.Err(), err)
}

const ifMatch = "If-Match"

var versionForm = regexp.MustCompile(`^"[1-9][0-9]{0,8}"$`)

// shownVersion finds the version of the resource that a body shows, after its ID and its
// kind.
var shownVersion = regexp.MustCompile(`^\{"id":"\w+","object":"\w+","version":([0-9]+),`)

// readBody reads the whole body. The request's clock starts at its end.
func (x *exchange) readBody(kind bodyKind) (err error) {
	switch kind {
	case noBody:
		return nil
	case jsonBody, optionalBody, emptyBody, tableBody, batchBody:
		x.body, err = io.ReadAll(x.req.Body(x.s.limits.JSON))
	case uploadBody:
		err = x.readUpload()
	}
	x.startClock()
	if kind != uploadBody && !x.sendsTable() && err == nil {
		x.json, err = jsonbody.Parse(x.ctx, x.body, x.route.values(), &x.jsonFaults)
	}
	return err
}

// unrouted replies to an unknown path, or to a method that the path does not
// support. Outside of the API, the dashboard replies.
func (x *exchange) unrouted() {
	path := string(x.req.URI().PathOriginal())
	if allowed := x.s.methods(path); len(allowed) > 0 {
		x.set("Allow", strings.Join(allowed, ", "))
		x.fail(&billing.Error{Code: billing.CodeMethodNotAllowed, Message: "This path does not support the method. The Allow header lists the methods that it supports."})
		return
	}
	if x.s.docs != nil && isDocs(path) { // they hold no data, so any name of this machine may show them
		x.page = true
		x.s.docs(x.req.RequestCtx)
		return
	}
	if x.s.pages != nil && path != "/api" && !strings.HasPrefix(path, "/api/") {
		x.openPage()
		return
	}
	x.fail(&billing.Error{Code: billing.CodeNotFound, Message: "This path does not exist."})
}

// isDocs reports whether a path is one of the documentation.
func isDocs(path string) bool {
	return path == "/docs" || strings.HasPrefix(path, "/docs/") || path == "/llms.txt" || path == "/llms-full.txt"
}

// openPage lets the dashboard reply. Without a public origin it does so only
// where its sessions work: a name that an attacker points to this machine shows
// no page of the service.
func (x *exchange) openPage() {
	x.page = true
	if x.s.identifier.origin.of(x.req.Request.Header.RawHeaders(), remote(x)) == "" {
		x.write(http.StatusMisdirectedRequest, "text/plain; charset=utf-8", []byte(misdirected))
		return
	}
	x.s.pages(x.req.RequestCtx)
}

const misdirected = "This service shows its pages only on its own machine, under an address such as http://127.0.0.1:8080.\n" +
	"For people elsewhere, set MOLAR_PUBLIC_URL to the address that they use.\n"

func (x *exchange) set(name, value string) { x.req.Response.Header.Set(name, value) }

func (x *exchange) markReplayed(replayed bool) {
	if replayed {
		x.set("Idempotent-Replayed", "true")
	}
}

func (x *exchange) writeJSON(status int, v any) { x.write(status, "application/json", encoded(v)) }

func (x *exchange) write(status int, mime string, b []byte) {
	x.req.Response.SetStatusCode(status)
	x.req.Response.Header.SetContentType(mime)
	x.req.Response.SetBody(b)
	if v := shownVersion.FindSubmatch(b); v != nil {
		x.set("ETag", `"`+string(v[1])+`"`)
	}
}

// finish ends the exchange, even after a panic, and releases its resources.
func (x *exchange) finish() {
	defer func() {
		for _, end := range x.atEnd {
			end()
		}
	}()
	if p := recover(); p != nil {
		x.logPanic(p)
		x.fail(&billing.Error{Code: billing.CodeInternal})
	}
	x.audit()
	if x.cancel != nil {
		x.cancel()
	}
	x.req.RemoveUserValue(exchangeKey{}) // otherwise an idle connection keeps the body in memory
	x.observe()
}
