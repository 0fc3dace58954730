package bloomery

// This file publishes filter files.

import "github.com/bloomery/bloomery/go/internal/publish"

// Save writes the file to disk: into a temporary file of the same directory,
// which is synced and renamed, so that nobody ever sees half a filter, not even
// after a power failure. On an error, what was there before is intact, unless only
// the sync of the directory failed: then the new file is there, whole, and a power
// failure may bring the old one back. The directory is opened before the rename, so it
// has to be readable, too. A target that exists and is not a regular file is refused. A
// symbolic link stays one: the file it leads to is replaced, or made.
func (f *File) Save(path string) error {
	header, err := f.header()
	if err != nil {
		return err
	}
	return atPath(path, publish.File(path, header, f.core.bytes))
}

// Save writes the filter to disk as an envelope; see [File.Save].
func (f *Filter) Save(path string) error { return save(f, path) }

// Save writes the filter to disk as an envelope; see [File.Save].
func (f *FuseFilter) Save(path string) error { return save(f, path) }

// filed is a filter that makes an envelope.
type filed interface{ envelope() (*File, error) }

func save(f filed, path string) error {
	file, err := f.envelope()
	if err != nil {
		return err
	}
	return file.Save(path)
}
