// Command eraworker matches remittances with claims, applies them, and removes
// expired data.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Main(wire.RoleERAWorker) }
