// Command pngworker converts uploaded PNGs to JPEGs.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Main(wire.RolePNGWorker) }
