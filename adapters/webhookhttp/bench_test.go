package webhookhttp

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// receiverDir names the folder with the certificate of a receiver that is a
// process of its own, so that its time is not taken for ours.
const receiverDir = "WEBHOOKHTTP_RECEIVER_DIR"

// runReceiver answers every post with 200 until its standard input ends.
func runReceiver(dir string) error {
	certificate, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	if err != nil {
		return err
	}
	l, err := tls.Listen("tcp4", "127.0.0.1:0", &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"},
	})
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, "ok")
		}),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = server.Close()
	<-ended
	return nil
}

// startReceiver starts such a process.
func startReceiver(b *testing.B, a *authority) netip.AddrPort {
	b.Helper()
	dir := b.TempDir()
	pair := a.config(b, receiverHost, nil).Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		b.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, "key.pem": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	command := exec.CommandContext(b.Context(), os.Args[0])
	command.Env = append(os.Environ(), receiverDir+"="+dir)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	at, err := netip.ParseAddrPort(strings.TrimSpace(line))
	if err != nil {
		b.Fatal(err)
	}
	return at
}

// cpu is the time that this process has worked.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPost posts 1 kB, 16 posts at once on kept-alive connections, to a
// receiver in a process of its own. cpu-us/op is this side's alone.
func BenchmarkPost(b *testing.B) {
	a := newAuthority(b)
	at := startReceiver(b, a)
	for name, http2 := range map[string]bool{"HTTP1": false, "HTTP2": true} {
		b.Run(name, func(b *testing.B) {
			c := newClient(b, Options{
				Log: slog.New(slog.DiscardHandler), RootCAs: a.pool, Resolve: map[string]netip.AddrPort{receiverHost: at},
			})
			if http2 { // which the client does without, and this is why
				c.transport.Protocols.SetHTTP2(true)
				c.tls.NextProtos = []string{"h2"}
			}
			m := message()
			m.Body = []byte(strings.Repeat("x", 1000))
			post := func() {
				if got := c.attempt(b.Context(), m); got.Status != http.StatusOK {
					b.Error(got)
				}
			}
			post()
			b.ReportAllocs()
			b.SetParallelism(8)
			before := cpu(b)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					post()
				}
			})
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
		})
	}
}
