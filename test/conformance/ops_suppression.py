# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of layers that choose boxes, and drop or weaken those that overlap with better ones."""
import numpy as np

from op_cases import Const, numbers, op


def boxes_of(*shape, seed=0, size=1.0):
    """Boxes that overlap here and there."""
    corner = numbers(*shape, 2, seed=seed, least=0, most=size)
    return np.concatenate([corner, corner + numbers(*shape, 2, seed=seed + 1, least=0.1 * size, most=size)], -1)


def scores_of(*shape, seed=0, ties=False):
    """Scores from 0 to 1, all different or of four values."""
    count = int(np.prod(shape))
    order = np.random.default_rng(seed).permutation(count).reshape(shape)
    return (order % 4 / 4 if ties else order / count).astype(np.float32)


def ranked(scores, is_candidate, most):
    """The numbers of the candidates, the best one first."""
    order = [i for i in np.argsort(-scores, kind="stable") if is_candidate[i]]
    return order if most < 0 else order[:most]


def matrix_overlap(a, b, offset):
    if b[0] > a[2] or b[2] < a[0] or b[1] > a[3] or b[3] < a[1]:
        return 0.0
    common = np.prod([min(a[i + 2], b[i + 2]) - max(a[i], b[i]) + offset for i in (0, 1)])
    areas = [0.0 if c[2] < c[0] or c[3] < c[1] else (c[2] - c[0] + offset) * (c[3] - c[1] + offset) for c in (a, b)]
    return np.divide(common, sum(areas) - common)


def overlap_of(a, b, offset):
    areas = [(c[2] - c[0] + offset) * (c[3] - c[1] + offset) for c in (a, b)]
    if min(areas) <= 0:
        return 0.0
    common = np.prod([max(min(a[i + 2], b[i + 2]) - max(a[i], b[i]) + offset, 0) for i in (0, 1)])
    return common / (sum(areas) - common)


def matrix_scores(boxes, scores, score_threshold, nms_top_k, normalized, decay_function, gaussian_sigma,
                  post_threshold):
    order = ranked(scores, scores > score_threshold, nms_top_k)
    greatest, chosen = [], []
    for i, box in enumerate(order):
        shares = [matrix_overlap(boxes[box], boxes[other], 0 if normalized else 1) for other in order[:i]]
        shares = [0.0 if np.isnan(share) else share for share in shares]
        factor = 1.0
        for share, most in zip(shares, greatest):
            # In f32, so that scores that are equal stay equal.
            factor = min(factor, np.float32(np.exp((most ** 2 - share ** 2) * gaussian_sigma)
                                            if decay_function == "gaussian" else (1 - share) / (1 - most + 1e-10)))
        greatest.append(max(shares, default=0.0))
        if factor * scores[box] > post_threshold:
            chosen.append((box, factor * scores[box]))
    return chosen


def greedy_scores(boxes, scores, score_threshold, nms_top_k, normalized, iou_threshold, nms_eta):
    chosen, limit = [], iou_threshold
    for box in ranked(scores, scores >= score_threshold, nms_top_k):
        if all(overlap_of(boxes[box], boxes[other], 0 if normalized else 1) < limit for other, _ in chosen):
            chosen.append((box, scores[box]))
            if 0 <= nms_eta < 1 and limit > 0.5:
                limit *= nms_eta
    return chosen


def rows_of(images, background_class, keep_top_k, sort_result_type, sort_result_across_batch, sorts_classes):
    """The outputs. `images` has for each image and class the function that gives the chosen boxes, and those boxes'
    corners and numbers."""
    rows, counts = [], []
    for image, classes in enumerate(images):
        own = []
        for kind, (chosen, corners, index) in enumerate(classes):
            if kind != background_class:
                own += [(image, kind, box, score, corners[box], index(box)) for box, score in chosen]
        own.sort(key=lambda row: (-row[3], row[1], row[2]))
        own = own if keep_top_k < 0 else own[:keep_top_k]
        if sort_result_type == "classid" and sorts_classes and not sort_result_across_batch:
            own.sort(key=lambda row: row[1])
        rows += own
        counts.append(len(own))
    if sort_result_across_batch and sort_result_type != "none":
        rows.sort(key=lambda row: -row[3] if sort_result_type == "score" else row[1])
    table = np.array([[kind, score, *corners] for _, kind, _, score, corners, _ in rows]).reshape(-1, 6)
    return table, np.array([row[5] for row in rows]).reshape(-1, 1), np.array(counts)


