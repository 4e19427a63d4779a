module github.com/hmdsefi/faultline/history

go 1.26.0

require github.com/hmdsefi/faultline/strictjson v0.1.0
