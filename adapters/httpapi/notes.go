package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/notes"
)

// noted returns the resource that the path names. A malformed ID, or one of another kind,
// becomes the zero ID, as in pathID.
func noted(x *exchange, kind task.ResourceKind) notes.Of {
	if kind == task.OfCheckItem {
		item := task.Item{Batch: pathID[billing.CheckBatchID](x, "id"), Name: pathText(x, "item_id")}
		return notes.Of{Resource: task.Resource{Kind: kind}, Item: item}
	}
	id, text, _ := anyID(x.params.Params("id"))
	if of := (task.Resource{Kind: kind, ID: id}); of.String() == text {
		return notes.Of{Resource: of}
	}
	return notes.Of{Resource: task.Resource{Kind: kind}}
}

// addNote is POST of a note to a resource of a kind.
func (a *api) addNote(kind task.ResourceKind) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) {
		in := readBody[intake.AddNoteRequest](x)
		return kept(a.notes.Add(x.ctx, replyingWithNote(x, http.StatusCreated), noted(x, kind), in))
	}
}

// listNotes is GET of the notes of a resource of a kind, the oldest first.
func (a *api) listNotes(kind task.ResourceKind) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) {
		q, of := x.query(), noted(x, kind)
		l := q.bind("notes of "+of.String()+of.Item.Batch.String()+of.Item.Name, x.call.Scope, "limit", "cursor")
		l.oldest = true
		x.resource = of.Item.Batch.String()
		return listed(a, x, q, l, of, a.notes.List, noteShape)
	}
}

// strikeNote handles POST /notes/{id}/strike. To the audit it is about the note's resource, as
// the note was when it was added.
func (a *api) strikeNote(x *exchange) (*reply, error) {
	in := readBody[intake.StrikeNoteRequest](x)
	r, err := a.notes.Strike(x.ctx, replyingWithNote(x, http.StatusOK), pathID[billing.NoteID](x, "id"), in)
	if err == nil {
		var n struct {
			Resource taskResourceJSON `json:"resource"`
		}
		err = json.Unmarshal(r.Body, &n)
		x.resource = n.Resource.ID
	}
	return kept(r, err)
}

// replyingWithNote returns the call for a use case that replies with a note. The stored reply
// is one about the resource, and goes with it.
func replyingWithNote(x *exchange, status int) idempotency.Write[*task.Note] {
	w := replying(x, status, noteShape)
	render := w.Render
	w.Render = func(n *task.Note, failure error) caller.Reply {
		r := render(n, failure)
		if failure == nil {
			r.Resource = n.Resource.String()
		}
		return r
	}
	return w
}

type noteJSON struct {
	ID       billing.NoteID   `json:"id"`
	Object   string           `json:"object"`
	Resource taskResourceJSON `json:"resource"`
	Text     string           `json:"text"`
	At       string           `json:"at"`
	By       string           `json:"by"`
	Struck   *struckJSON      `json:"struck"`
}

type struckJSON struct {
	At     string `json:"at"`
	By     string `json:"by"`
	Reason string `json:"reason"`
}

func noteShape(n *task.Note) noteJSON {
	shape := noteJSON{
		ID: n.ID, Object: "note", Resource: resourceShape(n.Resource), Text: n.Text, At: event.Timestamp(n.At), By: n.By,
	}
	if !n.StruckAt.IsZero() {
		shape.Struck = &struckJSON{event.Timestamp(n.StruckAt), n.StruckBy, n.StruckReason}
	}
	return shape
}
