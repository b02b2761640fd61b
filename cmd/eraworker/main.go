// Command eraworker matches remittances with claims and applies them, and
// removes what is kept for a while only.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Main(wire.RoleERAWorker) }
