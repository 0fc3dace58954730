"""Files, bytes, pickles, buffers and maps; what other languages write and read."""

import copy
import operator
import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import KINDS, STATIC

import bloomery
from bloomery import Filter

WORDS = [f"key{i}" for i in range(1000)]


def test_files_are_those_of_the_command(kind, command, tmp_path):
    """Byte for byte, both ways. Rust and Go make four kinds, and read all."""
    (tmp_path / "keys").write_text("".join(word + "\n" for word in WORDS))
    size = [] if kind in STATIC else ["-n", "1000"]
    built = subprocess.run([command, "build", "--kind", kind, "--fpr", "0.01", *size, "-o", "theirs.blm", "keys"],
                           cwd=tmp_path, capture_output=True, text=True)  # fmt: skip
    makes = kind in ("classic", "split", "block", "fuse") or not command.endswith(("-rs", "-go"))
    assert (built.returncode == 0) == makes, built.stderr
    format = "raw" if kind == "classic" else "envelope"
    if kind in STATIC:
        ours = Filter.build(WORDS, 0.01, kind)
    else:
        ours = Filter(1000, 0.01, kind)
        ours.update(WORDS)
    ours.save(tmp_path / "python.blm", format=format)
    if makes:
        written = (tmp_path / "theirs.blm").read_bytes()
        assert (tmp_path / "python.blm").read_bytes() == written == ours.to_bytes(format=format)
        theirs = bloomery.open(tmp_path / "theirs.blm")
        assert theirs == ours and theirs.key_count == (None if format == "raw" else 1000)
    done = subprocess.run([command, "query", "python.blm", "keys", "--only", "maybe"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == "" and len(done.stdout.splitlines()) == sum(word in ours for word in WORDS)


def test_opened_filters_can_be_changed_and_leave_the_file_alone(tmp_path):
    path = tmp_path / "f.blm"
    Filter.build(range(100)).save(path, label="numbers", keys="int")
    before = path.read_bytes()
    filter = bloomery.open(path)
    assert filter.label == "numbers" and filter.key_type == "int" and repr(filter).endswith("'numbers'>")
    filter.add(10**9)
    assert 10**9 in filter and len(filter) == 101 and path.read_bytes() == before
    filter.save(path)
    assert 10**9 in bloomery.open(path) and bloomery.open(path).label == "numbers"


def test_maps(tmp_path):
    path = tmp_path / "f.blm"
    Filter.build(range(1000)).save(path, chunks=True)
    filter = bloomery.map(path)
    assert filter.mapped and not filter.verified and "not verified" in repr(filter)
    assert filter.contains(range(1000)).all() and 5 in filter
    with pytest.raises(bloomery.UnsupportedError, match="copy"):
        filter.add(1)
    own = filter.copy()
    own.add(10**9)
    filter.verify()
    assert filter.verified and 5 in filter
    filter.close()
    filter.close()
    for use in (lambda: 5 in filter, lambda: filter.contains([5]), lambda: len(filter), lambda: bytes(filter),
                lambda: filter.add(1), lambda: filter.kind, lambda: filter.copy(), lambda: filter == own,
                lambda: own | filter, lambda: memoryview(filter), lambda: filter.verify(), lambda: filter.contains([]),
                lambda: filter.update([]), lambda: filter.remove_many([])):  # fmt: skip
        with pytest.raises(bloomery.InvalidArgumentError, match="the filter is closed"):
            use()
    assert repr(filter) == "<bloomery.Filter closed>"
    with bloomery.map(path, verify=True) as again:
        assert 5 in again
    assert again.closed


def test_a_map_outlives_its_file(tmp_path):
    path = tmp_path / "f.blm"
    Filter.build(range(1000)).save(path)
    filter = bloomery.map(path)
    path.unlink()
    assert filter.contains(range(1000)).all()
    Filter.build(["other"]).save(path)  # by rename: who has the old one mapped keeps it
    assert filter.contains(range(1000)).all() and filter.copy().contains(range(1000)).all()


def test_damage_is_an_error(tmp_path):
    path = tmp_path / "f.blm"
    Filter.build(range(1000)).save(path)
    good = path.read_bytes()
    for position in list(range(0, 128, 3)) + list(range(128, len(good), 97)):
        bad = bytearray(good)
        bad[position] ^= 1
        with pytest.raises(bloomery.BloomeryError):
            Filter.from_bytes(bad)
    for size in (0, 1, 127, 128, len(good) - 1):
        with pytest.raises(bloomery.BloomeryError):
            Filter.from_bytes(good[:size])
        path.write_bytes(good[:size])
        with pytest.raises(bloomery.BloomeryError):
            bloomery.map(path)
    path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    with pytest.raises(bloomery.CorruptError):
        bloomery.open(path)
    filter = bloomery.map(path)
    with pytest.raises(bloomery.CorruptError):
        filter.verify()
    assert filter.closed


def test_damage_is_in_no_copy(tmp_path):
    """What is written gets a checksum of its own, under which nobody would find the damage again."""
    path, other = tmp_path / "f.blm", tmp_path / "g.blm"
    sound = Filter.build(range(1000))
    sound.save(path)
    good = path.read_bytes()
    path.write_bytes(good[:200] + bytes([good[200] ^ 1]) + good[201:])
    filter, own = bloomery.map(path), sound.copy()
    for use in (lambda: filter.save(other), filter.to_bytes, lambda: bytes(filter), filter.copy,
                lambda: pickle.dumps(filter), lambda: pickle.dumps(filter, protocol=5), lambda: copy.deepcopy(filter),
                lambda: operator.ior(own, filter), lambda: operator.iand(own, filter), lambda: own | filter):  # fmt: skip
        with pytest.raises(bloomery.CorruptError, match="f.blm"):
            use()
    assert not other.exists() and own == sound and not filter.verified and not filter.closed
    path.write_bytes(good)
    with bloomery.map(path) as whole:  # what is sound needs no call of verify
        whole.save(other)
        assert bloomery.open(other) == whole.copy() == pickle.loads(pickle.dumps(whole)) == sound


def test_other_formats(tmp_path):
    classic = Filter.build(["a"], kind="classic")
    assert "a" in Filter.from_bytes(classic.to_bytes(format="raw"))
    with pytest.raises(bloomery.BloomeryError):
        Filter.build(["a"]).to_bytes(format="raw")
    with pytest.raises(bloomery.InvalidArgumentError, match="must be"):
        classic.to_bytes(format="json")
    with pytest.raises(bloomery.BloomeryError):
        bloomery.open(tmp_path)  # a folder
    with pytest.raises(TypeError):
        bloomery.open(5.5)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", KINDS)
def test_pickles(kind, protocol):
    filter = Filter.build(WORDS, 0.01, kind)
    again = pickle.loads(pickle.dumps(filter, protocol))
    assert again == filter and again.key_count == filter.key_count
    if kind not in STATIC:
        again.add("more")


def test_pickles_out_of_band():
    filter = Filter.build(np.arange(100_000))
    buffers = []
    small = pickle.dumps(filter, 5, buffer_callback=buffers.append)
    assert len(small) < 1000 and len(buffers) == 1 and buffers[0].raw().nbytes == filter.nbytes
    assert pickle.loads(small, buffers=buffers) == filter
    damaged = bytearray(buffers[0].raw())
    damaged[5] ^= 1
    with pytest.raises(bloomery.CorruptError):
        pickle.loads(small, buffers=[damaged])
    buffers.clear()
    filter.add(1)  # nothing pins it any more


def test_pickles_across_processes():
    code = "import pickle, sys; f = pickle.load(sys.stdin.buffer); sys.stdout.buffer.write(pickle.dumps((f, 'key1' in f)))"
    filter = Filter.build(WORDS)
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(filter), capture_output=True, check=True)
    again, found = pickle.loads(done.stdout)
    assert found and again == filter


def test_pickles_of_newer_versions_are_refused():
    make, (version, head, payload) = Filter.build(WORDS).__reduce_ex__(4)
    with pytest.raises(bloomery.UnsupportedError, match="newer version"):
        make(version + 1, head, payload)
    newer = bytearray(head)
    newer[4:8] = b"\xff\xff\xff\xff"
    with pytest.raises(bloomery.BloomeryError):
        make(version, bytes(newer), payload)
    with pytest.raises(bloomery.UnsupportedError, match="secret"):
        pickle.dumps(Filter(10, secret=bytes(16)))


def test_buffers_pin_the_filter():
    filter = Filter.build(WORDS)
    view = memoryview(filter)
    assert view.readonly and view.nbytes == filter.nbytes and bytes(filter).endswith(bytes(view))
    for change in (lambda: filter.add("x"), lambda: filter.update(["x"]), filter.clear, filter.close):
        with pytest.raises(bloomery.InvalidArgumentError, match="memoryview"):
            change()
    assert "key1" in filter and filter.contains(WORDS).all()
    view.release()
    filter.add("x")


def test_html():
    html = Filter.build(WORDS)._repr_html_()
    assert html.count("<rect") == 64 and "block, 1000 keys" in html
    filter = Filter(10)
    filter.close()
    assert "closed" in filter._repr_html_()
