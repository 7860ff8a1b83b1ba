# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of layers that make boxes at all places of an image, or choose boxes."""
import numpy as np

from op_cases import numbers, op


def prior_boxes(sizes, image, min_size=(), max_size=(), aspect_ratio=(), flip=False, clip=False, step=0.0, offset=0.5,
                variance=(), scale_all_sizes=True, fixed_ratio=(), fixed_size=(), density=(),
                min_max_aspect_ratios_order=True):
    (h, w), (ih, iw) = (int(n) for n in sizes), (int(n) for n in image)
    ratios = [1.0]
    for ratio in aspect_ratio:
        if all(abs(ratio - other) >= 1e-6 for other in ratios):
            ratios += [ratio, 1 / ratio] if flip else [ratio]
    others = [ratio for ratio in ratios if abs(ratio - 1) >= 1e-6]
    smallest = [size * (1 if scale_all_sizes else ih) for size in min_size]
    if not scale_all_sizes:
        step = ih / h if step == -1 else step * ih
    rows = []
    for y, x in np.ndindex(h, w):
        cx, cy = ((x + 0.5) * iw / w, (y + 0.5) * ih / h) if step == 0 else ((x + offset) * step, (y + offset) * step)

        def add(cx, cy, width, height, bounded=False):
            box = [(cx - width / 2) / iw, (cy - height / 2) / ih, (cx + width / 2) / iw, (cy + height / 2) / ih]
            if bounded:
                box = [max(box[0], 0), max(box[1], 0), min(box[2], 1), min(box[3], 1)]
            rows.append(box)

        for i, size in enumerate(fixed_size):
            def dense(width, height):
                many, apart = int(density[i]), int(size / int(density[i]))
                for r, c in np.ndindex(many, many):
                    middle = -int(size) / 2 + apart / 2
                    add(cx + middle + c * apart, cy + middle + r * apart, width, height, bounded=True)

            for ratio in fixed_ratio:
                dense(size * ratio ** 0.5, size / ratio ** 0.5)
            if not fixed_ratio:
                if density:
                    dense(int(size), int(size))
                for ratio in others:
                    dense(size * ratio ** 0.5, size / ratio ** 0.5)
        for i, size in enumerate(smallest):
            add(cx, cy, size, size)

            def largest():
                if i < len(max_size):
                    add(cx, cy, *2 * [(size * max_size[i]) ** 0.5])

            if min_max_aspect_ratios_order:
                largest()
            if scale_all_sizes or i + 1 == len(smallest):
                of = size if scale_all_sizes else smallest[0]
                for ratio in others:
                    add(cx, cy, of * ratio ** 0.5, of / ratio ** 0.5)
            if not min_max_aspect_ratios_order:
                largest()
    boxes = np.array(rows)
    if clip:
        boxes = boxes.clip(0, 1)
    return np.stack([boxes.ravel(), np.tile(np.resize(variance or [0.1], 4), len(boxes))])


def prior_case(name, opset=8, sizes=(2, 3), image=(60, 90), **data):
    def text(value):
        return ",".join(map(str, value)) if isinstance(value, tuple) else value

    op("PriorBox", opset, inputs=(np.array(sizes), np.array(image)), element="f32", static=True, name=f"prior_box_{name}",
       **{key: text(value) for key, value in {"offset": 0.5, **data}.items()})(
           lambda sizes, image: prior_boxes(sizes, image, **data))


prior_case("ssd", min_size=(20.0, 30.0), max_size=(40.0,), aspect_ratio=(2.0, 3.0), flip=True, step=30.0, offset=0.25,
           variance=(0.1, 0.1, 0.2, 0.2))
prior_case("order", min_size=(20.0,), max_size=(40.0,), aspect_ratio=(2.0, 1.0), clip=True,
           min_max_aspect_ratios_order=False, variance=(0.3,))
prior_case("first", opset=1, min_size=(16.0,), aspect_ratio=(2.0, 0.5), flip=True)
prior_case("parts", min_size=(0.2, 0.4), aspect_ratio=(2.0,), step=-1.0, scale_all_sizes=False)
prior_case("part_step", min_size=(0.2,), step=0.5, offset=0.75, scale_all_sizes=False)
prior_case("fixed", fixed_size=(32.0, 65.5), density=(2.0, 1.0), step=30.0)
prior_case("fixed_ratio", fixed_size=(30.0,), density=(3.0,), fixed_ratio=(0.5, 2.0), step=30.0)
prior_case("dense_ratio", fixed_size=(30.0,), density=(2.0,), aspect_ratio=(4.0,), min_size=(10.0,))


def clustered_case(name, steps, width=(10.0, 20.5), height=(30.0, 7.0), offset=0.5, clip=False, variance=()):
    data = {"width": ",".join(map(str, width)), "height": ",".join(map(str, height)), "offset": offset, "clip": clip,
            **steps}
    if variance:
        data["variance"] = ",".join(map(str, variance))

    @op("PriorBoxClustered", inputs=(np.array([3, 2]), np.array([60, 80])), element="f32", static=True,
        name=f"prior_box_clustered_{name}", **data)
    def run(sizes, image):
        (h, w), (ih, iw) = sizes, image
        across, along = (steps.get(key) or steps.get("step", 0) for key in ("step_w", "step_h"))
        if across == along == 0:
            across, along = iw / w, ih / h
        boxes = []
        for y, x in np.ndindex(h, w):
            cx, cy = (x + offset) * across, (y + offset) * along
            boxes += [[(cx - a / 2) / iw, (cy - b / 2) / ih, (cx + a / 2) / iw, (cy + b / 2) / ih]
                      for a, b in zip(width, height)]
        boxes = np.array(boxes).clip(0, 1) if clip else np.array(boxes)
        return np.stack([boxes.ravel(), np.tile(np.resize(variance or [0.1], 4), len(boxes))])


clustered_case("fits", {})
clustered_case("step", {"step": 16.0}, clip=True, variance=(0.1, 0.1, 0.2, 0.2))
clustered_case("steps", {"step_w": 16.0, "step_h": 20.0}, offset=0.25, variance=(0.5,))


def grid_case(name, flatten, h=0, w=0, stride_x=0.0, stride_y=0.0):
    priors, features, image = numbers(3, 4), numbers(1, 2, 4, 5), numbers(1, 3, 32, 50)

    @op("ExperimentalDetectronPriorGridGenerator", 6, inputs=(priors, features, image), static=True,
        name=f"prior_grid_{name}", flatten=flatten, h=h, w=w, stride_x=stride_x, stride_y=stride_y)
    def run(priors, features, image):
        rows, columns = h or 4, w or 5
        out = np.zeros((rows, columns, 3, 4))
        for y, x in np.ndindex(rows, columns):
            cx, cy = (x + 0.5) * (stride_x or 50 / columns), (y + 0.5) * (stride_y or 32 / rows)
            out[y, x] = priors + [cx, cy, cx, cy]
        return out.reshape(-1, 4) if flatten else out


grid_case("flat", True)
grid_case("whole", False, h=2, w=3, stride_x=8.0, stride_y=4.0)


def best_case(name, count, most):
    scores = np.array([0.5, 0.9, 0.5, 0.1, 0.7], np.float32)[:count]

    @op("ExperimentalDetectronTopKROIs", 6, inputs=(numbers(count, 4), scores), static=True, name=f"top_k_rois_{name}",
        max_rois=most)
    def run(regions, scores):
        out = np.zeros((most, 4))
        for place, which in enumerate(np.argsort(-scores, kind="stable")[:most]):
            out[place] = regions[which]
        return out


best_case("some", 5, 3)
best_case("fewer", 2, 4)
