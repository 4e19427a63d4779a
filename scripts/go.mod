module github.com/hmdsefi/faultline/scripts

go 1.26.0

require (
	github.com/evanw/esbuild v0.28.2
	golang.org/x/mod v0.43.0
	golang.org/x/tools v0.52.0
)

require (
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