COMMON = {"sort_result_type": "none", "sort_result_across_batch": False, "background_class": -1, "keep_top_k": -1}
MATRIX = {"score_threshold": 0.0, "nms_top_k": -1, "normalized": True, "decay_function": "linear",
          "gaussian_sigma": 2.0, "post_threshold": 0.0}
GREEDY = {"score_threshold": 0.0, "nms_top_k": -1, "normalized": True, "iou_threshold": 0.0, "nms_eta": 1.0}
BOXES, SCORES = boxes_of(2, 9), scores_of(2, 3, 9)


def split(data, defaults):
    return {key: data.get(key, value) for key, value in defaults.items()}


def shared_images(boxes, scores, choose, **data):
    count = boxes.shape[1]
    return [[(choose(boxes[image], scores[image, kind], **data), boxes[image],
              lambda box, image=image: image * count + box) for kind in range(scores.shape[1])]
            for image in range(len(boxes))]


def matrix_case(name, boxes=BOXES, scores=SCORES, output_type="i64", static=False, **data):
    @op("MatrixNms", 8, inputs=(boxes, scores), element=("f32", output_type, output_type), static=static,
        name=f"matrix_nms_{name}", output_type=output_type, **data)
    def run(boxes, scores):
        return rows_of(shared_images(boxes, scores, matrix_scores, **split(data, MATRIX)), **split(data, COMMON),
                       sorts_classes=False)


def multiclass_case(name, boxes=BOXES, scores=SCORES, opset=8, output_type="i64", roisnum=None, static=False, **data):
    inputs = (boxes, scores) if roisnum is None else (boxes, scores, roisnum)

    @op("MulticlassNms", opset, inputs=inputs, element=("f32", output_type, output_type), static=static,
        name=f"multiclass_nms_{name}", output_type=output_type, **data)
    def run(boxes, scores, roisnum=None):
        options = split(data, GREEDY)
        if roisnum is None:
            images = shared_images(boxes, scores, greedy_scores, **options)
        else:
            images, start = [], 0
            for number in roisnum:
                own = slice(start, start + number)
                images.append([(greedy_scores(boxes[kind, own], scores[kind, own], **options), boxes[kind, own],
                                lambda box, kind=kind, start=start: (start + box) * len(boxes) + kind)
                               for kind in range(len(boxes))])
                start += number
        return rows_of(images, **split(data, COMMON), sorts_classes=True)


EMPTY = np.array([[[1, 1, 1, 1], [1, 1, 1, 1], [0, 0, 1, 1], [1, 1, 2, 2], [2, 2, 1, 1], [0, 0, 0.5, 2]]], np.float32)

matrix_case("defaults", static=True)
matrix_case("gaussian", static=True, decay_function="gaussian", gaussian_sigma=1.5, post_threshold=0.1,
            score_threshold=0.2)
matrix_case("score", sort_result_type="score", sort_result_across_batch=True, background_class=1, keep_top_k=7,
            output_type="i32")
matrix_case("classid", sort_result_type="classid", sort_result_across_batch=True, nms_top_k=5, score_threshold=0.3)
matrix_case("classid_images", sort_result_type="classid", background_class=0)
matrix_case("pixels", boxes_of(2, 9, size=20.0), normalized=False, sort_result_type="score")
matrix_case("ties", boxes_of(1, 8) * np.float32(4), scores_of(1, 2, 8, ties=True), score_threshold=-1.0,
            post_threshold=-1.0)
matrix_case("empty_boxes", EMPTY, scores_of(1, 2, 6), sort_result_type="score")
matrix_case("none", BOXES[:1], np.stack([SCORES[0] * 0, SCORES[0] * 0])[:1])
matrix_case("some_images", BOXES, SCORES * np.array([0, 1], np.float32).reshape(2, 1, 1))

multiclass_case("defaults")
multiclass_case("limits", static=True, iou_threshold=0.3, score_threshold=0.25, nms_top_k=6, keep_top_k=8)
multiclass_case("score", iou_threshold=0.4, sort_result_type="score", sort_result_across_batch=True, background_class=0,
                output_type="i32")
