package main

// This file has what a build makes of a filter: its file, and the line about it.

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	bloomery "github.com/bloomery/bloomery/go"
)

// product is a filter that is ready to be written.
type product struct {
	file *bloomery.File
	view bloomery.View
	keys uint64
}

// describe gives the file the records that were asked for, and else none: such files are
// the same whoever writes them.
func (j *job) describe(file *bloomery.File) error {
	if file.Format() != bloomery.Envelope {
		return nil
	}
	if j.spelled != nil {
		if err := file.SetKeyType(j.spelled.record); err != nil {
			return err
		}
	}
	if j.has("--label") {
		if err := file.SetLabel(j.value("--label")); err != nil {
			return err
		}
	}
	if j.has("--chunks") {
		if err := file.AddChunks(); err != nil {
			return err
		}
	}
	if j.align == 0 {
		return nil
	}
	return file.Align(j.align)
}

func (j *job) save(file *bloomery.File) error {
	unlock, err := lockFile(j.path) // before the signals wait: one may end a command that waits
	if err != nil {
		return err
	}
	release := holdSignals()
	err = file.Save(j.path)
	unlock()
	release()
	return err
}

// report prints what was made, and tells people of empty and repeated lines.
func (j *job) report(made *product, keys *keyFiles, s *streams) {
	distinct, known := made.view.EstimatedCount()
	exactly := j.kind.Static()
	if exactly {
		distinct, known = made.keys, true
	}
	perKey := float64(made.file.Geometry().BitLen()) / float64(atLeastOne(made.keys))
	if j.has("--json") {
		fmt.Fprintf(s.out, `{"file":%s,"kind":"%v","format":"%v","keys":%d,"bytes":%d,"bits_per_key":%s,"predicted_fpr":%s,`+
			`"lines":%d,"empty_lines":%d,"lines_with_cr":%d,"distinct_keys":%s,"distinct_exactly":%t}`+"\n",
			jsonText(j.path), made.file.Kind(), made.file.Format(), made.keys, made.file.Len(), jsonReal(perKey), jsonReal(made.view.PredictedFPR()),
			keys.counts.lines, keys.counts.empty, keys.counts.withCR, orElse(distinct, known, "null"), exactly)
	} else {
		fmt.Fprintf(s.out, "%s: %v, %d keys, %d bytes, %s bits/key, predicted fpr %s\n",
			j.path, made.file.Kind(), made.keys, made.file.Len(), real(perKey), real(made.view.PredictedFPR()))
	}
	// The filter is what was asked for, and that is written.
	if err := s.out.Flush(); err != nil {
		if !errors.Is(err, syscall.EPIPE) {
			s.warn("%s; %s is written", err.Error(), j.path)
		}
		s.out.Reset(io.Discard)
	}
	if !known {
		distinct = keys.counts.lines
	}
	if !j.has("--json") {
		io.WriteString(s.errs, keys.remarks(distinct, exactly))
	}
}
