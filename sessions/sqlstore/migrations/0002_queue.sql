-- +goose Up
CREATE TABLE people (
  person        TEXT PRIMARY KEY,            -- keyed hash of the address
  channel       TEXT NOT NULL,
  address       BLOB,                        -- sealed; NULL if not known
  told          INTEGER NOT NULL DEFAULT 0,  -- had the notice to a new person
  opted_out     INTEGER NOT NULL DEFAULT 0,
  blocked_why   TEXT,                        -- NULL: not blocked
  blocked_until INTEGER NOT NULL DEFAULT 0,  -- 0 for ever
  turn          INTEGER NOT NULL DEFAULT 0,  -- the last turn given
  seen          INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX people_blocked ON people (person) WHERE blocked_why IS NOT NULL;

CREATE TABLE consent (                       -- rows are only ever added
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  person   TEXT NOT NULL,
  decision TEXT NOT NULL,
  at       INTEGER NOT NULL,
  word     TEXT NOT NULL,
  channel  TEXT NOT NULL
);
CREATE INDEX consent_person ON consent (person);

CREATE TABLE served (turn INTEGER NOT NULL); -- one row: the highest turn handed out
INSERT INTO served (turn) VALUES (0);

-- Every message that came in. A job is a message and those that joined it; what
-- is known of the job stands in the row of its first message.
CREATE TABLE inbox (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  joins    INTEGER,                          -- seq of the first message of its job; NULL: itself
  channel  TEXT NOT NULL,
  id       TEXT NOT NULL,                    -- the channel's
  person   TEXT NOT NULL,                    -- empty once erased
  message  BLOB,                             -- sealed; NULL once finished
  hash     TEXT NOT NULL,                    -- keyed hash of the words
  urgent   INTEGER NOT NULL,
  word     TEXT NOT NULL,
  receipt  TEXT NOT NULL,
  counted  INTEGER NOT NULL,                 -- towards the limits
  received INTEGER NOT NULL,
  plain    INTEGER NOT NULL,                 -- may be joined with its like
  texts    INTEGER NOT NULL,                 -- messages of the job
  runes    INTEGER NOT NULL,                 -- of the job
  turn     INTEGER NOT NULL,
  due      INTEGER NOT NULL,                 -- not to be handed out before; the end of its lease if leased
  stand    INTEGER NOT NULL,                 -- 0 behind others of its person, 1 first from wake on, 2 may be handed out
  wake     INTEGER NOT NULL,
  leased   INTEGER NOT NULL DEFAULT 0,
  owner    TEXT NOT NULL DEFAULT '',
  fence    INTEGER NOT NULL DEFAULT 0,
  tries    INTEGER NOT NULL DEFAULT 0,
  done     INTEGER NOT NULL,                 -- 0 waits, 1 finished, 2 parked
  why      TEXT NOT NULL DEFAULT '',
  finished INTEGER NOT NULL,                 -- or parked; 0 if it waits
  UNIQUE (channel, id)
);
CREATE INDEX inbox_joins ON inbox (joins) WHERE joins IS NOT NULL;
CREATE INDEX inbox_person ON inbox (person, received);
CREATE INDEX inbox_line ON inbox (person, seq, done, urgent) WHERE done = 0; -- the last two spare a count the table
CREATE INDEX inbox_held ON inbox (urgent, wake) WHERE stand = 1;
CREATE INDEX inbox_ready ON inbox (urgent DESC, turn, seq) WHERE stand = 2;
CREATE INDEX inbox_leased ON inbox (person, due) WHERE leased = 1;
CREATE INDEX inbox_waiting ON inbox (received) WHERE done = 0;
CREATE INDEX inbox_finished ON inbox (finished) WHERE done = 1;
CREATE INDEX inbox_parked ON inbox (finished) WHERE done = 2;

CREATE TABLE outbox (
  seq       INTEGER PRIMARY KEY AUTOINCREMENT,
  key       TEXT NOT NULL UNIQUE,
  person    TEXT NOT NULL,                   -- empty once erased
  channel   TEXT NOT NULL,
  content   BLOB,                            -- address and text, sealed; NULL once accepted or failed
  urgent    INTEGER NOT NULL,
  unasked   INTEGER NOT NULL,
  despite   INTEGER NOT NULL,                -- goes to a person who opted out: it says so
  erase     INTEGER NOT NULL,                -- its history is nobody's
  composed  INTEGER NOT NULL,
  asked     INTEGER NOT NULL,
  state     TEXT NOT NULL,
  due       INTEGER NOT NULL,                -- as in inbox
  stand     INTEGER NOT NULL,
  wake      INTEGER NOT NULL,
  leased    INTEGER NOT NULL DEFAULT 0,
  owner     TEXT NOT NULL DEFAULT '',
  fence     INTEGER NOT NULL DEFAULT 0,
  tries     INTEGER NOT NULL DEFAULT 0,
  taken     INTEGER NOT NULL DEFAULT 0,      -- when it was last handed out
  tried     INTEGER NOT NULL DEFAULT 0,      -- when a lease began that ended without a word; 0 if none did
  done      INTEGER NOT NULL,                -- 1: accepted or failed
  vendor    TEXT NOT NULL DEFAULT '',        -- the vendor's name for it
  why       TEXT NOT NULL DEFAULT '',
  finished  INTEGER NOT NULL,                -- 0 if it waits
  delivered INTEGER NOT NULL DEFAULT 0       -- when the vendor told what came of it
);
CREATE INDEX outbox_line ON outbox (person, urgent, unasked, seq, done) WHERE done = 0;
CREATE INDEX outbox_person ON outbox (person, finished);
CREATE INDEX outbox_held ON outbox (channel, urgent, wake) WHERE stand = 1;
CREATE INDEX outbox_ready ON outbox (channel, urgent DESC, seq) WHERE stand = 2;
CREATE INDEX outbox_leased ON outbox (person, due) WHERE leased = 1;
CREATE INDEX outbox_vendor ON outbox (channel, vendor) WHERE vendor <> '';
CREATE INDEX outbox_waiting ON outbox (composed) WHERE done = 0;
CREATE INDEX outbox_finished ON outbox (finished) WHERE done = 1;

-- +goose Down
DROP TABLE outbox;
DROP TABLE inbox;
DROP TABLE served;
DROP TABLE consent;
DROP TABLE people;
