package cli

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

const sftpDocument = `{"name": "Main", "mode": "live", "kind": "sftp", "carries": ["claims"], "usage": "P", "sender_id": "MOLAR1",
	"receiver_id": "330897513", "receiver_qualifier": "30", "addr": "sftp.example.com:22", "user": "molar1", "key_file": "keys/id",
	"host_key": "SHA256:uNiVztksCsDhcc0u9e8BrUXcdXHf8QzVHtg4jQJ1n3A", "outbox": "/inbound", "inbox": "/outbound"}`

const coreDocument = `{"name": "Checks", "mode": "live", "kind": "core", "carries": ["eligibility"], "usage": "P", "sender_id": "MOLAR1",
	"receiver_id": "NET1", "url": "https://core.example.com/soap", "envelope": "soap-2.2.0", "user": "molar1", "password_file": "password"}`

const knownHost = "AAAAC3NzaC1lZDI1NTE5AAAAIGVHrzLFWTHh2Fh4nzC0fH2q7tkgG1Yv4BfkvHkS7cVv"

// kinds are the kinds of the release.
func kinds() network.Kinds {
	return network.Kinds{sandboxnet.Kind(nil).Kind, sftpnet.Kind().Kind, corenet.Kind(nil, nil).Kind}
}

// with returns a document with fields set to JSON values, or without one if the value is
// empty.
func with(tb testing.TB, document string, fields map[string]string) string {
	tb.Helper()
	var doc map[string]json.RawMessage
	if err := json.Unmarshal([]byte(document), &doc); err != nil {
		tb.Fatal(err)
	}
	for name, value := range fields {
		if doc[name] = json.RawMessage(value); value == "" {
			delete(doc, name)
		}
	}
	b, err := json.Marshal(doc)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// folder returns a folder with the files of the documents.
func folder(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range map[string]string{
		"keys/id": "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n", "password": "hunter2\r\n", "empty": "\n", "cert": "-----BEGIN CERTIFICATE-----\n",
		"big": strings.Repeat("x", maxSecret+1),
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func write(tb testing.TB, dir, document string) string {
	tb.Helper()
	path := filepath.Join(dir, "connection.json")
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// TestConnectionDocuments reads good and bad documents, each with its faults.
func TestConnectionDocuments(t *testing.T) {
	t.Parallel()
	dir, payers := folder(t), porttest.Payers(t)
	set := func(document string, pairs ...string) string {
		fields := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			fields[pairs[i]] = pairs[i+1]
		}
		return with(t, document, fields)
	}
	for _, c := range []struct {
		document string
		want     string // the faults: fields and codes
	}{
		{sftpDocument, ""},
		{coreDocument, ""},
		{"\ufeff" + sftpDocument, ""},
		{set(sftpDocument, "archive", "null", "org_id", "null", "payers", "null", "options", "null", "enabled", "null", "url", "null"), ""},
		{set(sftpDocument, "key_file", "", "password_file", `"password"`), ""},
		{set(sftpDocument, "host_key", `"sftp.example.com ssh-ed25519 `+knownHost+`"`), ""},
		{set(sftpDocument, "host_key", `"ssh-ed25519 `+knownHost+` comment"`), ""},
		{set(sftpDocument, "host_key", `"SHA256:uNiVztksCsDhcc0u9e8BrUXcdXHf8QzVHtg4jQJ1n3A\nssh-ed25519 `+knownHost+`"`), ""},
		{set(sftpDocument, "host_key", `"ssh-ed25519 `+knownHost+`\nMD5:00"`), "host_key format"},
		{set(sftpDocument, "host_key", `"@revoked sftp.example.com ssh-ed25519 `+knownHost+`"`), "host_key format"},
		{set(coreDocument, "payers", `[{"payer_id": "CHTEST", "network_payer_id": "N1", "transactions": ["claims", "eligibility"]}]`), ""},
		{set(coreDocument, "payers", `[{"payer_id": "CHTEST"}]`, "test_member", `"W123"`), ""},
		{set(coreDocument, "test_member", `{"member_id": "W123", "payer_id": "CHTEST", "date_of_birth": "1980-02-29", "npi": "1234567893"}`), ""},
		{set(coreDocument, "options", `{"trace_echo": "exchange"}`, "ca_file", `"cert"`, "cert_file", `"cert"`, "cert_key_file", `"keys/id"`), ""},
		{set(coreDocument, "envelope", `"soap-phase4"`, "user", "", "password_file", "", "cert_file", `"cert"`, "cert_key_file", `"keys/id"`), ""},
		{set(coreDocument, "mode", `"test"`, "usage", `"T"`), ""},
		{set(sftpDocument, "addr", `"127.0.0.1:22"`, "allow_private", "true"), ""},

		{`{}`, "name required, mode required, kind required, carries required, usage required"},
		{`{"kind": "sftp"}`, "name required, mode required, carries required, usage required, sender_id required, receiver_id required, addr required, " +
			"user required, key_file required, host_key required, outbox required, inbox required"},
		{`{"kind": "core"}`, "name required, mode required, carries required, usage required, sender_id required, receiver_id required, url required, envelope required"},
		{set(sftpDocument, "title", `"x"`), "title unknown"},
		{set(sftpDocument, "password", `"hunter2"`), "password unknown"},
		{set(sftpDocument, "key", `"hunter2"`), "key unknown"},
		{set(sftpDocument, "url", `"https://example.com"`), "url not_allowed"},
		{set(coreDocument, "addr", `"example.com:22"`), "addr not_allowed"},
		{strings.Replace(sftpDocument, `"name"`, `"name": "Other", "name"`, 1), "name conflict"},
		{set(sftpDocument, "name", `7`), "name type"},
		{set(sftpDocument, "name", `"`+strings.Repeat("x", 65)+`"`), "name too_long"},
		{set(sftpDocument, "name", `" x"`), "name format"},
		{set(sftpDocument, "name", `"x\u0000"`), "name format"},
		{set(sftpDocument, "mode", `"prod"`), "mode not_allowed"},
		{set(sftpDocument, "kind", `"ftp"`), "kind not_allowed"},
		{set(sftpDocument, "carries", `"claims"`), "carries type"},
		{set(sftpDocument, "carries", `[]`), "carries required"},
		{set(sftpDocument, "carries", `["claims", 7, "claims"]`), "carries.1 type, carries.2 conflict"},
		{set(sftpDocument, "carries", `["eligibility"]`), "carries.0 not_allowed"},
		{set(coreDocument, "carries", `["attachments"]`), "carries.0 not_allowed"},
		{set(sftpDocument, "org_id", `"x"`), "org_id format"},
		{set(sftpDocument, "usage", `"T"`), "usage not_allowed"},
		{set(sftpDocument, "usage", `"X"`), "usage not_allowed"},
		{set(sftpDocument, "sender_id", `"SIXTEENCHARACTER"`), "sender_id too_long"},
		{set(sftpDocument, "sender_id", `"A*B"`, "receiver_qualifier", `"Z"`), "sender_id format, receiver_qualifier format"},
		{set(sftpDocument, "payers", `[]`), "payers too_few"},
		{set(sftpDocument, "payers", `[7]`), "payers.0 type"},
		{set(sftpDocument, "payers", `[{"payer_id": "NOSUCH"}, {"payer": "x"}]`), "payers.1.payer unknown, payers.0.payer_id not_found, payers.1.payer_id required"},
		{set(sftpDocument, "payers", `[{"payer_id": "CHTEST"}, {"payer_id": "chtest", "transactions": ["claims"]}]`), "payers.1.transactions.0 conflict"},
		{set(sftpDocument, "payers", `[{"payer_id": "CHTEST", "transactions": []}]`), "payers.0.transactions too_few"},
		{set(sftpDocument, "payers", `[{"payer_id": "CHTEST", "transactions": ["eligibility"]}]`), "payers too_few"},
		{set(sftpDocument, "payers", `[{"payer_id": "CHTEST", "network_payer_id": "A~B"}]`), "payers.0.network_payer_id format"},
		{set(sftpDocument, "options", `[]`), "options type"},
		{set(sftpDocument, "options", `{"no_such": 1, "poll_interval": "never"}`), "options.no_such unknown, options.poll_interval format"},
		{set(sftpDocument, "enabled", `"yes"`, "allow_private", `1`), "enabled type, allow_private type"},
		{set(sftpDocument, "addr", `"sftp.example.com"`), "addr format"},
		{set(sftpDocument, "addr", `"sftp.example.com:0"`), "addr format"},
		{set(sftpDocument, "addr", `"sftp://sftp.example.com:22"`), "addr format"},
		{set(sftpDocument, "addr", `"10.1.2.3:22"`), "addr not_allowed"},
		{set(sftpDocument, "addr", `"localhost:22"`), "addr not_allowed"},
		{set(sftpDocument, "key_file", ""), "key_file required"},
		{set(sftpDocument, "key_file", `"nosuch"`), "key_file not_found"},
		{set(sftpDocument, "key_file", `"keys"`), "key_file too_long"},
		{set(sftpDocument, "key_file", `"big"`), "key_file too_long"},
		{set(sftpDocument, "key_file", `"empty"`), "key_file required"},
		{set(sftpDocument, "host_key", `"MD5:00"`), "host_key format"},
		{set(sftpDocument, "host_key", `"ssh-rsa `+knownHost+`"`), "host_key format"},
		{set(sftpDocument, "outbox", `"/outbound"`), "inbox conflict"},
		{set(sftpDocument, "archive", `"/outbound"`), "archive conflict"},
		{set(sftpDocument, "inbox", `"a\nb"`), "inbox format"},
		{set(coreDocument, "url", `"http://core.example.com"`), "url format"},
		{set(coreDocument, "url", `"https://molar:hunter2@core.example.com"`), "url format"},
		{set(coreDocument, "url", `"https://[::1]/"`), "url not_allowed"},
		{set(coreDocument, "envelope", `"soap"`), "envelope not_allowed"},
		{set(coreDocument, "envelope", `"soap-phase4"`), "cert_file required"},
		{set(coreDocument, "password_file", ""), "password_file required"},
		{set(coreDocument, "user", ""), "user required"},
		{set(coreDocument, "cert_file", `"cert"`), "cert_key_file required"},
		{set(coreDocument, "test_member", `7`), "test_member type"},
		{
			set(coreDocument, "test_member", `{"payer_id": "NOSUCH", "date_of_birth": "1981-02-29", "npi": "1", "x": 1}`),
			"test_member.x unknown, test_member.member_id required, test_member.date_of_birth format, test_member.npi format, test_member.payer_id not_found",
		},
		{`{"name": "R", "mode": "live", "kind": "sandbox", "carries": ["claims", "eligibility"], "usage": "P"}`, "org_id required"},
		{`{"name": "R", "mode": "live", "kind": "sandbox", "carries": ["claims"], "usage": "P", "org_id": "` + (billing.OrgID{1}).String() + `", "user": "x"}`, "user not_allowed"},
	} {
		r, err := readConnection(kinds(), nil, write(t, dir, c.document))
		if err != nil {
			t.Errorf("%s: %v", c.document, err)
			continue
		}
		connection, faults := r.Connection(kinds(), payers)
		var got []string
		for _, f := range faults {
			got = append(got, f.Field+" "+string(f.Code))
			if strings.Contains(f.Message, "hunter2") {
				t.Errorf("%s: the message has a secret: %s", c.document, f.Message)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.document, strings.Join(got, ", "), c.want)
		}
		if c.want == "" && (connection.Secrets.IsZero() || strings.Contains(fmt.Sprintf("%+v", connection), "hunter2")) {
			t.Errorf("%s: %+v", c.document, connection)
		}
	}
}

// TestUnreadableDocuments are no JSON objects.
func TestUnreadableDocuments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for document, want := range map[string]string{
		"":                        "line 1: the document is not valid JSON",
		"{\n \"name\": \"x\",\n}": "line 3: the document is not valid JSON",
		`{"name": "x"} {}`:        "line 1: the document is not valid JSON",
		`["name"]`:                "must be one JSON object",
		"null":                    "must be one JSON object",
		"{\"name\": \"\xff\"}":    "is not UTF-8",
		"\"" + strings.Repeat("x", maxDocument) + "\"": "has more than 1048576 bytes",
	} {
		if _, err := readConnection(kinds(), nil, write(t, dir, document)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", document, err, want)
		}
	}
	if _, err := readConnection(kinds(), nil, filepath.Join(dir, "nosuch")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// FuzzConnectionDocument reads any document without a panic, and never accepts one whose
// parts cannot be used.
func FuzzConnectionDocument(f *testing.F) {
	f.Add([]byte(sftpDocument))
	f.Add([]byte(coreDocument))
	f.Add([]byte(`{"payers": [{"payer_id": "CHTEST", "transactions": ["claims"]}], "options": {}, "test_member": {"member_id": "1"}}`))
	payers := porttest.Payers(f)
	f.Fuzz(func(t *testing.T, content []byte) {
		if wellFormed("x", content) != nil {
			return
		}
		r := connectionRequest(kinds(), content, func(string) ([]byte, error) { return []byte("secret"), nil })
		c, faults := r.Connection(kinds(), payers)
		if len(faults) > 100 {
			t.Errorf("%d faults", len(faults))
		}
		if len(faults) == 0 && (c.Name == "" || len(c.Carries) == 0 || c.Mode == billing.ModeLive && c.Settings.Envelope.Usage != "P" ||
			c.Kind != "sandbox" && c.Settings.Own[strings.ToUpper(c.Kind)] == nil) {
			t.Errorf("%s: %+v", content, c)
		}
	})
}

// peer is an account at a network that refuses to store a file.
type peer struct{}

func (peer) Probe(_ context.Context, write bool) []network.ProbeStep {
	written := network.ProbeStep{Name: "write a file", NotTried: "nothing is written"}
	if write {
		written.NotTried, written.Err = "", errors.New("the disk is full")
	}
	return []network.ProbeStep{{Name: "resolve the name", Detail: "192.0.2.1"}, written, {Name: "archive it", Skipped: "there is no archive"}}
}

func (peer) Close() error { return nil }

// TestConnections manages connections as an operator does.
func TestConnections(t *testing.T) {
	t.Parallel()
	store, dir := pgtest.Open(t), folder(t)
	log := slog.New(slog.DiscardHandler)
	s := connections.New(store, kinds(), porttest.Payers(t), func(string, network.Reason) {}, log)
	s.Use(routing.NewConnector(routing.New(), []ports.ConnectionKind{
		{Kind: network.Kind{Name: "sftp"}, Open: func(*network.Connection) (*ports.Network, error) { return &ports.Network{Peer: peer{}}, nil }},
		{Kind: network.Kind{Name: "sandbox"}, Open: func(*network.Connection) (*ports.Network, error) { return &ports.Network{}, nil }},
	}, s.Observe, log))
	opens := func(context.Context) (*connections.Service, func() error, error) {
		return s, func() error { return nil }, t.Context().Err()
	}
	run := func(args ...string) (string, error) {
		c := New(Backend{Connections: opens, Networks: opens, Kinds: kinds()})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetArgs(append([]string{"connections"}, args...))
		err := c.ExecuteContext(t.Context())
		if strings.Contains(out.String(), "hunter2") || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v prints a secret: %s, %v", args, out.String(), err)
		}
		return out.String(), err
	}
	ok := func(args ...string) string {
		t.Helper()
		out, err := run(args...)
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
		return out
	}
	document := func(name, extra string) string {
		return write(t, dir, strings.Replace(strings.Replace(sftpDocument, `"Main"`, `"`+name+`"`, 1), "{", "{"+extra, 1))
	}
	if out := ok("list", "--json"); out != "[]\n" {
		t.Errorf("an empty list is %s", out)
	}
	if out := ok("add", document("Main", "")); out != "Main added: sftp, live mode, claims, for every organization. It is enabled.\nTest it with: molar connections test 'Main'\n" {
		t.Errorf("add prints %s", out)
	}
	if _, err := run("add", document("main", "")); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("a second one with the name: %v", err)
	}
	if out := ok("replace", document("main", "")); out != "Main replaced: sftp, live mode, claims, for every organization. It is enabled.\nTest it with: molar connections test 'Main'\n" {
		t.Errorf("replace prints %s", out)
	}
	if out := ok("replace", "--json", document("Main", `"options": {"max_notes": 3},`)); !strings.Contains(out, `"max_notes":3`) || !strings.Contains(out, `"name":"Main"`) {
		t.Errorf("replace prints %s", out)
	}
	ok("replace", document("Main", ""))
	if _, err := run("replace", document("Nosuch", "")); !billing.IsNotFound(err) {
		t.Errorf("replace what is not there: %v", err)
	}
	scope := porttest.Organization(t, store, billing.ModeLive)
	added := ok("add", "--json", document("Second", `"org_id": "`+scope.Org.String()+`", "enabled": false, "payers": [{"payer_id": "CHTEST", "network_payer_id": "N7"}], "options": {"max_notes": 2},`))
	var shape struct {
		Name    string         `json:"name"`
		OrgID   string         `json:"org_id"`
		State   string         `json:"state"`
		Addr    string         `json:"addr"`
		Options map[string]int `json:"options"`
		Payers  []struct {
			ID string `json:"network_payer_id"`
		} `json:"payers"`
	}
	if err := json.Unmarshal([]byte(added), &shape); err != nil || shape.Name != "Second" || shape.OrgID != scope.Org.String() || shape.State != "disabled" ||
		shape.Addr != "sftp.example.com:22" || len(shape.Payers) != 1 || shape.Payers[0].ID != "N7" || shape.Options["max_notes"] != 2 {
		t.Errorf("add prints %s, %v", added, err)
	}
	if out := ok("list"); !strings.Contains(out, "Main    sftp  live  claims   every organization") || !strings.Contains(out, scope.Org.String()+"  disabled") {
		t.Errorf("the list is %s", out)
	}
	show := ok("show", "second")
	for _, want := range []string{"state         disabled", "host key      SHA256:", "payer         CHTEST as N7: claims", `options       {"max_notes":2}`, "receiver      30 330897513"} {
		if !strings.Contains(show, want) {
			t.Errorf("show prints %s, want %s", show, want)
		}
	}
	if out := ok("test", "main"); !strings.Contains(out, "write a file      not tried  nothing is written") || !strings.Contains(out, "skipped    there is no archive") {
		t.Errorf("test prints %s", out)
	}
	if out := ok("test", "main", "--json"); !strings.Contains(out, `"ok":true`) || !strings.Contains(out, `{"step":"write a file","result":"not tried","detail":"nothing is written"}`) {
		t.Errorf("test prints %s", out)
	}
	out, err := run("test", "main", "--write")
	if err == nil || !strings.Contains(out, "write a file      failed   the disk is full") {
		t.Errorf("test prints %s, %v", out, err)
	}
	if out, err = run("test", "main", "--write", "--json"); err == nil || !strings.Contains(out, `"ok":false`) || !strings.Contains(out, `{"step":"resolve the name","result":"ok","detail":"192.0.2.1"}`) {
		t.Errorf("test prints %s, %v", out, err)
	}
	if out := ok("enable", "second"); out != "Second is enabled.\n" {
		t.Errorf("enable prints %s", out)
	}
	if out := ok("disable", "second", "--json"); !strings.Contains(out, `"state":"disabled"`) {
		t.Errorf("disable prints %s", out)
	}

	main, err := s.Get(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	s.Observe(t.Context(), main, network.CallReceive, fmt.Errorf("sign in as molar1: %w", network.ErrUnauthorized))
	if err := s.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out := ok("list"); !strings.Contains(out, "paused at ") || !strings.Contains(out, ": unauthorized") {
		t.Errorf("the list is %s", out)
	}
	if out := ok("show", "main"); !strings.Contains(out, "sign in as molar1: the network refuses the sign-in") {
		t.Errorf("show prints %s", out)
	}
	if out := ok("show", "main", "--json"); !strings.Contains(out, `"state":"paused","paused_at":"2`) || !strings.Contains(out, `"pause_reason":"unauthorized"`) {
		t.Errorf("show prints %s", out)
	}
	if out := ok("remove", "second"); out != "second is removed.\n" {
		t.Errorf("remove prints %s", out)
	}
	if out := ok("remove", "main", "--json"); out != `{"name":"main","removed":true}`+"\n" {
		t.Errorf("remove prints %s", out)
	}
	for _, verb := range []string{"show", "test", "enable", "disable", "remove"} {
		if _, err := run(verb, "main"); billing.CodeOf(err) != billing.CodeNotFound {
			t.Errorf("%s: %v", verb, err)
		}
		if _, err := run(verb); err == nil || !strings.Contains(err.Error(), "molar connections list lists them") {
			t.Errorf("%s without a name: %v", verb, err)
		}
	}
	rehearsal := write(t, dir, `{"name": "R", "mode": "live", "kind": "sandbox", "carries": ["claims"], "usage": "P", "org_id": "`+scope.Org.String()+`"}`)
	if out := ok("add", rehearsal); !strings.Contains(out, "No payer sees it.") {
		t.Errorf("add prints %s", out)
	}
	if out := ok("test", "R"); !strings.Contains(out, "the sandbox needs no network") {
		t.Errorf("test prints %s", out)
	}
	help := ok("add", "--help")
	for _, k := range kinds() {
		for _, o := range append(network.OptionDocs(), k.Options()...) {
			if !strings.Contains(help, "  "+o.Name+" (default ") {
				t.Errorf("the help does not list the option %s", o.Name)
			}
		}
		for _, f := range k.Fields() {
			if !strings.Contains(help, "  "+f.Name+" ") {
				t.Errorf("the help does not list the field %s", f.Name)
			}
		}
	}
}

// TestConnectionByStandardInput reads a document by itself, and archives of a document
// with the files that it names.
func TestConnectionByStandardInput(t *testing.T) {
	t.Parallel()
	packed := func(files ...string) *bytes.Buffer {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := 0; i < len(files); i += 2 {
			h := tar.Header{Name: files[i], Mode: 0o600, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}
			if strings.HasSuffix(files[i], "/") {
				h.Typeflag = tar.TypeDir
			}
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(w, files[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return &b
	}
	in := func(folder string) *bytes.Buffer {
		return packed("./"+folder, "", folder+"doc.json", sftpDocument, folder+"keys/", "", folder+"keys/id", "the key")
	}
	for name, stdin := range map[string]*bytes.Buffer{"in a folder": in("conf/"), "here": packed("doc.json", sftpDocument, "./keys/id", "the key")} {
		r, err := readConnection(kinds(), stdin, "-")
		if err != nil || len(r.Faults) > 0 || r.Name == "" || string(r.Own["key_file"]) != "the key" {
			t.Errorf("%s: %v, %v, key %q", name, err, r.Faults, r.Own["key_file"])
		}
	}
	absolute := strings.Replace(sftpDocument, `"keys/id"`, `"/etc/keys/id"`, 1)
	if r, err := readConnection(kinds(), packed("doc.json", absolute, "etc/keys/id", "the key"), "-"); err != nil || string(r.Own["key_file"]) != "the key" {
		t.Errorf("a file with its whole path: %v, key %q", err, r.Own["key_file"])
	}
	r, err := readConnection(kinds(), packed("doc.json", sftpDocument), "-")
	if list := r.Faults; err != nil || len(list) != 1 || list[0].Field != "key_file" || !strings.Contains(list[0].Message, "the archive does not have it") {
		t.Errorf("an archive without the key: %v, %v", err, list)
	}
	r, err = readConnection(kinds(), strings.NewReader(strings.Replace(sftpDocument, `"key_file": "keys/id",`, "", 1)), "-")
	if err != nil || r.Name == "" || len(r.Faults) > 0 {
		t.Errorf("a document by itself: %v, %v", err, r.Faults)
	}
	whole := in("").Bytes()
	for want, stdin := range map[string]io.Reader{
		"standard input, line 1: the document is not valid JSON": strings.NewReader("hello"),
		"standard input is not a whole tar archive":              bytes.NewReader(whole[:len(whole)-1600]),
		"standard input, keys/id has more than":                  packed("doc.json", sftpDocument, "keys/id", strings.Repeat("x", maxSecret+1)),
		"standard input, keys/id, line 1":                        packed("keys/id", "the key", "doc.json", sftpDocument),
	} {
		if _, err := readConnection(kinds(), stdin, "-"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
