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
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readme returns a section of the README.
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

// guide returns a guide of the documentation.
func guide(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob("../../../adapters/docs/guides/*-" + name + ".md")
	if err != nil || len(files) != 1 {
		t.Fatalf("%d guides are called %s: %v", len(files), name, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// blocks returns the blocks of a language in a section.
func blocks(section, language string) (all []string) {
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(section, -1) {
		all = append(all, block[1])
	}
	return all
}

// pasted runs commands as printed, one block after the other in one shell. It
// fills in the key, the office, the claim and the address from r or filled. It
// returns the JSON values that were printed.
func pasted(t *testing.T, commands []string, dir string, r ready, filled ...string) (replies []map[string]any) {
	t.Helper()
	script := "set -eu\n" + regexp.MustCompile(`(?m)^export [A-Z]+=\w+_\.\.\..*$`).ReplaceAllString(strings.Join(commands, ""), "")
	cmd := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(script, "http://127.0.0.1:8080/api/v1", r.BaseURL))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+binaries(t)+":"+os.Getenv("PATH"), "KEY="+r.Keys["test"], "OFFICE="+r.Offices["test"], "CLAIM="+r.Claims["test"])
	cmd.Env = append(cmd.Env, filled...)
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

// wantReplies checks the values at paths of each reply.
func wantReplies(t *testing.T, replies []map[string]any, want [][2]string) {
	t.Helper()
	if len(replies) != len(want) {
		t.Fatalf("%d replies, want %d: %v", len(replies), len(want), replies)
	}
	for i, w := range want {
		if got := values(replies[i], w[0]); got != w[1] {
			t.Errorf("reply %d: %s are %q, want %q", i, w[0], got, w[1])
		}
	}
}

// workplace is a folder with what the guides' commands need: the built
// binaries and the receiver. The port in the commands becomes a free one.
func workplace(t *testing.T, receiver string) (dir string, here *strings.Replacer) {
	t.Helper()
	_, port, _ := strings.Cut(freeAddr(t), ":")
	dir, here = t.TempDir(), strings.NewReplacer("3000", port, "go build -o bin/ ./cmd/molar\n", "")
	err := os.Symlink(binaries(t), filepath.Join(dir, "bin"))
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "receiver.py"), []byte(here.Replace(receiver)), 0o600)); err != nil {
		t.Fatal(err)
	}
	return dir, here
}

func TestReadmeFirstCheck(t *testing.T) {
	t.Parallel()
	_, r := startDev(t, nil, t.TempDir())
	replies := pasted(t, blocks(readme(t, "A first check"), "sh"), t.TempDir(), r)
	if len(replies) != 1 || replies[0]["outcome"] != "answered" || replies[0]["status"] != "active" || replies[0]["maximums"] == nil {
		t.Errorf("the README's curl: %v", replies)
	}
}

// TestGuideSignIn signs in as the guide shows. A link works once.
func TestGuideSignIn(t *testing.T) {
	t.Parallel()
	_, r := startDev(t, nil, t.TempDir())
	origin, token, _ := strings.Cut(r.SignIn, "/sign-in#")
	if origin+"/api/v1" != r.BaseURL {
		t.Errorf("the link is %s", r.SignIn)
	}
	replies := pasted(t, blocks(guide(t, "people"), "sh"), t.TempDir(), r, "TOKEN="+token)
	wantReplies(t, replies, [][2]string{
		{"object current", "session true"},
		{"user.email role mode", "owner@demo.example owner test"},
		{"email state role secret_available", "biller@demo.example invited biller true"},
		{"outcome request_id", "answered <nil>"},
		{"data.0.operation data.1.operation data.1.status", "GET /patients POST /eligibility 200"},
		{"error", "UNAUTHORIZED"},
	})
}

