// Command payerworker asks payers and completes eligibility checks, sends
// attachments, cuts batches of claims, and receives the replies.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Main(wire.RolePayerWorker) }
