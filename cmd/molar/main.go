// Command molar is the service for trying out, and the tools of those who run
// it: see molar --help.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.CLI() }
