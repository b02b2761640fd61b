-- +goose Up

-- The kinds of connections are those of the release: see ports.ConnectionKind.
ALTER TABLE connections DROP CONSTRAINT connections_kind_check;
