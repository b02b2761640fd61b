package e2e_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// runElsewhere are the guides whose commands other tests run: those of TestGuide..., of the
// simulated clearinghouse and of a restore. The commands that start the service in
// containers are not run, because they need the images.
func runElsewhere() []string {
	return []string{
		"30-attachments.md", "40-claims.md", "50-remittances.md", "60-two-payers.md", "70-webhooks.md", "80-people.md", "85-going-live.md", "90-running.md", "95-clearinghouse.md",
	}
}

// TestGuides runs every command of each other guide of the documentation, in order, against
// a service of its own. What the guide says of its replies holds.
func TestGuides(t *testing.T) {
	t.Parallel()
	want := map[string][][2]string{
		"10-quick-start.md": {
			{"outcome status", "answered active"},
			{"object running state", "sandbox_clock false ready"},
			{"object state", "claim queued"},
			{"running state pending", "false ready 0"},
			{"state", "paid"},
			{"data.0.type data.2.type", "claim.validated claim.submitted"},
		},
		"12-clients.md":         {},
		"14-read-an-answer.md":  {{"outcome status network_status", "answered active in_network"}},
		"16-fix-a-rejection.md": {{"error check.rejection.kind", "PAYER_REJECTED fix_and_resend"}, {"outcome", "answered"}},
		"35-payer-requests.md":  {{"state", "open"}, {"payer_request.state", "answered"}, {"data", "[]"}},
		"72-idempotency.md":     {{"last_name", "Roe"}, {"last_name", "Roe"}, {"error", "IDEMPOTENCY_KEY_REUSED"}},
		"74-errors.md":          {{"error errors.0.field", "INVALID_REQUEST office_id"}},
		"92-security.md":        {},
		"98-concepts.md":        {},
		"20-testing.md": {
			{"data.0.built_in", "true"},
			{"ending plan.status", "-SPENT active"},
			{"ending built_in", "-REGRETS false"},
			{"running", "false"},
			{"state", "ready"},
			{"state payment_changed", "paid false"},
			{"state pending", "ready 0"},
			{"payment_changed", "true"},
			{"object dropped", "sandbox_simulation []"},
			{"rules.0.kind", "error"},
			{"error", "UNAVAILABLE"},
			{"data.0.object", "claim"},
			{"rules", "[]"},
			{"object secret_available", "sandbox_organization true"},
			{"object state", "sandbox_clock resetting"},
		},
	}
	programs := map[string]string{ // what each program of a guide prints
		"12-clients.md":     "answered active 2000.00\nrejected: Send the name exactly as the insurance card shows it.\nanswered active 2000.00\n",
		"72-idempotency.md": "Moe\nMoe\n",
		"74-errors.md":      "subscriber required\nlines.0.procedure_code required\nlines.0.fee format\nlines.0.service_date required\n",
	}
	// Guides that stop no clock share a service.
	shared := sync.OnceValue(func() ready { _, r := startDev(t, nil, t.TempDir()); return r })
	files, err := filepath.Glob("../../../adapters/docs/guides/*.md")
	if err != nil || len(files) != len(want)+len(runElsewhere()) {
		t.Fatalf("%d guides, and replies of %d: %v", len(files), len(want), err)
	}
	for _, file := range files {
		if slices.Contains(runElsewhere(), filepath.Base(file)) {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(want[filepath.Base(file)]) == 0 && len(programs[filepath.Base(file)]) == 0 {
				return
			}
			var r ready
			if strings.Contains(string(text), "sandbox/clock") {
				_, r = startDev(t, nil, t.TempDir())
			} else {
				r = shared()
			}
			wantReplies(t, pasted(t, blocks(string(text), "sh"), t.TempDir(), r), want[filepath.Base(file)])
			runPrograms(t, string(text), r, programs[filepath.Base(file)])
		})
	}
}

// TestGuidesAreWhole wants each block of code of each guide to run in a test. One that cannot is a fragment, and
// says why; at most a tenth of them are.
func TestGuidesAreWhole(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../adapters/docs/guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	run, fragments := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split("\n"+string(text), "\n```") {
			if i%2 == 0 {
				continue // between the blocks
			}
			info, _, _ := strings.Cut(part, "\n")
			language, why, fragment := strings.Cut(info, " fragment: ")
			switch {
			case fragment && why != "":
				fragments++
			case slices.Contains([]string{"sh", "go", "typescript", "python"}, language):
				run++
			case !slices.Contains([]string{"text", "json", ""}, language): // output, and replies
				t.Errorf("%s: no test runs a block of %q", file, info)
			}
		}
	}
	if run < 40 || fragments*10 > run {
		t.Errorf("%d blocks run, %d are fragments", run, fragments)
	}
}

// runPrograms runs the programs of a guide with the clients that the service gives, and wants each to
// print the same.
func runPrograms(t *testing.T, guide string, r ready, want string) {
	t.Helper()
	commands := map[string][2]string{ // the name of the file, and how its client is installed and it is run
		"go": {"main.go", `go mod init guide && GOPROXY=$MOLAR_BASE_URL/docs/clients/go,off GONOSUMDB=github.com/molar-billing ` +
			`go get github.com/molar-billing/molar/adapters/sdk/go && go run . > out`},
		"typescript": {"main.mjs", `npm install --no-audit --no-fund $MOLAR_BASE_URL/docs/clients/molar.tgz && node main.mjs > out`},
		"python": {"main.py", `curl -sO $MOLAR_BASE_URL$(curl -s $MOLAR_BASE_URL/docs/guides/clients.md | grep -o '/docs/clients/molar_billing[^ ` + "`" + `]*') && ` +
			`python3 -m zipfile -e *.whl installed && PYTHONPATH=installed python3 main.py > out`},
	}
	for language, how := range commands {
		for _, program := range blocks(guide, language) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, how[0]), []byte(program), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "bash", "-ec", how[1])
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "MOLAR_API_KEY="+r.Keys["test"], "MOLAR_BASE_URL="+strings.TrimSuffix(r.BaseURL, "/api/v1"),
				"OFFICE="+r.Offices["test"], "GOFLAGS=-modcacherw", "GOMODCACHE="+filepath.Join(dir, "modules"), "GOTOOLCHAIN=local")
			said, err := cmd.CombinedOutput()
			out, err1 := os.ReadFile(filepath.Join(dir, "out"))
			if err := errors.Join(err, err1); err != nil || string(out) != want {
				t.Errorf("the program in %s: %v\n%s\n%s", language, err, said, out)
			}
		}
	}
}
