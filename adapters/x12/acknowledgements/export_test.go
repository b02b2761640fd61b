package acknowledgements

import "slices"

// Codes lists what is said of the claim and its lines, each once.
func (c *Claim) Codes() (all []Code) {
	add := func(statuses []Status) {
		for _, s := range statuses {
			for _, code := range s.Codes {
				if !slices.Contains(all, code) {
					all = append(all, code)
				}
			}
		}
	}
	add(c.Statuses)
	for _, l := range c.Lines {
		add(l.Statuses)
	}
	return all
}

// String is the code as it is usually written, such as "A7:562:85".
func (c Code) String() string {
	s := c.Category + ":" + c.Status
	if c.Entity != "" {
		s += ":" + c.Entity
	}
	return s
}
