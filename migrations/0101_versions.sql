-- +goose Up

-- Who changed which field of a resource last, and how many changes there were. The version of a resource is one more.

ALTER TABLE claims ADD COLUMN edits json NOT NULL DEFAULT '{}';
ALTER TABLE attachments ADD COLUMN edits json NOT NULL DEFAULT '{}';
ALTER TABLE offices ADD COLUMN edits json NOT NULL DEFAULT '{}';
ALTER TABLE providers ADD COLUMN edits json NOT NULL DEFAULT '{}';
ALTER TABLE enrollments ADD COLUMN version integer NOT NULL DEFAULT 1;

GRANT UPDATE (edits) ON claims, attachments, offices, providers TO molar_app;
GRANT UPDATE (version) ON enrollments TO molar_app;
