package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const (
	readyURL     = "http://127.0.0.1:9090/readyz"
	readyTimeout = 5 * time.Second
	maxComplaint = 1 << 10 // bytes of what keeps a process from being ready
)

// ready asks a process of the service whether it is ready, for health checks in
// images that have no other program for that.
func ready() *cobra.Command {
	return &cobra.Command{
		Use: "ready [URL]", Short: "Ask a process of the service whether it is ready",
		Long: "Asks the ops port of a process whether it is ready, and fails when it is not. The URL is " + readyURL + " unless one is given.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			url := append(args, readyURL)[0]
			r, err := http.NewRequestWithContext(c.Context(), http.MethodGet, url, nil)
			if err != nil {
				return fmt.Errorf("%q is not a URL; it has the form %s", url, readyURL)
			}
			answer, err := (&http.Client{Timeout: readyTimeout}).Do(r)
			if err != nil {
				return fmt.Errorf("nothing listens there: %w", err)
			}
			defer func() { _ = answer.Body.Close() }()
			text, err := io.ReadAll(io.LimitReader(answer.Body, maxComplaint))
			if err == nil && answer.StatusCode != http.StatusOK {
				err = errors.New("not ready: " + strings.TrimSpace(string(text)))
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), "ready")
			return err
		},
	}
}
