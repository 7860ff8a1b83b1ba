# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a Keras model as OpenVINO IR: model.xml and model.bin, with an input and what Keras computes from it.

Needs the packages tensorflow and openvino.
"""

import keras
import numpy as np
import openvino

keras.utils.set_random_seed(1)
model = keras.Sequential(
    [
        keras.Input((20, 8), name="frames"),
        keras.layers.LSTM(16),
        keras.layers.Dense(4, activation="softmax"),
    ]
)
# A model of your own: model = keras.saving.load_model("speech.keras")

model.export("saved", verbose=False)
openvino.save_model(openvino.convert_model("saved", input=[1, 20, 8]), "model.xml", compress_to_fp16=False)

frames = np.random.default_rng(1).standard_normal((1, 20, 8), np.float32)
np.save("in_0.npy", frames)
np.save("out_0.npy", model.predict(frames, verbose=0))
