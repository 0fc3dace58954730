//go:build !linux

package main

import "time"

const clock = "the clock"

var began = time.Now()

func now() int64 { return time.Since(began).Nanoseconds() }
