package webhooks

// Lanes counts the lanes that the Dispatcher serves.
func (d *Dispatcher) Lanes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.lanes)
}

// Running reports whether the Dispatcher serves calls.
func (d *Dispatcher) Running() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.life != nil
}
