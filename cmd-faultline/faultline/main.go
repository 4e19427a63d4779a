// Command faultline works on the files of failing seeds: it renders artifact
// directories. Run "faultline help" for what it can do.
package main

import (
	"os"

	"github.com/hmdsefi/faultline/cmd-faultline/internal/cli"
)

func main() { os.Exit(cli.Main()) }
