package coverage

import (
	_ "embed" // the names that ship with the service
	"strings"
	"sync"
)

// procedureNames has a short plain name for codes and, where a group of them shares one, for
// their first digits. The names are our own: they are what a front desk says to a patient, and
// no text of the CDT. The dashboard reads the same file.
//
//go:embed procedures.tsv
var procedureNames string

//nolint:gochecknoglobals // a constant table, read at first use
var namesOfProcedures = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(procedureNames) {
		code, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		names[code] = name
	}
	return names
})

// ProcedureName returns a short plain name of a CDT code, such as "adult cleaning" of D1110.
// It is the code's own name, else that of the longest group that it is in. Without either it
// is empty.
func ProcedureName(code string) string {
	names := namesOfProcedures()
	for n := len(code); n >= len("D01"); n-- {
		if name := names[code[:n]]; name != "" {
			return name
		}
	}
	return ""
}
