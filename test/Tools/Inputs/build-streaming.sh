#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build-streaming.sh PREFIX: builds and runs examples/streaming of the current folder with the Recur that is installed
# in PREFIX, for its own model and for models of the folder RECUR_SHARED, which scripts/test.sh --shared names. The
# builds are in streaming-MODEL.
set -e
run() { # MODEL FILE
  {
    cmake -G Ninja -S examples/streaming -B "streaming-$1" -DCMAKE_PREFIX_PATH="$prefix" -DMODEL="$2" \
      -DCMAKE_C_FLAGS="-std=c99 -Wall -Wextra -Werror" &&
      cmake --build "streaming-$1" && ctest --test-dir "streaming-$1" --output-on-failure
  } > "streaming-$1.log" 2>&1 || { cat "streaming-$1.log"; exit 1; }
}
prefix=$1
run lstm-example2 ../lstm-example2/model.xml
for name in torch_gru_3layer torch_lstm keras_lstm ov_ti_lstmcell_large; do
  [ -z "$RECUR_SHARED" ] || run "$name" "$RECUR_SHARED/models/$name/model.xml"
done