multiclass_case("classid", iou_threshold=0.4, sort_result_type="classid", sort_result_across_batch=True)
multiclass_case("classid_images", iou_threshold=0.4, sort_result_type="classid", keep_top_k=9)
multiclass_case("eta", boxes_of(2, 20, size=0.5), scores_of(2, 2, 20), iou_threshold=0.8, nms_eta=0.7, opset=9)
multiclass_case("pixels", boxes_of(2, 9, size=8.0), normalized=False, iou_threshold=0.3)
multiclass_case("ties", boxes_of(1, 8, size=2.0), scores_of(1, 2, 8, ties=True), iou_threshold=0.5)
multiclass_case("empty_boxes", EMPTY, scores_of(1, 2, 6), iou_threshold=0.1)
multiclass_case("rois", boxes_of(3, 10), scores_of(3, 10), opset=9, roisnum=np.array([4, 0, 6], np.int32), static=True,
                iou_threshold=0.3, background_class=2)
multiclass_case("rois_top", boxes_of(2, 11), scores_of(2, 11), opset=9, roisnum=np.array([5, 3]), iou_threshold=0.5,
                sort_result_type="classid", nms_top_k=3, keep_top_k=4, output_type="i32")


def moved_boxes(boxes, deltas, offset, most):
    """Boxes [..., 4] moved by deltas."""
    sizes = boxes[..., 2:] - boxes[..., :2] + offset
    centres = deltas[..., :2] * sizes + boxes[..., :2] + sizes / 2
    halves = np.exp(np.minimum(deltas[..., 2:], most)) * sizes / 2
    return np.concatenate([centres - halves, centres + halves - offset], -1)


def touching_overlap(a, b, offset):
    if b[0] > a[2] or b[2] < a[0] or b[1] > a[3] or b[3] < a[1]:
        return 0.0
    return overlap_of(a, b, offset)


def chosen_boxes(boxes, order, limit, most, offset):
    """The numbers of the boxes that are chosen, of those in `order`."""
    chosen = []
    for box in order:
        if all(touching_overlap(boxes[box], boxes[other], offset) <= limit for other in chosen):
            chosen.append(box)
    return chosen if most < 0 else chosen[:most]


def proposals(info, anchors, deltas, scores, offset, least, pre_nms_count, post_nms_count, nms_threshold,
              overlap_offset, keeps_small):
    """The boxes and the scores of one image."""
    each, height, width = scores.shape
    moves = deltas.reshape(each, 4, height, width).transpose(2, 3, 0, 1).reshape(-1, 4)
    boxes = moved_boxes(anchors.reshape(-1, 4), moves, offset, np.log(1000 / 16))
    boxes = boxes.clip(0, np.array([info[1], info[0], info[1], info[0]]) - offset)
    scores = scores.transpose(1, 2, 0).reshape(-1)
    sizes = boxes[:, 2:] - boxes[:, :2] + offset
    is_large = (sizes >= least).all(-1)
    if keeps_small:
        scores = scores * is_large
    order = [box for box in np.argsort(-scores, kind="stable")[:pre_nms_count] if is_large[box] or keeps_small]
    chosen = chosen_boxes(boxes, order, nms_threshold, post_nms_count, overlap_offset)
    return boxes[chosen], scores[chosen]


ANCHORS, DELTAS = boxes_of(3, 4, 2, size=20.0), numbers(2, 8, 3, 4, least=-0.5, most=0.5)
PLACES = scores_of(2, 2, 3, 4)


def proposal_case(name, info, roi_num_type="i64", normalized=True, static=False, **data):
    @op("GenerateProposals", 9, inputs=(info, ANCHORS, DELTAS, PLACES), element=("f32", "f32", roi_num_type),
        static=static, name=f"generate_proposals_{name}", roi_num_type=roi_num_type, normalized=normalized, **data)
    def run(info, anchors, deltas, scores):
        limits = {key: data[key] for key in ("pre_nms_count", "post_nms_count", "nms_threshold")}
        offset = 0 if normalized else 1
        parts = [proposals(info[i], anchors, deltas[i], scores[i], offset, data["min_size"] * info[i][[-1, 2]],
                           overlap_offset=offset, keeps_small=False, **limits) for i in range(len(info))]
        return (np.concatenate([boxes for boxes, _ in parts]), np.concatenate([scores for _, scores in parts]),
                np.array([len(boxes) for boxes, _ in parts]))


INFO = np.array([[36, 30, 1], [24, 40, 1.5]], np.float32)
proposal_case("some", INFO, static=True, min_size=4.0, nms_threshold=0.3, pre_nms_count=20, post_nms_count=6)
proposal_case("all", INFO, min_size=0.0, nms_threshold=0.9, pre_nms_count=1000, post_nms_count=1000, roi_num_type="i32")
proposal_case("pixels", np.array([[36, 30, 1, 2], [24, 40, 0.5, 1.5]], np.float32), min_size=6.0, nms_threshold=0.5,
              pre_nms_count=24, post_nms_count=8, normalized=False)
