// Command api serves the HTTP API.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Main(wire.RoleAPI) }
