package testservers_test

import (
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/molar-billing/molar/adapters/testservers"
)

func TestRabbitKeepsQueuesOverAKillAndLosesThemWhenWiped(t *testing.T) {
	t.Parallel()
	srv := testservers.StartRabbit(t)
	conn, ch := open(t, srv.URL())
	if _, err := ch.QueueDeclare("kept", true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()

	// RabbitMQ 3.10 answers before the queue itself is on disk, sometimes: killed
	// at once, 2 of 24 brokers came back without it.
	<-time.After(3 * time.Second)
	srv.Kill()
	if conn, err := amqp.Dial(srv.URL()); err == nil {
		_ = conn.Close()
		t.Fatal("a killed broker answers")
	}
	srv.Restart()
	conn, ch = open(t, srv.URL())
	if _, err := ch.QueueDeclarePassive("kept", true, false, false, false, nil); err != nil {
		t.Errorf("after a kill: %v", err)
	}
	_ = conn.Close()

	srv.Wipe()
	_, ch = open(t, srv.URL())
	if _, err := ch.QueueDeclarePassive("kept", true, false, false, false, nil); err == nil {
		t.Error("a wiped broker has the queue")
	}
}

// Queues of one virtual host are unknown in another.
func TestVirtualHostsAreApart(t *testing.T) {
	t.Parallel()
	one, other := testservers.VirtualHost(t), testservers.VirtualHost(t)
	_, ch := open(t, one)
	if _, err := ch.QueueDeclare("mine", true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	_, ch = open(t, other)
	if _, err := ch.QueueDeclarePassive("mine", true, false, false, false, nil); err == nil {
		t.Error("the queue of one virtual host is in the other")
	}
}

func open(t *testing.T, url string) (*amqp.Connection, *amqp.Channel) {
	t.Helper()
	conn, err := amqp.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ch, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	return conn, ch
}
