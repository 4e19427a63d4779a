module github.com/hmdsefi/faultline/simdisk

go 1.26.0

require github.com/hmdsefi/faultline/kernel v0.1.0
