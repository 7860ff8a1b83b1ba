# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# -*- Python -*-
import os

import lit.formats

config.name = "recur-unit"
config.suffixes = []
config.test_source_root = config.test_exec_root = os.path.join(config.recur_obj_root, "unittests")
# Every test of every program of unittests/ whose name ends in Tests.
config.test_format = lit.formats.GoogleTest(".", "Tests")
for name in ("CC", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
