package testservers

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// S3Server is Versity's gateway to a folder, in a container or as a program. Its URL is http://access:secret@host:port/ and names no bucket.
type S3Server struct{ server }

// S3 returns the test binary's shared S3 server. Each test uses its own
// buckets.
func S3(tb testing.TB) *S3Server {
	tb.Helper()
	return &S3Server{s3.share(tb, &shared.s3)}
}

// StartS3 starts a private S3 server, which the test may kill. The server ends
// with the test.
func StartS3(tb testing.TB) *S3Server {
	tb.Helper()
	return &S3Server{s3.start(tb)}
}

//nolint:gochecknoglobals // a constant in all but name
var s3 = brand{
	env: envS3,
	container: func() machine {
		return &container{
			image:  "versity/versitygw:v1.8.0",
			port:   "7070/tcp",
			cmd:    []string{"posix", "/tmp"},
			env:    map[string]string{"ROOT_ACCESS_KEY": s3Access, "ROOT_SECRET_KEY": s3Secret},
			scheme: s3URL,
			ready:  pingS3,
		}
	},
	program: func() (machine, error) {
		gateway, ok := find("versitygw", filepath.Join(build.Default.GOPATH, "bin", "versitygw"))
		if !ok {
			return nil, errors.New("no S3 server here: go tool -modfile=.ci/tools/go.mod task deps builds one")
		}
		return s3Program(gateway), nil
	},
}

const (
	s3Access = "molar"
	s3Secret = "molar-secret"
	s3URL    = "http://" + s3Access + ":" + s3Secret + "@%s/"
)

func s3Program(gateway string) *program {
	return &program{
		name:    "s3",
		scheme:  s3URL,
		quit:    syscall.SIGKILL,
		prepare: func(_ context.Context, p *program) error { return os.Mkdir(p.data(), 0o700) },
		command: func(p *program) *exec.Cmd {
			cmd := exec.Command(gateway, "--quiet", "--port", p.addr(), "posix", p.data())
			cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+s3Access, "ROOT_SECRET_KEY="+s3Secret)
			return cmd
		},
		ready: pingS3,
	}
}

// pingS3 succeeds with any reply, even a refusal, unless the server reports
// that it is unavailable.
func pingS3(ctx context.Context, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	u.User = nil
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	// A separate client, so that no connection stays open.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("S3 server: %s", resp.Status)
	}
	return nil
}
