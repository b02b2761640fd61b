package attachments_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/imagecodec"
	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
	"github.com/molar-billing/molar/workers"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// fixture has the use cases on a real database, a queue in memory, images in a
// folder, the real codec and the sandbox.
type fixture struct {
	t       *testing.T
	store   pgtest.Clocked
	queue   *memqueue.Queue
	blobs   *fileblob.Store
	folder  string // of the blobs
	codec   *imagecodec.Codec
	network *network
	payers  *directory.PayerDirectory
	clock   *porttest.Clock
	times   attachments.Times
	service *attachments.Service
	scope   billing.Scope
	office  *directory.Office
	relay   *outboxrelay.Relay
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	b := &fixture{
		t: t, queue: memqueue.NewBroker().Open(), clock: &porttest.Clock{}, times: attachments.DefaultTimes(), folder: t.TempDir(),
	}
	b.relay = outboxrelay.New(b.queue, slog.New(slog.DiscardHandler))
	b.store = pgtest.Clocked{Store: pgtest.Open(t, func(o *pgstore.Options) { o.Staged = b.relay.Staged }), Clock: b.clock}
	b.network = newNetwork(sandboxnet.NewAttachments(b.clock))
	var err error
	if b.blobs, err = fileblob.Open(b.folder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.blobs.Close() })
	if b.codec, err = imagecodec.New(imagecodec.Options{TempDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	b.payers = porttest.Payers(t)
	b.service = b.process(nil)
	b.scope = porttest.Organization(t, b.store, billing.ModeTest)
	b.office = porttest.Office(t, b.store, b.scope)
	return b
}

// process returns the use cases of another process. The fault, when not nil,
// decides how its calls end.
func (b *fixture) process(f *porttest.Fault) *attachments.Service {
	return b.build(porttest.Store{Store: b.store, Fault: f}, faultyQueue{b.queue, f}, faultyBlobs{b.blobs, f}, faultyNetwork{b.network, f})
}

// processOn returns the use cases of a process with another blob store.
func (b *fixture) processOn(blobs ports.Blobs) *attachments.Service {
	return b.build(b.store, b.queue, blobs, b.network)
}

func (b *fixture) build(store ports.Store, queue ports.Queue, blobs ports.Blobs, sandbox ports.AttachmentNetwork) *attachments.Service {
	of := sandboxnet.Networks(edi.New().Over, b.clock, nil, sandboxnet.Options{})[0]
	of.Attachments = sandbox
	return attachments.New(store, attachments.Outside{
		Queue: queue, Blobs: blobs, Images: b.codec, Networks: routing.New(of),
	}, b.payers, b.times)
}

// impatient returns the use cases of a process that waits for nothing.
func (b *fixture) impatient(f *porttest.Fault) *attachments.Service {
	patient := b.times
	defer func() { b.times = patient }()
	b.times.SendWait, b.times.ConvertWait = 0, 0
	return b.process(f)
}

// work runs the relay and workers until the test ends.
func (b *fixture) work() { b.workWith(b.service) }

func (b *fixture) workWith(s *attachments.Service) {
	ctx, cancel := context.WithCancel(b.t.Context())
	runner := workers.NewRunner(b.store, b.queue, slog.New(slog.DiscardHandler), func(jobs.Kind, string, time.Duration) {})
	var all sync.WaitGroup
	all.Go(func() { _ = b.relay.Run(ctx, b.store) })
	all.Go(func() { _ = runner.Run(ctx, workers.AttachmentSend(s, 2)) })
	all.Go(func() { _ = runner.Run(ctx, workers.PNGConvert(s)) })
	all.Go(func() { _ = runner.Run(ctx, workers.Thumbnail(s)) })
	b.t.Cleanup(func() { cancel(); all.Wait() })
}

func (b *fixture) in(fn func(ctx context.Context, tx ports.Tx) error) {
	b.t.Helper()
	porttest.In(b.t, b.store, b.scope, fn)
}

// call returns a request with the key. Every request of a kind has the same
// content.
func call(key string) caller.Request {
	return caller.Request{ID: billing.NewID[billing.RequestID](billing.RealAt(time.Now())), Key: key, Fingerprint: [32]byte{1}}
}

// write is a call whose reply is rendered by render.
func write[T any](scope billing.Scope, req caller.Request, render func(T, error) caller.Reply) idempotency.Write[T] {
	return idempotency.Write[T]{Call: caller.Call{Scope: scope, Request: req}, Render: render}
}

// other returns a different request with the key.
func other(key string) caller.Request {
	r := call(key)
	r.Fingerprint = [32]byte{2}
	return r
}

// shown is the content of these tests' replies.
type shown struct {
	Attachment string                       `json:"attachment"`
	State      attachment.State             `json:"state"`
	Number     string                       `json:"number"`
	Documents  []string                     `json:"documents"`
	Request    string                       `json:"request"`
	Asked      attachment.PayerRequestState `json:"asked"`
	Error      billing.Code                 `json:"error"`
}

func render(a *attachment.Attachment, err error) caller.Reply {
	return rendered(attachment.PayerRequestAnswer{Attachment: a}, err)
}

func rendered(made attachment.PayerRequestAnswer, err error) caller.Reply {
	var s shown
	if a := made.Attachment; a != nil {
		s = shown{Attachment: a.ID.String(), State: a.State, Number: a.Number}
		for _, d := range a.Documents {
			s.Documents = append(s.Documents, d.ID.String())
		}
	}
	if made.Request != nil {
		s.Request, s.Asked = made.Request.ID.String(), made.Request.State
	}
	status := 200
	if err != nil {
		s.Error, status = billing.CodeOf(err), 502
	}
	body, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return caller.Reply{Status: status, Body: body}
}

// outcome is the result of a request.
type outcome struct {
	shown
	replayed bool
	err      error
}

func came(r caller.Reply, err error) (o outcome) {
	if err == nil {
		err = json.Unmarshal(r.Body, &o.shown)
	}
	o.replayed, o.err = r.Replayed, err
	return o
}

// faults returns the faults of the request.
func (o outcome) faults() string {
	if e, ok := errors.AsType[*billing.Error](o.err); ok {
		return fmt.Sprint(e.Faults)
	}
	return ""
}

// code returns the error code of the request, and checks that the reply has the
// same.
func (o outcome) code() billing.Code {
	if o.err != nil {
		return billing.CodeOf(o.err)
	}
	return o.Error
}

func (b *fixture) upload(s *attachments.Service, key string, id billing.AttachmentID, image []byte) outcome {
	return b.uploadAs(b.t.Context(), s, call(key), id, image)
}

func (b *fixture) uploadAs(ctx context.Context, s *attachments.Service, r caller.Request, id billing.AttachmentID, image []byte) outcome {
	in := intake.DocumentRequest{DocumentType: "2", FileName: "image"}
	return came(s.Upload(ctx, write(b.scope, r, render), id, in, fileOf(image)))
}

func (b *fixture) close(s *attachments.Service, key string, id billing.AttachmentID) outcome {
	return came(s.Close(b.t.Context(), write(b.scope, call(key), render), id))
}

func (b *fixture) answer(s *attachments.Service, key string, id billing.PayerRequestID, in intake.AnswerRequest) outcome {
	return came(s.Answer(b.t.Context(), write(b.scope, call(key), rendered), id, in))
}

func (b *fixture) narrate(key string, id billing.AttachmentID, narrative string) outcome {
	return came(b.service.Narrate(b.t.Context(), write(b.scope, call(key), render), id, intake.NarrativeRequest{Narrative: &narrative}))
}

func (b *fixture) remove(key string, id billing.AttachmentID, document billing.DocumentID) outcome {
	return came(b.service.RemoveDocument(b.t.Context(), write(b.scope, call(key), render), id, document))
}

// keys returns keys that were not used before.
func keys() func() string {
	n := 0
	return func() string { n++; return "k" + strconv.Itoa(n) }
}