func TestGuideAttachments(t *testing.T) {
	t.Parallel()
	_, r := startWholeDev(t, nil, t.TempDir())
	section, dir := guide(t, "attachments"), t.TempDir()
	replies := pasted(t, blocks(section, "sh"), dir, r)
	wantReplies(t, replies, [][2]string{
		{"state documents.0.document_type documents.0.sent_to_network", "open 12 false"},
		{"state kind claim_id documents.0.sent_to_network", "closed unsolicited " + r.Claims["test"] + " true"},
		{"state kind documents.0.converted_from", "open solicited png"},
		{"object payer_request.state payer_request.source attachment.state attachment.payer_reference", "payer_request_answer answered staff closed R-2207"},
		{"state claim_id office_id", "closed <nil> " + r.Offices["test"]},
		{"data.0.type data.1.type data.2.type", "attachment.completed attachment.completed attachment.completed"},
	})
	for _, field := range []string{"attachment_number", "claim_file.pwk", "claim_file.nte"} {
		if shown := `": "` + values(replies[1], field) + `"`; !strings.Contains(section, shown) {
			t.Errorf("%s is %s, which the guide does not show", field, shown)
		}
	}
	for file, hasPlace := range map[string]bool{"xray.jpg": true, "stored.jpg": false} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.HasPrefix(string(b), "\xff\xd8\xff") || strings.Contains(string(b), "42.36") != hasPlace {
			t.Errorf("%s: %v, %d bytes; does it have the place? it should: %t", file, err, len(b), hasPlace)
		}
	}
}

// TestGuideClaims runs the guide's one script: a claim is created, accepted,
// paid, posted and reconciled, and its events arrive by webhook.
func TestGuideClaims(t *testing.T) {
	t.Parallel()
	_, r := startDev(t, []string{"MOLAR_SANDBOX_ERA_DELAY=2s"}, t.TempDir())
	dir, here := workplace(t, blocks(guide(t, "webhooks"), "python")[0])
	script := blocks(guide(t, "claims"), "sh")
	replies := pasted(t, []string{here.Replace(script[0])}, dir, r, "XDG_CONFIG_HOME="+t.TempDir(), "MOLAR_API_URL="+r.BaseURL)
	wantReplies(t, replies, [][2]string{
		{"object state balanced payment.total claims.data.0.applied claims.data.0.paid", "era needs_review true 1295.00 true 1295.00"},
		{"object state", "era posted"},
		{"object state payment.outcome payment.paid totals.charge", "claim reconciled paid 1295.00 1295.00"},
		{"data.0.state data.1", "reconciled <nil>"},
	})
	if values(replies[1], "posted_at") == "<nil>" || values(replies[2], "payment.era_id") != values(replies[0], "id") {
		t.Errorf("posted and reconciled: %v, %v", replies[1], replies[2])
	}
}

