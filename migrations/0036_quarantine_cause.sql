-- +goose Up

-- Why a file is in quarantine, for metrics. Files of earlier releases have no cause of
-- their own.
ALTER TABLE quarantine ADD COLUMN cause text NOT NULL DEFAULT 'other'
    CHECK (cause IN ('empty', 'report', 'unreadable', 'other', 'unplaced'));
