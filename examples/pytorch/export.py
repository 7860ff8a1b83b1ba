# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a PyTorch module as OpenVINO IR: model.xml and model.bin, with an input and what PyTorch computes from it.

Needs the packages torch and openvino.
"""

import numpy as np
import openvino
import torch


class Tagger(torch.nn.Module):
    """Scores of 3 tags for each frame of 8 features: from [batch, time, 8] to [batch, time, 3]."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = torch.nn.GRU(8, 16, batch_first=True)
        self.scores = torch.nn.Linear(16, 3)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        return self.scores(self.gru(frames)[0])


torch.manual_seed(1)
module = Tagger().eval()
frames = torch.randn(1, 12, 8)

# The time is not known before a call: -1.
model = openvino.convert_model(module, example_input=frames, input=[("frames", [1, -1, 8])])
openvino.save_model(model, "model.xml", compress_to_fp16=False)

np.save("in_0.npy", frames.numpy())
np.save("out_0.npy", module(frames).detach().numpy())
