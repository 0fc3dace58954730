//go:build unix

package publish

import (
	"os"
	"syscall"
)

// keepOwner gives a file the owner and group of the one it replaces, as far as the
// process may: a process that is not root's can keep a group it is in.
func keepOwner(file *os.File, old os.FileInfo) {
	if owner, ok := old.Sys().(*syscall.Stat_t); ok {
		if file.Chown(int(owner.Uid), int(owner.Gid)) != nil {
			file.Chown(-1, int(owner.Gid))
		}
	}
}
