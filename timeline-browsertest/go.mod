module github.com/hmdsefi/faultline/timeline-browsertest

go 1.26.0

require (
	github.com/chromedp/cdproto v0.160.1
	github.com/chromedp/chromedp v0.23.1
	github.com/hmdsefi/faultline/artifact v0.1.0
	github.com/hmdsefi/faultline/history v0.1.0
	github.com/hmdsefi/faultline/kernel v0.1.0
	github.com/hmdsefi/faultline/timeline v0.1.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/hmdsefi/faultline/fault v0.1.0 // indirect
	github.com/hmdsefi/faultline/simdisk v0.1.0 // indirect
	github.com/hmdsefi/faultline/simnet v0.1.0 // indirect
	github.com/hmdsefi/faultline/strictjson v0.1.0 // indirect
	github.com/hmdsefi/gograph v0.7.0 // indirect
)
