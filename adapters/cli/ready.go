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
	maxComplaint = 1 << 10 // bytes of the reason why a process is not ready
)

// ready is the command for health checks in images without another HTTP client.
func ready() *cobra.Command {
	return &cobra.Command{
		Use: "ready [URL]", Short: "Ask a process of the service whether it is ready",
		Long: "Asks a process on its ops port whether it is ready, and exits with 1 if not.\nThe URL defaults to " + readyURL + ".",
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
			return say(c, "ready")
		},
	}
}
