package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing/webhook"
)

// webhookRequest is a webhook request as a receiver received it.
type webhookRequest struct {
	id, timestamp, signature string
	body                     []byte
}

// maxUnix is more seconds, and more milliseconds, than any real time has.
const maxUnix = 1 << 53

// verify checks a webhookRequest as a receiver should: the signature of the raw
// body, and the time. The error names every fault. A tolerance of zero accepts any
// time.
func (d *webhookRequest) verify(secret webhook.Secret, now time.Time, tolerance time.Duration) error {
	unix, err := strconv.ParseInt(d.timestamp, 10, 64)
	signatures := versionOne(d.signature)
	switch {
	case d.id == "":
		return errors.New("webhook-id is missing")
	case d.timestamp == "":
		return errors.New("webhook-timestamp is missing")
	case err != nil || unix < 0 || unix > maxUnix:
		return fmt.Errorf("webhook-timestamp is malformed: %q is not a number of seconds since 1970", d.timestamp)
	case d.signature == "":
		return errors.New("webhook-signature is missing")
	case len(signatures) == 0:
		return errors.New(`webhook-signature is malformed: it has no signature of version 1 ("v1," and base64; several have spaces between them)`)
	}
	at := time.Unix(unix, 0)
	good, err := signed(secret, d.id, at, d.body, signatures)
	if err != nil {
		return err
	}
	var wrong []error
	if !good {
		wrong = append(wrong, d.mismatch(secret, at, signatures))
	}
	return errors.Join(append(wrong, timely(at, now, tolerance))...)
}

// versionOne returns the signatures of version 1 in a header.
func versionOne(header string) (signatures []string) {
	for s := range strings.FieldsSeq(header) {
		if strings.HasPrefix(s, "v1,") {
			signatures = append(signatures, s)
		}
	}
	return signatures
}

// signed reports whether one of the signatures was made with the secret. It
// compares in constant time.
func signed(secret webhook.Secret, id string, at time.Time, body []byte, signatures []string) (good bool, err error) {
	want, err := secret.Sign(id, at, body)
	if err != nil {
		return false, err
	}
	for _, s := range signatures {
		if hmac.Equal([]byte(s), []byte(want)) {
			good = true
		}
	}
	return good, nil
}

// mismatch returns the error of a signature that does not match, with the cause if
// it is a common one.
func (d *webhookRequest) mismatch(secret webhook.Secret, at time.Time, signatures []string) error {
	fits := func(body []byte) bool {
		good, _ := signed(secret, d.id, at, body, signatures)
		return good
	}
	var compact bytes.Buffer
	isJSON := json.Compact(&compact, d.body) == nil
	switch {
	case fits(bytes.TrimRight(d.body, "\r\n")):
		return errors.New("the signature matches the body without the line break at its end, which an editor or echo may have added; check the raw bytes")
	case isJSON && fits(compact.Bytes()):
		return errors.New("the signature matches the body without its white space: the JSON was formatted again; check the raw bytes, before they are parsed")
	}
	return errors.New("the signature does not match: the secret is a different one, or the ID, the timestamp or the body was changed")
}

func timely(at, now time.Time, tolerance time.Duration) error {
	now = time.Unix(now.Unix(), 0)         // whole seconds, as in the header
	old, early := now.Sub(at), at.Sub(now) // each is limited to 292 years
	const hint = "(--tolerance 0 accepts any time)"
	switch {
	case tolerance == 0:
	case old > tolerance:
		return fmt.Errorf("the timestamp is outside the tolerance of %s: it is %s old %s", tolerance, old, hint)
	case early > tolerance:
		return fmt.Errorf("the timestamp is outside the tolerance of %s: it is %s in the future; webhook-timestamp is in seconds %s", tolerance, early, hint)
	}
	return nil
}

