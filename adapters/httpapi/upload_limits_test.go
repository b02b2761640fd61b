package httpapi

import (
	"bytes"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports/porttest"
)

// Each client sends all it has, or all it can, before it reads, as simple ones do.
func TestRefusedUploadsAreSeenByEveryClient(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte{'x'}, 1<<20)
	chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", len(data), data)
	for name, c := range map[string]struct {
		header string
		piece  []byte
		pieces int
		full   bool // the key has no place left
		want   int
	}{
		"declared":  {"Content-Length: " + strconv.Itoa(30<<20), data, 30, false, 413},
		"chunked":   {"Transfer-Encoding: chunked", chunk, 30, false, 413},
		"no places": {"Content-Length: " + strconv.Itoa(15<<20), data, 15, true, 429},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const clients = 40
			places := clients
			if c.full {
				places = 2
			}
			p := startProbe(t, Options{TempDir: t.TempDir(), Limits: Limits{KeyUploads: places, Stall: 5 * time.Minute, Body: 5 * time.Minute}})
			if c.full {
				for range places {
					w := dial(t, p.addr)
					w.Send("%s\r\n--", uploadHead("/upload", goodSecret, "Content-Length: 100"))
				}
				p.wantUploads(goodSecret, places)
			}
			push := func() error {
				w := dial(t, p.addr)
				defer func() { _ = w.Close() }()
				w.Send("%s\r\n", uploadHead("/upload", goodSecret, c.header))
				for range c.pieces {
					if _, err := w.Write(c.piece); err != nil {
						break // the server has closed the connection, with the reply before
					}
				}
				a, err := w.tryReply()
				if err == nil && (a.StatusCode != c.want || !a.Close || c.full && a.Header.Get("Retry-After") == "") {
					err = fmt.Errorf("status %d, %v", a.StatusCode, a.Header)
				}
				return err
			}
			var wg sync.WaitGroup
			for range clients {
				wg.Go(func() {
					if err := push(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		})
	}
}

// wantUploads waits until the key has n uploads under way.
func (p *probe) wantUploads(secret string, n int) {
	p.t.Helper()
	key, err := identify(p.t.Context(), secret, netip.Addr{})
	if err != nil {
		p.t.Fatal(err)
	}
	u := &p.server.uploads
	porttest.Await(p.t, fmt.Sprint(n, " uploads"), func() bool {
		u.mu.Lock()
		defer u.mu.Unlock()
		return u.of[key.ID] == n
	})
}

func TestStalledUpload(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{TempDir: t.TempDir(), Limits: Limits{Stall: 200 * time.Millisecond, KeyUploads: 100}})
	whole := formOf(textOf("document_type", "RB"), fileOf(strings.Repeat("x", 200_000)))
	for name, sent := range map[string]int{
		"nothing": 0, "a byte": 1, "a boundary": 14, "a header": 40, "a part": 80, "of the file": 200, "more of it": 100_000, "the file": 200_180,
		"all but a byte": len(whole) - 1,
	} {
		for framing, start := range map[string]string{
			"declared": uploadHead("/upload", goodSecret, "Content-Length: "+strconv.Itoa(len(whole))) + "\r\n",
			"chunked":  uploadHead("/upload", goodSecret, "Transfer-Encoding: chunked") + fmt.Sprintf("\r\n%x\r\n", len(whole)),
		} {
			t.Run(name+" "+framing, func(t *testing.T) {
				t.Parallel()
				a := p.ask(t, "%s%s", start, whole[:sent])
				wantStatus(t, a, 408, billing.CodeRequestTimeout)
				if !a.Close {
					t.Error("the connection stays open")
				}
			})
		}
	}
	t.Cleanup(p.wantNoUploads)
}

// A client that sends a byte now and then is cut all the same.
func TestDrippingUpload(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{TempDir: t.TempDir(), Limits: Limits{Stall: 10 * time.Second, Body: 400 * time.Millisecond}})
	w := dial(t, p.addr)
	w.Send("%s\r\n%s", uploadHead("/upload", goodSecret, "Content-Length: 100000"), strings.TrimSuffix(formOf(fileOf("x")), "--\r\n"))
	dripped := make(chan struct{})
	go func() {
		defer close(dripped)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for range 1000 {
			<-tick.C
			if _, err := w.Write([]byte{'x'}); err != nil {
				return
			}
		}
	}()
	wantStatus(t, w.reply(), 408, billing.CodeRequestTimeout)
	_ = w.Close()
	<-dripped
	p.wantNoUploads()
}

func TestUploadsOfAKey(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{TempDir: t.TempDir()})
	body := formOf(textOf("document_type", "RB"), fileOf("image"))
	half := uploadHead("/upload", goodSecret, "Content-Length: "+strconv.Itoa(len(body))) + "\r\n" + body[:len(body)/2]
	for i := range 100 {
		a, b := dial(t, p.addr), dial(t, p.addr)
		a.Send("%s", half)
		b.Send("%s", half)
		p.wantUploads(goodSecret, 2)

		third, other := dial(t, p.addr), dial(t, p.addr)
		third.Send("%s\r\n-", uploadHead("/upload", goodSecret, "Content-Length: "+strconv.Itoa(15<<20))) // a byte is read ahead, and no more
		refused := third.reply()
		wantStatus(t, refused, 429, billing.CodeTooManyRequests)
		if refused.Header.Get("Retry-After") == "" || !refused.Close {
			t.Errorf("headers are %v", refused.Header)
		}
		other.sendUpload("/upload", otherSecret, body)
		other.reply().upload(t)

		// One arrives; the other breaks off, in one way or another.
		a.Send("%s", body[len(body)/2:])
		a.reply().upload(t)
		if i%2 == 0 {
			_ = b.SetLinger(0) // a reset
		}
		_ = b.Close()
		p.wantUploads(goodSecret, 0)
		for _, w := range []*rawConn{a, third, other} {
			_ = w.Close()
		}
	}
	p.wantNoUploads()
}

func TestUploadsThatHaveArrived(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{TempDir: t.TempDir(), Limits: Limits{KeyUploads: 3}})
	body := formOf(fileOf(strings.Repeat("x", 100_000)))
	fourth := uploadHead("/upload/wait", thirdSecret, "Content-Length: "+strconv.Itoa(len(body)))
	for range 10 {
		var inside []*rawConn
		for _, secret := range []string{goodSecret, otherSecret} {
			for range 3 {
				w := dial(t, p.addr)
				w.sendUpload("/upload/wait", secret, body)
				<-p.waiting
				inside = append(inside, w)
			}
		}
		// One that still arrives takes no place of those, and none is kept for it.
		late := dial(t, p.addr)
		late.Send("%s\r\n%s", fourth, body[:50_000])
		a := p.askUpload(t, "/upload/wait", thirdSecret, body)
		wantStatus(t, a, 429, billing.CodeTooManyRequests)
		if a.Header.Get("Retry-After") == "" || a.Close {
			t.Errorf("close %v, headers are %v", a.Close, a.Header)
		}
		p.release <- struct{}{}
		porttest.Await(t, "five have arrived", func() bool { return p.server.arrived.all() == 5 })
		late.Send("%s", body[50_000:])
		<-p.waiting
		for range 6 {
			p.release <- struct{}{}
		}
		for _, w := range append(inside, late) {
			if a := w.reply(); a.StatusCode != 200 {
				t.Errorf("status %d %s", a.StatusCode, a.body)
			}
			_ = w.Close()
		}

	}
	p.wantNoUploads()
}
