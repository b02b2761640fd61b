package migrations

import (
	_ "embed" // of the releases
	"fmt"
	"strconv"
	"strings"
)

//go:embed releases.tsv
var releases string

// Release is a row of releases.tsv.
type Release struct {
	Version     string
	Commit      string // the one that was tested; the next commit adds the row
	First, Last int64  // the numbers of its migrations; 0 for none
}

// Releases returns all releases, the oldest first.
func Releases() ([]Release, error) {
	var all []Release
	for i, row := range strings.Split(strings.TrimSpace(releases), "\n")[1:] {
		fields := strings.Split(row, "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("releases.tsv, row %d: want a version, a commit and migrations", i+1)
		}
		r := Release{Version: fields[0], Commit: fields[1]}
		if fields[2] != "-" {
			first, last, span := strings.Cut(fields[2], "-")
			if !span {
				last = first
			}
			var err, bad error
			r.First, err = strconv.ParseInt(first, 10, 64)
			if r.Last, bad = strconv.ParseInt(last, 10, 64); err != nil || bad != nil || r.First > r.Last {
				return nil, fmt.Errorf("releases.tsv, row %d: %q is neither a migration (0100), a range (0100-0103) nor a dash", i+1, fields[2])
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// Version returns the version of the last release, which the programs of this source
// have.
func Version() string {
	all, err := Releases()
	if err != nil || len(all) == 0 {
		return "unknown"
	}
	return all[len(all)-1].Version
}
