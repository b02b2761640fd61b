// Command webhookworker posts events to webhook endpoints.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Main(wire.RoleWebhookWorker) }
