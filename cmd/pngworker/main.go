// Command pngworker converts uploaded PNGs to JPEGs, and makes the thumbnails of
// images.
package main

import "github.com/molar-billing/molar/cmd/internal/wire"

func main() { wire.Main(wire.RolePNGWorker) }
