# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All operations in f16 and bf16, compiled and interpreted, beside f64 (test/conformance/narrow_types.py)."""

import narrow_types
import pytest


@pytest.mark.parametrize("mode", narrow_types.MODES)
@pytest.mark.parametrize("narrow", narrow_types.NARROW, ids=lambda narrow: narrow.name)
def test_rounded_once(tools, narrow, mode):
    """Each layer is computed in f32 and rounded once."""
    failures = []
    for model in narrow_types.make_models(narrow, narrow_types.collect("")):
        failures += model.run(tools / "ir-run", mode)
    assert failures == []
