-- +goose Up

-- People have names, and choose a password before anything else when an invitation, or
-- a link after a reset, signs them in.

ALTER TABLE users ADD COLUMN name text NOT NULL DEFAULT ''; -- empty for none
GRANT SELECT (name), UPDATE (name) ON users TO molar_app;

ALTER TABLE sessions ADD COLUMN wants_password boolean NOT NULL DEFAULT false; -- until the user has one
GRANT SELECT (wants_password) ON sessions TO molar_app;
