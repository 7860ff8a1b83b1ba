# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# -*- Python -*-
import os
import shutil
import subprocess
import sys

import lit.formats

# lit.site.cfg.py, in the build tree, has set the config.recur_* and config.llvm_tools_dir.
config.name = "recur"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".xml"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.recur_obj_root, "test")

# The format is imported by name, so that lit's worker processes find it.
sys.path[:0] = [config.test_source_root, os.path.join(config.test_source_root, "conformance")]
import packed_cases

config.recur_cases = str(packed_cases.unpack(os.path.join(config.recur_obj_root, "conformance")))

# Tools are found by PATH: Recur's, then FileCheck, not, split-file, llvm-nm and the like.
path = [config.recur_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
if os.environ.get("RECUR_VERIFY_ROUNDTRIP"):
    # Every ir-opt also prints and parses its input, as text and as bytecode.
    path.insert(0, os.path.join(config.test_source_root, "roundtrip"))
    config.environment["RECUR_REAL_IR_OPT"] = os.path.join(config.recur_tools_dir, "ir-opt")
config.environment["PATH"] = os.pathsep.join(path)
for name in ("CC", "RECUR_SHARED", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

seed = subprocess.run([sys.executable, os.path.join(config.recur_src_root, "scripts/seed.py")], capture_output=True,
                      text=True)
if seed.returncode:
    lit_config.fatal(seed.stderr.strip())
config.recur_seed = int(seed.stdout)
lit_config.note(f"tests of random models have the seed of RECUR_TEST_SEED={config.recur_seed}")
config.substitutions += [
    ("%seed", str(config.recur_seed)),
    ("%python", sys.executable),
    ("%lint", f"{sys.executable} {config.test_source_root}/lint/lint.py"),
    ("%recur_src", config.recur_src_root),
    ("%recur_obj", config.recur_obj_root),
    ("%recur_version", config.recur_version),
    # ir-run --aot and the tests that link models use the same command.
    ("%cc", os.environ.get("CC") or config.host_cc),
    ("%conformance", config.recur_cases),
]
if other_tools := os.environ.get("RECUR_OTHER_TOOLS"):
    config.substitutions.append(("%other_tools", other_tools))
    config.available_features.add("other-tools")
# The linked programs of all tests have the same C driver. It is compiled once for each compiler.
config.environment["RECUR_DRIVER_CACHE"] = os.path.join(config.test_exec_root, "driver-cache")
if config.recur_sanitized:
    config.available_features.add("sanitizer")
config.available_features.add(config.host_arch.lower())
# Containers may forbid perf to record. A machine that lacks perf fails its test: scripts/setup.sh installs it.
perf = ["perf", "record", "-q", "-e", "cpu-clock", "-o", "-", "true"]
refused = shutil.which("perf") and subprocess.run(perf, capture_output=True)
if refused and refused.returncode:
    why = refused.stderr.decode(errors="replace").strip().splitlines() or [""]
    lit_config.note(f"Tools/perf.test is not run: 'perf record' fails with status {refused.returncode}: {why[0]}")
else:
    config.available_features.add("perf")

# A test that hangs must fail. Other work may be beside it. lit can stop it only if psutil is available.
if lit_config.maxIndividualTestTime == 0 and lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = 900
