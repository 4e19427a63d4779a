module github.com/hmdsefi/faultline/cmd-faultline

go 1.26.0

require (
	github.com/hmdsefi/faultline/artifact v0.1.0
	github.com/hmdsefi/faultline/fault v0.1.0
	github.com/hmdsefi/faultline/kernel v0.1.0
	github.com/hmdsefi/faultline/timeline v0.1.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
)

require (
	github.com/hmdsefi/faultline/history v0.1.0 // indirect
	github.com/hmdsefi/faultline/simdisk v0.1.0 // indirect
	github.com/hmdsefi/faultline/simnet v0.1.0 // indirect
	github.com/hmdsefi/faultline/strictjson v0.1.0 // indirect
	github.com/hmdsefi/gograph v0.7.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	golang.org/x/sys v0.26.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)
