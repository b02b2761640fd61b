package clearinghouse

import (
	"bytes"
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/netutil"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/statusrequest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// The paths of the endpoint.
const (
	soapPath = "/core/soap"
	mimePath = "/core/mime"
)

// The limits of requests.
const (
	maxRequest  = 1 << 20 // bytes
	maxClients  = 1024    // connections
	maxInFlight = 512
	maxHeaders  = 16 << 10
	headerTime  = 10 * time.Second
	bodyTime    = 30 * time.Second
	drainTime   = 2 * time.Second
)

const (
	soapType    = "application/soap+xml"
	relatedType = "multipart/related"
	formType    = "multipart/form-data"
)

// coreServer is the CAQH CORE endpoint.
type coreServer struct {
	payers  *sandboxnet.Eligibility
	sent    func(now time.Time) ([]clearing.OutgoingFile, error) // the files of claims that the payers know
	options sandboxnet.Options                                   // of the payers, for inquiries about claims
	now     func() time.Time
	account *Account
	strict  *Account                                // nil accepts any identifiers
	refuse  func(x12.Interchange, x12.Group) string // the note for an envelope of X12, if any
	faults  Faults
	log     *slog.Logger
	places  chan struct{}
}

// serve serves until ctx ends.
func (s *coreServer) serve(ctx context.Context, ln net.Listener, config *tls.Config) error {
	s.places = make(chan struct{}, maxInFlight)
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+soapPath, s.limited(s.soap))
	mux.HandleFunc("POST "+mimePath, s.limited(s.mime))
	var protocols http.Protocols
	protocols.SetHTTP1(true) // as real endpoints have it
	server := &http.Server{
		Protocols: &protocols, Handler: mux, TLSConfig: config, MaxHeaderBytes: maxHeaders,
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), // of handshakes: clients see why
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		if err := server.Shutdown(drain); err != nil {
			err = server.Close()
			stopped <- err
			return
		}
		stopped <- nil
	}()
	ln = netutil.LimitListener(ln, maxClients)
	if s.faults.strikes(coreSilent) {
		ln = &silentListener{Listener: ln, ctx: ctx}
	}
	if err := server.ServeTLS(ln, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// limited bounds requests, and applies the faults that need no request.
func (s *coreServer) limited(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.places <- struct{}{}:
			defer func() { <-s.places }()
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
			return
		}
		// A deadline that stays would end the context of a request to a slow payer.
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // every connection has deadlines
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			http.Error(w, "the body is larger than 1 MB", http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		_ = control.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		switch {
		case s.faults.strikes(coreHang):
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		case s.faults.strikes(coreCut):
			panic(http.ErrAbortHandler)
		case s.faults.strikes(coreHTML):
			write(w, http.StatusBadGateway, "text/html", []byte("<html><head><title>502 Bad Gateway</title></head><body>upstream sent no response</body></html>\n"))
		case s.faults.strikes(coreFault):
			sendFault(w, http.StatusInternalServerError, "env:Receiver", "", "The service failed.")
		default:
			next(w, r)
		}
	}
}

func write(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}

// sendFault writes a SOAP fault. Code is such as env:Sender.
func sendFault(w http.ResponseWriter, status int, code, subcode, reason string) {
	write(w, status, soapType+"; charset=UTF-8", writeFault(code, subcode, reason))
}

// soap serves the envelope in SOAP 1.2.
func (s *coreServer) soap(w http.ResponseWriter, r *http.Request) {
	kind, p, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	lenient := s.faults.strikes(coreTextXML) && kind == "text/xml"
	if err != nil || kind != soapType && kind != relatedType && !lenient || !utf8Named(p["charset"]) {
		http.Error(w, "the content type must be application/soap+xml; charset=UTF-8; action="+operation, http.StatusUnsupportedMediaType)
		return
	}
	var body []byte
	var parts map[string][]byte
	if kind == relatedType {
		body, parts, err = readRelated(r.Body, p["boundary"])
	} else {
		body, err = io.ReadAll(r.Body)
	}
	if err != nil {
		http.Error(w, "the multipart body cannot be read", http.StatusBadRequest)
		return
	}
	if action := strings.Trim(p["action"], `"`); action != "" && action != operation {
		sendFault(w, http.StatusInternalServerError, "env:Sender", "", "The action must be "+operation+".")
		return
	}
	e, err := readSOAP(body, parts)
	switch {
	case errors.Is(err, errNotSOAP12):
		sendFault(w, http.StatusInternalServerError, "env:VersionMismatch", "", err.Error()+".")
		return
	case err != nil:
		sendFault(w, http.StatusBadRequest, "env:Sender", "", err.Error()+".")
		return
	}
	if s.faults.strikes(coreSignature) && !e.signed {
		sendFault(w, http.StatusInternalServerError, "env:Sender", "wsse:InvalidSecurity", "The message must be signed with an X.509 certificate (BinarySecurityToken).")
		return
	}
	if e.phase4 && len(r.TLS.VerifiedChains) == 0 {
		s.slow(r.Context())
		http.Error(w, "Phase IV needs the client certificate of the account", http.StatusForbidden)
		return
	}
	if reply, done := s.respond(w, r, e, e.phase4 || e.signed); done {
		s.writeSOAP(w, r, reply)
	}
}

