package webhook_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
)

// TestSignaturesOfOthers holds Sign against signatures that other people's
// libraries made, of the folder that MOLAR_CORPUS_DIR names.
func TestSignaturesOfOthers(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("MOLAR_CORPUS_DIR")
	if dir == "" {
		t.Log("MOLAR_CORPUS_DIR is unset: no signature of another library was compared")
		return
	}
	content, err := os.ReadFile(filepath.Join(dir, "webhook", "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Name      string          `json:"name"`
			Secret    string          `json:"secret"`
			ID        string          `json:"id"`
			Timestamp int64           `json:"timestamp"`
			Payload   json.RawMessage `json:"payload"`
			Sum       string          `json:"payload_sha256"`
			Signature string          `json:"signature"`
		} `json:"vectors"`
	}
	if err := json.Unmarshal(content, &file); err != nil || len(file.Vectors) == 0 {
		t.Fatal(len(file.Vectors), err)
	}
	for _, v := range file.Vectors {
		body := payload(t, v.Payload)
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != v.Sum {
			t.Fatalf("%s: the payload is read wrongly", v.Name)
		}
		got, err := webhook.Secret(v.Secret).Sign(v.ID, time.Unix(v.Timestamp, 0), body)
		if err != nil || got != v.Signature {
			t.Errorf("%s: %s, %v; want %s", v.Name, got, err, v.Signature)
		}
	}
	t.Logf("%d signatures", len(file.Vectors))
}

// payload is a string, or {"repeat_y": n} for {"x":"y..."} with n of them.
func payload(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(text)
	}
	var long struct {
		RepeatY int `json:"repeat_y"`
	}
	if err := json.Unmarshal(raw, &long); err != nil {
		t.Fatal(err)
	}
	return []byte(`{"x":"` + strings.Repeat("y", long.RepeatY) + `"}`)
}
