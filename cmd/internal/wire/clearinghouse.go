package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/molar-billing/molar/adapters/clearinghouse"
	"github.com/molar-billing/molar/adapters/cli"
)

// Clearinghouse runs the simulator alone and exits.
func Clearinghouse() {
	boundMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	c := cli.ClearinghouseCommand(simulator())
	c.SilenceUsage, c.SilenceErrors, c.Version = true, true, build().String()
	c.SetVersionTemplate("{{.Version}}\n")
	err := c.ExecuteContext(ctx)
	stop()
	if err != nil {
		complain(os.Stderr, err)
		os.Exit(1)
	}
}

func simulator() cli.Clearinghouse {
	return cli.Clearinghouse{
		Run: func(ctx context.Context, o cli.ClearinghouseOptions) error {
			return runClearinghouse(ctx, o, os.Stdout)
		},
		Scenarios: clearinghouse.ScenariosHelp(), Faults: clearinghouse.FaultsHelp(),
	}
}

// runClearinghouse runs the simulator until ctx ends. It needs no other setting than
// the delay of remittances.
func runClearinghouse(ctx context.Context, o cli.ClearinghouseOptions, stdout io.Writer) error {
	s, err := LoadSettings(func(name string) string {
		if name == "MOLAR_SANDBOX_ERA_DELAY" || name == "MOLAR_LOG_LEVEL" {
			return os.Getenv(name)
		}
		return ""
	})
	if err != nil {
		return err
	}
	dir := o.Data
	if dir == "" {
		dir = filepath.Join(filepath.Dir(defaultData()), "molar-clearinghouse")
	}
	log, of := newLog(s.LogLevel), build()
	log.InfoContext(ctx, "starting", "version", of.Version, "commit", of.Commit, "go", of.Go)
	return clearinghouse.Run(ctx, clearinghouse.Options{
		SFTP: o.SFTP, CORE: o.CORE, Data: dir, Public: o.Public, Strict: o.Strict, Usage: o.Usage,
		SenderID: o.SenderID, ReceiverID: o.ReceiverID, Use997: o.Use997, SignIn: o.SignIn,
		ERADelay: s.ERADelay, Faults: o.Faults, Log: log,
	}, func(a clearinghouse.Account) error {
		if o.JSON {
			return json.NewEncoder(stdout).Encode(a)
		}
		return introduce(stdout, a, filepath.Dir(a.CAFile))
	})
}

// introduce prints the account, with commands that work.
func introduce(w io.Writer, a clearinghouse.Account, dir string) error {
	host, port, err := net.SplitHostPort(a.SFTPAddr)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `A clearinghouse is ready. Its files are in %[1]s.

SFTP       %[2]s, user %[3]s
           key       %[4]s
           host key  %[5]s
CORE       SOAP      %[6]s
           MIME      %[7]s
           user %[8]s, CA %[9]s
password   %[10]s (both)
sender     %[11]s, receiver %[12]s; any are accepted without --strict

Try it:
  sftp -i %[4]s -o UserKnownHostsFile=%[1]s/known_hosts -P %[13]s %[3]s@%[14]s
  molar clearinghouse --help   # scenarios and faults

`, dir, a.SFTPAddr, a.SFTPUser, a.SFTPKeyFile, a.SFTPHostKey, a.CORESOAPURL, a.COREMIMEURL, a.COREUser, a.CAFile, a.COREPassword,
		a.SenderID, a.ReceiverID, port, host)
	return err
}
