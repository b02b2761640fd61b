// Command molar is the service for trying it out, and the operator's tools: see
// molar --help.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.CLI() }
