package bloomery

import "syscall"

// machineMemory returns how many bytes the machine has, swap included, or how many
// the process may have where that is less (ulimit -v).
func machineMemory() uint64 {
	memory := uint64(mostBytes)
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		memory = (uint64(info.Totalram) + uint64(info.Totalswap)) * uint64(info.Unit)
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil {
		memory = min(memory, limit.Cur)
	}
	return memory
}
