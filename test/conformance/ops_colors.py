# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of layers that make colours of pixels out of planes."""
import numpy as np

from op_cases import integers, numbers, op


def colors_of(y, u, v, bgr):
    """`y` is [N, H, W], and `u` and `v` are [N, H / 2, W / 2]."""
    u, v = (np.repeat(np.repeat(np.float64(plane), 2, 1), 2, 2) - 128 for plane in (u, v))
    light = 1.164 * (np.float64(y) - 16)
    made = [light + 1.596 * v, light - 0.391 * u - 0.813 * v, light + 2.018 * u]
    made = np.stack(made[::-1] if bgr else made, 3).clip(0, 255)
    return np.floor(made + 0.5) if y.dtype == np.uint8 else made


def planes(of, n, h, w, seed):
    if of == np.uint8:
        return lambda *shape: integers(*shape, seed=seed + len(shape) + shape[1], least=0, most=255, dtype=np.uint8)
    return lambda *shape: numbers(*shape, seed=seed + shape[1], least=-10, most=270)


def color_case(of, n=2, h=4, w=6):
    kind = "u8" if of == np.uint8 else "f32"
    make = planes(of, n, h, w, 3)
    whole, y = make(n, h * 3 // 2, w, 1), make(n, h, w, 1)
    both, u, v = make(n, h // 2, w // 2, 2), make(n, h // 2, w // 2, 1), make(n, h // 2, w // 2, 1)[::-1].copy()
    for bgr in (False, True):
        to = "BGR" if bgr else "RGB"

        @op(f"NV12to{to}", 8, inputs=(whole,), static=True, tolerance=(1e-5, 1e-4), name=f"nv12_to_{to.lower()}_{kind}")
        def nv12(x, bgr=bgr):
            colors = x[:, h:, :, 0].reshape(n, h // 2, w // 2, 2)
            return colors_of(x[:, :h, :, 0].astype(of), colors[..., 0], colors[..., 1], bgr)

        @op(f"NV12to{to}", 8, inputs=(y, both), static=True, tolerance=(1e-5, 1e-4), name=f"nv12_planes_to_{to.lower()}_{kind}")
        def nv12_planes(y, uv, bgr=bgr):
            return colors_of(y[..., 0].astype(of), uv[..., 0], uv[..., 1], bgr)

        @op(f"I420to{to}", 8, inputs=(whole,), static=True, tolerance=(1e-5, 1e-4), name=f"i420_to_{to.lower()}_{kind}")
        def i420(x, bgr=bgr):
            colors = x[:, h:, :, 0].reshape(n, 2, h // 2, w // 2)
            return colors_of(x[:, :h, :, 0].astype(of), colors[:, 0], colors[:, 1], bgr)

        @op(f"I420to{to}", 8, inputs=(y, u, v), static=True, tolerance=(1e-5, 1e-4), name=f"i420_planes_to_{to.lower()}_{kind}")
        def i420_planes(y, u, v, bgr=bgr):
            return colors_of(y[..., 0].astype(of), u[..., 0], v[..., 0], bgr)


color_case(np.uint8)
color_case(np.float32)
