package bloomery

// The tests in this file hold the promises of secrets: a keyed file needs its own for
// keys, and stays what it is without.

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"
)

func TestKeysOfAKeyedFileNeedItsSecret(t *testing.T) {
	right, wrong := Secret{1}, Secret{2}
	hasher, err := KeyedHasher(SipHash13, right)
	if err != nil {
		t.Fatal(err)
	}
	f := mustCapacity(t, 100, 0.01, hasher)
	f.Add([]byte("a"))
	data := encoded(t, f, Envelope)
	if _, err := must[*File](t)(Parse(data)).View(); !errors.Is(err, ErrSecretNeeded) || !errors.Is(err, ErrWrongSecret) {
		t.Errorf("without a secret: %v", err)
	}
	if _, err := Parse(data, WithSecret(wrong)); !errors.Is(err, ErrWrongSecret) || errors.Is(err, ErrSecretNeeded) {
		t.Errorf("with a wrong secret: %v", err)
	}
	view, err := must[*File](t)(Parse(data, WithSecret(right))).View()
	if err != nil || !view.Contains([]byte("a")) || view.Contains([]byte("b")) {
		t.Errorf("with the right secret: %v", err)
	}
	if _, err := f.File(Raw); err == nil {
		t.Error("a raw file was made of a filter whose hash it cannot name")
	}
}

func TestAKeyedFileIsSavedWithoutItsSecretAsItIs(t *testing.T) {
	secret := Secret{1}
	for _, id := range []HashID{SipHash13, SipHash24} {
		f := mustCapacity(t, 100, 0.01, must[Hasher](t)(KeyedHasher(id, secret)))
		f.AddMany(numbered("key", 100))
		data := encoded(t, f, Envelope)
		file := must[*File](t)(Parse(data))
		path := filepath.Join(t.TempDir(), "filter")
		if err := file.Save(path); err != nil {
			t.Fatal(err)
		}
		view := must[View](t)(must[*File](t)(Open(path, WithSecret(secret))).View())
		for _, key := range numbered("key", 100) {
			if !view.Contains(key) {
				t.Fatalf("%v: %q is denied", id, key)
			}
		}
		if again, err := file.MarshalBinary(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%v: other bytes, %v", id, err)
		}
		if _, err := file.Filter(); !errors.Is(err, ErrSecretNeeded) {
			t.Errorf("%v: a filter to change: %v", id, err)
		}
	}
}

func TestSecretFilesHave32DigitsAndOneLineEnd(t *testing.T) {
	digits := "000102030405060708090A0b0c0d0e0f"
	for _, text := range []string{digits, digits + "\n", digits + "\r\n"} {
		if s, err := ParseSecret([]byte(text)); err != nil || s[10] != 10 {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", digits[1:], digits + "0", digits + "\n\n", digits + " ", digits + "\r", " " + digits, digits[:31] + "g", digits[:31] + "\n"} {
		if _, err := ParseSecret([]byte(text)); err == nil {
			t.Errorf("not refused: %q", text)
		}
	}
}
