-- +goose Up
CREATE TABLE boxes (                -- what the phones of our own page show
  seq    INTEGER PRIMARY KEY AUTOINCREMENT,
  person TEXT NOT NULL,
  key    TEXT NOT NULL,
  value  BLOB NOT NULL,             -- sealed
  added  INTEGER NOT NULL,
  UNIQUE (person, key)
);
CREATE INDEX boxes_added ON boxes (added);

-- +goose Down
DROP TABLE boxes;
