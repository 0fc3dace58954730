package main

// This file has the KEYS of a command: several files, one after the other, with what is
// noticed of their lines.

import (
	"fmt"
	"io"
	"os"
)

// firstLines is how many lines tell what the others will be like.
const firstLines = 10

// lineFormat is how keys stand in a file.
type lineFormat struct {
	separator byte
	stripCR   bool
}

// lineCounts is what was met while reading; withCR counts lines that end in CR, stripped
// or not.
type lineCounts struct{ lines, empty, withCR uint64 }

func formatOfLines(a *arguments) lineFormat {
	if a.has("-0") {
		return lineFormat{separator: 0}
	}
	return lineFormat{'\n', a.has("--crlf")}
}

// keyFiles are the open files of KEYS.
type keyFiles struct {
	sources []*source
	format  lineFormat
	to      *streams // for warnings
	counts  lineCounts
}

// openKeys opens all at once, so that a missing one is known before any work.
func openKeys(a *arguments, s *streams) (*keyFiles, error) {
	k := &keyFiles{format: formatOfLines(a), to: s}
	paths := a.values["KEYS"]
	if len(paths) == 0 {
		paths = []string{"-"}
	}
	for _, path := range paths {
		from, err := openSource(path, s.in)
		if err != nil {
			k.close()
			return nil, err
		}
		k.sources = append(k.sources, from)
	}
	return k, nil
}

func (k *keyFiles) close() {
	for _, from := range k.sources {
		from.close()
	}
}

// includes reports whether a file is among them.
func (k *keyFiles) includes(file os.FileInfo) bool {
	for _, from := range k.sources {
		if from.file != nil {
			if info, err := from.file.Stat(); err == nil && os.SameFile(info, file) {
				return true
			}
		}
	}
	return false
}

// count counts the lines of all files, and leaves them as they were. Two may be one
// stream: all begin where they stand before any is read, and all are read before any
// begins again.
func (k *keyFiles) count() (total uint64, err error) {
	for _, from := range k.sources {
		from.mark()
	}
	for i, from := range k.sources {
		n, again, err := from.counted(k.format.separator)
		if err != nil {
			return 0, err
		}
		k.sources[i], total = again, total+n
	}
	for _, from := range k.sources {
		if err := from.rewind(); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// each calls use with the lines of every block and their keys, and flushes after each,
// so that a slow writer of keys sees answers as it goes. Errors of the output stay in
// its buffer until the flush.
func (k *keyFiles) each(spelled *spelling, use func(lines, keys [][]byte)) error {
	for _, from := range k.sources {
		if err := k.eachOf(from, &decoder{spelling: spelled}, use); err != nil {
			return err
		}
	}
	return nil
}

func (k *keyFiles) eachOf(from *source, keys *decoder, use func(lines, keys [][]byte)) error {
	reader := newKeyReader(from, k.format)
	warned := false
	for first := true; ; first = false {
		lines, err := reader.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if first {
			warned = k.warnAtOnce(from.name, reader.counted)
		}
		decoded, err := keys.decode(lines, from.name)
		if err != nil {
			return err
		}
		use(lines, decoded)
		if err := k.to.out.Flush(); err != nil {
			return err
		}
	}
	k.warnAtEnd(from.name, reader.counted, warned)
	k.counts.lines += reader.counted.lines
	k.counts.empty += reader.counted.empty
	k.counts.withCR += reader.counted.withCR
	return nil
}

// warns reports whether a CR would be taken for a part of a key that is a line.
func (k *keyFiles) warns() bool { return !k.format.stripCR && k.format.separator != 0 }

func (k *keyFiles) warnAtOnce(file string, so lineCounts) bool {
	if !k.warns() || so.lines < firstLines || so.withCR != so.lines {
		return false
	}
	k.to.warn("%s: all of the first %s end in CR, which is taken for a part of each key; give --crlf to strip it", file, lineText(so.lines))
	return true
}

func (k *keyFiles) warnAtEnd(file string, all lineCounts, warned bool) {
	if !k.warns() || all.withCR == 0 {
		return
	}
	mend := ", which was taken for a part of the key; give --crlf to strip it"
	if warned {
		mend = ""
	}
	k.to.warn("%s: %d of %s ended in CR%s", file, all.withCR, lineText(all.lines), mend)
}

// remarks tells people of empty and repeated lines; "" when there is nothing to say. Of
// an estimate of the distinct keys a few percent more or less are not spoken of.
func (k *keyFiles) remarks(distinct uint64, exactly bool) string {
	repeated := k.counts.lines - min(distinct, k.counts.lines)
	about := ""
	if !exactly {
		about = "about "
		if repeated < k.counts.lines/20 {
			repeated = 0
		}
	}
	text := ""
	if k.counts.empty > 0 {
		text = lineText(k.counts.empty) + " empty"
	}
	if repeated > 0 {
		if text != "" {
			text += ", "
		}
		text += about + lineText(repeated) + " repeated"
	}
	if text == "" {
		return ""
	}
	return "of " + lineText(k.counts.lines) + ": " + text + "\n"
}

func lineText(n uint64) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprint(n, " lines")
}
