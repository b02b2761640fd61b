package sandboxnet

// Endings lists the table's endings for the tests.
func Endings() []string {
	var all []string
	for _, s := range scenarios {
		all = append(all, s.ending)
	}
	return all
}

// Bound makes the network forget sooner, for the tests.
func (a *Attachments) Bound(open, committed, files int) {
	a.limits = bounds{open: open, committed: committed, files: files}
}

// Kept is how much the network keeps: transmissions that are open, those that
// are committed, and the latter's files.
func (a *Attachments) Kept() (open, committed, files int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) != a.open.Len()+a.committed.Len() {
		panic("the lists do not have what is known")
	}
	return a.open.Len(), a.committed.Len(), a.committedFiles
}

// ClaimEndings lists the table's endings for the tests.
func ClaimEndings() []string {
	var all []string
	for _, s := range claimScenarios {
		all = append(all, s.ending)
	}
	return all
}

// Answers is what Send puts into the mail.
func (c *Clearinghouse) Answers(name string, content []byte, remember func([]Note) ([][]byte, error)) ([]MailFile, error) {
	return c.replies(name, content, remember)
}
