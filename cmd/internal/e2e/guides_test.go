package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// runElsewhere are the guides whose commands other tests run: those of TestGuide..., of the
// simulated clearinghouse and of a restore. The commands that start the service in
// containers are not run, because they need the images.
func runElsewhere() []string {
	return []string{
		"30-attachments.md", "40-claims.md", "50-remittances.md", "60-two-payers.md", "70-webhooks.md", "80-people.md", "90-running.md", "95-clearinghouse.md",
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
			for line := range strings.Lines(string(text)) {
				if fence := strings.TrimSpace(line); strings.HasPrefix(fence, "```") && fence != "```" && fence != "```sh" && fence != "```text" {
					t.Errorf("a block of %s is not run", fence)
				}
			}
			_, r := startDev(t, nil, t.TempDir())
			wantReplies(t, pasted(t, blocks(string(text), "sh"), t.TempDir(), r), want[filepath.Base(file)])
		})
	}
}
