// Command payerworker asks payers and answers eligibility checks.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Main(wire.RolePayerWorker) }
