package main

// This file has the verify command: is this file a whole, undamaged filter?

import (
	"errors"
	"fmt"

	bloomery "github.com/bloomery/bloomery/go"
)

var verifyCommand = command{
	name:    "verify",
	summary: "Check that files are whole, undamaged filters",
	details: "A raw classic file has no checksum: only its header and length can be checked. Exit status 1 when a file is damaged " +
		"or no filter, 2 when one cannot be read.",
	options: []option{
		{names: []string{"--json"}, help: "A line of JSON for each file"},
		{names: []string{"FILE"}, required: true, repeated: true, help: "Filter files"},
	},
	run: runVerify,
}

// runVerify judges every file, and exits with the worst verdict.
func runVerify(a *arguments, s *streams) (int, error) {
	status := exitDone
	for _, path := range a.values["FILE"] {
		verdict, sound, err := verdictOf(path)
		one := exitDone
		switch {
		case errors.Is(err, bloomery.ErrCorrupt) || errors.Is(err, bloomery.ErrUnsupported):
			one, sound = exitNo, "false"
		case err != nil:
			one, sound = exitError, "null"
		}
		status = max(status, one)
		switch {
		case a.has("--json"):
			if err != nil {
				verdict = reason(err)
			}
			fmt.Fprintf(s.out, "{\"file\":%s,\"sound\":%s,\"verdict\":%s}\n", jsonText(path), sound, jsonText(verdict))
		case err != nil:
			s.complain(err)
		default:
			fmt.Fprintf(s.out, "%s: %s\n", path, verdict)
		}
	}
	return status, nil
}

// reason is an error without the path before it.
func reason(err error) string {
	var file *bloomery.FileError
	if errors.As(err, &file) {
		return file.Err.Error()
	}
	return err.Error()
}

func verdictOf(path string) (verdict, sound string, err error) {
	file, err := bloomery.Open(path, bloomery.Unverified())
	if err != nil {
		return "", "", err
	}
	if err := file.Verify(); err != nil {
		return "", "", at(path, err)
	}
	if file.Format() == bloomery.Raw {
		return "header and length are sound; a raw classic file has no checksum, so flipped bits would go unnoticed", "true", nil
	}
	return "sound: header, geometry and checksums agree", "true", nil
}
