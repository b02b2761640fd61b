package e2e_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
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
		"14-read-an-answer.md":  {{"outcome status network_status", "answered active in_network"}, {"not_returned additions.0.source additions.1.contradicts", "[] phone false"}},
		"16-fix-a-rejection.md": {{"error check.rejection.kind", "PAYER_REJECTED fix_and_resend"}, {"outcome", "answered"}},
		"18-estimate.md": {
			{"object row_count", "fee_schedule 3"},
			{"kind payer.payer_id write_off_beyond_limits", "allowed CHTEST true"},
			{"office_fee.amount allowed.amount", "1250.00 890.00"},
			{"office_fee.amount allowed", "104.00 <nil>"},
			{"name row_count", "Office fees 2027 2"},
			{"office_fee.amount", "58.00"},
			{"office_fee.schedule_name office_fee.amount", "Office fees 2027 61.50"},
			{"outcome", "answered"},
			{"lines.0.allowed.most lines.0.write_off.most lines.0.plan_pays.most lines.0.patient_pays.most", "890.00 360.00 445.00 445.00"},
			{"preview lines.0.patient_pays.most", "true 1100.00"},
			{"lines.0.plan_pays.most lines.0.patient_pays.most", "0.00 890.00"},
			{"error", "CONFLICT"},
			{"data", "[]"},
		},
		"19-tomorrow.md": {
			{"rows.0.item.item_id rows.1.faults.0.candidates.0.value rows.1.faults.1.field", "line-2 4/30/1980 payer_id"},
			{"columns.0.field payers.0.payer.payer_id", "appointment_id CHTEST"},
			{"rows.1.item.appointment_id rows.1.faults", "C-18 []"},
		},
		"32-attachment-rules.md": {
			{"state findings advice.0.code advice.0.rule.origin", "validated [] xray_missing payer"},
			{"object payer.payer_id when", "attachment_rule CHTEST initial"},
			{"advice.0.code advice.1.code advice.0.rule.origin", "xray_missing narrative_missing organization"},
			{"version needs.0", "2 xray"},
			{"data.0.object data.0.note", "attachment_rule The plan denied two of these in May."},
			{"state advice_ignored.0.code", "queued xray_missing"},
		},
		"35-payer-requests.md": {{"state", "open"}, {"payer_request.state", "answered"}, {"data", "[]"}},
		"72-idempotency.md":    {{"last_name", "Roe"}, {"last_name", "Roe"}, {"error", "IDEMPOTENCY_KEY_REUSED"}},
		"74-errors.md":         {{"error errors.0.field", "INVALID_REQUEST office_id"}},
		"92-security.md":       {},
		"98-concepts.md":       {},
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
		"42-claim-status.md": {
			{"object state", "claim queued"},
			{"state pending", "ready 0"},
			{"object outcome matches", "status_inquiry found control_number"},
			{"data.0.object data.0.outcome", "status_inquiry found"},
			{"object", "status_exchange"},
			{"object status_after status_every", "status_policy P14D P7D"},
			{"data.0.object data.0.payer.payer_id", "status_policy CHTEST"},
		},
		"43-appeals.md": {
			{"object filing_days appeal_days", "payer_limits 365 90"},
			{"object state", "claim queued"},
			{"state pending", "ready 0"},
			{"state deadlines.filing.source deadlines.appeal.days", "denied payer 90"},
			{"object state deadline.source deadline.days", "appeal draft payer 90"},
			{"state level", "draft second"},
			{"data.0.kind data.0.actions.0", "appeal_due recordAppealSent"},
			{"state sent.by", "sent mail"},
			{"state decided.outcome", "decided upheld"},
			{"data.0.object data.0.state", "appeal decided"},
		},
		"52-post-once.md": {
			{"object state", "claim queued"},
			{"state pending", "ready 0"},
			{"object state", "claim paid"},
			{"state reconciled left_out reconcile_state", "posted 1 [] done"},
			{"state", "reconciled"},
			{"state reconcile_state", "needs_review not_asked"},
			{"state", "paid"},
			{"data", "[]"},
			{"object unapplied.ignored.amount unapplied.unfinished.claims", "collections_report 0.00 0"},
			{"object level payers.0.level", "automation exceptions automatic"},
			{"level payers.0.payer.payer_id", "exceptions CHTEST"},
			{"level payers", "review []"},
		},
		"55-deposits.md": {
			{"added waiting accounts.0.account accounts.0.payer_names.0", "3 2 6789 SUNNY DENTAL"},
			{"added known", "0 3"},
			{"data.0.amount data.0.state data.0.method", "61.50 unmatched other"},
			{"object rest candidates", "deposit 61.50 []"},
			{"data.0.kind data.0.actions.0", "deposit_unmatched matchDeposit"},
			{"state settled.as", "done not_insurance"},
			{"data.0.amount data.1.amount", "-1800.00 61.50"},
		},
		"57-reports.md": {
			{"object by total.id", "aging_report submission <nil>"},
			{"next_cursor", "<nil>"},
			{"object by from to", "collections_report decision 2026-01-01 2026-12-31"},
			{"object", "denials_report"},
			{"object", "payers_report"},
			{"object by from to", "collections_report submission 2026-11-01 2026-11-30"},
		},
		"45-tasks.md": {
			{"object state", "payer_request open"},
			{"data.0.kind data.0.due_on data.0.actions.0", "request_due 2030-01-31 answerPayerRequest"},
			{"state snoozed_until", "snoozed 2029-12-15"},
			{"state", "open"},
			{"state until_change", "snoozed true"},
			{"object text", "note Dana looks for the film of tooth 14."},
			{"object struck", "note <nil>"},
			{"text struck.reason", "The patient has moved. It is about another patient."},
			{"data.0.struck data.1.struck.reason", "<nil> It is about another patient."},
			{"state settled.as", "done will_not_send"},
			{"state settled", "open <nil>"},
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
			case slices.Contains([]string{"sh", "go", "typescript", "python"}, info):
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

// installed says for each language what the name of a program is, how the client that the service gives is installed
// for it, and how it is run.
func installed() map[string][3]string {
	return map[string][3]string{
		"go": {"main.go", `go mod init guide && GOPROXY=$MOLAR_BASE_URL/docs/clients/go,off GONOSUMDB=github.com/molar-billing ` +
			`go get github.com/molar-billing/molar/adapters/sdk/go && go build -o main .`, "./main"},
		"typescript": {"main.mjs", `npm install --no-audit --no-fund $MOLAR_BASE_URL/docs/clients/molar.tgz`, "node main.mjs"},
		"python": {"main.py", `curl -sO $MOLAR_BASE_URL$(curl -s $MOLAR_BASE_URL/docs/guides/clients.md | grep -o '/docs/clients/molar_billing[^ ` + "`" + `]*') && ` +
			`python3 -m zipfile -e *.whl .`, "python3 main.py"},
	}
}

// install puts a program into a folder with the client of its language. It returns the folder, and the environment.
func install(t *testing.T, r ready, language, program string) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, installed()[language][0]), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	env = []string{
		"MOLAR_API_KEY=" + r.Keys["test"], "MOLAR_BASE_URL=" + strings.TrimSuffix(r.BaseURL, "/api/v1"), "OFFICE=" + r.Offices["test"],
		"GOFLAGS=" + os.Getenv("GOFLAGS") + " -modcacherw -trimpath", "GOMODCACHE=" + filepath.Join(dir, "modules"), "GOTOOLCHAIN=local",
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-ec", installed()[language][1])
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("install the client in %s: %v\n%s", language, err, out)
	}
	return dir, env
}

