package sftpnet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"path"

	"github.com/molar-billing/molar/core/billing"
)

// Probe connects, signs in, and tries the folders. It writes a small temporary file to
// the outbox and to the archive, and removes it.
func (n *Clearinghouse) Probe(ctx context.Context) (steps []billing.ProbeStep) {
	if err := n.take(ctx); err != nil {
		return []billing.ProbeStep{{Name: stepResolve, Err: err}}
	}
	defer n.leave()
	n.hangUp() // some accounts allow one session
	all := []string{stepResolve, stepConnect, stepHostKey, stepSignIn, stepSFTP}
	s, err := n.connect(ctx, func(step, found string) {
		// Another type of key repeats the steps before it.
		for i := range steps {
			if steps[i].Name == step {
				steps[i].Detail = found
				return
			}
		}
		steps = append(steps, billing.ProbeStep{Name: step, Detail: found})
	})
	if err != nil {
		return append(steps, billing.ProbeStep{Name: all[len(steps)], Err: err})
	}
	defer s.end()
	defer context.AfterFunc(ctx, func() { _ = s.line.Close() })()
	for _, folder := range []struct {
		name, path  string
		write, skip bool
	}{
		{"outbox", n.config.Outbox, true, false},
		{"inbox", n.config.Inbox, false, false},
		{"archive", n.config.Archive, true, n.config.After != AfterArchive},
	} {
		step := billing.ProbeStep{Name: "the " + folder.name + " can be read"}
		if folder.write {
			step.Name = "the " + folder.name + " can be written"
		}
		switch {
		case folder.skip:
			step.Skipped = "the connection names none"
		case folder.write:
			step.Detail, step.Err = folder.path, n.classify(s, n.tryWrite(ctx, s, folder.path))
		default:
			_, err := n.step(s).ReadDir(folder.path)
			step.Detail, step.Err = folder.path, n.classify(s, err)
		}
		if steps = append(steps, step); step.Err != nil {
			return steps
		}
	}
	return steps
}

// tryWrite writes a file and removes it.
func (n *Clearinghouse) tryWrite(ctx context.Context, s *session, folder string) error {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	name := path.Join(folder, n.config.TempPrefix+"molar."+hex.EncodeToString(random))
	if err := n.write(ctx, s, name, []byte("Molar tests this connection.\n")); err != nil {
		n.discard(s, name)
		return err
	}
	return removeFile(n.step(s), name)
}
