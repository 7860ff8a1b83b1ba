# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of DetectionOutput, the head of SSD detectors."""
import numpy as np

from op_cases import numbers, op
from ops_suppression import boxes_of, chosen_boxes, ranked, scores_of


def decoded(priors, moves, variances, code_type, size, clip):
    """Boxes [..., 4] from priors, whose corners are divided by `size`."""
    priors = priors / np.tile(size, 2)
    moves = moves * variances
    if code_type == "caffe.PriorBoxParameter.CORNER":
        boxes = priors + moves
    else:
        sizes = priors[..., 2:] - priors[..., :2]
        centres = moves[..., :2] * sizes + (priors[..., :2] + priors[..., 2:]) / 2
        halves = np.exp(moves[..., 2:]) * sizes / 2
        boxes = np.concatenate([centres - halves, centres + halves], -1)
    return boxes.clip(0, 1) if clip else boxes


def ssd_choice(boxes, scores, background, confidence_threshold, nms_threshold, top_k, is_best_only):
    """The chosen boxes of each class. `boxes` are [classes, priors, 4], `scores` are [classes, priors]."""
    classes = range(len(scores))
    if not is_best_only:
        orders = {kind: ranked(scores[kind], scores[kind] > confidence_threshold, top_k) for kind in classes
                  if kind != background}
    else:
        masked = np.array([row if kind > 0 and kind != background else row * 0 - 9 for kind, row in enumerate(scores)])
        best, which = masked.max(0), masked.argmax(0)
        order = ranked(best, (best > -1) & (best >= confidence_threshold), top_k)
        orders = {kind: [box for box in order if which[box] == kind] for kind in classes}
    return [(kind, box) for kind, order in sorted(orders.items())
            for box in chosen_boxes(boxes[kind], order, nms_threshold, -1, 0)]


def ssd_case(name, images=2, priors=6, classes=3, opset=8, prior_images=1, aux=False, ties=False, keep_top_k=5,
             static=False, **data):
    options = {"background_label_id": 0, "top_k": -1, "variance_encoded_in_target": False, "share_location": True,
               "code_type": "caffe.PriorBoxParameter.CORNER", "nms_threshold": 0.4, "confidence_threshold": 0.2,
               "clip_after_nms": False, "clip_before_nms": False, "decrease_label_id": False, "normalized": True,
               "input_height": 1, "input_width": 1, "objectness_score": 0.0, **data}
    each = 4 if options["normalized"] else 5
    size = np.array([1, 1] if options["normalized"] else [options["input_width"], options["input_height"]])
    kinds = 1 if options["share_location"] else classes
    boxes = boxes_of(prior_images, priors, seed=3, size=0.5) * np.tile(size, 2).astype(np.float32)
    boxes = np.concatenate([boxes * 0, boxes], -1)[..., 8 - each:].reshape(prior_images, 1, -1)
    if not options["variance_encoded_in_target"]:
        variances = numbers(prior_images, 1, priors * each, seed=4, least=0.1, most=0.3)
        boxes = np.concatenate([boxes, variances], 1)
    inputs = [numbers(images, priors * kinds * 4, seed=5, least=-0.5, most=0.5),
              scores_of(images, priors * classes, ties=ties), boxes]
    if aux:
        inputs += [scores_of(images, priors * 2, seed=6),
                   numbers(images, priors * kinds * 4, seed=7, least=-0.5, most=0.5)]
    attributes = {**options, "keep_top_k": keep_top_k, **({"num_classes": classes} if opset < 8 else {})}

    @op("DetectionOutput", opset, inputs=tuple(inputs), static=static, name=f"detection_output_{name}", **attributes)
    def run(moves, predicted, given, aux_scores=None, aux_moves=None):
        top_k, is_best_only = options["top_k"], options["decrease_label_id"]
        background = options["background_label_id"]
        rows = []
        for image in range(images):
            own = given[min(image, prior_images - 1)]
            corners = own[0].reshape(priors, 1, each)[..., each - 4:]
            spread = np.ones(4) if len(own) == 1 else own[1, :priors * 4].reshape(priors, 1, 4)
            rest = (spread, options["code_type"], size, options["clip_before_nms"])
            scores = predicted[image].reshape(priors, classes).copy()
            if aux:
                corners = decoded(corners, aux_moves[image].reshape(priors, kinds, 4), *rest)
                is_none = aux_scores[image].reshape(priors, 2)[:, 1] < options["objectness_score"]
                scores[is_none] = np.arange(classes) == background
            found = decoded(corners, moves[image].reshape(priors, kinds, 4), *rest)
            found = np.broadcast_to(found, (priors, classes, 4)).transpose(1, 0, 2)
            chosen = ssd_choice(found, scores.T, background, options["confidence_threshold"], options["nms_threshold"],
                                top_k, is_best_only)
            if 0 <= keep_top_k < len(chosen):
                best = sorted(chosen, key=lambda item: (-scores[item[1], item[0]], item[1]))[:keep_top_k]
                chosen = [item for item in chosen if item in best]
            for kind, box in chosen:
                corner = found[kind, box].clip(0, 1) if options["clip_after_nms"] else found[kind, box]
                rows.append([image, kind - is_best_only, scores[box, kind], *corner])
        length = images * (keep_top_k if keep_top_k > 0 else top_k * classes if top_k > 0 else priors * classes)
        table = np.zeros((length, 7))
        table[:len(rows)] = np.array(rows).reshape(-1, 7)
        if len(rows) < length:
            table[len(rows), 0] = -1
        return table.reshape(1, 1, length, 7)


ssd_case("caffe", static=True, opset=1)
ssd_case("centres", code_type="caffe.PriorBoxParameter.CENTER_SIZE", clip_after_nms=True, keep_top_k=20)
ssd_case("pixels", normalized=False, input_width=40, input_height=20, keep_top_k=-1, prior_images=2)
ssd_case("classes", static=True, share_location=False, top_k=4, keep_top_k=-1, background_label_id=-1, opset=1)
ssd_case("encoded", variance_encoded_in_target=True, clip_before_nms=True, background_label_id=2)
ssd_case("ties", ties=True, keep_top_k=4, nms_threshold=0.7, images=1)
ssd_case("mxnet", decrease_label_id=True, classes=4, top_k=4, keep_top_k=3)
ssd_case("refined", aux=True, objectness_score=0.4, prior_images=2)
ssd_case("none", confidence_threshold=5.0)