proposal_case("none", INFO, min_size=500.0, nms_threshold=0.5, pre_nms_count=24, post_nms_count=8)


def single_case(name, static=False, **data):
    @op("ExperimentalDetectronGenerateProposalsSingleImage", 6, element=("f32", "f32"), static=static,
        inputs=(INFO[0], ANCHORS.reshape(-1, 4), DELTAS[0], PLACES[0]), name=f"detectron_proposals_{name}", **data)
    def run(info, anchors, deltas, scores):
        limits = {key: data[key] for key in ("pre_nms_count", "post_nms_count", "nms_threshold")}
        boxes, scores = proposals(info, anchors, deltas, scores, 1, data["min_size"], overlap_offset=0,
                                  keeps_small=True, **limits)
        missing = data["post_nms_count"] - len(boxes)
        return np.pad(boxes, ((0, missing), (0, 0))), np.pad(scores, (0, missing))


single_case("some", static=True, min_size=4.0, nms_threshold=0.3, pre_nms_count=20, post_nms_count=5)
single_case("padded", min_size=8.0, nms_threshold=0.6, pre_nms_count=1000, post_nms_count=30)


REGIONS = boxes_of(10, size=20.0)
REGIONS[4, 2] = REGIONS[4, 0]


def detection_case(name, classes=3, regions=REGIONS, most=12, score_threshold=0.2, nms_threshold=0.4, post_nms_count=-1,
                   ties=False, static=False):
    count, weights, growth = len(regions), [10.0, 10.0, 5.0, 5.0], 1.0
    deltas = numbers(count, classes * 4, least=-6, most=6)

    @op("ExperimentalDetectronDetectionOutput", 6, name=f"detectron_output_{name}", element=("f32", "i32", "f32"),
        inputs=(regions, deltas, scores_of(count, classes, ties=ties), np.array([[30, 30, 1]], np.float32)),
        static=static, score_threshold=score_threshold, nms_threshold=nms_threshold, num_classes=classes,
        post_nms_count=post_nms_count, max_detections_per_image=most, max_delta_log_wh=growth,
        deltas_weights=",".join(map(str, weights)))
    def run(regions, deltas, scores, info):
        rows = []
        has_area = (regions[:, 2:] > regions[:, :2]).all(-1)
        for kind in range(1, classes):
            boxes = moved_boxes(regions, deltas[:, 4 * kind:4 * kind + 4] / weights, 1, growth).clip(0)
            order = ranked(scores[:, kind], has_area & (scores[:, kind] > score_threshold), -1)
            rows += [(kind, box, scores[box, kind], boxes[box])
                     for box in chosen_boxes(boxes, order, nms_threshold, post_nms_count, 1)]
        if len(rows) > most:
            rows = sorted(rows, key=lambda row: (-row[2], row[1]))[:most]
        missing = most - len(rows)
        return (np.pad(np.array([row[3] for row in rows]).reshape(-1, 4), ((0, missing), (0, 0))),
                np.pad(np.array([row[0] for row in rows], int), (0, missing)),
                np.pad(np.array([row[2] for row in rows], float), (0, missing)))


detection_case("padded", most=30)
detection_case("best", static=True, most=6)
detection_case("limited", classes=4, post_nms_count=2, nms_threshold=0.7)
detection_case("ties", most=7, ties=True, nms_threshold=0.8, score_threshold=0.1)
detection_case("none", score_threshold=2.0)


def place_anchors(base_size, ratios, scales, framework):
    """The anchors of a place, with the corners x0, y0, x1, y1."""
    is_tensorflow = framework == "tensorflow"
    offset = 0 if is_tensorflow else 1
    boxes = []
    for ratio in ratios:
        width = np.sqrt(np.float32(base_size ** 2) / np.float32(ratio))
        width = width if is_tensorflow else np.floor(width + 0.5)
        height = width * ratio if is_tensorflow else np.floor(width * ratio + 0.5)
        for scale in scales:
            half = (np.array([width, height]) * scale - offset) / 2
            boxes.append(np.concatenate([-half, half]) + (0 if is_tensorflow else (base_size - offset) / 2))
    return np.array(boxes)