// TestGuideRemittances runs the script of a biller's day: two payers pay a claim, a
// remittance does not add up, another matches no claim, and a payment is taken
// back. Its delay leaves time to reconcile that payment before.
func TestGuideRemittances(t *testing.T) {
	t.Parallel()
	_, r := startDev(t, []string{"MOLAR_BATCH_INTERVAL=1s", "MOLAR_SANDBOX_ERA_DELAY=10s"}, t.TempDir())
	replies := pasted(t, blocks(guide(t, "remittances"), "sh"), t.TempDir(), r)
	wantReplies(t, replies, [][2]string{
		{"state payment.paid payment.patient_responsibility contractual", "reconciled 828.80 207.20 259.00"},
		{"data.0.object data.0.state", "era needs_review"},
		{"error", "CONFLICT"},
		{"object status review matched_by paid balanced", "era_claim applied <nil> control_number 829.80 false"},
		{"object state progress.applied progress.needs_review", "era posted 1 0"},
		{"state payment.paid payment.patient_responsibility contractual", "reconciled 829.80 206.20 259.00"},
		{"status matched_by paid lines.0.line_number lines.1.line_number", "applied user 828.80 1 2"},
		{"state progress.unmatched progress.needs_review", "posted 0 0"},
		{"state payment.paid payment.allowed payment.patient_responsibility contractual not_paid", "paid 984.20 1036.00 51.80 259.00 0.00"},
		{
			"state payment adjudications.0.paid adjudications.1.paid next_step",
			"reconciled <nil> 828.80 -828.80 The payer took back a payment and $1,295.00 is open: wait for its next remittance, or accept the open amount.",
		},
		{"state payment next_step", "accepted_payer <nil> No payment stands and $1,295.00 is open: wait for the payer's next remittance, or replace the claim."},
	})
	byPayer := "sequence payer_name paid lines.0.procedure_code lines.0.paid lines.0.coinsurance lines.1.procedure_code lines.1.paid lines.1.coinsurance"
	for i, want := range []string{
		"primary MOLAR TEST PAYER 828.80 D2740 800.00 200.00 D0220 28.80 7.20", "secondary ANTHEM DENTAL 155.40 D2740 150.00 50.00 D0220 5.40 1.80",
	} {
		adjudications, _ := replies[8]["adjudications"].([]any)
		if len(adjudications) != 2 {
			t.Fatalf("%d adjudications, want 2", len(adjudications))
		}
		if got := values(adjudications[i].(map[string]any), byPayer); got != want {
			t.Errorf("adjudication %d is %q, want %q", i, got, want)
		}
	}
	listed, _ := replies[1]["data"].([]any)
	if !slices.ContainsFunc(listed, func(e any) bool { return e.(map[string]any)["id"] == replies[4]["id"] }) {
		t.Errorf("the remittance is not among those that need attention: %v", listed)
	}
	if !strings.Contains(values(replies[2], "message"), "1 unfinished claim") || values(replies[9], "id") != values(replies[0], "id") {
		t.Errorf("posted early, and taken back: %v, %v", replies[2], replies[9])
	}
}

// TestGuideSecondary runs the script that bills a second plan: as printed, and with a
// second plan that denies the claim. The claim file has the decision of the first
// payer, segment by segment.
func TestGuideSecondary(t *testing.T) {
	t.Parallel()
	_, r := startDev(t, []string{"MOLAR_BATCH_INTERVAL=1s", "MOLAR_SANDBOX_ERA_DELAY=2s"}, t.TempDir())
	script := blocks(guide(t, "two-payers"), "sh")[0]
	denied := strings.NewReplacer(`"S'$RANDOM'-PAID-ERA"`, `"S'$RANDOM'-DENIED"`, `claims/$SECOND '"state":"paid"'`, `claims/$SECOND '"state":"denied"'`)
	for name, c := range map[string]struct {
		script        string
		state, second string // of the second claim, and its figures
		patient       string
	}{
		"paid":   {script, "paid", "207.20", "0.00"},
		"denied": {denied.Replace(script), "denied", "0.00", "207.20"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			replies := pasted(t, []string{c.script}, dir, r)
			if len(replies) != 5 {
				t.Fatalf("%d replies, want 5: %v", len(replies), replies)
			}
			first, second := values(replies[0], "id"), values(replies[1], "id")
			wantReplies(t, replies, [][2]string{
				{"state payment.paid payment.patient_responsibility secondary_claim_id", "paid 828.80 207.20 <nil>"},
				{"state coverage findings.0 secondary_to payer.payer_id other_coverage.0.adjudication.paid", "validated secondary <nil> " + first + " 60054 828.80"},
				{"id state", second + " queued"},
				{"state payment.paid payment.outcome payment.patient_responsibility contractual secondary_claim_id", "paid 828.80 paid " + c.patient + " 259.00 " + second},
				{"state payment.paid payment.outcome payment.patient_responsibility", c.state + " " + c.second + " " + c.state + " " + c.patient},
			})
			if list, _ := replies[3]["adjudications"].([]any); len(list) != 1 {
				t.Errorf("the first claim has %d adjudications, want its payer's", len(list))
			}
			file, err := os.ReadFile(filepath.Join(dir, "secondary.837"))
			if err != nil {
				t.Fatal(err)
			}
			wantDecision(t, string(file), replies[1])
		})
	}
}

