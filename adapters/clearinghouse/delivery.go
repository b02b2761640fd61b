package clearinghouse

import (
	"context"
	"crypto/rand"
	"io/fs"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing/clearing"
)

// mostDelivered is the number of messages that are delivered at once.
const mostDelivered = 100

// wrongFor is how long a message is there in another form, when a fault asks for it.
const wrongFor = 3 * time.Second

// recover finishes what a killed process began: it delivers messages that are no
// longer in the mail. Those that still are will be delivered again, under the same
// name.
func (r *reader) recover() error {
	ready, err := fs.ReadDir(r.folder.FS(), readyFolder)
	if err != nil {
		return err
	}
	for _, f := range ready {
		if r.mail.holds(f.Name()) {
			continue
		}
		if err := r.publish(f.Name()); err != nil {
			return err
		}
	}
	return nil
}

// deliver moves messages that are due to outbound. A message leaves the mail only
// when it is complete in the folder ready, from which one rename publishes it.
func (r *reader) deliver(ctx context.Context, now time.Time) error {
	for name, until := range r.early {
		if now.Before(until) {
			continue
		}
		if err := r.publish(name); err != nil {
			return err
		}
		delete(r.early, name)
	}
	for !r.account.full() { // then messages wait in the mail
		files, err := r.network.Receive(ctx, mostDelivered)
		if err != nil || len(files) == 0 {
			return err
		}
		for _, f := range files {
			if err := r.deliverOne(ctx, now, f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) deliverOne(ctx context.Context, now time.Time, f clearing.IncomingFile) error {
	r.account.note(usage{int64(len(f.Content)), 1})
	if err := r.folder.replace(readyFolder+"/"+f.Name, f.Content); err != nil {
		return err
	}
	if err := r.network.Remove(ctx, f.Name); err != nil {
		return err
	}
	if r.faults.strikes(sftpTwice) {
		if err := r.folder.replace(outboundFolder+"/again-"+f.Name, f.Content); err != nil {
			return err
		}
	}
	if r.faults.strikes(sftpNames) {
		if err := r.folder.replace(outboundFolder+"/"+strangeName(), f.Content); err != nil {
			return err
		}
	}
	wrong := slices.Clone(f.Content)
	switch {
	case r.faults.strikes(sftpPartial):
		wrong = wrong[:len(wrong)/2]
	case r.faults.strikes(sftpChanged):
		slices.Reverse(wrong)
	default:
		return r.publish(f.Name)
	}
	r.early[f.Name] = now.Add(wrongFor)
	return r.folder.WriteFile(outboundFolder+"/"+f.Name, wrong, privateFile)
}

// publish moves a message to outbound. If a client has a folder there under the name,
// the message gets another name.
func (r *reader) publish(name string) error {
	to := outboundFolder + "/" + name
	if info, err := r.folder.Lstat(to); err == nil && info.IsDir() {
		to += "." + rand.Text()[:4]
	}
	return r.folder.Rename(readyFolder+"/"+name, to)
}
