-- +goose Up

-- The last job that could not send the attachment because of a fault of the
-- service itself. It goes on while it is the job of the column sending, too.
ALTER TABLE attachments ADD COLUMN stalled uuid;
GRANT UPDATE (stalled) ON attachments TO molar_app;
