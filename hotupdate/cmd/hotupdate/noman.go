//go:build !man

package main

import "github.com/spf13/cobra"

// packaging returns no command, see man.go.
func (c *call) packaging() []*cobra.Command { return nil }
