# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program detect of examples/streaming: Silero VAD on a sound, chunk by chunk, beside OpenVINO."""

import subprocess
import wave
from pathlib import Path

import numpy as np
import openvino
import pytest

ROOT = Path(__file__).resolve().parents[2]
RATE, CHUNK, CONTEXT = 16000, 512, 64


def make_sound():
    """Two seconds of harmonics of 120 Hz, louder near the resonances of vowels; a pause in the middle; some noise."""
    time = np.arange(3 * RATE) / RATE
    sound = np.zeros(len(time))
    for harmonic in range(1, 30):
        frequency = 120 * harmonic
        gain = sum(1 / (1 + ((frequency - center) / 100) ** 2) for center in (700, 1220, 2600))
        sound += gain * np.sin(2 * np.pi * harmonic * (120 * time + np.sin(2 * np.pi * 3 * time)))
    sound *= np.abs(np.sin(4 * np.pi * time)) * ((time < 1) | (time >= 2)) * 0.1
    sound += np.random.default_rng(1).normal(0, 0.001, len(time))
    return (np.clip(sound, -1, 1) * 32767).astype("<i2")


def run_openvino(path, samples):
    model = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    samples = np.concatenate([np.zeros(CONTEXT, np.float32), samples.astype(np.float32) / 32768])
    state, probabilities = np.zeros((2, 1, 128), np.float32), []
    for begin in range(0, len(samples) - CONTEXT - CHUNK + 1, CHUNK):
        probability, state = model([samples[None, begin : begin + CONTEXT + CHUNK], state]).values()
        probabilities.append(probability.item())
    return probabilities


def write_wav(path, samples, channels=1):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return path


def test_speech_in_a_file_and_from_a_pipe(pytestconfig, tools, tmp_path):
    shared = pytestconfig.getoption("--shared")
    if not shared:
        pytest.skip("the project has no copy of Silero VAD, and --shared names no folder that has it")
    model = Path(shared) / "models/silero_vad_openvino_16k/model.xml"
    subprocess.run([tools / "ir-compile", model, "-o", tmp_path / "vad.o", f"--header={tmp_path}/vad.h"], check=True)
    program = tmp_path / "detect"
    subprocess.run(
        ["cc", f"-I{tmp_path}", ROOT / "examples/streaming/detect.c", tmp_path / "vad.o", "-lm", "-o", program],
        check=True,
    )

    sound = make_sound()
    file = write_wav(tmp_path / "sound.wav", sound)
    printed = subprocess.run([program, file], stdout=subprocess.PIPE, check=True).stdout
    lines = [line.split() for line in printed.decode().splitlines()]
    probabilities = np.array([float(line[1]) for line in lines])
    assert [float(line[0]) for line in lines] == [round(i * CHUNK / RATE, 3) for i in range(len(sound) // CHUNK)]
    assert np.max(probabilities) > 0.7 and np.min(probabilities[10:]) < 0.1  # the sound shows something
    np.testing.assert_allclose(probabilities, run_openvino(model, sound), rtol=0, atol=2e-3)
    clear = np.abs(probabilities - 0.5) > 0.001  # as rounded for the output
    marked = np.array([line[2:] == ["speech"] for line in lines])
    np.testing.assert_array_equal(marked[clear], probabilities[clear] > 0.5)

    # A pipe gives the bytes in parts, and the header of a microphone does not know how many come.
    data = bytearray(file.read_bytes())
    data[4:8] = data[40:44] = b"\xff\xff\xff\xff"
    pipe = subprocess.run(["sh", "-c", f"(head -c 30000; sleep 0.1; cat) | {program} -"], input=data,
                          stdout=subprocess.PIPE, check=True)
    assert pipe.stdout == printed

    for bad, message in (
        (write_wav(tmp_path / "stereo.wav", sound, channels=2), "expected one channel with 16000 samples"),
        (ROOT / "LICENSE", "expected a WAV file"),
        (tmp_path / "none.wav", "the file cannot be read"),
    ):
        done = subprocess.run([program, bad], capture_output=True, text=True)
        assert done.returncode == 2 and message in done.stderr
