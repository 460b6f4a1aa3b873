"""Programs that overwrite their arguments and environment to set a title (redis, PostgreSQL, nginx):
the profile goes where the environment said at the start."""
import re

from harness import ARCHIVE, LIBRARY
from record_support import RecordTest

EXPECTED = {("main", "work"): 2, ("work", "leaf"): 1000}
TITLE = "titled: worker\n"


class Titles(RecordTest):
    @classmethod
    def programs(cls):
        super().programs()
        cls.program = cls.build("title", ["title.c"], "-O1")
        cls.plain_program = cls.build("plain-title", ["title.c"], "-O1", pg=False)
        cls.static = cls.build("static-title", ["title.c"], "-O1", "-static", libraries=[ARCHIVE])

    def run_titled(self, program, *words, **variables):
        preload = str(LIBRARY) if program == self.program else ""
        outcome = self.profiled(program, *words, variables={"LD_PRELOAD": preload} | variables)
        self.assertTrue(outcome.stdout.startswith(TITLE), outcome.stdout)
        return outcome

    def test_title_is_what_it_is_without_the_collector(self):
        plain = self.plain(self.plain_program)
        self.assertEqual(plain.stdout, TITLE)
        self.assertEqual(self.run_titled(self.program), plain)

    def test_output_directory(self):
        output = self.directory / "output"
        output.mkdir()
        for program in (self.program, self.static):
            with self.subTest(program.name):
                self.run_titled(program, GPROF_OUTPUT=output)
                self.assertEqual(self.files(), ["output"])
                self.assert_calls(self.calls(program, directory=output), EXPECTED)

    def test_prefix(self):
        for program in (self.program, self.static):
            with self.subTest(program.name):
                outcome = self.run_titled(program, "fork", GMON_OUT_PREFIX="prefixed")
                child = f"prefixed.{outcome.numbers()['child']}"
                profiles = [name for name in self.files() if not name.endswith(".gpx")]
                self.assertEqual(len(profiles), 2, profiles)
                profiles.remove(child)
                self.assert_calls(self.calls(program, profiles[0]), EXPECTED)
                self.assert_calls(self.calls(program, child), {("work", "leaf"): 70})
                for name in self.files():
                    (self.directory / name).unlink()

    def test_children_go_to_the_output_directory(self):
        output = self.directory / "output"
        output.mkdir()
        child = self.run_titled(self.program, "fork", GPROF_OUTPUT=output).numbers()["child"]
        self.assert_calls(self.calls(self.program, f"gmon.out.{child}", output),
                          {("work", "leaf"): 70})

    def test_record(self):
        status, output, errors = self.record("--output=o", self.program, "fork")
        self.assertEqual(status, 0, errors)
        self.assertTrue(output.startswith(TITLE), output)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.assertRegex(self.last_line(errors), r"^o/gmon\.out: 1,\d{3} calls.*nothing lost; .*"
                         rf"further processes: o/gmon\.out\.{re.search('child (.*)', output)[1]}$")
        self.assertEqual(self.files(), ["o"])
        self.assert_calls(self.calls(self.program, directory=self.directory / "o"), EXPECTED)
