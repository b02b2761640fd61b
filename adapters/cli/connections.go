package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/core/intake"
)

// connectionCommands manages the connections to networks of payers.
func connectionCommands(b Backend) *cobra.Command {
	c := group("connections", "Connections to clearinghouses and payers", addConnection(b), replaceConnection(b), listConnections(b), showConnection(b), testConnection(b),
		changeConnection(b, "enable", "Use a connection again after it was disabled or paused", enableHelp, (*connections.Service).Enable),
		changeConnection(b, "disable", "Stop using a connection, in both directions", disableHelp, (*connections.Service).Disable),
		removeConnection(b))
	c.Long = "Connections carry live traffic, and test traffic that should not go to the sandbox. Running services use a change within two seconds.\n\n" +
		"A message goes through a connection of its organization, or else through one of the deployment. Of several, one that lists the\n" +
		"payer comes first, then the first by name. Without a connection, live checks return 503 and live claims stay queued."
	return c
}

// onConnections completes a command that runs fn on the database. All connections
// commands have --json.
func onConnections(
	open Open[*connections.Service], c *cobra.Command,
	fn func(c *cobra.Command, s *connections.Service, args []string, asJSON bool) error,
) *cobra.Command {
	var asJSON bool
	c.RunE = open.run(func(c *cobra.Command, s *connections.Service, args []string) error { return fn(c, s, args, asJSON) })
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	if c.Args == nil {
		c.Args = oneOf("connection", "molar connections list")
	}
	return c
}

func addConnection(b Backend) *cobra.Command {
	c := &cobra.Command{
		Use: "add FILE", Short: "Add a connection from a JSON document",
		Args: exactlyOne("name one file, such as: molar connections add clearinghouse.json"),
		Long: "Adds the connection that a JSON document describes. Secrets are in files of their own, which the document names; paths are\n" +
			"relative to the document. They are stored encrypted, and no command prints them. Afterwards the files can be deleted.\n" +
			"With - for FILE, the document comes from standard input, by itself or first in a tar archive with the files that it names.\n\n" +
			documentHelp(b.Kinds),
		Example: "  molar connections add clearinghouse.json && molar connections test 'My clearinghouse'\n\n" +
			"  where clearinghouse.json is:\n" +
			`    {"name": "My clearinghouse", "mode": "live", "kind": "sftp", "carries": ["claims"], "usage": "P",` + "\n" +
			`     "sender_id": "MOLAR1", "receiver_id": "330897513", "receiver_qualifier": "30",` + "\n" +
			`     "addr": "sftp.example.com:22", "user": "molar1", "key_file": "id_ed25519", "host_key": "SHA256:...",` + "\n" +
			`     "outbox": "/inbound", "inbox": "/outbound", "archive": "/outbound/archive"}` + "\n\n" +
			"  From outside the container in which the service runs:\n" +
			"    tar c clearinghouse.json id_ed25519 | docker compose exec -T api molar connections add -",
	}
	return storing(b, c, (*connections.Service).Add, "added")
}

func replaceConnection(b Backend) *cobra.Command {
	c := &cobra.Command{
		Use: "replace FILE", Short: "Change a connection, such as its password, by a JSON document",
		Args: exactlyOne("name one file, such as: molar connections replace clearinghouse.json"),
		Long: "Changes the connection that has the name of the document to the document: address, user, secrets, identifiers, payers and\n" +
			"options. The document is as for molar connections add, and whole: what it leaves out gets its default, and it names the\n" +
			"files of all secrets again. Mode, kind and organization stay.\n\n" +
			"Batches that wait to be sent or for acknowledgements stay with the connection, so it can be replaced at any time. A pause\n" +
			"ends. A disabled connection stays disabled unless the document has \"enabled\": true. Running services use the change within\n" +
			"two seconds; calls that are under way end first.",
		Example: "  molar connections replace clearinghouse.json && molar connections test 'My clearinghouse'",
	}
	return storing(b, c, (*connections.Service).Replace, "replaced")
}

// storing completes a command that stores the connection of a document.
func storing(
	b Backend, c *cobra.Command, store func(*connections.Service, context.Context, intake.ConnectionRequest) (*network.Connection, error), done string,
) *cobra.Command {
	return onConnections(b.Networks, c, func(c *cobra.Command, s *connections.Service, args []string, asJSON bool) error {
		request, err := readConnection(b.Kinds, c.InOrStdin(), args[0])
		if err != nil {
			return err
		}
		stored, err := store(s, c.Context(), request)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(c, connectionShape(stored, s.Show(stored)))
		}
		return printStored(c, b.Kinds, stored, done)
	})
}

