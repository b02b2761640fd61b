package testservers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// RabbitServer is a RabbitMQ broker. Its URL is that of an administrator in the
// virtual host /.
type RabbitServer struct{ server }

// Rabbit returns the test binary's shared RabbitMQ broker. Each test uses its
// own names of queues and exchanges.
func Rabbit(tb testing.TB) *RabbitServer {
	tb.Helper()
	return &RabbitServer{rabbit.share(tb, &shared.rabbit)}
}

// StartRabbit starts a private RabbitMQ broker, which the test may kill. The
// broker ends with the test.
func StartRabbit(tb testing.TB) *RabbitServer {
	tb.Helper()
	return &RabbitServer{rabbit.start(tb)}
}

// virtualHosts are those that the shared broker has for tests. One command makes all of
// them, because its start costs half as much as the start of a broker.
//
//nolint:gochecknoglobals // as the broker is
var virtualHosts struct {
	once sync.Once
	err  error
	next atomic.Int32
}

const maxVirtualHosts = 16

// VirtualHost returns the URL of a virtual host of the shared broker that no other test of
// the binary uses. A broker that the environment names is left as it is: the test gets
// a private broker instead.
func VirtualHost(tb testing.TB) string {
	tb.Helper()
	s := Rabbit(tb)
	if _, ok := s.m.(external); ok {
		return StartRabbit(tb).URL()
	}
	ctx, cancel := lasting(tb)
	defer cancel()
	virtualHosts.once.Do(func() {
		virtualHosts.err = s.m.run(ctx, "rabbitmqctl", "eval", fmt.Sprintf(`[begin
			V = list_to_binary("test" ++ integer_to_list(N)),
			rabbit_vhost:add(V, <<"guest">>),
			rabbit_auth_backend_internal:set_permissions(<<"guest">>, V, <<".*">>, <<".*">>, <<".*">>, <<"guest">>)
			end || N <- lists:seq(1, %d)].`, maxVirtualHosts))
	})
	n := virtualHosts.next.Add(1)
	if virtualHosts.err != nil || n > maxVirtualHosts {
		tb.Fatalf("testservers: virtual host %d of %d: %v", n, maxVirtualHosts, virtualHosts.err)
	}
	return s.URL() + fmt.Sprint("test", n)
}

// DiskAlarm sets or clears the disk alarm. During the alarm, the broker stops
// reading from publishers.
func (s *RabbitServer) DiskAlarm(on bool) {
	s.tb.Helper()
	limit := "50MB"
	if on {
		limit = "100000GB"
	}
	s.run("rabbitmqctl", "set_disk_free_limit", limit)
}

func (s *RabbitServer) run(command ...string) {
	s.tb.Helper()
	ctx, cancel := lasting(s.tb)
	defer cancel()
	if err := s.m.run(ctx, command...); err != nil {
		s.tb.Fatalf("testservers: %v", err)
	}
}

//nolint:gochecknoglobals // a constant in all but name
var rabbit = brand{
	env: envAMQP,
	container: func() machine {
		return &container{
			image:  "rabbitmq:4.2.5-management-alpine",
			port:   "5672/tcp",
			env:    map[string]string{"RABBITMQ_NODENAME": "rabbit@localhost"}, // rabbitmqctl needs the same name
			scheme: "amqp://guest:guest@%s/",
			ready:  pingRabbit,
		}
	},
	program: func() (machine, error) {
		// Debian's script on PATH runs the one broker of the machine, so the
		// broker's own script comes first.
		script, ok := find("rabbitmq-server", "/usr/lib/rabbitmq/bin/rabbitmq-server")
		epmd, okEPMD := find("epmd", "/usr/lib/erlang/erts*/bin/epmd", "/usr/lib/erlang/bin/epmd")
		if !ok || !okEPMD {
			return nil, errors.New("no RabbitMQ here: install it (Debian: apt-get install rabbitmq-server)")
		}
		return rabbitProgram(script, epmd), nil
	},
}

// rabbitProgram runs the port mapper in the foreground beside the broker, in
// the same process group. If Erlang started it, the port mapper would be a
// daemon and outlive the broker.
func rabbitProgram(script, epmd string) *program {
	const both = `"$1" -port "$ERL_EPMD_PORT" & exec "$2"`
	return &program{
		name:    "rabbitmq",
		as:      lesser("rabbitmq", "nobody"),
		scheme:  "amqp://guest:guest@%s/",
		quit:    syscall.SIGKILL, // a clean stop takes seconds, and no test needs it
		prepare: prepareRabbit,
		command: func(p *program) *exec.Cmd {
			cmd := exec.Command("/bin/sh", "-c", both, "rabbitmq", epmd, script)
			cmd.Env = rabbitEnv(p)
			return cmd
		},
		control: func(ctx context.Context, p *program, command []string) *exec.Cmd {
			ctl := filepath.Join(filepath.Dir(script), command[0])
			cmd := exec.CommandContext(ctx, ctl, command[1:]...)
			cmd.Env = rabbitEnv(p)
			return cmd
		},
		ready: pingRabbit,
	}
}

