module github.com/hmdsefi/faultline/history

go 1.26.0
