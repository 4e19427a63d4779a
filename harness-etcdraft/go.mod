module github.com/hmdsefi/faultline/harness-etcdraft

go 1.26.0

require (
	github.com/hmdsefi/faultline/kernel v0.1.0
	github.com/hmdsefi/faultline/simdisk v0.1.0
	go.etcd.io/raft/v3 v3.7.0
	google.golang.org/protobuf v1.36.11
)
