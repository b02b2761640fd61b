package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// readme is a section of the README.
func readme(t *testing.T, section string) string {
	t.Helper()
	b, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(b), "\n## "+section+"\n")
	if !found {
		t.Fatalf("the README has no section %s", section)
	}
	section, _, _ = strings.Cut(after, "\n## ")
	return section
}

// pasted runs the commands of a section, as they are printed there, one block
// after the other in one shell. The key, the office and the claim are those of
// r, and so is the address. It gives the JSON values that were printed.
func pasted(t *testing.T, section, dir string, r ready) (replies []map[string]any) {
	t.Helper()
	script := "set -eu\n"
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1) {
		script += regexp.MustCompile("(?m)^export KEY=.*$").ReplaceAllString(block[1], "")
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(script, "http://127.0.0.1:8080/api/v1", r.BaseURL))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "KEY="+r.Keys["test"], "OFFICE="+r.Offices["test"], "CLAIM="+r.Claims["test"])
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var reply map[string]any
		if err := d.Decode(&reply); errors.Is(err, io.EOF) {
			return replies
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		replies = append(replies, reply)
	}
}

func TestReadmeFirstCheck(t *testing.T) {
	t.Parallel()
	p, r := startDev(t, t.TempDir())
	stopDev(t, p)
	replies := pasted(t, readme(t, "A first check"), t.TempDir(), r)
	if len(replies) != 1 || replies[0]["outcome"] != "answered" || replies[0]["status"] != "active" || replies[0]["maximums"] == nil {
		t.Errorf("the README's curl: %v", replies)
	}
}

func TestReadmeAttachments(t *testing.T) {
	t.Parallel()
	p, r := startDev(t, t.TempDir())
	stopDev(t, p)
	section, dir := readme(t, "Attachments"), t.TempDir()
	replies := pasted(t, section, dir, r)
	want := []struct{ at, is string }{ // what the replies have, in turn
		{"state documents.0.document_type documents.0.sent_to_network", "open 12 false"},
		{"state kind claim_id documents.0.sent_to_network", "closed unsolicited " + r.Claims["test"] + " true"},
		{"state kind documents.0.converted_from", "open solicited png"},
		{"object payer_request.state payer_request.source attachment.state attachment.payer_reference", "payer_request_answer answered staff closed R-2207"},
		{"state claim_id office_id", "closed <nil> " + r.Offices["test"]},
		{"data.0.type data.1.type data.2.type", "attachment.completed attachment.completed attachment.completed"},
	}
	if len(replies) != len(want) {
		t.Fatalf("%d replies, want %d: %v", len(replies), len(want), replies)
	}
	for i, w := range want {
		if got := values(replies[i], w.at); got != w.is {
			t.Errorf("reply %d: %s are %q, want %q", i, w.at, got, w.is)
		}
	}
	for _, field := range []string{"attachment_number", "claim_file.pwk", "claim_file.nte"} {
		if shown := `": "` + values(replies[1], field) + `"`; !strings.Contains(section, shown) {
			t.Errorf("%s is %s, which the README does not show", field, shown)
		}
	}
	for file, tells := range map[string]bool{"xray.jpg": true, "stored.jpg": false} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.HasPrefix(string(b), "\xff\xd8\xff") || strings.Contains(string(b), "42.36") != tells {
			t.Errorf("%s: %v, %d bytes; does it tell the place? it should: %t", file, err, len(b), tells)
		}
	}
}

// TestDocumentsNameWhatThereIs holds the README and the compose file to the
// settings and the binaries that exist.
func TestDocumentsNameWhatThereIs(t *testing.T) {
	t.Parallel()
	help, _ := exec.CommandContext(t.Context(), binaries(t)+"/api", "--help").CombinedOutput()
	if !strings.Contains(string(help), "MOLAR_DATABASE_URL ") {
		t.Fatalf("the help has no settings: %s", help)
	}
	texts := map[string]string{}
	for _, name := range []string{"README.md", "compose/compose.yaml"} {
		b, err := os.ReadFile("../../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(b)
		for _, setting := range regexp.MustCompile(`MOLAR_[A-Z_]*[A-Z]`).FindAllString(texts[name], -1) {
			if !strings.Contains(string(help), " "+setting+" ") {
				t.Errorf("%s names the setting %s, which there is not", name, setting)
			}
		}
	}
	commands, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		if name := c.Name(); name != "internal" && name != "molar" {
			if !strings.Contains(texts["compose/compose.yaml"], "\n    command: ["+name+"]\n") {
				t.Errorf("compose.yaml has no service that runs %s", name)
			}
			if !strings.Contains(texts["README.md"], "`cmd/"+name+"`") {
				t.Errorf("the README does not say what cmd/%s is for", name)
			}
		}
	}
}

// values are the values at dotted paths, such as documents.0.id, with spaces
// between them.
func values(reply map[string]any, paths string) string {
	var out []string
	for path := range strings.FieldsSeq(paths) {
		var v any = reply
		for name := range strings.SplitSeq(path, ".") {
			switch in := v.(type) {
			case map[string]any:
				v = in[name]
			case []any:
				if i, err := strconv.Atoi(name); err == nil && i < len(in) {
					v = in[i]
				} else {
					v = nil
				}
			}
		}
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, " ")
}
