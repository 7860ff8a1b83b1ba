# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is in the wheel, and what it needs."""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import recur


def test_it_needs_no_llvm():
    # What the loader has loaded after a compilation: the libraries of the wheel, and those that every machine has.
    program = (
        "import recur, pathlib; recur.compile(b'func.func @main(%x: tensor<1xf32>) -> tensor<1xf32>"
        " { return %x : tensor<1xf32> }'); print(pathlib.Path('/proc/self/maps').read_text())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    libraries = {Path(name).name for name in re.findall(r"\S+\.so[.0-9]*$", done.stdout, re.MULTILINE)}
    assert any(name.startswith("librecur.so") for name in libraries)
    assert not [name for name in libraries if re.search("LLVM|MLIR", name)]


def test_the_loader_finds_all_libraries_in_the_wheel():
    folder = Path(recur.__file__).parent
    for library in folder.glob("*.so*"):
        done = subprocess.run(["ldd", library], capture_output=True, text=True, check=True)
        assert "not found" not in done.stdout
        for name in ("libpugixml", "libzstd"):
            for line in done.stdout.splitlines():
                if name in line and "=>" in line:
                    assert "recur.libs" in line, f"{library.name} takes {name} from the machine"


def test_metadata():
    about = metadata.metadata("recur")
    assert about["Version"] == recur.__version__
    assert metadata.requires("recur")[0].startswith("numpy")
    files = {str(file) for file in metadata.files("recur")}
    assert {"recur/py.typed", "recur/_recur.pyi"} <= files
    # The licences of Recur, and of the software that is in the wheel.
    texts = {
        "LICENSE": "LLVM Exceptions to the Apache 2.0 License", "THIRD_PARTY.md": "nanobind",
        "third-party/llvm.txt": "LLVM Exceptions to the Apache 2.0 License",
        "third-party/nanobind.txt": "Wenzel Jakob", "third-party/pugixml.txt": "Arseny Kapoulkine",
        "third-party/zstd.txt": "Yann Collet",
    }
    for name, words in texts.items():
        (file,) = (file for file in metadata.files("recur") if str(file).endswith(f"dist-info/licenses/{name}"))
        assert words in file.read_text(), name


def test_list_of_software():
    (file,) = (file for file in metadata.files("recur") if str(file).endswith("dist-info/sboms/recur.spdx.json"))
    check = Path(__file__).resolve().parents[2] / "test/Tools/Inputs/check_spdx.py"
    links = ["llvm=STATIC_LINK", "pugixml=DYNAMIC_LINK", "nanobind=STATIC_LINK"]
    subprocess.run([sys.executable, check, file.locate(), recur.__version__, *links], check=True)
