// Command payerworker asks payers and answers eligibility checks, sends
// attachments, cuts batches of claims, and takes in what comes back.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Main(wire.RolePayerWorker) }
