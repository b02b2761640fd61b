package testservers_test

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/testservers"
)

// TestKilledBinaryLeavesNothing runs itself in a second process, which starts
// servers and is killed.
func TestKilledBinaryLeavesNothing(t *testing.T) {
	t.Parallel()
	const env = "MOLAR_TESTSERVERS_VICTIM"
	if os.Getenv(env) != "" {
		fmt.Println("url", testservers.StartPostgres(t).URL())
		fmt.Println("url", testservers.StartRabbit(t).URL())
		fmt.Println("done")
		<-t.Context().Done()
		return
	}
	victim := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledBinaryLeavesNothing$")
	victim.Env = append(os.Environ(), env+"=1")
	if os.Getenv("TESTCONTAINERS_RYUK_DISABLED") != "" {
		// Ryuk ends the containers of a killed binary. Without it none is ended, so
		// the promise is kept by the programs alone.
		victim.Env = append(victim.Env, "MOLAR_TEST_CONTAINERS=off")
	}
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "done"; {
		if raw, ok := strings.CutPrefix(lines.Text(), "url "); ok {
			u, err := url.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			hosts = append(hosts, u.Host)
		}
	}
	if len(hosts) != 2 {
		t.Fatalf("%d servers started, want 2", len(hosts))
	}
	_ = victim.Process.Kill()
	_ = victim.Wait()
	deadline := time.Now().Add(5 * time.Minute)
	for _, host := range hosts {
		for {
			var d net.Dialer
			conn, err := d.DialContext(t.Context(), "tcp", host)
			if err != nil {
				break // refused
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s is still there", host)
			}
			_ = conn.Close()
			<-time.After(10 * time.Millisecond)
		}
	}
}
