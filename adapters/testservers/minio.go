package testservers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// minioVersion is the release that is built where there is none.
const minioVersion = "github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c"

// MinIOServer is an S3 server. Its URL is http://access:secret@host:port/ and
// names no bucket.
type MinIOServer struct{ server }

// MinIO is the test binary's shared S3 server. Tests keep apart by buckets.
func MinIO(tb testing.TB) *MinIOServer {
	tb.Helper()
	return &MinIOServer{minio.share(tb, &shared.minio)}
}

// StartMinIO starts an S3 server of the test's own, which it may kill. It ends
// with the test.
func StartMinIO(tb testing.TB) *MinIOServer {
	tb.Helper()
	return &MinIOServer{minio.start(tb)}
}

//nolint:gochecknoglobals // a constant in all but name
var minio = brand{
	env: envS3,
	container: func() machine {
		return &container{
			image:  "minio/minio:latest",
			port:   "9000/tcp",
			cmd:    []string{"server", "/data"},
			env:    minioEnv(),
			scheme: minioURL,
			ready:  pingMinIO,
		}
	},
	program: func() (machine, error) {
		return &program{
			name:    "minio",
			scheme:  minioURL,
			quit:    syscall.SIGKILL,
			prepare: buildMinIO,
			command: func(p *program) *exec.Cmd {
				path, _ := findMinIO()
				cmd := exec.Command(path, "server", "--quiet", "--address", p.addr(), p.data()) //nolint:gosec // G204: the machine's own
				cmd.Env = append(os.Environ(), "MINIO_BROWSER=off", "MINIO_UPDATE=off")
				for name, value := range minioEnv() {
					cmd.Env = append(cmd.Env, name+"="+value)
				}
				return cmd
			},
			ready: pingMinIO,
		}, nil
	},
}

const minioURL = "http://molar:molar-secret@%s/"

func minioEnv() map[string]string {
	return map[string]string{"MINIO_ROOT_USER": "molar", "MINIO_ROOT_PASSWORD": "molar-secret"}
}

// findMinIO looks on PATH, and where go install puts it.
func findMinIO() (string, bool) {
	patterns := []string{}
	if home, err := os.UserHomeDir(); err == nil {
		patterns = append(patterns, filepath.Join(home, "go", "bin", "minio"))
	}
	if path := os.Getenv("GOPATH"); path != "" { //nolint:forbidigo // where Go puts programs
		patterns = append(patterns, filepath.Join(path, "bin", "minio"))
	}
	return find("minio", patterns...)
}

// buildMinIO makes the data folder and, where there is no MinIO, builds one.
func buildMinIO(ctx context.Context, p *program) error {
	if _, ok := findMinIO(); !ok {
		// It takes minutes, once a machine, so the patience of a start is not its bound.
		install := exec.CommandContext(context.WithoutCancel(ctx), "go", "install", minioVersion)
		install.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		if err := p.output(install); err != nil {
			return errors.Join(errors.New("no MinIO here: install it, or let go install build it"), err)
		}
	}
	return os.Mkdir(p.data(), 0o700)
}

func pingMinIO(ctx context.Context, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	u.User = nil
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(u.String(), "/")+"/minio/health/ready", nil)
	if err != nil {
		return err
	}
	// A connection of its own, so that none stays open.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("minio: %s", resp.Status)
	}
	return nil
}
