package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
)

// position is the progress of molar listen: all events up to After were forwarded.
// Without After it starts with the events created at At, and with the first event
// if At is zero too.
type position struct {
	After billing.EventID `json:"after"`
	At    time.Time       `json:"at,omitzero"` // when After was created
}

// listenState is the saved state of molar listen for one receiver, API and key. It
// has a file of its own, which a running command locks.
type listenState struct {
	file string
	lock *os.File
	kept keptState
}

// keptState is the content of the file. It names the API, the key and the
// receiver for people who read it.
type keptState struct {
	API      string    `json:"api_url"`
	Key      string    `json:"key"` // the last four characters
	Forward  string    `json:"forward_to"`
	Position *position `json:"position"` // nil before the first event
}

// openState reads the saved state, or creates a new one.
func openState(dir, api, key, forward string) (*listenState, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder where molar listen saves its position: %w", err)
	}
	about := keptState{API: api, Key: key[max(0, len(key)-4):], Forward: forward}
	sum := sha256.Sum256([]byte(about.API + "\n" + about.Key + "\n" + about.Forward))
	file := filepath.Join(dir, hex.EncodeToString(sum[:8])+".json")
	lock, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("another molar listen forwards from %s to %s: stop it first", api, forward)
	}
	s := &listenState{file: file, lock: lock, kept: about}
	b, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err == nil:
		err = json.Unmarshal(b, &s.kept)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the file where molar listen saves its position is damaged: %w\nRemove %s, and choose where to start with --since", err, file), lock.Close())
	}
	return s, nil
}

// save writes the position. A process that is killed meanwhile leaves the old file
// or the new one.
func (s *listenState) save(p position) error {
	s.kept.Position = &p
	b, err := json.Marshal(s.kept)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.file+".new", b, 0o600); err != nil {
		return fmt.Errorf("save the position: %w", err)
	}
	return os.Rename(s.file+".new", s.file)
}

// close unlocks the file before it closes it: a forked process that has not called
// exec yet still has the file open, and would keep the lock.
func (s *listenState) close() error {
	return errors.Join(syscall.Flock(int(s.lock.Fd()), syscall.LOCK_UN), s.lock.Close())
}

// localSecret returns the secret of molar listen, and creates it in the first run.
// All receivers on this machine share it, so that each is configured once.
func localSecret(dir string) (webhook.Secret, error) {
	file := filepath.Join(dir, "webhook-secret")
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeSecret(dir, file); err != nil {
			return "", fmt.Errorf("create a webhook secret: %w", err)
		}
		b, err = os.ReadFile(file)
	}
	if err != nil {
		return "", err
	}
	s, err := parseSecret(strings.TrimSpace(string(b)))
	if err != nil {
		return "", fmt.Errorf("%s: %w; remove the file to get a new one", file, err)
	}
	return s, nil
}

// makeSecret writes a secret, unless another process was first.
func makeSecret(dir, file string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "webhook-secret-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(string(webhook.NewWebhookSecret()) + "\n")
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// parseSecret checks that a secret can sign.
func parseSecret(raw string) (webhook.Secret, error) {
	s := webhook.Secret(raw)
	if _, err := s.Sign("", time.Time{}, nil); err != nil || raw == "whsec_" {
		return "", webhook.ErrMalformedSecret
	}
	return s, nil
}
