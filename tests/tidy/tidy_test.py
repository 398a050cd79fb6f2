"""Each rule of tidy catches its bad examples and leaves the good ones alone."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
import rules  # noqa: E402
from cpp_text import code_only, functions  # noqa: E402


def body(lines):
    return "".join(f"  use({number});\n" for number in range(lines))


class Rules(unittest.TestCase):
    def lines(self, rule, text, path="src/server/session.cpp"):
        return [line for line, _ in rule(rules.File(path, text))]

    def catches(self, rule, text, path="src/server/session.cpp", count=1):
        self.assertEqual(len(self.lines(rule, text, path)), count, text)

    def leaves(self, rule, text, path="src/server/session.cpp"):
        self.assertEqual(self.lines(rule, text, path), [], text)

    def test_nothing_is_built_inside_a_co_await(self):
        for bad in (
            "auto p = co_await start({.argv = argv});",
            "auto p = co_await start(StartOptions{argv});",
            "auto p = co_await\n    start(argv, {1, 2});",
            "co_await post([this] { go(); });",
            "co_return co_await both(a, [] { return 1; });",
            "co_await send(ok ? first : second);",
            "co_await call(std::function<void()>(go));",
            "auto v = OUTPOST_TRY(co_await read({1}));",
            "switch (co_await next()) {\n}",
            "for (auto& x : co_await list({1})) {\n}",
        ):
            self.catches(rules.name_before_await, bad)

    def test_a_named_value_may_be_awaited(self):
        for good in (
            "auto p = co_await host.start(std::move(options));",
            "if (co_await ready()) {\n  use({1});\n}",
            "if (auto x = co_await f(a); !x) {\n  return {};\n}",
            "use(co_await f(), {1, 2});",
            "auto x = co_await ok() ? 1 : 2;",
            '// co_await f({1})\nauto s = "co_await f({1})";',
            "auto x = co_await f(a[1]);\nFoo y{1};",
        ):
            self.leaves(rules.name_before_await, good)

    def test_bounds_stand_in_one_place(self):
        rule = rules.limits_in_one_place
        self.catches(rule, "constexpr std::size_t queue_max = 5;")
        self.catches(rule, "  static constexpr int queue_bytes_max{5};")
        self.catches(rule, "// why not\nconstexpr int queue_max = 5;  // as many as fit")
        self.catches(rule, "std::size_t size = 1 << 20;")
        self.catches(rule, "auto size = std::size_t{1u<<16};")
        self.leaves(rule, "constexpr int queue_max = 5;", "src/base/limits/queues.h")
        self.leaves(rule, "constexpr int queue_max = 5;", "tests/base/a_test.cpp")
        self.leaves(rule, "constexpr int head_bytes_max = 14;  // RFC 6455, 5.2")
        self.leaves(rule, "// fixed by the format\nconstexpr int a_max = 14;\nconstexpr int b_max = 15;")
        self.leaves(rule, "constexpr std::size_t decoded_size_max(std::size_t chars);\nstd::size_t queue_max = limits::queue_max;")
        self.leaves(rule, "flags |= 1 << 3; mask = value << 20;")

    def test_files_have_400_lines_at_most(self):
        self.leaves(rules.files_fit, "\n" * 400)
        self.catches(rules.files_fit, "\n" * 401)

    def test_functions_have_60_lines_at_most(self):
        rule = rules.functions_fit
        self.leaves(rule, "void f() {\n" + body(58) + "}\n")
        for head in (
            "void f() {\n",
            "namespace a::b {\nnamespace {\nint f(int x) const noexcept {\n",
            "template <class T>\nclass A : public B<T> {\n public:\n  A(int x) : B<T>{x}, b_{1}, c_(2) {\n",
            "struct A final {\n  auto operator()(int x) -> int {\n",
            "TEST(Session, Ends) {\n",
            "BOOST_DESCRIBE_STRUCT(A, (), (b))\nnamespace {\nvoid f() {\n",
            "constexpr auto f = [](int x) {\n",
            'extern "C" int f(const char* x) {\n',
            "struct A {\n  int a = 1;\n  std::vector<int> b{1, 2};\n};\nA f(A a = {}) {\n",
            "enum class E { a, b };\nE f() {\n",
            "#define X {\nvoid f() {\n",
            "void f() {\n  const char* s = \"}\";\n  char c = '}';  // }\n  auto r = R\"x(})\" })x\";\n  int n = 1'000;\n",
        ):
            depth = {"namespace a": 2, "template": 1, "struct A final": 1, "BOOST": 1}
            closing = "}" + next((";\n}" * n for start, n in depth.items() if head.startswith(start)), ";\n") + "\n"
            self.catches(rule, head + body(60) + closing)
            self.leaves(rule, head + body(50) + closing)

    def test_what_is_no_function_is_not_counted(self):
        for good in (
            "namespace a {\n" + "int f();\n" * 70 + "}\n",
            "class A {\n" + "  int f() { return 1; }\n" * 70 + "};\n",
            "const Route routes[] = {\n" + '  {"fs/walk", call<&Files::walk>()},\n' * 70 + "};\n",
            "enum class E {\n" + "  a,\n" * 70 + "};\n",
        ):
            self.leaves(rules.functions_fit, good)

    def test_code_that_cannot_be_read_is_told(self):
        self.catches(rules.functions_fit, "void f() {\n")
        self.catches(rules.functions_fit, "void f() {}\n}\n")

    def test_names_of_functions(self):
        code = code_only("int A::f(int) { return 1; }\nTEST(Session, Ends) {}\n")
        self.assertEqual([name for name, _, _ in functions(code)], ["A::f", "TEST(Session, Ends)"])

    def test_system_calls_belong_to_os(self):
        for bad in ("auto n = ::read(fd, p, 1);", "if (::fork() == 0) {}", "fork();", "system(line);", "FILE* f = popen(a, b);",
                    "::sleep(1);", "std::this_thread::sleep_for(1s);", "sprintf(a, b);", "std::atoi(text);"):  # fmt: skip
            self.catches(rules.no_banned_call, bad, count=2 if "::fork" in bad else 1)
            self.leaves(rules.no_banned_call, bad, "tests/server/session_test.cpp")
        self.leaves(rules.no_banned_call, "auto n = ::read(fd, p, 1);", "src/os/io.cpp")
        self.catches(rules.no_banned_call, "std::this_thread::sleep_for(1s);", "src/os/io.cpp")
        self.leaves(rules.no_banned_call, "log.read(1); os::read(fd); file->system(); boost::system::error_code e; Log::read(1); // ::read(1)")

    def test_banned_words(self):
        self.catches(rules.no_banned_word, "std::regex r;")
        self.catches(rules.no_banned_word, "using namespace std;", "tests/a/b_test.cpp")
        self.catches(rules.no_banned_word, "try { f(); } catch (...) {}")
        self.leaves(rules.no_banned_word, "try { f(); } catch (...) {}", "src/apps/outpost/main.cpp")
        self.leaves(rules.no_banned_word, "using namespace std::chrono_literals; catch (const std::exception& e) {}")

    def test_headers_have_pragma_once(self):
        rule = rules.headers_are_guarded
        self.catches(rule, "#include <string>\n", "src/base/a.h")
        self.catches(rule, "#pragma once\n#ifndef BASE_A_H\n#define BASE_A_H\n#endif\n", "src/base/a.h")
        self.leaves(rule, "// What it is.\n\n#pragma once\n", "src/base/a.h")
        self.leaves(rule, "#include <string>\n", "src/base/a.cpp")

    def test_nothing_is_left_for_later(self):
        for word in ("TO" + "DO", "FIX" + "ME", "X" * 3):
            self.catches(rules.no_open_ends, f"// {word}: later\n")
        self.leaves(rules.no_open_ends, 'char name[] = "/tmp/a.XXXXXX";\n')

    def test_headers_that_nothing_includes(self):
        used, user = rules.File("src/base/a.h", "#pragma once\n"), rules.File("src/os/a.cpp", '#include "base/a.h"\n')
        self.assertEqual(list(rules.dead_headers([used, user])), [])
        self.assertEqual([path for path, _, _ in rules.dead_headers([used])], ["src/base/a.h"])

    def test_every_rule_is_run(self):
        file = rules.File("src/server/a.h", "using namespace std;\n")
        self.assertEqual({text.split(" ")[0] for _, _, text in rules.broken([file])}, {"using", "a", "nothing"})


if __name__ == "__main__":
    unittest.main()
