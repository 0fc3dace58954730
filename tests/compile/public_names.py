#!/usr/bin/env python3
"""Fails when a public signature names detail::, in which a reader would have to look up what he gets.

A signature is what stands outside function bodies, comments and private or protected parts of classes. Bodies,
initializers of constructors, alignments and private members may use detail:: as they like, and detail::kCompiledFor
stands in signatures to be part of their symbols. The headers of include/bloomery/detail/, which hold no public type,
are left out.

usage: public_names.py ROOT            check the headers
       public_names.py --self-test     prove that such a signature is noticed
"""
import pathlib
import re
import sys

TOKEN = re.compile(r"//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'|[{};]|\b(?:public|private|protected)\s*:(?!:)|detail::(?!kCompiledFor)|\n|[^\n{};\"'/dp]+|.")


def problems(text):
    """The lines of public signatures that name detail::."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m[0].count("\n"), text, flags=re.MULTILINE)
    line, head, found = 1, "", []
    stack = []  # one entry per open brace: "public", "hidden"
    for match in TOKEN.finditer(text):
        token = match[0]
        open_here = not stack or stack[-1] == "public"
        if token == "\n":
            line += 1
            head += " "
        elif token.startswith("//"):
            continue
        elif token == "{":
            stack.append(scope_of(head) if open_here else "hidden")
            head = ""
        elif token in ("}", ";"):
            if token == "}":
                stack.pop()
            head = ""
        elif re.fullmatch(r"(public|private|protected)\s*:", token):
            if stack:
                stack[-1] = "public" if token.startswith("public") else "hidden"
            head = ""
        else:
            if token == "detail::" and open_here and not re.search(r"\bfriend\b|\balignas\($|\)[ \w]*:[^:]", head):
                found.append(line)
            head += token
    return found


def scope_of(head):
    """What the brace after these words opens."""
    if re.search(r"\bnamespace\b", head):
        return "hidden" if re.search(r"\bdetail\b", head) else "public"
    if re.search(r"\b(concept|requires)\b", head):
        return "hidden"
    kind = re.search(r"(?:^|\s)(class|struct|union|enum)\s[^()=]*$", re.sub(r"template\s*<[^{}]*?>\s*(?=class|struct)", "", head))
    if not kind:
        return "hidden"
    return "hidden" if kind[1] == "class" else "public"


def self_test():
    right = "class alignas(detail::kA) F { public: F() noexcept : e_(detail::e()) {} };"
    assert problems(right) == [], problems(right)
    right = "namespace a { class B { public: int c() { return detail::d(); } private: detail::E e_; }; }\n// detail::\n"
    assert problems(right) == [], problems(right)
    for wrong in ("namespace a { class B { public: detail::C c(); }; }", "struct B { detail::C c; };",
                  "detail::C c();", "class B : public detail::C {};", "using A = detail::B;",
                  "template <class T> class B { public: template <class U> void f() requires detail::C<U> {} };"):
        assert problems(wrong) == [1], wrong
    print("ok")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1]) / "include" / "bloomery"
    headers = [path for path in sorted(root.rglob("*.h")) if "detail" not in path.parts[-2:-1]]
    wrong = [f"{path.relative_to(root.parent)}:{line}: a public signature names detail::" for path in headers
             for line in problems(path.read_text())]
    print("\n".join(wrong) or f"{len(headers)} headers, no public signature names detail::")
    sys.exit(1 if wrong else 0)


main()