// wantDecision checks that the claim file of a second claim states what the first
// payer decided: in loops 2320 and 2330 the claim, in loop 2430 the lines.
func wantDecision(t *testing.T, file string, second map[string]any) {
	t.Helper()
	_, claim, found := strings.Cut(file, "CLM*"+values(second, "patient_control_number")+"*1295*")
	if !found {
		t.Fatalf("the claim is not in the file:\n%s", file)
	}
	claim, _, _ = strings.Cut(claim, "~SE*")
	at := "other_coverage.0."
	day := strings.ReplaceAll(values(second, at+"adjudication.payment_date"), "-", "")
	for _, want := range []string{
		"~SBR*P*18*******CI~AMT*D*828.8~AMT*EAF*207.2~OI***Y***Y~NM1*IL*1*DOE*JANE****MI*" + values(second, at+"subscriber.member_id") +
			"~N3*2 OAK STREET~N4*SPRINGFIELD*IL*62701~NM1*PR*2*MOLAR TEST PAYER*****PI*CHTEST~REF*F8*" + values(second, at+"adjudication.payer_claim_number") + "~LX*1~",
		"~SVD*CHTEST*800*AD:D2740**1~CAS*CO*45*250~CAS*PR*2*200~DTP*573*D8*" + day + "~LX*2~",
		"~SVD*CHTEST*28.8*AD:D0220**1~CAS*CO*45*9~CAS*PR*2*7.2~DTP*573*D8*" + day,
	} {
		if !strings.Contains(claim, want) {
			t.Errorf("the claim file lacks\n%s\nin\n%s", want, claim)
		}
	}
	if !strings.Contains(file, "~SBR*S**G-2207******CI~NM1*IL*1*DOE*JOHN****MI*"+values(second, "subscriber.member_id")+"~") {
		t.Errorf("the subscriber is not the second plan's:\n%s", file)
	}
}

// TestGuideWebhooks follows the guide with three terminals: a receiver that
// verifies webhooks, molar listen, and a check. Then it registers an endpoint
// and follows the events, as the guide does.
func TestGuideWebhooks(t *testing.T) {
	t.Parallel()
	_, r := startWholeDev(t, nil, t.TempDir(), "--webhook-resolve", "hooks.example.com="+freeAddr(t))
	section := guide(t, "webhooks")
	receivers, commands := blocks(section, "python"), blocks(section, "sh")
	if len(receivers) != 2 || len(commands) != 4 {
		t.Fatalf("%d receivers and %d blocks of commands, want 2 and 4", len(receivers), len(commands))
	}
	if n := len(regexp.MustCompile(`(?m)^ *\S`).FindAllString(receivers[0], -1)); n != 10 {
		t.Errorf("the receiver in ten lines has %d", n)
	}
	dir, here := workplace(t, receivers[0])
	env := []string{"XDG_CONFIG_HOME=" + t.TempDir(), "MOLAR_API_URL=" + r.BaseURL, "MOLAR_API_KEY=" + r.Keys["test"]}
	received := terminal(t, dir, env, here.Replace(commands[0]))
	listened := terminal(t, dir, env, here.Replace(commands[1]))
	await(t, "molar listen", func() bool { return strings.Contains(listened.String(), "Ctrl-C") })

	checks := pasted(t, blocks(readme(t, "A first check"), "sh"), dir, r)
	await(t, "the event", func() bool { return strings.HasSuffix(received.String(), "}\n") })
	shown, event := strings.TrimSpace(section[strings.Index(section, "verified {"):]), strings.TrimSpace(received.String())
	pattern := regexp.QuoteMeta(shown[:strings.Index(shown, "\n")])
	pattern = strings.NewReplacer(`evt_\.\.\.`, `evt_[0-9A-Z]{26}`, `\{\.\.\.\}`, `\{.*\}`, `\.\.\.`, `[-+:.T0-9]*`).Replace(pattern)
	if !regexp.MustCompile("^"+pattern+"$").MatchString(event) || !strings.Contains(event, values(checks[0], "id")) {
		t.Errorf("the receiver printed\n%s\nafter the check %v", event, checks)
	}

	newest := regexp.MustCompile(`evt_\w+`).FindString(event)
	more := pasted(t, blocks(readme(t, "A first check"), "sh"), dir, r)
	replies := pasted(t, commands[2:], dir, r, "EVENT="+newest)
	if len(replies) != 2 || !strings.HasPrefix(values(replies[0], "secret"), "whsec_") ||
		values(replies[0], "url status event_types.0") != "https://hooks.example.com/molar enabled eligibility.completed" {
		t.Fatalf("registering an endpoint: %v", replies)
	}
	if got, want := values(replies[1], "data.0.data.id data.1"), values(more[0], "id")+" <nil>"; got != want {
		t.Errorf("what follows %s is of %q, want %q", newest, got, want)
	}
}

