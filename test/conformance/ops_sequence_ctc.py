# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of connectionist temporal classification."""
import itertools

import numpy as np

from op_cases import Const, numbers, op


def scores_of(classes, count, seed=0):
    """Scores whose greatest one is at the given class of each step."""
    x = numbers(*classes.shape, count, seed=seed)
    np.put_along_axis(x, classes[..., None], 3.0, -1)
    return x


def decoded(x, lengths, blank, merges):
    rows, counts = np.full(x.shape[:2], -1), []
    for row, (own, length) in enumerate(zip(x, lengths)):
        best = [int(np.argmax(step)) for step in own[:max(length, 0)]]
        kept = [c for i, c in enumerate(best) if c != blank and not (merges and i != 0 and c == best[i - 1])]
        rows[row, :len(kept)] = kept
        counts.append(len(kept))
    return rows, np.array(counts)


CLASSES = np.array([[1, 1, 3, 1, 0, 0, 2, 2], [3, 3, 0, 3, 0, 0, 0, 1], [2, 2, 2, 2, 3, 2, 2, 2]])
SCORES = scores_of(CLASSES, 4)
LENGTHS = np.array([8, 6, 0], np.int32)


@op("CTCGreedyDecoderSeqLen", opset=6, inputs=(SCORES, LENGTHS), element=("i32", "i32"), static=True)
def ctc_greedy_decoder_seq_len(x, lengths):
    return decoded(x, lengths, 3, True)


@op("CTCGreedyDecoderSeqLen", opset=6, inputs=(SCORES, LENGTHS.astype(np.int64), np.array([1], np.int64)),
    element=("i64", "i32"), static=True, merge_repeated=False, classes_index_type="i64")
def ctc_greedy_decoder_seq_len_blank(x, lengths, blank):
    """A blank that is known only at run time."""
    return decoded(x, lengths, 1, False)


@op("CTCGreedyDecoderSeqLen", opset=6,
    inputs=(np.zeros((2, 3, 4), np.float32), np.array([9, 1], np.int32), Const(2, np.int32)), element=("i32", "i64"), static=True, merge_repeated=True, sequence_length_type="i64")
def ctc_greedy_decoder_seq_len_ties(x, lengths, blank):
    """The first of equal scores; a length beyond the steps."""
    return decoded(x, lengths, 2, True)


MASK = np.array([[1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 1, 1]], np.float32)


@op("CTCGreedyDecoder", inputs=(SCORES.transpose(1, 0, 2).copy(), MASK.T.copy()), static=True)
def ctc_greedy_decoder(x, mask):
    """Steps after the first 0 of the mask do not count, whatever their mask."""
    return decoded(x.transpose(1, 0, 2), [8, 3, 0], 3, True)[0][..., None, None]


@op("CTCGreedyDecoder", inputs=(SCORES.transpose(1, 0, 2).copy(), np.ones((8, 3), np.float32)), static=True,
    ctc_merge_repeated=False)
def ctc_greedy_decoder_all(x, mask):
    return decoded(x.transpose(1, 0, 2), [8, 8, 8], 3, False)[0][..., None, None]


def loss_of(logits, lengths, labels, label_lengths, blank, collapse=False, merges=True, unique=False):
    """The sum over all paths, by trying each one."""
    losses = []
    for x, length, row, count in zip(logits, lengths, labels, label_lengths):
        target = list(row[:count])
        if unique:
            target = [c for i, c in enumerate(target) if c not in target[:i]]
        elif collapse:
            target = [c for i, c in enumerate(target) if i == 0 or c != target[i - 1]]
        odds = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
        total = 0.0
        for path in itertools.product(range(x.shape[-1]), repeat=int(length)):
            said = [c for i, c in enumerate(path) if not (merges and i != 0 and c == path[i - 1])]
            if [c for c in said if c != blank] == target:
                total += np.prod([odds[t, c] for t, c in enumerate(path)])
        losses.append(-np.log(total) if total > 0 else np.inf)
    return np.array(losses)


LOGITS = numbers(4, 6, 4)
LOGIT_LENGTHS = np.array([6, 5, 4, 6], np.int32)
LABELS = np.array([[0, 1, 1, 0, 2, 2], [1, 2, -5, 9, 0, 0], [0, 0, 0, 0, 0, 0], [2, 1, 2, 2, 0, 0]], np.int32)
LABEL_LENGTHS = np.array([4, 2, 3, 0], np.int32)
LOSS = (LOGITS, LOGIT_LENGTHS, LABELS, LABEL_LENGTHS)


@op("CTCLoss", opset=4, inputs=LOSS, static=True)
def ctc_loss(*data):
    """Repeated labels, no labels, labels beyond the length that are no classes, and labels that do not fit."""
    return loss_of(*data, 3)


@op("CTCLoss", opset=4, inputs=LOSS, static=True, ctc_merge_repeated=False)
def ctc_loss_unmerged(*data):
    return loss_of(*data, 3, merges=False)


@op("CTCLoss", opset=4, inputs=LOSS, static=True, preprocess_collapse_repeated=True)
def ctc_loss_collapsed(*data):
    return loss_of(*data, 3, collapse=True)


@op("CTCLoss", opset=4, inputs=(*LOSS, np.array(3, np.int32)), static=True, unique=True,
    preprocess_collapse_repeated=True)
def ctc_loss_unique(*data):
    return loss_of(*data, unique=True)


@op("CTCLoss", opset=4,
    inputs=(LOGITS, LOGIT_LENGTHS, (LABELS % 3 + 1).astype(np.int64), LABEL_LENGTHS.astype(np.int64),
            Const([0], np.int64)),
    static=True, ctc_merge_repeated=False, unique=True)
def ctc_loss_first_blank(*data):
    return loss_of(*data[:4], 0, merges=False, unique=True)
