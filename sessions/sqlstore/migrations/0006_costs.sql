-- +goose Up
CREATE TABLE costs (                -- what models cost on a day
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  person      TEXT NOT NULL,        -- empty for all together
  day         INTEGER NOT NULL,     -- its midnight
  tokens      INTEGER NOT NULL,     -- spent, with what is set aside
  micros      INTEGER NOT NULL,     -- the same in millionths of a US dollar
  peak_tokens INTEGER NOT NULL,     -- the most that it was or would have been
  peak_micros INTEGER NOT NULL,
  UNIQUE (person, day)
);
CREATE INDEX costs_day ON costs (day);

CREATE TABLE reservations (         -- what was set aside for calls of models
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  person  TEXT NOT NULL,            -- empty for nobody, or once erased
  day     INTEGER NOT NULL,
  tokens  INTEGER NOT NULL,
  micros  INTEGER NOT NULL,
  settled INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX reservations_person ON reservations (person);
CREATE INDEX reservations_day ON reservations (day);

-- +goose Down
DROP TABLE reservations;
DROP TABLE costs;
