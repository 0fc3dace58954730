//go:build !linux

package bloomery

// machineMemory returns a bound where the machine cannot be asked.
func machineMemory() uint64 { return mostBytes }