// printStored prints what a command has stored, and what to do next.
func printStored(c *cobra.Command, kinds network.Kinds, stored *network.Connection, done string) error {
	err := say(c, "%s %s: %s, %s mode, %s, for %s. It is %s.", stored.Name, done, stored.Kind, stored.Mode, carried(stored.Carries),
		servedBy(stored), stored.State())
	switch of := kinds.Find(stored.Kind); {
	case err != nil:
	case of != nil && of.Added != "":
		err = say(c, "%s", of.Added)
	default:
		err = say(c, "Test it with: molar connections test '%s'", stored.Name)
	}
	return err
}

func listConnections(b Backend) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the connections", Args: cobra.NoArgs}
	return onConnections(b.Connections, c, func(c *cobra.Command, s *connections.Service, _ []string, asJSON bool) error {
		all, err := s.List(c.Context())
		if err != nil {
			return err
		}
		if asJSON {
			shapes := []connectionJSON{}
			for _, one := range all {
				shapes = append(shapes, connectionShape(one, s.Show(one)))
			}
			return printJSON(c, shapes)
		}
		return list(c, "", "NAME\tKIND\tMODE\tCARRIES\tFOR\tSTATE", all, func(one *network.Connection) []any {
			return []any{one.Name, one.Kind, one.Mode, carried(one.Carries), servedBy(one), standing(one)}
		})
	})
}

func showConnection(b Backend) *cobra.Command {
	c := &cobra.Command{Use: "show NAME", Short: "Show a connection, without its secrets"}
	return onConnections(b.Connections, c, func(c *cobra.Command, s *connections.Service, args []string, asJSON bool) error {
		one, err := s.Get(c.Context(), args[0])
		if err != nil {
			return err
		}
		shape := connectionShape(one, s.Show(one))
		if asJSON {
			return printJSON(c, shape)
		}
		rows := []string{"state\t" + standing(one)}
		if !one.Pause.IsZero() {
			rows = append(rows, "paused because\t"+one.Pause.Detail)
		}
		return table(c, "name\t"+one.Name, append(rows, shape.rows()...))
	})
}

func testConnection(b Backend) *cobra.Command {
	c := &cobra.Command{
		Use: "test NAME", Short: "Test a connection step by step",
		Long: "Tests a connection step by step, and exits with 0 only when no step failed. It also tests one that is disabled or paused.\n\n" +
			"Nothing is written to the folders of an SFTP connection without --write: those steps are not tried. With it, a small text\n" +
			"is uploaded as batches are, under such a name, and removed; the test then says which value of the option upload fits, where\n" +
			"it can see that. A clearinghouse that reads each file at once may report the text as an error.",
		Example: "  molar connections test --write 'My clearinghouse'",
	}
	write := c.Flags().Bool("write", false, "also write a small file to the outbox and the archive, and remove it")
	return onConnections(b.Networks, c, func(c *cobra.Command, s *connections.Service, args []string, asJSON bool) error {
		steps, err := s.Test(c.Context(), args[0], *write)
		if err != nil {
			return err
		}
		out := probeJSON{Connection: args[0], OK: true, Steps: []stepJSON{}}
		var rows []string
		for _, step := range steps {
			shape := stepJSON{Step: step.Name, Result: "ok", Detail: step.Detail}
			switch {
			case step.Err != nil:
				shape.Result, shape.Detail, out.OK = "failed", step.Err.Error(), false
			case step.Skipped != "":
				shape.Result, shape.Detail = "skipped", step.Skipped
			case step.NotTried != "":
				shape.Result, shape.Detail = "not tried", step.NotTried
			}
			out.Steps = append(out.Steps, shape)
			rows = append(rows, shape.Step+"\t"+shape.Result+"\t"+shape.Detail)
		}
		if asJSON {
			err = printJSON(c, out)
		} else {
			err = table(c, "STEP\tRESULT\tDETAIL", rows)
		}
		if err == nil && !out.OK {
			err = fmt.Errorf("%s does not work; the failed step says why", args[0])
		}
		return err
	})
}

type probeJSON struct {
	Connection string     `json:"connection"`
	OK         bool       `json:"ok"`
	Steps      []stepJSON `json:"steps"`
}

type stepJSON struct {
	Step   string `json:"step"`
	Result string `json:"result"` // ok, failed, skipped or not tried
	Detail string `json:"detail"`
}

