# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes lit run test/conformance: each case is a test in each tested mode, e.g. conformance/aot/spec_example2."""
import importlib.util
from pathlib import Path

import lit.Test
import lit.formats

RUNNER = Path(__file__).resolve().parent / "conformance" / "run.py"


def load_runner():
    spec = importlib.util.spec_from_file_location("conformance_run", RUNNER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


runner = load_runner()


class ConformanceTest(lit.Test.Test):
    def __init__(self, suite, path, config, mode, case):
        super().__init__(suite, path, config)
        self.mode, self.case = mode, case


class ConformanceFormat(lit.formats.base.TestFormat):
    def __init__(self, ir_run, folder, sanitized):
        self.ir_run, self.folder, self.sanitized = ir_run, Path(folder), sanitized

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        # lit also asks for the folders of the cases.
        if Path(testSuite.getSourcePath(path_in_suite)).resolve() != runner.FOLDER:
            return
        for mode in runner.TESTED_MODES:
            for case in runner.load_cases(mode, self.folder):
                if runner.is_tested(mode, case):
                    yield ConformanceTest(testSuite, path_in_suite + (mode, case["name"]), localConfig, mode, case)

    def execute(self, test, litConfig):
        problem, text = runner.run_case(self.ir_run, test.mode, test.case, self.folder, sanitized=self.sanitized,
                                        environment=test.config.environment)
        return (lit.Test.FAIL if problem else lit.Test.PASS), text
