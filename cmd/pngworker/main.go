// Command pngworker makes JPEGs of uploaded PNGs.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Main(wire.RolePNGWorker) }