const enableHelp = "Uses a connection again, within two seconds. A pause ends: correct the account first, because accounts lock after a few refused\n" +
	"sign-ins. Claims that waited go out with the next batch, and files that waited at the clearinghouse are received."

const disableHelp = "Stops using a connection within two seconds, in both directions: nothing is sent, and nothing is received.\n\n" +
	"Its payers are then reached through another connection, if there is one. Otherwise claims stay queued and checks return 503.\n" +
	"Files that come back, also payments, wait at the clearinghouse until the connection is enabled; ask how long it keeps them.\n" +
	"Meanwhile acknowledgements become overdue (molar batches list). Calls that are under way end first."

func changeConnection(
	b Backend, verb, short, long string, change func(s *connections.Service, ctx context.Context, name string) (*network.Connection, error),
) *cobra.Command {
	c := &cobra.Command{Use: verb + " NAME", Short: short, Long: long}
	return onConnections(b.Connections, c, func(c *cobra.Command, s *connections.Service, args []string, asJSON bool) error {
		one, err := change(s, c.Context(), args[0])
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(c, connectionShape(one, s.Show(one)))
		}
		return say(c, "%s is %s.", one.Name, one.State())
	})
}

func removeConnection(b Backend) *cobra.Command {
	c := &cobra.Command{
		Use: "remove NAME", Short: "Remove a connection with its secrets",
		Long: "Removes a connection with its secrets. It is refused while batches wait to be sent through the connection, have an unknown\n" +
			"outcome, or wait for acknowledgements: nothing that comes back about them would be received. Payments come weeks after\n" +
			"the claims, too, so keep a connection until the claims that it sent are settled.\n\n" +
			"To change an account, its password or its address, use molar connections replace.",
	}
	force := c.Flags().Bool("force", false, "remove it although batches need it; their claims stay queued or submitted")
	return onConnections(b.Connections, c, func(c *cobra.Command, s *connections.Service, args []string, asJSON bool) error {
		if err := s.Remove(c.Context(), args[0], *force); err != nil {
			return err
		}
		if asJSON {
			return printJSON(c, map[string]any{"name": args[0], "removed": true})
		}
		return say(c, "%s is removed.", args[0])
	})
}

// carried joins transactions for people.
func carried(carries []network.Transaction) string { return joined(carries, ", ") }

func servedBy(c *network.Connection) string {
	if c.Org.IsZero() {
		return "every organization"
	}
	return c.Org.String()
}

// standing describes the state, with the time and the reason of a pause.
func standing(c *network.Connection) string {
	if c.State() == network.Paused {
		return fmt.Sprintf("paused at %s: %s", event.Timestamp(c.Pause.At), c.Pause.Reason)
	}
	return string(c.State())
}

func printJSON(c *cobra.Command, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return say(c, "%s", b)
}

const connectionFields = `Every connection has:

  name                unique; commands name the connection by it
  mode                test or live
  kind                %s
  carries             a list: %s
  org_id              the organization that it serves (default: every organization)
  usage               P (production) or T (test), in ISA15; live requires P
  sender_id, sender_qualifier, receiver_id, receiver_qualifier
                      the ends of interchanges (ISA05 to ISA08); the qualifiers are ZZ by default
  payers              a list of {"payer_id", "network_payer_id", "transactions"} (default: every payer, under its own ID)
  enabled             default true
  options             an object
`

// documentHelp describes the documents of connections, by the tables of the kinds.
func documentHelp(kinds network.Kinds) string {
	var b strings.Builder
	add := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format, args...) }
	carries := make([]string, len(kinds))
	for i, k := range kinds {
		carries[i] = joined(k.Carries, " or ") + " for " + k.Name
	}
	add(connectionFields, kinds.Names(), strings.Join(carries, ", "))
	for _, k := range kinds {
		fields := k.Fields()
		if len(fields) > 0 {
			add("\nA connection of the kind %s has also:\n\n", k.Name)
		}
		for _, f := range fields {
			add("  %-19s %s\n", f.Name, strings.ReplaceAll(f.About, "\n", "\n"+strings.Repeat(" ", 22)))
		}
		if k.About != "" {
			add("\n%s\n", k.About)
		}
	}
	options := func(of string, all []network.OptionDoc) {
		if len(all) > 0 {
			add("\nThe options of %s, all of which may be left out:\n\n", of)
		}
		for _, o := range all {
			add("  %s (default %s)\n      %s\n", o.Name, o.Default, o.About)
		}
	}
	options("every connection", network.OptionDocs())
	for _, k := range kinds {
		options("the kind "+k.Name, k.Options())
	}
	return b.String()
}
