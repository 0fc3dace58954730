package bloomery

import "syscall"

// machineMemory returns how many bytes the machine has, swap included.
func machineMemory() uint64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return mostBytes
	}
	return (uint64(info.Totalram) + uint64(info.Totalswap)) * uint64(info.Unit)
}
