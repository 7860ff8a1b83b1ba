#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build-streaming.sh PREFIX: builds and runs examples/streaming of the current folder with the Recur that is installed
# in PREFIX, for its own model and for models of the folder RECUR_SHARED, which scripts/test.sh --shared names. The
# builds are in streaming-MODEL. With RECUR_SHARED, it also checks that Silero VAD finds the vowels.
set -e
run() { # MODEL FILE [SHAPES]
  {
    cmake -G Ninja -S examples/streaming -B "streaming-$1" -DCMAKE_PREFIX_PATH="$prefix" -DMODEL="$2" -DVAD="$vad" \
      -DSHAPES="$3" \
      -DCMAKE_C_FLAGS="-std=c99 -Wall -Wextra -Werror" &&
      cmake --build "streaming-$1" && ctest --test-dir "streaming-$1" --output-on-failure
  } > "streaming-$1.log" 2>&1 || { cat "streaming-$1.log"; exit 1; }
}
prefix=$1 vad=
[ -z "$RECUR_SHARED" ] || vad=$RECUR_SHARED/models/silero_vad_openvino_16k/model.xml
run lstm-example2 ../lstm-example2/model.xml
# The vowels are in seconds 1 to 2; for some chunks after them the model is not yet sure.
[ -z "$vad" ] || ./streaming-lstm-example2/detect > detect.log
[ -z "$vad" ] || awk '/speech/ { if ($1 < 0.95 || $1 > 2.1) exit 1; ++chunks } END { exit chunks < 20 }' detect.log ||
  { cat detect.log; exit 1; }
vad=
for name in torch_gru_3layer torch_lstm keras_lstm ov_ti_lstmcell_large; do
  [ -z "$RECUR_SHARED" ] || run "$name" "$RECUR_SHARED/models/$name/model.xml"
done
# A second of sound is 100 frames.
deep() { # PART SHAPES
  [ -z "$RECUR_SHARED" ] || run "deepfilternet3_$1" "$RECUR_SHARED/models/deepfilternet3_$1/model.xml" "$2"
}
deep enc "feat_erb=[1,1,100,32];feat_spec=[1,2,100,96]"
deep df_dec "emb=[1,100,512];c0=[1,64,100,96]"
