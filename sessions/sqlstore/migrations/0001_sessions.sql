-- +goose Up
CREATE TABLE sessions (
  person  TEXT PRIMARY KEY,
  value   BLOB NOT NULL,      -- sealed
  changed INTEGER NOT NULL,
  expires INTEGER NOT NULL    -- 0 for never
);
CREATE INDEX sessions_expires ON sessions (expires) WHERE expires > 0;

-- +goose Down
DROP TABLE sessions;
