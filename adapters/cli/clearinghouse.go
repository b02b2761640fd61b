package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// Clearinghouse is the simulator of a clearinghouse, with what its help lists.
type Clearinghouse struct {
	Run               func(ctx context.Context, o ClearinghouseOptions) error // until ctx ends
	Scenarios, Faults string
}

// ClearinghouseOptions are the flags of molar clearinghouse.
type ClearinghouseOptions struct {
	SFTP, CORE           string // addresses
	Data                 string // data folder; empty means the default
	JSON                 bool   // print one line of JSON when ready, instead of the banner
	Public, Strict       bool
	Usage                string
	SenderID, ReceiverID string
	Use997               bool
	SignIn               string
	Faults               []string
}

const clearinghouseHelp = `Simulates a clearinghouse and its payers behind the protocols of real ones, for the tests of any program that sends
dental claims and eligibility checks. It needs no database. What it prints is all that a client needs.

SFTP: put an 837D into inbound, under a temporary name (.tmp, .part, temp_...) that you then change, or directly. The
file is read within a second of its completion. In outbound appear a TA1, a 999, a 277CA of the clearinghouse and one
of each payer, a 277 that requests information, and an 835 after MOLAR_SANDBOX_ERA_DELAY (2m by default). A file that
is no X12, or has more than 32 MB or 20,000 claims, gets a text report; one that lacks its end is read after 10
seconds. Uploads are refused above 128 MB for a file, and above 10,000 files and 4 GB for the account.

CORE: post a 270 to one of two URLs with the printed CA. The first takes SOAP 1.2 of vC2.2.0, and of Phase IV with
DIR/client.crt and DIR/client.key. The second takes MIME multipart of vC2.2.0.

The data folder keeps keys and files between runs; two runs cannot share it. The account is "practice". The password
is the same for both protocols. DIR/authorized_keys may list more SSH keys, and DIR/received.log has a line for each
file that was read. Any identifiers and both usages are accepted, unless --strict: then a TA1 refuses an interchange of
another sender (006), receiver (008) or usage (020).

`

const faultsHelp = `
Faults, for --fault NAME or --fault NAME=PROBABILITY (d1 to d13 are deviations of real endpoints: core:d1):
`

// ClearinghouseCommand makes the command of the simulator, also for a program of its
// own.
func ClearinghouseCommand(s Clearinghouse) *cobra.Command {
	var o ClearinghouseOptions
	c := &cobra.Command{
		Use: "clearinghouse", Short: "Simulate a clearinghouse over SFTP and CAQH CORE", Args: cobra.NoArgs,
		Long: clearinghouseHelp + s.Scenarios + faultsHelp + s.Faults,
		Example: "  molar clearinghouse\n  molar clearinghouse --json --sftp 127.0.0.1:0 --core 127.0.0.1:0 --data /tmp/ch\n" +
			"  molar clearinghouse --fault sftp:cut=0.1 --fault core:d2",
		RunE: func(c *cobra.Command, _ []string) error { return s.Run(c.Context(), o) },
	}
	c.Flags().StringVar(&o.SFTP, "sftp", "127.0.0.1:2222", "address of the SFTP server; port 0 picks a free one")
	c.Flags().StringVar(&o.CORE, "core", "127.0.0.1:8443", "address of the CORE endpoint; port 0 picks a free one")
	c.Flags().StringVar(&o.Data, "data", "", "data folder (default: one for this user)")
	c.Flags().BoolVar(&o.JSON, "json", false, "print one line of JSON when ready")
	c.Flags().BoolVar(&o.Public, "public", false, "allow addresses that other machines can reach")
	c.Flags().BoolVar(&o.Strict, "strict", false, "accept only the printed identifiers, and one usage")
	c.Flags().StringVar(&o.Usage, "usage", "P", "the usage (ISA15) that --strict accepts: P or T")
	c.Flags().StringVar(&o.SenderID, "sender-id", "PRACTICE", "identifier of the practice (ISA06, GS02, SenderID)")
	c.Flags().StringVar(&o.ReceiverID, "receiver-id", "MOLARCH", "identifier of the clearinghouse (ISA08, GS03, ReceiverID)")
	c.Flags().BoolVar(&o.Use997, "use-997", false, "acknowledge files with a 997 instead of a 999")
	c.Flags().StringVar(&o.SignIn, "sign-in", "both", "how SFTP clients sign in: password, key or both")
	c.Flags().StringArrayVar(&o.Faults, "fault", nil, "fault to simulate, such as core:hang or sftp:cut=0.1 (repeatable)")
	return c
}
