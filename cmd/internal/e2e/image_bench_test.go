package e2e_test

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/molar-billing/molar/adapters/testservers"
)

// BenchmarkImages measures uploads to the separate binaries, with RabbitMQ,
// PostgreSQL and MinIO on the same machine as the load. The benchmarks of
// adapters/imagecodec measure the codec alone, beside djpeg, exiftool and vips.
func BenchmarkImages(b *testing.B) {
	for b.Loop() {
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
		_, _ = fmt.Fprintln(w, "figure\tmeasured\tratio\taim")
		server := testservers.StartS3(b)
		s := startSystem(b, 1, 1, "MOLAR_BLOB_URL="+s3(server, "bench"))
		s.pngs = s.spawn("pngworker", 1)
		load := &imageLoad{system: s, b: b}
		for range 4 {
			load.tenants = append(load.tenants, s.tenant("Bench Dental", "1234567893"))
		}

		idle := load.metadata(5 * time.Second)
		_, _ = fmt.Fprintf(w, "GET and POST of attachments, idle\tp50 %s, p99 %s\t\t(baseline)\n", idle.p50, idle.p99)
		profiles := s.profile(b, "uploads", 15)
		busy, uploads := load.uploads(xRay(b, 5000, 4000), 20*time.Second)
		profiles()
		_, _ = fmt.Fprintf(w, "the same, while 6 JPEGs of 15 MB are uploaded at once\tp50 %s, p99 %s\t%.1f x\tp99 < 50ms\n",
			busy.p50, busy.p99, float64(busy.p99)/float64(idle.p99))
		_, _ = fmt.Fprintf(w, "those uploads\t%.1f/s, p50 %s, p99 %s\t\t\n", uploads.rate, uploads.p50, uploads.p99)
		_, _ = fmt.Fprintf(w, "resident memory of the API under them\t%d MB\t\t<= 200 MB\n", resident(b, s.apis[0])>>20)

		picture := drawing(b, 5000, 4000)
		profiles = s.profile(b, "png", 3)
		took := median(3, func() time.Duration { return load.png(picture) })
		profiles()
		ratio := "vips is not on PATH, so there is nothing to compare with"
		if vips, err := exec.LookPath("vips"); err == nil {
			ratio = fmt.Sprintf("%.1f x vips copy", float64(took)/float64(median(3, func() time.Duration { return copyPNG(b, vips, picture) })))
		}
		_, _ = fmt.Fprintf(w, "upload of a PNG of 20 megapixels, to its answer\t%s\t%s\t<= 2.6 x\n", took.Round(time.Millisecond), ratio)
		_, _ = fmt.Fprintf(w, "resident memory of the png worker after it\t%d MB\t\t<= 400 MB\n", resident(b, s.pngs[0])>>20)
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(uploads.rate, "uploads/s")
		b.ReportMetric(float64(busy.p99.Microseconds())/1000, "busy-p99-ms")
	}
}

// imageLoad is the load of BenchmarkImages: uploads of all tenants except the
// last, who only reads and creates attachments without images.
type imageLoad struct {
	*system
	b       *testing.B
	tenants []tenant
}

// timed sends a request and returns the ID in the reply and the time it needed.
func (l *imageLoad) send(client *http.Client, method, path, key, contentType string, body []byte) (id string, took time.Duration) {
	var idempotencyKey string
	if method == http.MethodPost {
		idempotencyKey = fmt.Sprint("bench-", serial.Add(1))
	}
	start := time.Now()
	r, err := send(l.b.Context(), client, method, l.urls[0]+path, key, idempotencyKey, contentType, body)
	took = time.Since(start)
	if err != nil || r.status >= http.StatusBadRequest {
		l.b.Errorf("%s %s: %v, %d %v", method, path, err, r.status, r.body)
	}
	return idOf(r), took
}

func (l *imageLoad) make(client *http.Client, as tenant) (path string, took time.Duration) {
	id, took := l.send(client, http.MethodPost, "/attachments", as.key, "application/json", attachmentBody(as.office, "Decay."))
	return "/attachments/" + id, took
}

