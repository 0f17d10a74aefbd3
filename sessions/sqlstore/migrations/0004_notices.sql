-- +goose Up
CREATE TABLE notices (
  id      TEXT PRIMARY KEY,
  kind    TEXT NOT NULL,
  area    TEXT NOT NULL,
  texts   TEXT NOT NULL,      -- JSON: language to text
  source  TEXT NOT NULL,      -- JSON
  starts  INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  ended   INTEGER NOT NULL,   -- 0 while nobody has ended it
  by_name TEXT NOT NULL,
  ended_by TEXT NOT NULL,
  posted  INTEGER NOT NULL
);
CREATE INDEX notices_expires ON notices (expires);

-- +goose Down
DROP TABLE notices;
