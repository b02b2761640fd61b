package httpapi

import (
	"encoding/json"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
)

// eventBodies is the data of events of every type, as billing's tests keep it,
// by file name.
func eventBodies(t *testing.T) map[string]string {
	t.Helper()
	folder := filepath.Join("..", "..", "core", "billing", "event", "testdata")
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, f := range files {
		bodies[f.Name()] = string(rawtest.ReadFile(t, filepath.Join(folder, f.Name())))
	}
	return bodies
}

// eventTypeOf is the type that a file of eventBodies is named after.
func eventTypeOf(file string) event.Type {
	parts := strings.SplitN(file, ".", 3)
	return event.Type(parts[0] + "." + parts[1])
}

// dataSchemas is the schema of the data of each event type.
func dataSchemas(t *testing.T) map[event.Type]*openapi3.SchemaRef {
	t.Helper()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[event.Type]*openapi3.SchemaRef{}
	e := doc.Components.Schemas["Event"].Value
	for _, branch := range e.OneOf {
		kind := branch.Value.Properties["type"].Value
		names := kind.Enum
		if kind.Const != nil {
			names = []any{kind.Const}
		}
		for _, name := range names {
			name, _ := name.(string)
			if _, twice := schemas[event.Type(name)]; twice {
				t.Errorf("%s has two schemas", name)
			}
			if mapped := e.Discriminator.Mapping[name].Ref; mapped != branch.Ref {
				t.Errorf("%s is mapped to %s, not to %s", name, mapped, branch.Ref)
			}
			schemas[event.Type(name)] = branch.Value.Properties["data"]
		}
	}
	if mapped := len(e.Discriminator.Mapping); mapped != len(schemas) {
		t.Errorf("%d types are mapped, %d have a schema", mapped, len(schemas))
	}
	return schemas
}

func TestEveryEventTypeHasASchema(t *testing.T) {
	t.Parallel()
	got, want := slices.Sorted(maps.Keys(dataSchemas(t))), event.Types()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("schemas of\n%v\nwant\n%v", got, want)
	}
}

// refusal is why a value is not of a schema; nil when it is.
func refusal(schema *openapi3.SchemaRef, v any) error {
	return schema.Value.VisitJSON(v, openapi3.EnableJSONSchema2020())
}

func decoded(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEventsKeepTheContract(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	schemas := dataSchemas(t)
	for file, body := range eventBodies(t) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			known := eventTypeOf(file)
			other := event.ClaimQueued // one whose data is another
			if schemas[other].Ref == schemas[known].Ref {
				other = event.ClaimPaid
			}
			for kind, good := range map[event.Type]bool{known: true, other: false} {
				e := event.Event{ID: idOf[billing.EventID](9), Type: kind, Sequence: 3, CreatedAt: shapeTime, Data: []byte(body)}
				if err := refusal(doc.Components.Schemas["Event"], decoded(t, e.JSON())); (err == nil) != good {
					t.Errorf("as %s: %v", kind, err)
				}
			}
			data := decoded(t, []byte(body))
			for path := range damaged(data, "data") {
				if refusal(schemas[known], data) == nil {
					t.Errorf("the contract takes the data %s", path)
				}
			}
			if err := refusal(schemas[known], data); err != nil {
				t.Error(err) // damaged has repaired it
			}
		})
	}
}

// damaged takes each field out of a value in turn, then puts an unknown one
// into each of its objects. It says what it did, and undoes it.
func damaged(v any, path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		object, _ := v.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			for deeper := range damaged(object[name], path+"."+name) {
				if !yield(deeper) {
					return
				}
			}
			kept := object[name]
			delete(object, name)
			goOn := yield("without " + path + "." + name)
			if object[name] = kept; !goOn {
				return
			}
		}
		if object == nil {
			return
		}
		object["surprise"] = 1
		yield("with " + path + ".surprise")
		delete(object, "surprise")
	}
}

// An event is read, alone and in a list, in the bytes in which it is posted.
func TestEventsAreReadAsTheyArePosted(t *testing.T) {
	t.Parallel()
	events := []*event.Event{
		{ID: idOf[billing.EventID](1), Type: event.PayerRequestReceived, Sequence: 1, CreatedAt: shapeTime, Data: []byte(`{"reference_number":"<1> & \u003c2\u003e"}`)},
		{ID: idOf[billing.EventID](2), Type: event.APIKeyCreated, Sequence: 2, CreatedAt: shapeTime, Data: []byte(`{ "name": "caf` + "\u00e9\u2028" + `" }`)},
	}
	var posted []string
	for _, e := range events {
		m := (&webhook.Endpoint{}).Message(e, shapeTime)
		posted = append(posted, string(m.Body))
		if got := rawReply(e.JSON()).raw; string(got) != string(m.Body)+"\n" {
			t.Errorf("read  %s\nposted %s", got, m.Body)
		}
	}
	for next, end := range map[*string]string{nil: `null`, new("next"): `"next"`} {
		if got, want := string(rawPage(events, (*event.Event).JSON, next).raw), `{"data":[`+strings.Join(posted, ",")+`],"next_cursor":`+end+"}\n"; got != want {
			t.Errorf("list\n%s\nwant\n%s", got, want)
		}
	}
	if got := string(rawPage(nil, (*event.Event).JSON, nil).raw); got != `{"data":[],"next_cursor":null}`+"\n" {
		t.Errorf("an empty list is %s", got)
	}
}
