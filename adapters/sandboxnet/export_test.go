package sandboxnet

// Bound lowers the limits of the network.
func (a *Attachments) Bound(open, committed, files int) {
	a.limits = bounds{open: open, committed: committed, files: files}
}

// Kept returns the number of open transmissions, of committed ones, and of the
// latter's files.
// are committed, and the latter's files.
func (a *Attachments) Kept() (open, committed, files int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) != a.open.Len()+a.committed.Len() {
		panic("the lists do not have what is known")
	}
	return a.open.Len(), a.committed.Len(), a.committedFiles
}

// Replies returns the messages that Send puts into the mail.
func (c *Clearinghouse) Replies(name string, content []byte, remember func([]Note) ([][]byte, error)) ([]MailFile, error) {
	return c.replies(name, content, c.clock.Now(), remember, nil)
}

// Edits lists the categories and statuses of the table for the tests.
func Edits() (all []string) {
	for _, e := range edits {
		all = append(all, e.category+":"+e.status)
	}
	return all
}
