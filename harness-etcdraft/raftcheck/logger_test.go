package raftcheck_test

import "fmt"

// logger is raft's logger: silent, unless a sweep is traced.
type logger struct {
	sim *sim
	on  bool
}

func (l logger) log(format string, v ...any) {
	if l.on {
		fmt.Printf("%5d "+format+"\n", append([]any{l.sim.now}, v...)...)
	}
}

func (l logger) Debug(v ...any)                   { l.log("%s", fmt.Sprint(v...)) }
func (l logger) Debugf(format string, v ...any)   { l.log(format, v...) }
func (l logger) Error(v ...any)                   { l.log("%s", fmt.Sprint(v...)) }
func (l logger) Errorf(format string, v ...any)   { l.log(format, v...) }
func (l logger) Info(v ...any)                    { l.log("%s", fmt.Sprint(v...)) }
func (l logger) Infof(format string, v ...any)    { l.log(format, v...) }
func (l logger) Warning(v ...any)                 { l.log("%s", fmt.Sprint(v...)) }
func (l logger) Warningf(format string, v ...any) { l.log(format, v...) }
func (l logger) Fatal(v ...any)                   { panic(fmt.Sprint(v...)) }
func (l logger) Fatalf(format string, v ...any)   { panic(fmt.Sprintf(format, v...)) }
func (l logger) Panic(v ...any)                   { panic(fmt.Sprint(v...)) }
func (l logger) Panicf(format string, v ...any)   { panic(fmt.Sprintf(format, v...)) }
