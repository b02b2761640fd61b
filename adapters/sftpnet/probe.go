package sftpnet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/molar-billing/molar/core/billing/network"
)

// Probe connects, signs in, and tries the folders. If write is set, it uploads a small
// file as Send does, and writes another one to the archive; it removes both.
func (n *Clearinghouse) Probe(ctx context.Context, write bool) (steps []network.ProbeStep) {
	if err := n.take(ctx); err != nil {
		return []network.ProbeStep{{Name: stepResolve, Err: err}}
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
		steps = append(steps, network.ProbeStep{Name: step, Detail: found})
	})
	if err != nil {
		return append(steps, network.ProbeStep{Name: all[len(steps)], Err: err})
	}
	defer s.end()
	defer context.AfterFunc(ctx, func() { _ = s.line.Close() })()
	for _, try := range []func() network.ProbeStep{
		func() network.ProbeStep {
			_, err := n.step(s).ReadDir(n.config.Inbox)
			return network.ProbeStep{Name: "the inbox can be read", Detail: n.config.Inbox, Err: err}
		},
		func() network.ProbeStep {
			return n.tryFolder(s, "the outbox can be written", n.config.Outbox, write, func() (string, error) { return n.tryUpload(ctx, s) })
		},
		func() network.ProbeStep {
			const name = "the archive can be written"
			if n.config.After != AfterArchive {
				return network.ProbeStep{Name: name, Skipped: "the connection names none"}
			}
			return n.tryFolder(s, name, n.config.Archive, write, func() (string, error) { return n.config.Archive, n.tryWrite(ctx, s) })
		},
	} {
		step := try()
		step.Err = n.classify(s, step.Err)
		if steps = append(steps, step); step.Err != nil {
			return steps
		}
	}
	return steps
}

// tryFolder writes to a folder, or only sees whether it is there.
func (n *Clearinghouse) tryFolder(s *session, name, folder string, write bool, try func() (detail string, err error)) network.ProbeStep {
	step := network.ProbeStep{Name: name}
	if write {
		step.Detail, step.Err = try()
		return step
	}
	step.NotTried = folder + ": nothing is written without --write"
	if _, err := n.step(s).Stat(folder); err != nil && (errors.Is(err, fs.ErrNotExist) || !replied(err)) {
		step.Detail, step.Err = folder, err
	}
	return step
}

func testContent() []byte { return []byte("Molar tests this connection.\n") }

// tryUpload uploads a file as Send does, and removes it. A renamed file keeps a temporary
// name, so that the server does not read it.
func (n *Clearinghouse) tryUpload(ctx context.Context, s *session) (detail string, err error) {
	id, err := random()
	if err != nil {
		return "", err
	}
	final := path.Join(n.config.Outbox, n.config.TestName)
	name := final
	if !n.config.Direct {
		name = path.Join(n.config.TempFolder, n.config.TempPrefix+n.config.TestName+"."+id)
		final = path.Join(n.config.Outbox, n.config.TempPrefix+n.config.TestName+".renamed."+id)
	}
	stage, err := n.put(ctx, s, name, os.O_CREATE|os.O_EXCL, testContent(), nil)
	if err != nil {
		if stage != closed {
			_ = removeFile(n.step(s), name)
		}
		return name, err
	}
	_, err = n.step(s).Lstat(name)
	took := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !took:
		return name, err
	case took && n.config.Direct:
		return name + ": the server took it at the end of the upload, so the option upload fits", nil
	case took:
		return name, fmt.Errorf("the server took %s at the end of its upload: set the option upload to direct", name)
	case !n.config.Direct:
		if err := n.step(s).Rename(name, final); err != nil {
			_ = removeFile(n.step(s), name)
			return name, fmt.Errorf("the server refuses to rename %s to %s: if it reads files under their own names at once, set the option upload to direct: %w", name, final, err)
		}
	}
	if err := removeFile(n.step(s), final); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return final, fmt.Errorf("remove %s: %w", final, err)
	}
	return name, nil
}

// tryWrite writes a file to the archive, and removes it.
func (n *Clearinghouse) tryWrite(ctx context.Context, s *session) error {
	id, err := random()
	if err != nil {
		return err
	}
	name := path.Join(n.config.Archive, n.config.TempPrefix+n.config.TestName+"."+id)
	if _, err := n.put(ctx, s, name, os.O_CREATE|os.O_EXCL, testContent(), nil); err != nil {
		_ = removeFile(n.step(s), name)
		return err
	}
	return removeFile(n.step(s), name)
}
