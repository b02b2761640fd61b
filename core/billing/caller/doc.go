// Package caller is who calls: organizations, users with their sessions, keys, what each may
// do, and what is kept of their requests for replays and for the audit.
package caller
