"""Pictures from the command itself."""

import xml.etree.ElementTree

from kit import cpp_promise, expect, expect_equal

SVG = "{http://www.w3.org/2000/svg}"


def read_picture(kit, name):
    """The rectangles and the words of a picture, which has to be proper XML."""
    root = xml.etree.ElementTree.fromstring(kit.read(name).decode())
    expect_equal(root.tag, SVG + "svg", "root")
    return root.findall(SVG + "rect"), [text.text for text in root.findall(SVG + "text")]


@cpp_promise
def inspect_draws_the_fill_along_the_filter(kit):
    kit.build("f<&\">\t", None, "--kind", "block", "-n", "10k")
    text = kit.output("inspect", "f<&\">\t")
    expect_equal(kit.output("inspect", "--picture", "out.svg", "f<&\">\t"), text, "what it prints beside")
    boxes, words = read_picture(kit, "out.svg")
    expect_equal(len(boxes), 65, "a column for each of 64, and the line of one half")
    expect("f<&\">?: block" in words[0], f"{words}")
    kit.refused("inspect", "--picture", "two.svg", "f<&\">\t", "f<&\">\t", names=["--picture"])
    kit.refused("inspect", "--picture", "f<&\">\t", "f<&\">\t", names=["--picture"])
    kit.refused("inspect", "--picture", "none/out.svg", "f<&\">\t", names=["none/out.svg"])


@cpp_promise
def bench_draws_its_rows(kit):
    kit.output("bench", "--quick", "-n", "1k,2k", "--kind", "block", "--json", "--plot", "out.svg")
    boxes, words = read_picture(kit, "out.svg")
    names = [word for word in words if word.startswith("block ")]
    expect_equal(len(names), 14, "rows")
    expect(len(boxes) >= 14 and "block contains_absent, 2k" in names and any(word.endswith(" ns") for word in words), f"{words}")
    kit.refused("bench", "--quick", "-n", "1k", "--plot", "none/out.svg", names=["none/out.svg"])
