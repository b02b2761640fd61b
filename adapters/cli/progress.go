package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
)

// bar shows how far a long command is: one line that changes on a terminal, else a line for
// each tenth.
type bar struct {
	out      io.Writer
	terminal bool
	what     string
	tenths   int
}

// newBar shows the progress of what a command does, such as "Encrypting rows", on its
// standard error.
func newBar(c *cobra.Command, what string) *bar {
	out := c.ErrOrStderr()
	file, is := out.(*os.File)
	return &bar{out: out, terminal: is && isatty.IsTerminal(file.Fd()), what: what, tenths: -1}
}

// at shows that so much of all is done, and a remark.
func (b *bar) at(done, all int64, remark string) {
	percent := int64(100)
	if all > 0 {
		percent = 100 * done / all
	}
	switch tenths := int(percent / 10); {
	case b.terminal:
		_, _ = fmt.Fprintf(b.out, "\r%s [%-20s] %3d %% %s\x1b[K", b.what, strings.Repeat("#", int(percent/5)), percent, remark)
	case tenths != b.tenths:
		b.tenths = tenths
		_, _ = fmt.Fprintf(b.out, "%s: %d %% %s\n", b.what, percent, remark)
	}
}

// end ends the line.
func (b *bar) end() {
	if b.terminal {
		_, _ = fmt.Fprintln(b.out)
	}
}
