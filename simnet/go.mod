module github.com/hmdsefi/faultline/simnet

go 1.26.0

require (
	github.com/hmdsefi/faultline/kernel v0.1.0
	github.com/hmdsefi/gograph v0.7.0
)