// runPrograms runs the programs of a guide with the clients that the service gives, and wants each to
// print the same.
func runPrograms(t *testing.T, guide string, r ready, want string) {
	t.Helper()
	for language, how := range installed() {
		for _, program := range blocks(guide, language) {
			dir, env := install(t, r, language, program)
			cmd := exec.CommandContext(t.Context(), "bash", "-ec", "exec "+how[2])
			cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
				t.Errorf("the program in %s: %v\n%s", language, err, out)
			}
		}
	}
}

// TestReceivers posts webhooks to the receivers of the guide: a signed one, one that was changed, and one that is
// old. The signature that the guide shows is Molar's.
func TestReceivers(t *testing.T) {
	t.Parallel()
	text := guide(t, "webhooks")
	shown := func(name string) string {
		m := regexp.MustCompile("(?m)^\\| " + name + " \\| `(.*)` \\|$").FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("the guide shows no %s", name)
		}
		return m[1]
	}
	seconds, err := strconv.ParseInt(shown("`webhook-timestamp`"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	id, body, secret := shown("`webhook-id`"), shown("body"), webhook.Secret(shown("secret"))
	if got, err := secret.Sign(id, time.Unix(seconds, 0), []byte(body)); err != nil || got != shown("`webhook-signature`") {
		t.Errorf("the signature is %s, %v", got, err)
	}
	_, r := startDev(t, nil, t.TempDir())
	for language, how := range installed() {
		for i, program := range blocks(text, language) {
			t.Run(language+strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				addr := freeAddr(t)
				_, port, _ := strings.Cut(addr, ":")
				dir, env := install(t, r, language, strings.Replace(program, "3000", port, 1))
				out := terminal(t, dir, append(env, "MOLAR_WEBHOOK_SECRET="+string(secret)), how[2])
				send := func(body, signed string, at time.Time) int {
					signature, err := secret.Sign(id, at, []byte(signed))
					if err != nil {
						t.Fatal(err)
					}
					q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost:"+port+"/hooks", strings.NewReader(body))
					if err != nil {
						t.Fatal(err)
					}
					q.Header = http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {strconv.FormatInt(at.Unix(), 10)}, "Webhook-Signature": {signature}}
					a, err := http.DefaultClient.Do(q)
					if err != nil {
						return 0
					}
					_ = a.Body.Close() // nothing in it counts
					return a.StatusCode
				}
				await(t, "the receiver", func() bool { return send(body, body, time.Now()) != 0 })
				if got := send(body, body, time.Now()); got != http.StatusNoContent {
					t.Errorf("a signed webhook got %d", got)
				}
				if got := send(body+" ", body, time.Now()); got != http.StatusUnauthorized {
					t.Errorf("a changed webhook got %d", got)
				}
				if got := send(body, body, time.Now().Add(-time.Hour)); got != http.StatusUnauthorized && !strings.Contains(program, "hmac") {
					t.Errorf("an old webhook got %d", got)
				}
				await(t, "its line", func() bool { return strings.Contains(out.String(), "verified") })
			})
		}
	}
}
