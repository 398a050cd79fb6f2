#!/usr/bin/env python3
"""The rules of this code that no other tool knows. A rule is a function from a file to (line, text) pairs.

    rules.py ROOT    prints what breaks a rule, fails if anything does
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from cpp_text import code_only, functions, line_of  # noqa: E402

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60

# Where `catch (...)` is right: the edges of the program.
CATCH_ALL_ALLOWED = {"src/apps/outpost/main.cpp", "src/server/connection.cpp"}

SYSTEM_CALLS = (
    "read|write|readv|writev|pread|pwrite|open|openat|close|dup|dup2|dup3|pipe|pipe2|fork|vfork|clone|execve|execv|execvp|"
    "socket|bind|listen|accept|accept4|connect|send|sendto|sendmsg|recv|recvfrom|recvmsg|kill|waitpid|waitid|poll|ppoll|"
    "epoll_wait|fcntl|ioctl|prctl|syscall|mmap|munmap|signal|sigaction"
)
BANNED = [
    # (pattern, reason, folders where it stands nevertheless)
    (rf"(?<![\w>)\]])::(?:{SYSTEM_CALLS})\s*\(", "system calls go through the wrappers of src/os",
     ("src/os/", "src/base/poller.cpp")),
    (r"(?<![\w.>])(?:std::|::)?(?:system|popen|fork|vfork)\s*\(", "programs are started by src/os only", ("src/os/",)),
    (r"(?<![\w.>])(?:std::|::)?(?:sleep|usleep|nanosleep)\s*\(", "nothing sleeps: wait for the event, or use a timer", ("src/os/",)),
    (r"\bsleep_(?:for|until)\s*\(", "nothing sleeps: wait for the event, or use a timer", ()),
    (r"(?<![\w.>])(?:std::|::)?(?:sprintf|vsprintf|strcpy|strcat|gets|strtok|rand|srand|atoi|atol|atof|tmpnam|mktemp)\s*\(",
     "unsafe or obsolete C function", ()),
]  # fmt: skip


FIXED = re.compile(r"\bfixed by\b|\bRFC \d|\bW3C\b|\bPOSIX\b")


class File:
    """A source file: its path below the root, its text, and its text without comments and literals."""

    def __init__(self, path, text):
        self.path, self.text, self.code = path, text, code_only(text)

    def is_header(self):
        return self.path.endswith(".h")

    def is_product(self):
        return self.path.startswith(("src/", "include/"))

    def find(self, pattern, message):
        for match in re.finditer(pattern, self.code):
            yield line_of(self.code, match.start()), message


def await_operands(code):
    """Yields (offset, text) of what follows each co_await, up to the end of its expression."""
    for match in re.finditer(r"\bco_await\b", code):
        depth = 0
        for at in range(match.end(), len(code)):
            char = code[at]
            if char in ")]}" and depth == 0 or char in ";," and depth == 0:
                break
            # The brace of a block after `if (...)` never comes here: its parenthesis ends the expression first.
            depth += (char in "([{") - (char in ")]}")
        yield match.start(), code[match.end() : at]


def name_before_await(file):
    """Habit 2: nothing is built inside a co_await expression; it is named first and moved in."""
    for start, operand in await_operands(file.code):
        line = line_of(file.code, start)
        if "{" in operand:
            yield line, "a braced list, aggregate or lambda inside a co_await expression: name it first (habit 2)"
        if re.search(r"std::(?:move_only_)?function\s*<", operand):
            yield line, "a function object inside a co_await expression: name it first (habit 2)"
        depth = 0
        for char in operand:
            depth += (char in "([") - (char in ")]")
            if char == "?" and depth > 0:
                yield line, "a conditional inside a co_await expression: name it first (habit 2)"
                break
    yield from file.find(r"\bswitch\s*\(\s*co_await\b", "switch over a co_await: name the value first (habit 2)")


def limits_in_one_place(file):
    """Habit 6: bounds are named in base/limits/, but for those that a format fixes; a comment says which one."""
    if not file.is_product() or file.path.startswith("src/base/limits/"):
        return
    lines = file.text.splitlines()
    message = "a bound outside base/limits/ (habit 6); if a format fixes it, say so: // fixed by RFC ..."
    for line, text in file.find(r"\bconstexpr\b[^;={()]*\b\w+_max_?\s*[={]", message):
        comment = re.search(r"//.*", lines[line - 1])
        if not (comment and FIXED.search(comment.group(0))) and not FIXED.search(comment_above(lines, line)):
            yield line, text
    yield from file.find(r"(?<![\w.])1[uUlLzZ]*\s*<<\s*[1-6]\d\b", "a size as a shift: name it in base/limits/ (habit 6)")


def comment_above(lines, line):
    """The comment lines right above a line, together; a group of constants may share one."""
    found = []
    for text in reversed(lines[: line - 1]):
        text = text.strip()
        if text.startswith("//"):
            found.insert(0, text)
        elif found or not re.search(r"\bconstexpr\b", text):
            break
    return "\n".join(found)


def files_fit(file):
    """Habit 14: a file has one job."""
    lines = len(file.text.splitlines())
    if lines > FILE_LINES_MAX:
        yield FILE_LINES_MAX + 1, f"{lines} lines, {FILE_LINES_MAX} at most (habit 14)"


def functions_fit(file):
    """Habit 14: a function fits one screen."""
    try:
        for name, first, last in functions(file.code):
            lines = line_of(file.code, last) - line_of(file.code, first) + 1
            if lines > FUNCTION_LINES_MAX:
                yield line_of(file.code, first), f"{name} has {lines} lines, {FUNCTION_LINES_MAX} at most (habit 14)"
    except ValueError as error:
        yield 1, f"unbalanced brackets, {error}: tidy cannot read this file"


def no_banned_call(file):
    """Habit 13, and calls that nobody should need. Tests and fuzz targets may call the system."""
    if not file.is_product():
        return
    for pattern, reason, folders in BANNED:
        if not file.path.startswith(folders or ("\0",)):
            yield from file.find(pattern, reason)


def no_banned_word(file):
    yield from file.find(r"\bstd::(?:basic_)?w?regex\b", "std::regex is slow and recurses without bound")
    yield from file.find(r"\busing\s+namespace\s+std\s*;", "using namespace std")
    if file.path not in CATCH_ALL_ALLOWED and file.is_product():
        yield from file.find(r"\bcatch\s*\(\s*\.\.\.\s*\)", "catch (...) belongs to main and the connection boundary (habit 7)")


def headers_are_guarded(file):
    if file.is_header() and not re.match(r"(?:\s|//[^\n]*|/\*.*?\*/)*#pragma once\n", file.text, re.S):
        yield 1, "a header starts with #pragma once"
    if file.is_header() and re.search(r"^\s*#\s*ifndef\s+\w+_H_?\b", file.text, re.M):
        yield 1, "#pragma once alone, no include guard"


def no_open_ends(file):
    for match in re.finditer(r"\b(?:TODO|FIXME|XXX)\b", file.text):
        yield line_of(file.text, match.start()), f"{match.group(0)}: do it, or write it where it is seen"


RULES = [name_before_await, limits_in_one_place, files_fit, functions_fit, no_banned_call, no_banned_word,
         headers_are_guarded, no_open_ends]  # fmt: skip


def dead_headers(files):
    """Headers of src/ that nothing includes: (path, line, text)."""
    included = {name for file in files for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', file.text, re.M)}
    for file in files:
        if file.path.startswith("src/") and file.is_header() and file.path[len("src/") :] not in included:
            yield file.path, 1, "nothing includes this header"


def sources(root):
    for top in ("src", "include", "tests", "fuzz", "bench"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp") and "node_modules" not in path.parts:
                yield File(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


def broken(files):
    found = [(file.path, line, text) for file in files for rule in RULES for line, text in rule(file)]
    return found + list(dead_headers(files))


def main(root):
    files = list(sources(pathlib.Path(root)))
    found = broken(files)
    for path, line, text in found:
        print(f"{path}:{line}: {text}")
    print(f"tidy: {len(files)} files, {len(found)} broken rules")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
