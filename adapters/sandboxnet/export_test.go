package sandboxnet

// Endings lists the table's endings for the tests.
func Endings() []string {
	var all []string
	for _, s := range scenarios {
		all = append(all, s.ending)
	}
	return all
}