def placed_case(name, image, opset=4, base_size=16, ratio=(0.5, 1.0), scale=(0.5, 1.0), framework="", min_size=4,
                feat_stride=8, nms_thresh=0.5, pre_nms_topn=30, post_nms_topn=6, static=False, **data):
    each, height, width, images = len(ratio) * len(scale), 3, 4, 2
    inputs = (scores_of(images, 2 * each, height, width),
              numbers(images, 4 * each, height, width, least=-0.5, most=0.5), np.array(image, np.float32))

    @op("Proposal", opset, inputs=inputs, element=("f32", "f32")[:1 if opset < 4 else 2], static=static,
        name=f"proposal_{name}", base_size=base_size, ratio=",".join(map(str, ratio)), framework=framework,
        scale=",".join(map(str, scale)), min_size=min_size, feat_stride=feat_stride, nms_thresh=nms_thresh,
        pre_nms_topn=pre_nms_topn, post_nms_topn=post_nms_topn, **data)
    def run(scores, deltas, image):
        is_tensorflow = framework == "tensorflow"
        offset = 0 if is_tensorflow else 1
        size = image[:2] if is_tensorflow else image[1::-1]
        bounds = np.concatenate([size, size])
        places = np.zeros((height, width, 1, 4))
        for h, w in np.ndindex(height, width):
            places[h, w] = np.tile([h, w] if is_tensorflow else [w, h], 2) * feat_stride
        anchors = places + place_anchors(base_size, ratio, scale, framework)
        if is_tensorflow:
            anchors = anchors.clip(0, bounds)
        divisor = np.repeat([data.get("box_coordinate_scale", 1.0), data.get("box_size_scale", 1.0)], 2)
        table, probabilities = np.zeros((images, post_nms_topn, 5)), np.zeros((images, post_nms_topn))
        for i in range(images):
            moves = deltas[i].reshape(each, 4, height, width).transpose(2, 3, 0, 1) / divisor
            boxes = moved_boxes(anchors, moves, offset, np.inf).reshape(-1, 4) + np.array([0, 0, offset, offset])
            if data.get("clip_before_nms", True):
                boxes = boxes.clip(0, bounds - offset)
            is_large = (boxes[:, 2:] - boxes[:, :2] + offset >= min_size * image[[-1, 2]]).all(-1)
            own = scores[i, each:].transpose(1, 2, 0).reshape(-1) * is_large
            chosen = chosen_boxes(boxes, np.argsort(-own, kind="stable")[:pre_nms_topn], nms_thresh, post_nms_topn,
                                  offset)
            rows = boxes[chosen]
            if data.get("clip_after_nms", False):
                rows = rows.clip(0, bounds)
            if data.get("normalize", False):
                rows = rows / bounds
            table[i, :len(rows)] = np.concatenate([np.full((len(rows), 1), i), rows], 1)
            probabilities[i, :len(rows)] = own[chosen]
            if len(rows) < post_nms_topn:
                table[i, len(rows), 0] = -1
        table = table.reshape(-1, 5)
        return table if opset < 4 else (table, probabilities.reshape(-1))


placed_case("some", [24, 32, 1], static=True)
placed_case("first", [24, 32, 1], opset=1, normalize=True, clip_before_nms=False, clip_after_nms=True)
placed_case("scaled", [24, 32, 0.5, 0.75], box_coordinate_scale=10.0, box_size_scale=5.0, min_size=8)
placed_case("padded", [24, 32, 1], min_size=1, nms_thresh=0.2, pre_nms_topn=1000, post_nms_topn=40)
placed_case("tensorflow", [24, 32, 1], static=True, framework="tensorflow", normalize=True, clip_after_nms=True)


def clipped(polygon, normal, most):
    """The part of a convex polygon with `normal . p <= most`."""
    heights = [float(normal @ p) - most for p in polygon]
    result = []
    for p, q, here, there in zip(polygon, polygon[1:] + polygon[:1], heights, heights[1:] + heights[:1]):
        if here <= 0:
            result.append(p)
        if here * there < 0:
            result.append(p + (q - p) * (here / (here - there)))
    return result


def rotated_overlap(a, b):
    """The overlap of two rotated boxes: one is clipped by the four sides of the other."""
    areas = [box[2] * box[3] for box in (a, b)]
    if not all(area > 0 for area in areas):
        return 0.0
    axes = [np.array([[np.cos(box[4]), np.sin(box[4])], [-np.sin(box[4]), np.cos(box[4])]]) for box in (a, b)]
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    polygon = [a[:2] - b[:2] + s * a[2] / 2 * axes[0][0] + t * a[3] / 2 * axes[0][1] for s, t in signs]
    for axis, side in zip(axes[1], b[2:4]):
        polygon = clipped(clipped(polygon, axis, abs(side) / 2), -axis, abs(side) / 2)
    common = sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(polygon, polygon[1:] + polygon[:1])) / 2
    return common / (sum(areas) - common)


