// Package personas is the ways to speak, and the guard that holds every
// telling to what was to be told.
//
// A [Persona] is data: openings by how the asker feels and whom they ask for,
// how a limitation and a next step are introduced, how a proposal is framed,
// words that are never said, and the prompt for stages that ask a model (the
// paper, section 3.4). [Set.Feel] hears from a message how its writer feels.
// [Set.Tell] says claims and limitations in a persona's voice without a model:
// the claims stand verbatim and only what stands around them changes, so that
// every persona tells the same.
//
// A [Guard] compares a telling with its claims: nothing that someone could be
// harmed by is lost, and nothing new appears. It is what lets a model rewrite.
//
// Nothing here knows what the answers are about. Names of agencies, places and
// hazards are handed in; they come from a domain pack.
package personas
