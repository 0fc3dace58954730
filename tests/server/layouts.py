#!/usr/bin/env python3
"""The layouts, numbers and functions that server/api.h declares, compared with the servers' own header at compile time. The
header comes with a crate from the registry; where that cannot be had, the test is skipped and says so.

usage: layouts.py ROOT COMPILER [--self-test]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

CRATE, VERSION = "redis-module", "2.0.7"
# Ours, theirs, and the members in order: ours=theirs where the names differ.
STRUCTS = [
    ("TypeMethods", "RedisModuleTypeMethods",
     "version rdb_load rdb_save aof_rewrite mem_usage digest free aux_load aux_save aux_save_triggers free_effort unlink copy defrag"),
    ("KeySpec", "RedisModuleCommandKeySpec", "notes flags begin_search_type begin=bs find_keys_type find=fk"),
    ("CommandArgument", "RedisModuleCommandArg",
     "name type key_spec_index token summary since flags deprecated_since arguments=subargs"),
    ("HistoryEntry", "RedisModuleCommandHistoryEntry", "since changes"),
    ("CommandInfoVersion", "RedisModuleCommandInfoVersion",
     "version history_entry=sizeof_historyentry key_spec=sizeof_keyspec argument=sizeof_arg"),
    ("CommandInfo", "RedisModuleCommandInfo", "version summary complexity since history tips arity key_specs arguments=args"),
]
# The header may be newer: it then has more at the end of these, which a version or a size tells apart.
GROWS = {"TypeMethods", "CommandArgument"}
NUMBERS = {
    "kOk": "REDISMODULE_OK", "kError": "REDISMODULE_ERR", "kRead": "REDISMODULE_READ", "kWrite": "REDISMODULE_WRITE",
    "kNoTouch": "REDISMODULE_OPEN_KEY_NOTOUCH", "kKeyEmpty": "REDISMODULE_KEYTYPE_EMPTY", "kApiVersion": "REDISMODULE_APIVER_1",
    "kOptionHandleIoErrors": "REDISMODULE_OPTIONS_HANDLE_IO_ERRORS", "kOptionNoImplicitSignal": "REDISMODULE_OPTION_NO_IMPLICIT_SIGNAL_MODIFIED",
    "kNotifyModule": "REDISMODULE_NOTIFY_MODULE", "kFlagReplicated": "REDISMODULE_CTX_FLAGS_REPLICATED",
    "kFlagLoading": "REDISMODULE_CTX_FLAGS_LOADING", "kFlagReplica": "REDISMODULE_CTX_FLAGS_SLAVE", "kFlagLua": "REDISMODULE_CTX_FLAGS_LUA",
    "kFlagMulti": "REDISMODULE_CTX_FLAGS_MULTI", "kFlagDenyBlocking": "REDISMODULE_CTX_FLAGS_DENY_BLOCKING",
    "kFlagResp3": "REDISMODULE_CTX_FLAGS_RESP3", "kConfigMemory": "REDISMODULE_CONFIG_MEMORY", "kSpecReadOnly": "REDISMODULE_CMD_KEY_RO",
    "kSpecReadWrite": "REDISMODULE_CMD_KEY_RW", "kSpecOverwrite": "REDISMODULE_CMD_KEY_OW", "kSpecAccess": "REDISMODULE_CMD_KEY_ACCESS",
    "kSpecUpdate": "REDISMODULE_CMD_KEY_UPDATE", "kSpecInsert": "REDISMODULE_CMD_KEY_INSERT", "kSpecDelete": "REDISMODULE_CMD_KEY_DELETE",
}
# Two functions are alike when they take and return values of the same sizes and sorts, in the same order.
ALIKE = """
template <class T> constexpr int sort = std::is_void_v<T> ? 0 : std::is_pointer_v<T> ? 1 : std::is_floating_point_v<T> ? 2 : 3;
template <class T> constexpr std::size_t size = sizeof(T);
template <> constexpr std::size_t size<void> = 0;
template <class A, class B> constexpr bool same = sort<A> == sort<B> && size<A> == size<B>;
template <class F, class G> struct Alike : std::false_type {};
template <class R, class... A, class S, class... B> requires(sizeof...(A) == sizeof...(B))
struct Alike<R (*)(A...), S (*)(B...)> : std::bool_constant<same<R, S> && (same<A, B> && ...)> {};
template <class R, class... A, class S, class... B> requires(sizeof...(A) == sizeof...(B))
struct Alike<R (*)(A..., ...), S (*)(B..., ...)> : std::bool_constant<same<R, S> && (same<A, B> && ...)> {};
"""


def header_of(folder):
    """The path of the header in the registry's copy of the crate, or why there is none."""
    (folder / "Cargo.toml").write_text(f'[package]\nname = "layouts"\nversion = "0.0.0"\nedition = "2021"\n[lib]\npath = "lib.rs"\n'
                                       f'[dependencies]\n{CRATE} = "={VERSION}"\n')
    (folder / "lib.rs").touch()
    try:
        got = subprocess.run(["cargo", "metadata", "--format-version", "1"], cwd=folder, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    if got.returncode != 0:
        return None, got.stderr.strip().splitlines()[-1]
    found = re.search(rf'"manifest_path":"([^"]*/{CRATE}-{re.escape(VERSION)})/Cargo.toml"', got.stdout)
    headers = sorted(pathlib.Path(found.group(1)).rglob("redismodule.h")) if found else []
    return (headers[0], "") if headers else (None, f"{CRATE} {VERSION} has no redismodule.h")


def claims(header_text, api_text):
    lines = []
    for ours, theirs, members in STRUCTS:
        for member in members.split():
            mine, _, other = member.partition("=")
            lines.append(f'static_assert(offsetof({ours}, {mine}) == offsetof({theirs}, {other or mine}), "{ours}::{mine}");')
            lines.append(f'static_assert(sizeof({ours}::{mine}) == sizeof({theirs}::{other or mine}), "size of {ours}::{mine}");')
        relation = "<=" if ours in GROWS else "=="
        lines.append(f'static_assert(sizeof({ours}) {relation} sizeof({theirs}), "{ours}");')
    for mine, other in NUMBERS.items():
        lines.append(f'static_assert(static_cast<unsigned long long>({mine}) == static_cast<unsigned long long>({other}), "{mine}");')
    absent = []
    for name in re.findall(r"FUNCTION\([^,]+, ([A-Z]\w+),", api_text):
        if re.search(rf"\*\s*RedisModule_{name}\)", header_text):
            lines.append(f'static_assert(Alike<decltype(Api::{name}), std::remove_cv_t<decltype(RedisModule_{name})>>::value, "{name}");')
        else:
            absent.append(name)
    return lines, absent


def compile_claims(root, compiler, folder, header, lines):
    program = folder / "layouts.cc"
    program.write_text("#include <cstddef>\n#include <type_traits>\n#include \"server/api.h\"\n"
                       f"extern \"C\" {{\n#include \"{header}\"\n}}\nusing namespace bloomery::server;\n{ALIKE}" + "\n".join(lines) + "\n")
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-w", "-fpermissive", f"-I{root}", str(program)], capture_output=True, text=True)


def main():
    root, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        header, why = header_of(folder)
        if header is None:
            print(f"skipped: the header of the servers cannot be had from the registry: {why}")
            return 77
        lines, absent = claims(header.read_text(), (root / "server" / "api.h").read_text())
        if "--self-test" in sys.argv:
            lines.append('static_assert(offsetof(KeySpec, flags) == offsetof(RedisModuleCommandKeySpec, notes), "a wrong claim");')
            lines.append('static_assert(Alike<decltype(Api::Free), std::remove_cv_t<decltype(RedisModule_Alloc)>>::value, "another");')
            got = compile_claims(root, compiler, folder, header, lines)
            caught = "a wrong claim" in got.stderr and "another" in got.stderr
            print("wrong claims are refused" if caught else f"a wrong claim compiles\n{got.stderr}")
            return 0 if caught else 1
        got = compile_claims(root, compiler, folder, header, lines)
        print(got.stderr[:4000] if got.returncode else f"{len(lines)} claims hold of {CRATE} {VERSION}")
        print(f"not in that header: {', '.join(absent) or 'none'}")
        return 1 if got.returncode else 0


sys.exit(main())
