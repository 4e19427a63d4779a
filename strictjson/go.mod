module github.com/hmdsefi/faultline/strictjson

go 1.26.0
