module github.com/hmdsefi/faultline/cmd-faultline

go 1.26.0

require (
	github.com/hmdsefi/faultline/artifact v0.1.0
	github.com/hmdsefi/faultline/fault v0.1.0
	github.com/hmdsefi/faultline/kernel v0.1.0
	github.com/hmdsefi/faultline/timeline v0.1.0
	github.com/modelcontextprotocol/go-sdk v1.8.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
)

require (
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/hmdsefi/faultline/history v0.1.0 // indirect
	github.com/hmdsefi/faultline/simdisk v0.1.0 // indirect
	github.com/hmdsefi/faultline/simnet v0.1.0 // indirect
	github.com/hmdsefi/faultline/strictjson v0.1.0 // indirect
	github.com/hmdsefi/gograph v0.7.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
	golang.org/x/sys v0.41.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	golang.org/x/tools v0.42.0 // indirect
)
