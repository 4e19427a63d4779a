module github.com/hmdsefi/faultline/check

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/hmdsefi/faultline/history v0.1.0
	github.com/hmdsefi/gograph v0.7.0
)

require github.com/hmdsefi/faultline/strictjson v0.1.0 // indirect