// parseDump reads a recorded request, header and body. The request line is
// optional.
func parseDump(dump []byte) (webhookRequest, error) {
	first, _, _ := bytes.Cut(dump, []byte("\n"))
	if !bytes.Contains(first, []byte(" HTTP/")) {
		dump = append([]byte("POST / HTTP/1.1\r\n"), dump...)
	}
	in := bufio.NewReader(bytes.NewReader(dump))
	r, err := http.ReadRequest(in)
	if err != nil {
		return webhookRequest{}, fmt.Errorf("the file is not an HTTP request: %w", err)
	}
	body, err := io.ReadAll(r.Body)
	if err == nil && r.ContentLength == 0 && r.Header.Get("Content-Length") == "" {
		body, err = io.ReadAll(in) // no length: read to the end
	}
	if err != nil {
		return webhookRequest{}, fmt.Errorf("the body is incomplete (Content-Length %d, %d bytes found): %w", r.ContentLength, len(body), err)
	}
	return webhookRequest{
		id: r.Header.Get("Webhook-Id"), timestamp: r.Header.Get("Webhook-Timestamp"),
		signature: strings.Join(r.Header.Values("Webhook-Signature"), " "), body: body,
	}, nil
}

const verifyHelp = `Checks a webhook request as a receiver must: the signature of the ID, the timestamp and the raw body, and the timestamp
against the clock. It prints "valid", or prints what is wrong and exits with 1. FILE has the body (- for standard input).
For a recorded request with its header, use --request FILE.`

func webhooks(b Backend) *cobra.Command {
	var d webhookRequest
	var secret, request string
	var tolerance time.Duration
	c := &cobra.Command{
		Use: "verify [FILE]", Short: "Check the signature of a webhook request", Args: cobra.MaximumNArgs(1), Long: verifyHelp,
		Example: "  molar webhooks verify --secret whsec_... --id evt_... --timestamp 1767366000 --signature v1,... body.json\n" +
			"  molar webhooks verify --request recorded.http --tolerance 0   # the secret from $MOLAR_WEBHOOK_SECRET",
		RunE: func(c *cobra.Command, args []string) error {
			given := cmp.Or(secret, b.Getenv("MOLAR_WEBHOOK_SECRET"))
			if given == "" {
				return errors.New("no secret: set it with --secret or MOLAR_WEBHOOK_SECRET; molar listen prints its own, and the API shows an endpoint's when it is created")
			}
			s, err := parseSecret(given)
			if err != nil {
				return err
			}
			if tolerance < 0 {
				return errors.New("--tolerance must not be below 0; 0 accepts any time")
			}
			got, err := readWebhookRequest(c.InOrStdin(), d, request, args)
			if err != nil {
				return err
			}
			if err := got.verify(s, time.Now(), tolerance); err != nil {
				return err
			}
			return say(c, "valid")
		},
	}
	c.Flags().StringVar(&secret, "secret", "", "the endpoint's secret, whsec_... (default $MOLAR_WEBHOOK_SECRET)")
	c.Flags().StringVar(&d.id, "id", "", "the header webhook-id")
	c.Flags().StringVar(&d.timestamp, "timestamp", "", "the header webhook-timestamp")
	c.Flags().StringVar(&d.signature, "signature", "", "the header webhook-signature")
	c.Flags().StringVar(&request, "request", "", "a file with the whole request, header and body (- for standard input)")
	c.Flags().DurationVar(&tolerance, "tolerance", 5*time.Minute, "maximum distance of the timestamp from now; 0 accepts any")
	return group("webhooks", "Webhook requests", c)
}

// readWebhookRequest reads the body from a file, or all of a recorded request.
func readWebhookRequest(stdin io.Reader, flags webhookRequest, request string, args []string) (webhookRequest, error) {
	switch headers := flags.id + flags.timestamp + flags.signature; {
	case request == "" && len(args) == 0:
		return flags, errors.New("name the file with the body (- for standard input), or a recorded request with --request FILE")
	case request == "":
		var err error
		flags.body, err = readFile(stdin, args[0])
		return flags, err
	case len(args) > 0 || headers != "":
		return flags, errors.New("--request has header and body; leave out --id, --timestamp, --signature and the other file")
	}
	dump, err := readFile(stdin, request)
	if err != nil {
		return flags, err
	}
	return parseDump(dump)
}

func readFile(stdin io.Reader, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}