// terminal runs commands of which the last one runs until the test ends. It
// returns their output.
func terminal(t *testing.T, dir string, env []string, commands string) *lockedBuffer {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(commands), "\n")
	lines[len(lines)-1] = "exec " + lines[len(lines)-1] // so that it is what is killed
	out := &lockedBuffer{}
	p := newProcess(t, "bash", env, "-euc", "cd '"+dir+"'\n"+strings.Join(lines, "\n"))
	p.name = "bash" // the machine's
	p.start(out)
	return out
}

// TestDocumentsNameWhatThereIs compares the README, the guides and the compose file
// with the existing settings, binaries and operations.
func TestDocumentsNameWhatThereIs(t *testing.T) {
	t.Parallel()
	help, _ := exec.CommandContext(t.Context(), binaries(t)+"/api", "--help").CombinedOutput()
	if !strings.Contains(string(help), "MOLAR_DATABASE_URL ") {
		t.Fatalf("the help has no settings: %s", help)
	}
	listen, err := exec.CommandContext(t.Context(), binaries(t)+"/molar", "listen", "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, listen)
	}
	client, err := os.ReadFile("../../../adapters/sdk/go/molar.go") // whose settings its options name
	if err != nil {
		t.Fatal(err)
	}
	help = append(append(help, listen...), client...)
	contract, err := os.ReadFile("../../../adapters/httpapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	guides, err := filepath.Glob("../../../adapters/docs/guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(guides, "../../../README.md", "../../../compose/compose.yaml") {
		b, err := os.ReadFile(name)
		name = strings.TrimPrefix(name, "../../../")
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(b)
		for _, setting := range regexp.MustCompile(`MOLAR_[A-Z_]*[A-Z]`).FindAllString(texts[name], -1) {
			if !regexp.MustCompile(`\b` + setting + `\b|\b` + strings.TrimSuffix(setting, "_FILE") + `\b`).Match(help) {
				t.Errorf("%s names the setting %s, which there is not", name, setting)
			}
		}
		for _, o := range regexp.MustCompile("`(GET|POST|PATCH|DELETE) (/[a-z_/{}]+)").FindAllStringSubmatch(texts[name], -1) {
			_, path, _ := strings.Cut(string(contract), "\n  "+o[2]+":\n")
			path, _, _ = strings.Cut(path, "\n  /")
			if !strings.Contains("\n"+path, "\n    "+strings.ToLower(o[1])+":\n") {
				t.Errorf("%s names %s %s, which there is not", name, o[1], o[2])
			}
		}
	}
	commands, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		if name := c.Name(); name != "internal" && name != "molar" {
			if name != "clearinghouse" && !strings.Contains(texts["compose/compose.yaml"], "\n    command: ["+name+"]\n") { // a simulator
				t.Errorf("compose.yaml has no service that runs %s", name)
			}
			if !strings.Contains(texts["adapters/docs/guides/90-running.md"], "`cmd/"+name+"`") {
				t.Errorf("the guide does not say what cmd/%s is for", name)
			}
		}
	}
}

// values returns the values at dotted paths, such as documents.0.id, separated
// by spaces.
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
