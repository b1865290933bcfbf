package main

import (
	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// rulesCommand writes the table by which plan judges.
func (p *process) rulesCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "rules",
		Short: "the fields that plan judges, with the functions that say so",
		Args:  cobra.NoArgs,
	}, func(c *call) (int, error) {
		c.out.WriteString(pool.Table)
		return exitOK, nil
	})
}
