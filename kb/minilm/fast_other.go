//go:build !amd64

package minilm

func fastest() arithmetic { return portable{} }
