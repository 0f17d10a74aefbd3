// Package llm is the family of stages that asks models: the paper's pipeline on
// any OpenAI-compatible endpoint. Each stage asks in words of its own, reads the
// reply leniently, holds it to what it may say, and hands over to its extractive
// twin when there is no reply that will do. Nothing that a model says reaches a
// person but through the gates.
//
// The layers, outermost first:
//
//	Stages    the stages of package pipeline, prompts and gates
//	Client    which model each stage asks, what it may cost, one repair
//	Player    replies from a folder in place of a server, for tests and evaluation
//	Steady    time-out, retries, circuit breaker, hedging, how many at once
//	Endpoint  one server, by go-openai
//
// A Request is data: everything that the reply depends on, so that it can be
// compared, recorded and replayed.
package llm
