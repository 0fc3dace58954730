package main

// This file has the query command: which of these keys may be present?

import (
	"errors"
	"fmt"

	bloomery "github.com/bloomery/bloomery/go"
)

var queryCommand = command{
	name:    "query",
	summary: "Tell which keys may be present: 'maybe' or 'no', a line a key ('unseen' of a kind that forgets)",
	details: "Prints 'maybe' or 'no', TAB, and the key, for each key in order. Of a stable filter, which forgets, 'unseen' " +
		"takes the place of 'no'. Exit status 0 when every key may be present, 1 when some is absent.\n\n" +
		"With --only, --invert or --count some answers match: those of --only (maybe unless given), or with --invert the " +
		"others. The keys that match are printed alone, or with --count their number. Exit status 0 when some key " +
		"matched, 1 when none did.",
	options: []option{
		{names: []string{"--key"}, value: "KEY", repeated: true, mayEmpty: true, help: "Ask for this key, instead of KEYS; may be given again"},
		{names: []string{"--only"}, value: "ANSWER", help: "Print the keys of this answer alone: maybe or no"},
		{names: []string{"--invert"}, help: "Print the keys of the other answer"},
		{names: []string{"--count"}, help: "Print how many keys match, instead of the keys"},
		{names: []string{"--json"}, help: "A line of JSON for each key"},
		{names: []string{"--keys"}, value: "SPELLING", help: "How lines spell keys: text, int, hex or base64 (default: as the file says, else text)"},
		{names: []string{"--force"}, help: "Ask although the file says that its keys are of another type"},
		{names: []string{"--secret"}, value: "FILE", help: "File with the secret of a keyed filter: 32 hexadecimal digits"},
		{names: []string{"--no-verify"}, help: "Check the header of the file only"},
		{names: []string{"-0"}, help: "Keys and answers end in NUL instead of LF"},
		crlfOption,
		{names: []string{"FILE"}, required: true, help: "The filter file"},
		keysArgument,
	},
	run: runQuery,
}

// asking is a query that is under way.
type asking struct {
	*arguments
	s              *streams
	view           bloomery.View
	absent         string // the word for it
	separator      byte
	answers        []bool
	asked, matched uint64
	some           bool // whether some key was absent

	selects            bool // some answers are asked for and the others left out
	wanted             bool // the answer that is asked for
	countsOnly, asJSON bool
}

func runQuery(a *arguments, s *streams) (int, error) {
	if only := a.value("--only"); a.has("--only") && only != "maybe" && only != "no" {
		return 0, fmt.Errorf("--only is '%s': give maybe or no", only)
	}
	if a.has("--key") && a.has("KEYS") {
		return 0, fmt.Errorf("--key and KEYS exclude each other: give one")
	}
	view, spelled, err := openView(a)
	if err != nil {
		return 0, err
	}
	q := &asking{arguments: a, s: s, view: view, absent: "no", separator: formatOfLines(a).separator,
		selects: a.has("--only") || a.has("--invert") || a.has("--count"), wanted: (a.value("--only") != "no") != a.has("--invert"),
		countsOnly: a.has("--count"), asJSON: a.has("--json")}
	if view.Kind().Forgets() {
		q.absent = "unseen"
	}
	if err := q.all(spelled); err != nil {
		return 0, err
	}
	return q.finish(), nil
}

// all asks for the keys that were given, or for those of files.
func (q *asking) all(spelled *spelling) error {
	if !q.has("--key") {
		keys, err := openKeys(q.arguments, q.s)
		if err != nil {
			return err
		}
		defer keys.close()
		return keys.each(spelled, q.ask)
	}
	var lines [][]byte
	for _, key := range q.values["--key"] {
		lines = append(lines, []byte(key))
	}
	keys, err := (&decoder{spelling: spelled}).decode(lines, "--key")
	if err == nil {
		q.ask(lines, keys)
	}
	return err
}

func (q *asking) ask(lines, keys [][]byte) {
	if len(q.answers) < len(keys) {
		q.answers = make([]bool, 2*len(keys))
	}
	q.view.ContainsMany(keys, q.answers[:len(keys)])
	plain := !q.selects && !q.asJSON
	for i, line := range lines {
		maybe := q.answers[i]
		q.some = q.some || !maybe
		if plain {
			q.s.out.WriteString(q.word(maybe))
			q.s.out.WriteByte('\t')
			q.s.out.Write(line)
			q.s.out.WriteByte(q.separator)
			continue
		}
		q.choose(line, maybe)
	}
}

// choose prints a key if its answer is one of those asked for.
func (q *asking) choose(line []byte, maybe bool) {
	q.asked++
	if q.selects && maybe != q.wanted {
		return
	}
	q.matched++
	switch {
	case q.countsOnly:
	case q.asJSON:
		fmt.Fprintf(q.s.out, "{%s,\"answer\":\"%s\"}\n", jsonKey(line), q.word(maybe))
	default:
		q.s.out.Write(line)
		q.s.out.WriteByte(q.separator)
	}
}

func (q *asking) word(maybe bool) string {
	if maybe {
		return "maybe"
	}
	return q.absent
}

// finish prints the number where it was asked for, and returns the exit status.
func (q *asking) finish() int {
	if q.countsOnly && q.asJSON {
		fmt.Fprintf(q.s.out, "{\"matched\":%d,\"asked\":%d}\n", q.matched, q.asked)
	} else if q.countsOnly {
		fmt.Fprintln(q.s.out, q.matched)
	}
	if q.selects && q.matched == 0 || !q.selects && q.some {
		return exitNo
	}
	return exitDone
}

// openView opens FILE, and tells how lines spell its keys.
func openView(a *arguments) (bloomery.View, *spelling, error) {
	path := a.value("FILE")
	var options []bloomery.OpenOption
	if a.has("--secret") {
		secret, err := bloomery.ReadSecret(a.value("--secret"))
		if err != nil {
			return bloomery.View{}, nil, err
		}
		options = append(options, bloomery.WithSecret(secret))
	}
	if a.has("--no-verify") {
		options = append(options, bloomery.Unverified())
	}
	file, err := bloomery.Open(path, options...)
	if err != nil {
		return bloomery.View{}, nil, err
	}
	spelled, err := spellingOf(a, file)
	if err != nil {
		return bloomery.View{}, nil, at(path, err)
	}
	view, err := file.View()
	if errors.Is(err, bloomery.ErrSecretNeeded) {
		err = fmt.Errorf("%w; give --secret FILE", err)
	}
	return view, spelled, at(path, err)
}
