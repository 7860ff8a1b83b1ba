# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tensorflow_models.py OUT: models of TensorFlow and Keras, converted by OpenVINO from saved models and from TensorFlow
Lite files, as a corpus for compare.py. It needs the packages tensorflow and openvino."""
import os
import tempfile

from corpus import integers, open_corpus, reals

corpus = open_corpus(__doc__)

import numpy as np
import openvino
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

keras, layers = tf.keras, tf.keras.layers
tf.random.set_seed(0)
files = tempfile.TemporaryDirectory()
networks = []


def arrange(model, concrete, arrays):
    """The arrays in the order of the model's inputs."""
    names = [tensor.name.split(":")[0] for tensor in concrete.inputs]
    if len(arrays) == 1:
        return arrays
    given = [i.get_any_name().split(":")[0].replace("serving_default_", "") for i in model.inputs]
    return [arrays[names.index(name)] for name in given]


def function(name, call, *arrays, dynamic=False, lite=True, owner=None):
    """Adds a function twice: as a saved model, and as a TensorFlow Lite file."""
    arrays = [np.asarray(array) for array in arrays]
    signature = [tf.TensorSpec([None] * a.ndim if dynamic else a.shape, a.dtype) for a in arrays]
    traced = tf.function(call, input_signature=signature)
    concrete = traced.get_concrete_function()
    module = tf.Module()
    module.call, module.owner = traced, owner
    path = os.path.join(files.name, name)

    def convert():
        tf.saved_model.save(module, path, signatures=concrete)
        return openvino.convert_model(path)

    def convert_lite(optimize=None):
        converter = tf.lite.TFLiteConverter.from_concrete_functions([convert_variables_to_constants_v2(concrete)])
        if optimize:
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            optimize(converter)
        with open(path + ".tflite", "wb") as file:
            file.write(converter.convert())
        return openvino.convert_model(path + ".tflite")

    for kind, how in (("saved", convert), ("lite", convert_lite))[:1 + lite]:
        try:
            model = how()
        except Exception as error:
            corpus.refused.append((f"{name}_{kind}", str(error).splitlines()[0][:120]))
            continue
        corpus.add(f"{name}_{kind}", lambda model=model: model, arrange(model, concrete, arrays))
    return convert_lite


def model(name, network, *arrays):
    networks.append(network)  # A traced function does not keep the variables alive.
    network(arrays[0] if len(arrays) == 1 else list(arrays))
    call = lambda *given: network(given[0] if len(given) == 1 else list(given), training=False)
    return function(name, call, *arrays, owner=network)


def chain(name, *parts, data):
    return model(name, keras.Sequential(list(parts)), data)


x, image = reals(2, 10, 8), reals(1, 17, 15, 3)
for cell in (layers.LSTM, layers.GRU, layers.SimpleRNN):
    kind = cell.__name__
    chain(f"{kind}_sequence", cell(6, return_sequences=True), data=x)
    chain(f"{kind}_last", cell(6), data=x)
    chain(f"{kind}_unrolled", cell(6, unroll=True), data=x)
    chain(f"{kind}_backwards", cell(6, go_backwards=True, return_sequences=True), data=x)
    chain(f"{kind}_both", layers.Bidirectional(cell(6, return_sequences=True)), cell(5), data=x)
    chain(f"{kind}_relu", cell(6, activation="relu", return_sequences=True), data=x)
chain("gru_reset_before", layers.GRU(6, reset_after=False, return_sequences=True), data=x)
masked = np.where(np.arange(10)[None, :, None] < np.array([10, 6])[:, None, None], x, 0).astype(np.float32)
chain("lstm_masked", layers.Masking(0.0), layers.LSTM(6, return_sequences=True), data=masked)
chain("lstm_convolution", layers.ConvLSTM1D(3, 3, return_sequences=True), data=reals(1, 4, 9, 2))
chain("lstm_embedding", layers.Embedding(20, 5), layers.LSTM(4), data=integers(0, 20, 2, 7, dtype=np.int32))
classify = chain("image", layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"),
                 layers.DepthwiseConv2D(3, padding="same"), layers.BatchNormalization(), layers.ReLU(6),
                 layers.SeparableConv2D(5, 3), layers.MaxPool2D(), layers.AveragePooling2D(2, padding="same"),
                 layers.Flatten(), layers.Dense(4, activation="softmax"), data=image)
chain("image_transposed", layers.Conv2DTranspose(4, 3, strides=2, padding="same"), layers.LeakyReLU(),
      layers.Conv2DTranspose(2, 4), data=image)
chain("image_scaled", layers.UpSampling2D(2, interpolation="bilinear"), layers.ZeroPadding2D(1),
      layers.Cropping2D(((1, 0), (0, 2))), layers.UpSampling2D(3), data=image)
