// Package task is what needs a person. A task follows from a resource, which alone says
// whether it exists: see the rules in claims.go, others.go and waiting.go. What people do with the list,
// such as to snooze a task, is the task's own.
package task
