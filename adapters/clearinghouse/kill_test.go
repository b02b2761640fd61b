package clearinghouse_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/molar-billing/molar/adapters/clearinghouse"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/ports/porttest"
)

// childFolder is the variable that makes the test binary a simulator on the folder.
const childFolder = "MOLAR_TEST_CLEARINGHOUSE"

// child runs the simulator until it is killed.
func child(dir string) {
	o := options(func(o *clearinghouse.Options) { o.Data, o.Log = dir, slog.New(slog.DiscardHandler) })
	if err := clearinghouse.Run(context.Background(), o, func(a clearinghouse.Account) error { return json.NewEncoder(os.Stdout).Encode(a) }); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process is a simulator in a process of its own.
type process struct {
	fixture

	cmd *exec.Cmd
}

func startProcess(t *testing.T, dir string) *process {
	t.Helper()
	p := &process{fixture: fixture{dir: dir}}
	p.cmd = exec.CommandContext(t.Context(), os.Args[0])
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), childFolder+"="+dir), os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &p.Account); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // its error is the signal
}

// TestKills kills the simulator at random points, while clients drop files and fetch
// messages. Each file that arrived is answered exactly once. A client that is not
// sure whether its rename arrived looks for the file, as it must with a real server.
func TestKills(t *testing.T) {
	t.Parallel()
	rounds := 40
	if testing.Short() {
		rounds = 8
	}
	dir := t.TempDir()
	var mu sync.Mutex
	got := map[string]int{}       // messages, by name
	accepted := map[string]int{}  // 999s, by the control number of the file
	dropped := map[string]bool{}  // the sums of the files that arrived
	unsure := map[string]string{} // the sum of a file whose rename was cut, by its name
	controls := map[string]bool{} // of the files that arrived
	number := 0

	fetch := func(c *sftp.Client) error {
		all, err := c.ReadDir("outbound")
		if err != nil {
			return err
		}
		for _, info := range all {
			r, err := c.Open("outbound/" + info.Name())
			if err != nil {
				return err
			}
			message, err := io.ReadAll(r)
			_ = r.Close()
			if err == nil && int64(len(message)) != info.Size() {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return err // a kill cut it, so it comes again
			}
			ack, _, ackErr := acknowledgements.DecodeFunctional(bytes.NewReader(message))
			// The message counts before its removal: if the removal is cut, it is still
			// there or it is not, but it never comes twice by itself.
			mu.Lock()
			if got[info.Name()]++; got[info.Name()] == 1 && strings.HasSuffix(info.Name(), ".999") && ackErr == nil {
				accepted[ack.Groups[0].Control]++
			}
			mu.Unlock()
			if err := c.Remove("outbound/" + info.Name()); err != nil {
				return err
			}
			mu.Lock()
			got[info.Name()] = 100 // removed: another copy makes it 101
			mu.Unlock()
		}
		return nil
	}
	arrived := func(sum, control string) {
		mu.Lock()
		defer mu.Unlock()
		dropped[sum], controls[control] = true, true
	}
	for round := range rounds {
		p := startProcess(t, dir)
		conn, err := ssh.Dial("tcp", p.SFTPAddr, p.clientConfig(t))
		if err != nil {
			t.Fatal(err)
		}
		c, err := sftp.NewClient(conn)
		if err != nil {
			t.Fatal(err)
		}
		var clients sync.WaitGroup
		clients.Go(func() {
			for {
				number++
				control := fmt.Sprint(number)
				file := batchOf(t, number, "CHTEST", "")
				sum := sha256.Sum256(file)
				name := "k" + control
				if upload(c, "inbound/"+name+".tmp", file) != nil {
					return
				}
				if c.Rename("inbound/"+name+".tmp", "inbound/"+name+".837") != nil {
					mu.Lock()
					unsure[name], controls[control] = hex.EncodeToString(sum[:]), true
					mu.Unlock()
					return
				}
				arrived(hex.EncodeToString(sum[:]), control)
			}
		})
		clients.Go(func() {
			own, err := ssh.Dial("tcp", p.SFTPAddr, p.clientConfig(t))
			if err != nil {
				return
			}
			defer func() { _ = own.Close() }()
			reader, err := sftp.NewClient(own)
			for err == nil {
				err = fetch(reader)
			}
		})
		<-time.After(time.Duration(rand.IntN(900)) * time.Millisecond)
		p.kill()
		_ = c.Close()
		_ = conn.Close()
		clients.Wait()
		for name, sum := range unsure { // not renamed: the client would upload it again; here it gives up
			if _, err := os.Stat(dir + "/files/inbound/" + name + ".tmp"); err == nil {
				mu.Lock()
				delete(controls, strings.TrimPrefix(name, "k"))
				mu.Unlock()
			} else {
				dropped[sum] = true
			}
			delete(unsure, name)
		}
		if round == rounds-1 {
			break
		}
	}
	last := startProcess(t, dir)
	defer last.kill()
	c := last.connect(t)
	porttest.Await(t, "five messages about each file", func() bool {
		if err := fetch(c); err != nil {
			t.Fatal(err)
		}
		return len(got) >= 5*len(controls)
	})
	if err := fetch(c); err != nil {
		t.Fatal(err)
	}
	for control := range controls {
		if accepted[control] != 1 {
			t.Errorf("file %s has %d acknowledgements", control, accepted[control])
		}
	}
	for name, times := range got {
		if times > 100 {
			t.Errorf("%s came %d times after it was removed", name, times-100)
		}
	}
	taken := map[string]map[string]bool{} // the IDs of the log, by sum
	for line := range strings.Lines(string(mustRead(t, dir+"/received.log"))) {
		var r struct {
			ID     string `json:"id"`
			SHA256 string `json:"sha256"`
		}
		if json.Unmarshal([]byte(line), &r) != nil {
			continue // a kill cut the line, and the next process wrote it again
		}
		if taken[r.SHA256] == nil {
			taken[r.SHA256] = map[string]bool{}
		}
		taken[r.SHA256][r.ID] = true
	}
	for sum := range dropped {
		if len(taken[sum]) != 1 {
			t.Errorf("a file was taken %d times", len(taken[sum]))
		}
	}
	if len(taken) != len(dropped) || len(got) != 5*len(dropped) {
		t.Errorf("%d files arrived, %d were taken, %d messages came", len(dropped), len(taken), len(got))
	}
	t.Logf("%d kills, %d files, %d messages", rounds, len(dropped), len(got))
}
