package minioblob_test

import (
	"bytes"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/minioblob"
	"github.com/molar-billing/molar/adapters/testservers"
)

func TestWrongURLs(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"nothing":              "",
		"another scheme":       "http://access:open/sesame@localhost/bucket",
		"a secret in clear":    "s3://access:opensesame/x@localhost:9000/bucket",
		"no secret":            "s3://opensesame@localhost:9000/bucket",
		"no keys":              "s3://localhost:9000/bucket?opensesame=1",
		"no host":              "s3://access:opensesame@/bucket",
		"no bucket":            "s3://access:opensesame@localhost:9000",
		"a folder":             "s3://access:opensesame@localhost:9000/bucket/folder",
		"a bucket of no name":  "s3://access:opensesame@localhost:9000/B?tls=false",
		"a host of no name":    "s3://access:opensesame@local_host:9000:9000/bucket",
		"a port of no number":  "s3://access:opensesame@localhost:port/bucket",
		"tls of no sense":      "s3://access:opensesame@localhost:9000/bucket?tls=opensesame",
		"another parameter":    "s3://access:opensesame@localhost:9000/bucket?opensesame=1",
		"a secret's own slash": "s3://access:open/sesame@localhost:9000/bucket",
		"a broken escape":      "s3://access:opensesame%zz@localhost:9000/bucket",
		"a broken parameter":   "s3://access:secret@localhost:9000/bucket?tls=opensesame%zz",
		"a fragment":           "s3://access:open#sesame@localhost:9000/bucket",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := minioblob.Open(t.Context(), minioblob.Options{URL: address, Log: slog.New(slog.DiscardHandler)})
			if err == nil {
				t.Fatal("no error")
			}
			if strings.Contains(err.Error(), "sesame") {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	right, err := url.Parse(bucket(t, testservers.S3(t).URL()))
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := right.User.Password()
	var log bytes.Buffer
	for name, test := range map[string]struct {
		userinfo string
		wrong    bool
	}{
		"as they are":     {right.User.String(), false},
		"percent-encoded": {right.User.Username() + ":" + escaped(secret), false},
		"a wrong secret":  {right.User.Username() + ":opensesame", true},
		"a wrong user":    {"stranger:opensesame", true},
	} {
		address := strings.Replace(right.String(), right.User.String()+"@", test.userinfo+"@", 1)
		s, err := minioblob.Open(t.Context(), minioblob.Options{URL: address, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if (err != nil) != test.wrong {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			s.Close()
		} else if strings.Contains(err.Error(), "opensesame") {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
	if strings.Contains(log.String(), secret) || strings.Contains(log.String(), "opensesame") {
		t.Errorf("the log shows the secret: %s", log.String())
	}
}

// escaped percent-encodes every byte.
func escaped(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}
