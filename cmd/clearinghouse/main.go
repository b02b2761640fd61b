// Command clearinghouse simulates a clearinghouse over SFTP and CAQH CORE: see
// clearinghouse --help.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Clearinghouse() }
