-- +goose Up

-- A file that a bank cut within an entry brings a deposit without its trace number. The whole file completes it.
GRANT UPDATE (method, trace, returns, claims, content) ON deposits TO molar_app;
