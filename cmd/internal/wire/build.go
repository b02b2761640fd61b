package wire

import (
	"runtime"
	"runtime/debug"

	"github.com/molar-billing/molar/adapters/cli"
	"github.com/molar-billing/molar/migrations"
)

// commit is the commit that a build without version control states, as that of the image:
// -ldflags "-X github.com/molar-billing/molar/cmd/internal/wire.commit=...".
var commit string //nolint:gochecknoglobals // only the linker sets it

// build returns what this program was built from. Each part that names a version has it
// from here.
func build() cli.Build {
	b := cli.Build{Version: migrations.Version(), Commit: commit, Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok && b.Commit == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
	}
	if b.Commit == "" {
		b.Commit = "unknown"
	}
	return b
}
