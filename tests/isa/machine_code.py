"""The machine code of an object: which of its functions a linker may give to other objects too, and which of these hold
instructions that only some x86-64 have, without a name that says so."""
import re
import subprocess

# All of AVX begins with v, or with k where it has masks; the others are those that compilers use of their own accord.
SOME = re.compile(
    r"(?!ver[rw]$)(v|k(add|and|mov|not|or|shift|test|unpck|xn?or))\w+|"
    r"(andn|bextr|blsi|blsmsk|blsr|bzhi|crc32|lddqu|lzcnt|movbe|mulx|pdep|pext|popcnt|rorx|sarx|shlx|shrx|tzcnt)[lqwb]?|"
    r"(addsub|dp|h(add|sub)|blendv?|round|insert)p?s?[sd]|mov(ddup|s[hl]dup|ntdqa)|"
    r"p(abs|shuf|sign|hadd|hsub|maddubs|mulhrs|alignr|blend|cmpeqq|cmpgtq|ext?r|insr|mov[sz]x|mulld|muldq|test)\w*|"
    r"p(max|min)(s[bd]|u[dw])|packusdw")
# What every x86-64 has of these families.
ALL = re.compile(r"pextrw|pinsrw|pshuf(d|[hl]?w)")
PREFIXES = {"lock", "rep", "repz", "repnz", "notrack", "bnd", "data16", "cs"}
# A name in the namespace of the library, or local to a function there.
OF_LIBRARY = re.compile(r"_ZZ*N?[rVK]*[RO]?8bloomery")


def shared_functions(path):
    """The mangled names of the weak functions."""
    text = subprocess.run(["objdump", "-t", path], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"^[0-9a-f]+ .w....F \S+\t[0-9a-f]+ (?:\.(?:hidden|internal|protected) )?(\S+)$", text, re.MULTILINE))


def instructions(path):
    """(mangled name of the function, instruction) of each; parts that the compiler set apart belong to their function."""
    command = ["objdump", "-d", "--no-show-raw-insn", "--no-addresses", path]
    name = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as objdump:
        for line in objdump.stdout:
            if head := re.match(r"<(\S+)>:$", line):
                name = re.sub(r"(\.(cold|part|constprop|isra)(\.\d+)*)+$", "", head[1])
            elif words := [word for word in line.split() if word not in PREFIXES]:
                yield name, words


def only_some_have(mnemonic):
    return SOME.fullmatch(mnemonic) is not None and ALL.fullmatch(mnemonic) is None


def forgotten(path, tags):
    """{mangled name: instruction} of the shared functions of the library that hold such an instruction, with none of the
    tags in their name; and how many have a tag."""
    shared = {name for name in shared_functions(path) if OF_LIBRARY.match(name)}
    found, tagged = {}, set()
    for name, words in instructions(path):
        if name in shared and name not in found and only_some_have(words[0]):
            if any(tag in name for tag in tags):
                tagged.add(name)
            else:
                found[name] = " ".join(words)
    return found, len(tagged)
