module github.com/hmdsefi/faultline/shrink

go 1.26.0
