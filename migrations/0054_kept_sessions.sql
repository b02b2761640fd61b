-- +goose Up

-- A session in which a person set up a second factor goes on, as one with it.
GRANT UPDATE (totp, password_weak) ON sessions TO molar_app;
