-- +goose Up

-- Work that one process does at a time, by name. Only the length of a lease counts, so it
-- uses the server's clock.
CREATE TABLE turns (
    name        text PRIMARY KEY,
    holder      uuid NOT NULL,
    lease_until timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON turns TO molar_system;

-- The files of connections: each version that a clearinghouse listed and that was asked
-- for, and what became of it. Those of the deployment's connections have no organization.
-- The row is written before the download begins, so that a file which is gone afterwards
-- has a name. A version that is no longer listed may come again; it is another row then.
CREATE TABLE received_files (
    id          uuid PRIMARY KEY,
    network     text NOT NULL,
    org_id      uuid,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    name        text NOT NULL,
    size        bigint NOT NULL,
    modified_at timestamptz NOT NULL,
    state       text NOT NULL CHECK (state IN ('fetching', 'received', 'applied', 'partial', 'changed', 'not_whole', 'refused', 'lost', 'set_aside')),
    reason      text NOT NULL,
    since       timestamptz NOT NULL,
    listed      boolean NOT NULL,
    digest      bytea, -- NULL: no content is stored
    tries       integer NOT NULL,
    holder      uuid NOT NULL,
    CONSTRAINT received_files_content CHECK (digest IS NOT NULL OR state NOT IN ('received', 'applied', 'partial', 'changed', 'not_whole'))
);
CREATE UNIQUE INDEX received_files_listed ON received_files (network, name, size, modified_at) WHERE listed;
CREATE INDEX received_files_waiting ON received_files (network, since, id) WHERE state = 'received';
CREATE INDEX received_files_problems ON received_files (since, id) WHERE state IN ('refused', 'lost', 'set_aside');
CREATE INDEX received_files_names ON received_files (network, name);
CREATE INDEX received_files_since ON received_files (since, id);

-- Their contents, encrypted, in parts of a megabyte: no process holds all of a large file
-- to store it.
CREATE TABLE received_parts (
    file_id uuid NOT NULL,
    part    integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (file_id, part)
);
ALTER TABLE received_parts ALTER COLUMN content SET STORAGE EXTERNAL;

ALTER TABLE received_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE received_files FORCE ROW LEVEL SECURITY;
CREATE POLICY system ON received_files TO molar_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON received_files TO molar_system;
GRANT SELECT, INSERT, DELETE ON received_parts TO molar_system;

-- A file of the deployment's connection is work of no organization: its job has the zero
-- ID for one.
GRANT INSERT, DELETE, UPDATE (not_before) ON jobs TO molar_system;
