"""Enough of a reader of C++ for the rules of tidy: text without comments and literals, and where functions stand.

It relies on code that clang-format has formatted and a compiler has accepted.
"""
import re

TOKEN = re.compile(
    r'//(?:\\\n|[^\n])*'  # line comment
    r'|/\*.*?\*/'  # block comment
    r'|(?:u8|[uUL])?R"([^()\\\s]{0,16})\(.*?\)\1"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'  # string
    r"|(?<![0-9a-zA-Z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'"  # character; the look-behind spares 1'000
    r'|^[ \t]*#(?:\\\n|[^\n])*',  # preprocessor line
    re.S | re.M,
)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def code_only(text):
    """`text` with comments, literals and preprocessor lines blanked out; offsets and lines stay as they are."""

    def replace(match):
        token = match.group(0)
        # A literal leaves its quotes, so that what stands beside it does not join.
        if token[0] in "/" or token.lstrip()[:1] == "#":
            return blank(token)
        return '"' + blank(token[1:-1]) + '"'

    return TOKEN.sub(replace, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


OPEN, CLOSE = "([{", ")]}"


def match_of(code, start):
    """The offset of the bracket that closes the one at `start`, or None."""
    depth = 0
    for at in range(start, len(code)):
        if code[at] in OPEN:
            depth += 1
        elif code[at] in CLOSE:
            depth -= 1
            if depth == 0:
                return at
    return None


CONTAINER = re.compile(r"^(?:inline\s+)?namespace\b|^extern\s*$|^extern\s*\"|^(?:typedef\s+)?(?:class|struct|union|enum)\b")
TEMPLATE = re.compile(r"^(?:template\s*<|requires\b)")


def strip_template(head):
    while TEMPLATE.match(head):
        start = head.find("<")
        depth = 0
        for at in range(start, len(head)):
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            if depth == 0:
                break
        else:
            return head
        if start < 0:
            return head
        head = head[at + 1 :].lstrip()
    return head


def strip_macro_calls(head):
    """Takes macro calls without a semicolon, such as BOOST_DESCRIBE_STRUCT(X, (), (a)), off the front of a head."""
    while call := re.match(r"\s*[A-Z][A-Z0-9_]+\s*(?=\()", head):
        closing = match_of(head, call.end())
        if closing is None or not head[closing + 1 :].strip() or head[closing + 1 :].lstrip().startswith(":"):
            return head
        head = head[closing + 1 :]
    return head


def is_container(head):
    head = strip_template(re.sub(r"\[\[.*?\]\]", " ", head).strip())
    if not CONTAINER.match(head):
        return False
    return "(" not in head or head.startswith(("namespace", "inline")) or re.search(r"\balignas\s*\(", head) is not None


def functions(code):
    """Yields (name, first offset, last offset) of each function body at namespace or class scope of blanked code.

    Lambdas and local classes count to the function around them. Raises ValueError where the brackets do not match.
    """
    yield from _functions(code, 0, len(code))


def _functions(code, start, end):
    head_start = start
    at = start
    while at < end:
        char = code[at]
        if char in "([":
            closing = match_of(code, at)
            if closing is None or closing >= end:
                raise ValueError(f"line {line_of(code, at)}: bracket without its counterpart")
            at = closing + 1
        elif char == "{":
            closing = match_of(code, at)
            if closing is None or closing >= end:
                raise ValueError(f"line {line_of(code, at)}: brace without its counterpart")
            head = strip_macro_calls(code[head_start:at])
            after = code[closing + 1 : closing + 200].lstrip()[:1]
            if is_container(head):
                yield from _functions(code, at + 1, closing)
                head_start = closing + 1
            elif "(" in head and after not in (",", "{"):  # those follow an initialiser of a constructor: a_{1}, b_{2} {
                first = at - len(head.lstrip())
                yield function_name(head), first, closing
                head_start = closing + 1
            at = closing + 1
        elif char in ")]}":
            raise ValueError(f"line {line_of(code, at)}: '{char}' without its counterpart")
        else:
            if char == ";" or (char == ":" and re.search(r"\b(?:public|private|protected)\s*$", code[head_start:at])):
                head_start = at + 1
            at += 1


def function_name(head):
    name = re.search(r"([\w:~]+(?:<[^()]*>)?|operator\s*\S+?)\s*\(([^()]*)", head)
    if not name:
        return "?"
    # A test says more by its arguments than by its macro.
    return f"{name.group(1)}({name.group(2).strip()})" if re.match(r"TEST|TYPED_TEST|INSTANTIATE", name.group(1)) else name.group(1)
