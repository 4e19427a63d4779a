module github.com/hmdsefi/faultline/kernel

go 1.26.0
