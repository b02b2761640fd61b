package e2e_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeClearinghouse runs the guide's scripts against the simulator: a claim is
// acknowledged and paid, and a check is answered in both envelopes.
func TestReadmeClearinghouse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), binaries(t)+"/clearinghouse", "--json", "--sftp", "127.0.0.1:0", "--core", "127.0.0.1:0", "--data", dir)
	cmd.Env, cmd.Stderr = append(os.Environ(), "MOLAR_SANDBOX_ERA_DELAY=1s"), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var account map[string]string
	if err := json.Unmarshal(line, &account); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("sftp_addr sftp_user sftp_key_file sftp_host_key core_soap_url core_mime_url core_user core_password ca_file sender_id receiver_id") {
		if account[name] == "" {
			t.Errorf("the line has no %s: %s", name, line)
		}
	}
	_, sftpPort, _ := strings.Cut(account["sftp_addr"], ":")
	here := strings.NewReplacer("/tmp/clearinghouse", dir, "2222", sftpPort,
		"https://127.0.0.1:8443/core/mime", account["core_mime_url"], "https://127.0.0.1:8443/core/soap", account["core_soap_url"])
	scripts := blocks(guide(t, "clearinghouse"), "sh")
	if len(scripts) != 3 || len(account) != 11 {
		t.Fatalf("the section has %d scripts, the line %d fields", len(scripts), len(account))
	}
	const active = `(?s)EB\*1\*IND\*35\*.*Success`
	for i, want := range []string{`(?s)TA1\*000000001\*.*\*A\*000~.*AK9\*A\*.*STC\*A1:16:PR\*.*STC\*A2:20:PR\*.*BPR\*I\*64\*`, active, active} {
		b, err := exec.CommandContext(t.Context(), "bash", "-euc", here.Replace(scripts[i])).CombinedOutput()
		if err != nil || !regexp.MustCompile(want).Match(b) {
			t.Errorf("script %d: %v\n%s", i+1, err, b)
		}
	}
}
