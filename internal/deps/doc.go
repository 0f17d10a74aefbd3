// Package deps holds the rules of the repository that a program can check, as
// tests: which package imports which, what Go files may hold, what stands
// nowhere in the tree, under which licences modules come, and that the
// container files agree with the rest. Each rule is a table to add to.
package deps
