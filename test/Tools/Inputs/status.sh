#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# status.sh N COMMAND...: succeeds if the command ends with status N.
wanted=$1
shift
"$@"
status=$?
[ "$status" = "$wanted" ] && exit 0
echo "expected status $wanted, but got $status" >&2
exit 1