// metadata creates and reads attachments over two connections for a while.
func (l *imageLoad) metadata(span time.Duration) figures {
	l.b.Helper()
	return l.sustain(2, span, func(client *http.Client, _ int) []time.Duration {
		as := l.tenants[len(l.tenants)-1]
		path, making := l.make(client, as)
		_, reading := l.send(client, http.MethodGet, path, as.key, "", nil)
		return []time.Duration{making, reading}
	})
}

// uploads uploads the JPEG, twice at once with each key, and requests metadata
// meanwhile.
func (l *imageLoad) uploads(content []byte, span time.Duration) (metadata, uploads figures) {
	l.b.Helper()
	contentType, body := uploadBody("xray.jpg", content)
	var beside sync.WaitGroup
	beside.Go(func() { metadata = l.metadata(span) })
	keys := len(l.tenants) - 1
	uploads = l.sustain(2*keys, span, func(client *http.Client, n int) []time.Duration {
		as := l.tenants[n%keys]
		path, _ := l.make(client, as)
		_, took := l.send(client, http.MethodPost, path+"/documents", as.key, contentType, body)
		return []time.Duration{took}
	})
	beside.Wait()
	return metadata, uploads
}

// sustain repeats something on some connections at once.
func (l *imageLoad) sustain(connections int, span time.Duration, one func(client *http.Client, n int) []time.Duration) figures {
	l.b.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var all sync.WaitGroup
	start := time.Now()
	for n := range connections {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for time.Since(start) < span && !l.b.Failed() {
				spent := one(client, n)
				mu.Lock()
				took = append(took, spent...)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(took) == 0 {
		l.b.FailNow()
	}
	return summary(took, time.Since(start))
}

// median returns the median of some runs.
func median(runs int, one func() time.Duration) time.Duration {
	took := make([]time.Duration, runs)
	for i := range took {
		took[i] = one()
	}
	return middle(took)
}

// middle returns the middle one of some figures.
func middle[T cmp.Ordered](figures []T) T {
	slices.Sort(figures)
	return figures[len(figures)/2]
}

// png uploads the PNG and waits for its document.
func (l *imageLoad) png(content []byte) time.Duration {
	l.b.Helper()
	as := l.tenants[0]
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	path, _ := l.make(client, as)
	contentType, body := uploadBody("xray.png", content)
	_, took := l.send(client, http.MethodPost, path+"/documents", as.key, contentType, body)
	return took
}

// copyPNG returns the wall time of vips for the PNG.
func copyPNG(b *testing.B, vips string, content []byte) time.Duration {
	b.Helper()
	dir := b.TempDir()
	in := filepath.Join(dir, "in.png")
	if err := os.WriteFile(in, content, 0o600); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if out, err := exec.CommandContext(b.Context(), vips, "copy", in, filepath.Join(dir, "out.jpg[Q=95]")).CombinedOutput(); err != nil {
		b.Fatalf("vips: %v\n%s", err, out)
	}
	return time.Since(start)
}

// xRay returns a grey and noisy JPEG of nearly 15 MB.
func xRay(b *testing.B, width, height int) []byte {
	b.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	r := rand.New(rand.NewPCG(3, 4))
	for i := range m.Pix {
		m.Pix[i] = uint8(60 + i%width/37%90 + int(r.Uint32()%56))
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 98}); err != nil {
		b.Fatal(err)
	}
	if mb := float64(out.Len()) / (1 << 20); mb < 14 || mb > 15 {
		b.Fatalf("the JPEG has %.1f MB", mb)
	}
	return out.Bytes()
}

// drawing returns a PNG of RGBA of nearly 15 MB: soft shapes with some noise,
// more and more transparent.
func drawing(b *testing.B, width, height int) []byte {
	b.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	r := rand.New(rand.NewPCG(5, 6))
	for y := range height {
		for x := range width {
			v := uint8(120+70*math.Sin(float64(x)/310)*math.Cos(float64(y)/270)) + uint8(r.Uint32()&3)
			m.SetNRGBA(x, y, color.NRGBA{R: v, G: v - 20, B: v / 2, A: uint8(255 - x/500*5)})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		b.Fatal(err)
	}
	if mb := float64(out.Len()) / (1 << 20); mb < 10 || mb > 15 {
		b.Fatalf("the PNG has %.1f MB", mb)
	}
	return out.Bytes()
}
