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
		Long: `Writes the table by which plan judges a Shoot or Worker: every field, what a change of it does to
pools that roll and to pools that are updated in place, the limits of its values, and the function
of Gardener v1.150 or of an extension that says so.`,
		Args: cobra.NoArgs,
	}, func(c *call) (int, error) {
		c.out.WriteString(pool.Table)
		return exitOK, nil
	})
}
