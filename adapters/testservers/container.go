package testservers

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	dockercontainer "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// container is a server in a Docker container. This package chooses its host
// port, because Docker picks a new one each time a container starts.
type container struct {
	image  string
	port   string // port inside the container
	cmd    []string
	env    map[string]string
	scheme string
	ready  func(ctx context.Context, url string) error

	c    *testcontainers.DockerContainer
	host string
	out  int // port on the host
}

// dockerResponds reports whether a Docker engine responds. It looks for the
// engine in the same places as testcontainers.
func dockerResponds(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return false
	}
	defer func() { _ = docker.Close() }()
	_, err = docker.Ping(ctx, client.PingOptions{})
	return err == nil
}

func (d *container) url() string {
	return fmt.Sprintf(d.scheme, net.JoinHostPort(d.host, strconv.Itoa(d.out)))
}

func (d *container) start(ctx context.Context) error {
	var err error
	if d.c == nil {
		err = d.create(ctx)
	} else {
		err = d.c.Start(ctx)
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", d.image, err)
	}
	for {
		try, cancel := context.WithTimeout(ctx, 30*time.Second)
		err := d.ready(try, d.url())
		cancel()
		if err == nil {
			return nil
		}
		if pause(ctx, 50*time.Millisecond) != nil {
			return fmt.Errorf("start %s: %w", d.image, err)
		}
	}
}

func (d *container) create(ctx context.Context) error {
	var err error
	if d.out == 0 {
		if d.out, err = FreePort(); err != nil {
			return err
		}
	}
	inside, err := network.ParsePort(d.port)
	if err != nil {
		return err
	}
	d.c, err = testcontainers.Run(ctx, d.image,
		testcontainers.WithExposedPorts(d.port),
		testcontainers.WithEnv(d.env),
		testcontainers.WithCmd(d.cmd...),
		testcontainers.WithHostConfigModifier(func(hc *dockercontainer.HostConfig) {
			hc.PortBindings = network.PortMap{
				inside: {{HostIP: netip.IPv4Unspecified(), HostPort: strconv.Itoa(d.out)}},
			}
		}),
	)
	if err != nil {
		return err
	}
	d.host, err = d.c.Host(ctx)
	return err
}

func (d *container) kill(ctx context.Context) error {
	if d.c == nil {
		return nil
	}
	if state, err := d.c.State(ctx); err != nil || !state.Running {
		return err
	}
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = docker.Close() }()
	gone := docker.ContainerWait(ctx, d.c.GetContainerID(), client.ContainerWaitOptions{Condition: dockercontainer.WaitConditionNotRunning})
	if _, err := docker.ContainerKill(ctx, d.c.GetContainerID(), client.ContainerKillOptions{Signal: "KILL"}); err != nil {
		return err
	}
	select {
	case err := <-gone.Error:
		return err
	case <-gone.Result:
		return nil
	}
}

func (d *container) pause(ctx context.Context, paused bool) error {
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = docker.Close() }()
	if paused {
		_, err = docker.ContainerPause(ctx, d.c.GetContainerID(), client.ContainerPauseOptions{})
	} else {
		_, err = docker.ContainerUnpause(ctx, d.c.GetContainerID(), client.ContainerUnpauseOptions{})
	}
	return err
}

// wipe removes the container with its volumes. The next start makes a new one.
func (d *container) wipe(ctx context.Context) error {
	err := d.c.Terminate(ctx)
	d.c = nil
	return err
}

func (d *container) run(ctx context.Context, command ...string) error {
	code, _, err := d.c.Exec(ctx, command)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s in %s: exit code %d", command[0], d.image, code)
	}
	return err
}

func (d *container) close() {
	_ = testcontainers.TerminateContainer(d.c, testcontainers.StopTimeout(0))
}