chain("signal", layers.Conv1D(6, 5, dilation_rate=2, padding="causal"), layers.GlobalAveragePooling1D(), data=x)
chain("volume", layers.Conv3D(4, 3, padding="same"), layers.MaxPool3D(), data=reals(1, 5, 6, 7, 2))
chain("normalized", layers.LayerNormalization(), layers.Dense(8, activation="gelu"), layers.GroupNormalization(4),
      layers.UnitNormalization(), data=x)
chain("activations", *[layers.Dense(8, activation=kind) for kind in
                       ("elu", "selu", "softplus", "softsign", "swish", "hard_sigmoid")], layers.PReLU(), data=x)


def quantize(converter, kind):
    if kind == "int8":
        converter.representative_dataset = lambda: ([reals(*image.shape)] for _ in range(10))
    if kind == "fp16":
        converter.target_spec.supported_types = [tf.float16]


for kind in ("int8", "fp16", "weights"):
    corpus.add(f"image_{kind}", lambda: classify(lambda converter: quantize(converter, kind)), [image])


def loop(condition, body, *start):
    return tf.while_loop(condition, body, list(start))


zero = lambda: tf.constant(0)
function("while_count", lambda a: loop(lambda i, s: i < 5, lambda i, s: (i + 1, tf.tanh(s) * 0.5 + a), zero(), a)[1],
         reals(3, 4))
function("while_condition", lambda a, n: loop(lambda i, s: tf.logical_and(i < n, tf.reduce_sum(s) < 100.0),
                                              lambda i, s: (i + 1, s * 1.5 + 1.0), zero(), a),
         np.abs(reals(3, 4)), np.int32(20))
function("while_nested", lambda a: loop(
    lambda i, s: i < 3, lambda i, s: (i + 1, loop(lambda j, t: j < i + 1, lambda j, t: (j + 1, t * 0.9 + 1.0),
                                                  zero(), s)[1]), zero(), a)[1], reals(2, 3))
function("scan", lambda a: tf.scan(lambda s, e: tf.tanh(s + e), a, initializer=tf.zeros_like(a[0])), reals(6, 3))
function("map", lambda a: tf.map_fn(lambda row: tf.reduce_max(row) * row, a), reals(6, 3))
function("condition", lambda a, c: tf.cond(c > 0, lambda: a * 2.0, lambda: a - 1.0), reals(3, 4), np.int32(1))
function("einsum", lambda a, b: tf.einsum("bij,bkj->bik", a, b), reals(2, 3, 4), reals(2, 5, 4))
function("gather", lambda a, i: tf.gather_nd(a, i, batch_dims=1), reals(2, 5, 4), integers(0, 5, 2, 3, 1,
                                                                                            dtype=np.int32))
function("topk", lambda a: tf.math.top_k(a, 3), reals(4, 9))
function("slices", lambda a: a[:, ::-2, 1:-1, tf.newaxis], reals(3, 7, 5))
function("segments", lambda a: tf.math.unsorted_segment_sum(a, tf.constant([0, 1, 0, 2]), 3), reals(4, 5))
function("many", lambda a: (
    tf.reverse(a, [1]), tf.roll(a, 2, 1), tf.cumsum(a, 1, exclusive=True, reverse=True),
    tf.one_hot(tf.cast(tf.abs(a) * 3, tf.int32), 4), tf.math.erf(a), tf.math.floormod(a, 0.7), tf.where(a > 0, a, -a),
    tf.clip_by_value(a, -0.5, 0.5), tf.math.log1p(tf.abs(a)), tf.math.rsqrt(tf.abs(a) + 0.1), tf.argmax(a, 1),
    tf.pad(a, [[1, 2], [0, 1]], "REFLECT"), tf.tile(a, [2, 1]), tf.space_to_batch_nd(a[..., None], [2], [[0, 0]])),
         reals(4, 6))
function("boxes", lambda b, s: tf.image.non_max_suppression(b, s, 4), np.sort(np.abs(reals(8, 4)), 1),
         np.abs(reals(8)))
function("resized", lambda a: tf.image.resize(a, [9, 30], method="nearest"), image)
function("spectrum", lambda a: tf.abs(tf.signal.rfft(a)), reals(3, 16))
function("spectrogram", lambda a: tf.abs(tf.signal.stft(a, 16, 8, 16)), reals(2, 64), lite=False)
function("ctc", lambda a: tf.nn.ctc_greedy_decoder(tf.transpose(a, [1, 0, 2]), tf.constant([10, 10]))[1], x, lite=False)
function("local_norm", lambda a: tf.nn.lrn(a), image)
function("unit_norm", lambda a: tf.nn.l2_normalize(a, -1), image)
weights = tf.constant(reals(8, 8))
function("dynamic", lambda a: tf.nn.softmax(tf.linalg.matmul(a, weights)), x, dynamic=True, lite=False)
corpus.finish()
