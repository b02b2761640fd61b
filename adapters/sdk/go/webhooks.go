package molar

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrSignature is the error of a webhook that Molar did not sign with any of the secrets, or that is too old.
var ErrSignature = errors.New("molar: the webhook is not signed with this secret, or not in the last 5 minutes")

const tolerance = 5 * time.Minute

// Unwrap verifies a webhook, and returns its event. Give the body as it came, and while you change the secret both secrets. A webhook can
// come twice: the header Webhook-Id is the same then.
func Unwrap(body []byte, h http.Header, secrets ...string) (*Event, error) {
	return unwrapAt(time.Now(), body, h, secrets)
}

func unwrapAt(now time.Time, body []byte, h http.Header, secrets []string) (*Event, error) {
	at := h.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return nil, ErrSignature
	}
	if len(secrets) == 0 {
		return nil, errors.New("molar: there is no webhook secret: give the one that the endpoint had when it was created")
	}
	good := false
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return nil, errors.New("molar: a webhook secret is whsec_ and base64")
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", h.Get("Webhook-Id"), at, body)
		want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for _, signature := range strings.Fields(h.Get("Webhook-Signature")) {
			good = hmac.Equal([]byte(signature), want) || good
		}
	}
	if !good {
		return nil, ErrSignature
	}
	e := new(Event)
	if err := json.Unmarshal(body, e); err != nil {
		return nil, fmt.Errorf("molar: the webhook is no event: %w", err)
	}
	return e, nil
}
