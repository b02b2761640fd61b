package corenet_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/core/billing/network"
)

// TestPythonServer asks a server that shares no code with ours: Python's HTTP, TLS,
// XML and MIME.
func TestPythonServer(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("python3 is not installed: nothing is compared with it")
		return
	}
	dir := t.TempDir()
	cert, key := certificate(t, "net", time.Now().Add(time.Hour))
	for name, b := range map[string][]byte{"cert.pem": cert, "key.pem": key} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "server.py"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait()
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for _, envelope := range []corenet.Envelope{corenet.SOAP220, corenet.MIME220} {
		config := corenet.Config{
			URL: "https://127.0.0.1:" + strings.TrimSpace(port), Envelope: envelope, SenderID: "MOLAR <1>", ReceiverID: "Trizetto/GatewayEDI & Co",
			User: user, Password: []byte(password), CA: cert, AllowPrivate: true,
		}
		for range 3 {
			if _, err := inquire(t, newClient(t, config)); err != nil {
				t.Errorf("%s: %v", envelope, err)
			}
		}
		config.Password = []byte("another")
		if reason, err := inquire(t, newClient(t, config)); reason != network.ReasonUnauthorized {
			t.Errorf("%s with another password: %v", envelope, err)
		}
	}
}