// prepareRabbit makes the data folder, and the files that keep the broker from
// reading the machine's configuration.
func prepareRabbit(_ context.Context, p *program) error {
	if err := os.Mkdir(p.data(), 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(p.dir, noPlugins), 0o755); err != nil {
		return err
	}
	files := map[string]string{
		"plugins":  "[].",
		"env.conf": "",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return p.give(p.data())
}

// noPlugins is an empty folder. The broker reads what is in the machine's, though it starts none.
const noPlugins = "noplugins"

// codePath returns Erlang's option that the code of the broker is looked for where most of it is.
// Otherwise each of 600 modules is looked for in the folders of 70 plugins first, which takes half of
// the processor's time of a start. Erlang looks into the last one first.
func codePath() string {
	path := ""
	for _, app := range []string{
		"rabbitmq_prelaunch", "ra", "cuttlefish", "ssl", "mnesia", "compiler", "inets", "rabbit_common", "stdlib", "kernel", "rabbit",
	} {
		for _, lib := range []string{"/usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins", "/usr/lib/erlang/lib"} {
			found, _ := filepath.Glob(filepath.Join(lib, app+"-[0-9]*", "ebin"))
			for _, dir := range found {
				path += " " + dir
			}
		}
	}
	if path == "" {
		return ""
	}
	return " -pa" + path
}

func rabbitEnv(p *program) []string {
	in := func(name string) string { return filepath.Join(p.dir, name) }
	set := map[string]string{
		"PATH":                                os.Getenv("PATH"), //nolint:forbidigo // the broker's scripts need the machine's programs
		"HOME":                                p.dir,
		"LANG":                                "C.UTF-8",
		"ERL_EPMD_PORT":                       strconv.Itoa(p.ports[1]),
		"ERL_EPMD_ADDRESS":                    "127.0.0.1",
		"RABBITMQ_NODENAME":                   fmt.Sprintf("molar%d@localhost", p.ports[0]),
		"RABBITMQ_NODE_IP_ADDRESS":            "127.0.0.1",
		"RABBITMQ_NODE_PORT":                  strconv.Itoa(p.ports[0]),
		"RABBITMQ_DIST_PORT":                  strconv.Itoa(p.ports[2]),
		"RABBITMQ_CONF_ENV_FILE":              in("env.conf"),
		"RABBITMQ_CONFIG_FILE":                in("rabbitmq"),
		"RABBITMQ_ADVANCED_CONFIG_FILE":       in("advanced.config"),
		"RABBITMQ_GENERATED_CONFIG_DIR":       in("generated"),
		"RABBITMQ_SCHEMA_DIR":                 in("schema"),
		"RABBITMQ_ENABLED_PLUGINS_FILE":       in("plugins"),
		"RABBITMQ_MNESIA_BASE":                p.data(),
		"RABBITMQ_LOG_BASE":                   in("logs"),
		"RABBITMQ_LOGS":                       "-", // to the console; a configuration file would have its schemas compiled first
		"RABBITMQ_PID_FILE":                   in("pid"),
		"RABBITMQ_PLUGINS_DIR":                in(noPlugins),
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none" + codePath(), // no spinning: the tests need the processor
	}
	env := make([]string, 0, len(set))
	for name, value := range set {
		env = append(env, name+"="+value)
	}
	return env
}

// pingRabbit declares a queue, because the port opens long before queues work.
func pingRabbit(ctx context.Context, url string) error {
	conn, err := amqp.DialConfig(url, amqp.Config{
		Dial: func(network, addr string) (net.Conn, error) {
			var d net.Dialer
			c, err := d.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			deadline, _ := ctx.Deadline()
			return c, c.SetDeadline(deadline)
		},
	})
	if err != nil {
		return err
	}
	defer conn.CloseDeadline(time.Now().Add(time.Second)) //nolint:errcheck // the result is known by then
	ch, err := conn.Channel()
	if err != nil {
		return err
	}
	_, err = ch.QueueDeclare("", false, true, true, false, nil)
	return err
}
