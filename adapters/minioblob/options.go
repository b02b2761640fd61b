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

// Options says where images are kept.
type Options struct {
	// URL is s3://ACCESS:SECRET@host:port/bucket, with the keys percent-encoded
	// where need be. ?tls=false speaks plain HTTP, and ?region=... names the
	// region, which is otherwise asked of the server.
	URL string
	Log *slog.Logger

	// Patience is how long the server may take to accept a connection, and how
	// long a connection may stand still before it counts as dead; 15 s when zero.
	Patience time.Duration
}

// defaultPatience is longer than a busy server takes to force 15 MB to disk.
const defaultPatience = 15 * time.Second

// location is what a URL says.
type location struct {
	host, bucket, region string
	access, secret       string
	tls                  bool
}

// parseURL reads a URL. Its errors show nothing of it, because the secret may
// stand in any part of a URL that is written wrongly.
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
