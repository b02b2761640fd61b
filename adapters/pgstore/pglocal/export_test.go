package pglocal

// Forget releases a cluster whose server goes on, as the end of the process would.
func Forget(c *Cluster) { release(c.lock) }
