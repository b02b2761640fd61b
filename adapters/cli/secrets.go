package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing/event"
)

// KeyStatus is which keys of the deployment wrap the data keys, and which process holds which.
type KeyStatus struct {
	FirstForm bool // the database has no data keys yet
	Keys      []WrappingKey
	Processes []KeyHolder
}

// WrappingKey is a key of the deployment.
type WrappingKey struct {
	ID     string
	Wraps  int  // data keys
	Newest bool // the first in MOLAR_SECRET_KEY of the command
	Held   bool // in MOLAR_SECRET_KEY of the command
}

// KeyHolder is a running process.
type KeyHolder struct {
	Name   string
	Holds  []string // IDs of keys, newest first
	SeenAt time.Time
}

// DataRotation is how far a rotation of data keys is.
type DataRotation struct {
	Keys         int   // data keys that this run replaced
	Rows         int   // rows that it encrypted anew
	Done, Blocks int64 // of all tables, in the present pass
	Last         bool  // the pass after all processes have the new data keys
}

func secrets(b Backend) *cobra.Command {
	status := &cobra.Command{
		Use: "status", Short: "Show which key wraps how many data keys, and which process holds which", Args: cobra.NoArgs,
		Long: "Shows the keys in MOLAR_SECRET_KEY and those that wrap data keys, by their IDs, and which of them each running process\n" +
			"holds. A process that ended without saying so stays in the list for a minute.",
		Example: "  molar secrets status",
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := b.KeyStatus(c.Context())
			if err != nil {
				return err
			}
			return printKeys(c, s)
		},
	}
	var data bool
	rotate := &cobra.Command{
		Use: "rotate [--data]", Short: "Wrap every data key with the newest key, or make new data keys", Args: cobra.NoArgs,
		Long: "Wraps every data key with the first key in MOLAR_SECRET_KEY. It rewrites no other row, and takes seconds. It refuses while\n" +
			"a process lacks that key, and names the process. Afterwards the other keys can be removed from MOLAR_SECRET_KEY.\n" +
			"If the command ends early, run it again.\n\n" +
			"This is for a planned change. After a leak run it with --data as well, because whoever has the old key and a copy of the\n" +
			"database has the data keys. With --data every organization gets a new data key, and every encrypted row is encrypted\n" +
			"with it, a few at a time while the service runs. What the copy holds stays readable.\n\n" +
			"In a database that was begun by a release before 0.5.0, the first run makes the data keys. Earlier releases cannot read\n" +
			"what is encrypted with them, so first let every process run this release.",
		Example: "  molar secrets rotate\n  molar secrets rotate --data",
		RunE: func(c *cobra.Command, _ []string) error {
			if data {
				return rotateData(c, b)
			}
			wrapped := 0
			if err := b.RotateKeys(c.Context(), func(done int) { wrapped = done }); err != nil {
				return err
			}
			return say(c, "Every data key is wrapped by the newest key. Besides the deployment's, %d were wrapped anew.", wrapped)
		},
	}
	rotate.Flags().BoolVar(&data, "data", false, "make new data keys, and encrypt every row with them")
	return group("secrets", "The keys in MOLAR_SECRET_KEY: status, rotate", status, rotate)
}

// rotateData replaces the data keys.
func rotateData(c *cobra.Command, b Backend) error {
	line := newBar(c, "Encrypting rows")
	var last DataRotation
	err := b.RotateData(c.Context(), func(at DataRotation) {
		last = at
		remark := fmt.Sprintf("%d rows", at.Rows)
		if at.Last {
			remark += ", looking once more"
		} else if at.Done == at.Blocks {
			remark += ", waiting a minute for the other processes"
		}
		line.at(at.Done, at.Blocks, remark)
	})
	line.end()
	if err != nil {
		return err
	}
	return say(c, "Every row is encrypted with a new data key: %d data keys, %d rows in this run.", last.Keys, last.Rows)
}

func printKeys(c *cobra.Command, s *KeyStatus) error {
	if s.FirstForm {
		if err := say(c, "There are no data keys yet: one key encrypts every row. Once every process runs this release, run molar secrets rotate.\n"); err != nil {
			return err
		}
	}
	if err := list(c, "", "KEY\tWRAPS\tIN MOLAR_SECRET_KEY", s.Keys, func(k WrappingKey) []any {
		held := "no"
		if k.Held {
			held = "yes"
		}
		if k.Newest {
			held = "newest"
		}
		return []any{k.ID, k.Wraps, held}
	}); err != nil {
		return err
	}
	if err := say(c, ""); err != nil {
		return err
	}
	return list(c, "No process of the service runs.", "PROCESS\tHOLDS\tSEEN", s.Processes, func(p KeyHolder) []any {
		return []any{p.Name, strings.Join(p.Holds, ", "), event.Timestamp(p.SeenAt)}
	})
}