// mime serves the envelope in MIME multipart.
func (s *coreServer) mime(w http.ResponseWriter, r *http.Request) {
	kind, p, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != formType || p["boundary"] == "" {
		http.Error(w, "the content type must be multipart/form-data with a boundary", http.StatusUnsupportedMediaType)
		return
	}
	e, err := readMIME(r.Body, p["boundary"])
	if err != nil {
		http.Error(w, "the multipart body cannot be read", http.StatusBadRequest)
		return
	}
	if reply, done := s.respond(w, r, e, false); done {
		body, contentType := writeMIME(reply)
		s.write(w, r, contentType, body)
	}
}

func utf8Named(charset string) bool { return charset == "" || strings.EqualFold(charset, "utf-8") }

// slow delays the reply to a bad sign-in.
func (s *coreServer) slow(ctx context.Context) {
	late := time.NewTimer(badLoginDelay)
	defer late.Stop()
	select {
	case <-ctx.Done():
	case <-late.C:
	}
}

// respond returns the reply to a request. If it has failed the exchange as a whole
// instead, done is false.
func (s *coreServer) respond(w http.ResponseWriter, r *http.Request, e *envelope, certified bool) (reply *envelope, done bool) {
	reply = e.reply(s.now())
	if !certified && !s.authorized(e) || s.faults.strikes(coreUnauthorized) {
		s.log.WarnContext(r.Context(), "refused a CORE sign-in")
		s.slow(r.Context())
		reply.refuse("UnAuthorized", unauthorized(e))
		return reply, true
	}
	if code, message := e.fault(s.strict); code != "" {
		if code == "VersionMismatch" {
			reply.CORERuleVersion = version22
			if e.phase4 {
				reply.CORERuleVersion = version40
			}
		}
		reply.refuse(code, message)
		return reply, true
	}
	payload, kind, err := s.ask(r.Context(), []byte(e.Payload))
	switch {
	case r.Context().Err() != nil:
		return nil, false
	case err != nil: // the network failed, as the member ID asked for
		sendFault(w, http.StatusInternalServerError, "env:Receiver", "", "The payer's network failed.")
		return nil, false
	case payload == nil:
		reply.refuse("PayloadNotUnderstood", "The payload has no X12 interchange.")
		return reply, true
	}
	reply.PayloadType, reply.Payload = kind, string(payload)
	s.log.InfoContext(r.Context(), "answered an inquiry", "payload_type", kind)
	s.deviate(reply)
	return reply, true
}

// unauthorized returns the reason of a refused sign-in.
func unauthorized(e *envelope) string {
	if e.user == "" {
		return "There is no user name. SOAP has it in wsse:UsernameToken with a password of type PasswordText, MIME in UserName and Password."
	}
	return "The user name or the password is wrong."
}

func (s *coreServer) authorized(e *envelope) bool {
	user := subtle.ConstantTimeCompare([]byte(e.user), []byte(s.account.COREUser))
	password := subtle.ConstantTimeCompare([]byte(e.password), []byte(s.account.COREPassword))
	return user&password == 1
}

// ask returns the payers' response and its payload type: a 271 or a 277, or a TA1 or 999 in
// its place. It is nil if there is no interchange to reply to. A slow payer is waited
// for.
func (s *coreServer) ask(ctx context.Context, request []byte) ([]byte, string, error) {
	request = bytes.TrimSpace(request)
	note := ""
	if r := x12.NewReader(bytes.NewReader(request), x12.Limits{Bytes: maxRequest}); s.refuse != nil {
		if _, err := r.Next(); err == nil { // ISA
			interchange := r.Interchange()
			if _, err := r.Next(); err == nil { // GS
				note = s.refuse(interchange, r.Group())
			}
		}
	}
	switch {
	case note != "":
		return sandboxnet.RejectInquiry(request, note, s.now()), payloadTA1, nil
	case s.faults.strikes(coreTA1):
		return sandboxnet.RejectInquiry(request, "022", s.now()), payloadTA1, nil
	case s.faults.strikes(core999):
		return sandboxnet.RejectInquiry(request, "", s.now()), payload999, nil
	}
	if _, err := statusrequest.Decode(request); err == nil {
		files, err := s.sent(s.now())
		if err != nil {
			return nil, "", err
		}
		response, err := sandboxnet.AnswerStatus(ctx, request, files, s.now(), s.options)
		return response, payload277, err
	}
	for {
		response, err := s.payers.Inquire(ctx, request)
		later, early := errors.AsType[*billing.LaterError](err)
		if _, unreadable := errors.AsType[*x12.Error](err); unreadable {
			return sandboxnet.RejectInquiry(request, "", s.now()), payload999, nil
		}
		if !early {
			return response, payload271, err
		}
		wait := time.NewTimer(later.Until.Sub(s.now()))
		select {
		case <-ctx.Done():
			wait.Stop()
			return nil, "", ctx.Err()
		case <-wait.C:
		}
	}
}

// silentListener accepts connections and keeps them, without a word.
type silentListener struct {
	net.Listener

	ctx context.Context // the listener's own
}

func (l *silentListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		context.AfterFunc(l.ctx, func() { _ = c.Close() })
	}
}
