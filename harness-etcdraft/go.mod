module github.com/hmdsefi/faultline/harness-etcdraft

go 1.26.0

require (
	github.com/hmdsefi/faultline/check v0.1.0
	github.com/hmdsefi/faultline/fault v0.1.0
	github.com/hmdsefi/faultline/faultline v0.1.0
	github.com/hmdsefi/faultline/history v0.1.0
	github.com/hmdsefi/faultline/kernel v0.1.0
	github.com/hmdsefi/faultline/shrink v0.1.0
	github.com/hmdsefi/faultline/simdisk v0.1.0
	go.etcd.io/raft/v3 v3.7.0
	google.golang.org/protobuf v1.36.11
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/hmdsefi/faultline/artifact v0.1.0 // indirect
	github.com/hmdsefi/faultline/simnet v0.1.0 // indirect
	github.com/hmdsefi/faultline/strictjson v0.1.0 // indirect
	github.com/hmdsefi/faultline/timeline v0.1.0 // indirect
	github.com/hmdsefi/gograph v0.7.0 // indirect
)
