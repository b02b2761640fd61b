package clearinghouse

import (
	"strings"

	"github.com/molar-billing/molar/adapters/sandboxnet"
)

// scenariosHead explains what the endings are for.
const scenariosHead = `The end of a subscriber's member ID chooses what the payers do. The tables of README.md say what each ending does.

A 270 (an ID without an ending has active coverage; -SLOW-5 responds after 5 seconds):
`

const claimsHead = `
A claim (without an ending, payer CHTEST pays it in full; other payers accept it and send nothing more):
`

// ScenariosHelp lists the scenarios for a command's help.
func ScenariosHelp() string {
	return scenariosHead + columns(sandboxnet.Endings()) + claimsHead + columns(sandboxnet.ClaimEndings())
}

// columns prints words in lines of readable length.
func columns(all []string) string {
	const width = 100
	var b, line strings.Builder
	for _, s := range all {
		if line.Len()+len(s) > width {
			b.WriteString(line.String() + "\n")
			line.Reset()
		}
		line.WriteString("  " + s)
	}
	return b.String() + line.String() + "\n"
}
