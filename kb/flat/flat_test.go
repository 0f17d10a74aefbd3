package flat

import (
	"testing"

	"plumbline/kb"
	"plumbline/kb/kbtest"
)

func TestContract(t *testing.T) {
	kbtest.Run(t, func(*testing.T) kb.Index { return New() })
}
