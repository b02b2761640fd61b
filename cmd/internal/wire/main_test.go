package wire

import (
	"os"
	"testing"

	"github.com/molar-billing/molar/adapters/testservers"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m).Run()) }