def rotated_case(name, boxes, scores, most=5, limit=0.3, least=0.0, static=False, constant=True, output_type="i64",
                 sort_result_descending=True, clockwise=True):
    limits = [np.array([most], np.int32), np.array([limit], np.float32), np.array([least], np.float32)]
    if constant:
        limits = [Const(int(most), np.int64), *(Const(x[0], np.float32) for x in limits[1:])]

    @op("NMSRotated", 13, inputs=(boxes, scores, *limits), element=(output_type, "f32", output_type), static=static,
        name=f"nms_rotated_{name}", output_type=output_type, clockwise=clockwise,
        sort_result_descending=sort_result_descending)
    def run(boxes, scores, most, limit, least):
        turned = boxes * [1, 1, 1, 1, 1 if clockwise else -1]
        rows = []
        for image, kind in np.ndindex(*scores.shape[:2]):
            own, chosen = scores[image, kind], []
            for box in ranked(own, own > least, -1):
                if len(chosen) < most and not any(rotated_overlap(turned[image, box], turned[image, other]) > limit
                                                  for other in chosen):
                    chosen.append(box)
            rows += [(image, kind, box, own[box]) for box in chosen]
        if sort_result_descending:
            rows.sort(key=lambda row: -row[3])
        table = np.array(rows, float).reshape(-1, 4)
        return table[:, :3], table[:, [0, 1, 3]], np.array([len(rows)])


def turned_boxes(*shape, seed=0, size=4.0):
    return np.concatenate([numbers(*shape, 2, seed=seed, least=0, most=size), numbers(*shape, 2, seed=seed + 1, least=0.5,
                           most=size), numbers(*shape, 1, seed=seed + 2, least=-4, most=4)], -1)


QUARTER = np.pi / 2
# Equal boxes, one turned by a quarter with the other sides, one inside another, ones that touch at a side and at a
# corner, ones without an area or with negative sides, and a diamond in a square.
SPECIAL = np.array([[[0, 0, 4, 2, 0], [0, 0, 4, 2, 0], [0, 0, 2, 4, QUARTER], [0, 0, 4, 2, np.pi], [0, 0, 2, 1, 0],
                     [4, 0, 4, 2, 0], [4, 2, 4, 2, 0], [0, 0, 0, 2, 0], [0, 0, -4, 2, 0], [0, 0, -4, -2, 0],
                     [0, 0, 2, 2, np.pi / 4], [0, 0, 8, 8, 0], [20, 20, 3, 2, 0.3], [20, 20, 3, 2, 0.3],
                     [20, 20, 1.5, 1, 0.3], [1e6, 1e6, 100, 50, 1.0], [1e6, 1e6, 100, 50, -1.0],
                     [1e-3, 0, 1e-3, 1e-3, 2.0]]], np.float32)
HUGE = turned_boxes(1, 9, seed=5)
HUGE[..., 4] = [[100.3, -57, 1000.5, 12.25, 3e3, -250, 77.7, 6.5, 31]]

rotated_case("some", turned_boxes(2, 12), scores_of(2, 3, 12), static="only", least=0.2)
rotated_case("counterclockwise", turned_boxes(1, 14, seed=3), scores_of(1, 2, 14), static="only", most=14, limit=0.2,
             clockwise=False, output_type="i32")
rotated_case("in_order", turned_boxes(2, 6, seed=9), scores_of(2, 2, 6, ties=True), least=-1, constant=False,
             sort_result_descending=False, output_type="i32")
rotated_case("special", SPECIAL, scores_of(1, 4, 18), most=18, limit=0.49)
rotated_case("any_overlap", SPECIAL[:, [0, 5, 6, 7, 8, 12, 4, 13]], scores_of(1, 2, 8), most=18)
rotated_case("whole", SPECIAL, scores_of(1, 2, 18), most=18, limit=1.0)
rotated_case("angles", HUGE, scores_of(1, 3, 9), most=9, limit=0.25)
rotated_case("none", turned_boxes(1, 5), scores_of(1, 2, 5), most=0)
rotated_case("no_candidate", turned_boxes(1, 5), scores_of(1, 2, 5), constant=False, least=2.0)
rotated_case("ties", turned_boxes(2, 8, seed=4), scores_of(2, 2, 8, ties=True), most=3, limit=0.1, least=-1.0)
