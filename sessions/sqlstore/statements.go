package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// statements keeps what the writing connection has compiled: compiling is half
// of what a short transaction costs. Only the goroutine that commits uses it.
type statements struct {
	compiled map[string]*sql.Stmt
	wanted   []string // used, and not compiled yet
}

// compile compiles what the last transaction used for the first time. There
// must be none under way: there is one connection.
func (p *statements) compile(ctx context.Context, db *sql.DB) {
	for _, query := range p.wanted {
		if st, err := db.PrepareContext(ctx, query); err == nil { // else it is used as it is
			if p.compiled == nil {
				p.compiled = map[string]*sql.Stmt{}
			}
			p.compiled[query] = st
		}
	}
	p.wanted = p.wanted[:0]
}

func (p *statements) close() (err error) {
	for _, st := range p.compiled {
		err = errors.Join(err, st.Close())
	}
	return err
}

// of returns query compiled, or nil.
func (p *statements) of(ctx context.Context, tx *sql.Tx, query string) *sql.Stmt {
	if st := p.compiled[query]; st != nil {
		return tx.StmtContext(ctx, st)
	}
	if !slices.Contains(p.wanted, query) {
		p.wanted = append(p.wanted, query)
	}
	return nil
}

// exec runs a constant statement within a change and returns how many rows it
// changed.
func (s *Store) exec(ctx context.Context, tx *sql.Tx, query string, args ...any) (int64, error) {
	var r sql.Result
	var err error
	if st := s.statements.of(ctx, tx, query); st != nil {
		r, err = st.ExecContext(ctx, args...)
	} else {
		r, err = tx.ExecContext(ctx, query, args...)
	}
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// row is the first row of a constant query within a change.
func (s *Store) row(ctx context.Context, tx *sql.Tx, query string, args ...any) *sql.Row {
	if st := s.statements.of(ctx, tx, query); st != nil {
		return st.QueryRowContext(ctx, args...)
	}
	return tx.QueryRowContext(ctx, query, args...)
}

// rows are the rows of a constant query within a change.
func (s *Store) rows(ctx context.Context, tx *sql.Tx, query string, args ...any) (*sql.Rows, error) {
	if st := s.statements.of(ctx, tx, query); st != nil {
		return st.QueryContext(ctx, args...)
	}
	return tx.QueryContext(ctx, query, args...)
}
