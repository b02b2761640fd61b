package httpapi

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// TestTasksOfConnections has the task of a connection that the network refused, until the operator
// enables it again.
func TestTasksOfConnections(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.connection(t) // in live mode, and one of the deployment
	c := s.pausedConnection(t)
	paused := s.tasks(t, "")["connection_paused"]
	if paused == nil {
		t.Fatal("there is no task")
	}
	of := s.must(t, 200, call{path: "/tasks?resource_id=" + c.ID.String()})
	of.shows(t, "data.0.id", paused["id"], "data.0.resource.object", "connection", "data.0.resource.id", c.ID.String(), "data.0.actions.0", "listConnections", "data.0.settles", []any{},
		"data.0.amount", nil, "data.0.payer", nil, "data.0.due_on", nil, "counts.kinds.connection_paused.count", 1.0, "counts.open.count", 1.0)
	if why := of.text(t, "data", "0", "reason"); !strings.Contains(why, "molar connections enable '"+c.Name+"'") || strings.Contains(why, "sign in as") {
		t.Errorf("the reason is %s", why)
	}
	path := "/tasks/" + paused["id"].(string)
	wantStatus(t, s.do(t, call{path: path + "/settle", body: `{"as":"accepted"}`, bad: true}), 422, billing.CodeInvalidRequest)
	s.note(t, "/connections/"+c.ID.String(), "The operator has asked.")
	s.must(t, 200, call{path: path}).shows(t, "notes.0.text", "The operator has asked.", "notes_count", 1.0)
	viewer := s.visits(t, s.org, "viewer@example.com", caller.RoleViewer)
	s.must(t, 200, viewer.call(call{path: "/tasks"})).shows(t, "data.0.kind", "connection_paused")
	wantStatus(t, s.do(t, viewer.call(call{path: "/connections/" + c.ID.String() + "/notes", body: noteBody})), 403, billing.CodePermissionDenied)

	if _, err := s.options.Connections.Enable(t.Context(), c.Name); err != nil {
		t.Fatal(err)
	}
	s.must(t, 200, call{path: path}).shows(t, "state", "done")
	if err := s.options.Connections.Remove(t.Context(), c.Name, false); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, s.do(t, call{path: path}), 404, billing.CodeNotFound)
}

// TestTasksOfQuarantinedFiles has the tasks of two payments in quarantine, until one is assigned and
// the other deleted.
func TestTasksOfQuarantinedFiles(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, all := s.must(t, 201, importing(payingTo("EFT-1", foreignNPI, "EFT-2", foreignNPI))).payments(t)
	one, two := all[0]["quarantine_id"].(string), all[1]["quarantine_id"].(string)
	list := s.must(t, 200, call{path: "/tasks?resource_id=" + one}) // both came at once, and so in any order
	list.shows(t, "data.0.resource.object", "quarantined_file", "data.0.resource.id", one, "data.0.actions", []any{"assignQuarantinedFile", "deleteQuarantinedFile"}, "data.0.settles", []any{},
		"data.0.amount", s.must(t, 200, call{path: "/quarantine"}).text(t, "data", "0", "payment", "total"), "counts.kinds.quarantined.count", 2.0)
	task := "/tasks/" + list.text(t, "data", "0", "id")
	wantStatus(t, s.do(t, call{path: task + "/settle", body: `{"as":"accepted"}`, bad: true}), 422, billing.CodeInvalidRequest)
	s.note(t, "/quarantine/"+one, "It is for Salem.")
	s.must(t, 200, call{path: task}).shows(t, "notes.0.text", "It is for Salem.")
	s.must(t, 201, call{path: "/quarantine/" + one + "/assign", body: jsonOf(anObject{"office_id": s.office.String()}, nil)})
	wantStatus(t, s.do(t, call{path: task}), 404, billing.CodeNotFound)
	wantStatus(t, s.do(t, call{path: "/quarantine/" + one + "/notes"}), 404, billing.CodeNotFound)
	s.must(t, 200, call{path: "/tasks?kind=quarantined"}).shows(t, "data.0.resource.id", two, "counts.kinds.quarantined.count", 1.0)
	s.must(t, 204, call{method: "DELETE", path: "/quarantine/" + two})
	s.must(t, 200, call{path: "/tasks?kind=quarantined"}).shows(t, "data", []any{}, "counts.kinds.quarantined.count", 0.0)
	s.must(t, 200, call{path: "/tasks?state=done&kind=quarantined"}).shows(t, "data", []any{})
}
