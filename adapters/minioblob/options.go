package minioblob

import (
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// Options holds the address of the bucket and the limits of the client.
type Options struct {
	// URL is s3://ACCESS:SECRET@host:port/bucket, with percent-encoded keys.
	// ?tls=false uses plain HTTP. ?region=... sets the region; otherwise the
	// server is asked for it.
	URL string
	Log *slog.Logger

	// Patience limits the time to connect, and the time without progress before
	// a connection counts as dead. 0 means 15 s.
	Patience time.Duration
}

// defaultPatience is longer than a busy server needs to write 15 MB to disk.
const defaultPatience = 15 * time.Second

// location is the content of a URL.
type location struct {
	host, bucket, region string
	access, secret       string
	tls                  bool
}

// parseURL parses a URL. Its errors quote nothing, because the secret may be in
// any part of a malformed URL.
func parseURL(raw string) (location, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return location{}, errors.New("the URL cannot be read; in its keys, percent-encode what is not a letter or a digit")
	}
	secret, _ := u.User.Password()
	l := location{
		host: u.Host, bucket: strings.Trim(u.Path, "/"),
		access: u.User.Username(), secret: secret, tls: true,
	}
	switch {
	case u.Scheme != "s3":
		return location{}, errors.New("the URL must begin with s3://")
	case u.Hostname() == "" || l.access == "" || l.secret == "":
		return location{}, errors.New("the URL must name keys and a host: s3://ACCESS:SECRET@host:port/bucket")
	case s3utils.CheckValidBucketNameStrict(l.bucket) != nil:
		return location{}, errors.New("the URL must name one bucket of small letters, digits and '-': s3://ACCESS:SECRET@host:port/bucket")
	case u.Fragment != "":
		return location{}, errors.New("the URL has a part after #")
	}
	return l, l.parameters(u.RawQuery)
}

func (l *location) parameters(raw string) error {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return errors.New("the URL's parameters cannot be read")
	}
	for name, values := range query {
		value := values[len(values)-1]
		switch name {
		case "region":
			l.region = value
		case "tls":
			if l.tls, err = strconv.ParseBool(value); err != nil {
				return errors.New("tls in the URL must be true or false")
			}
		default:
			return errors.New("the URL has a parameter that is neither tls nor region")
		}
	}
	return nil
}
