#!/usr/bin/env bash
# Feeds a decoder with inputs that libFuzzer makes up, for a time, and fails with the input that broke it.
#
#   bash Tests/Fuzz/run.sh TARGET SECONDS [options of libFuzzer]
#
# What was learnt stays in .build/corpus; to run one input again, give its file as an option and 0 seconds. With `keep` instead of seconds,
# the inputs that reach code which those of Corpus do not are added to it, the smallest first.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TARGET=${1:?Name a target.}
SECONDS_TO_RUN=${2:?Say how many seconds.}
shift 2
RESOURCES=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
# The one without main: the program has its own.
DRIVER=$(find -L "$RESOURCES/clang/lib" "$RESOURCES/../clang" -name 'libclang_rt.fuzzer_no_main*.a' 2>/dev/null | head -n 1)

cd "$HERE"
swift build -c release -Xlinker --whole-archive -Xlinker "$DRIVER" -Xlinker --no-whole-archive -Xlinker -lstdc++ >&2
mkdir -p ".build/corpus/$TARGET" .build/findings
# The backtracer of Swift can hang in a process that the sanitizer is ending.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
PROGRAM=$(swift build -c release --show-bin-path)/carrel-fuzz
LIMITS=(-artifact_prefix=.build/findings/ -timeout=10 -rss_limit_mb=2048 -max_len=8192)
if [ "$SECONDS_TO_RUN" = 0 ]; then exec "$PROGRAM" "$TARGET" "$@"; fi
if [ "$SECONDS_TO_RUN" = keep ]; then
  exec "$PROGRAM" "$TARGET" "Corpus/$TARGET" ".build/corpus/$TARGET" -set_cover_merge=1 -use_counters=0 "${LIMITS[@]}" "$@"
fi
if [ -f "Words/$TARGET" ]; then LIMITS+=(-dict="Words/$TARGET"); fi
exec "$PROGRAM" "$TARGET" ".build/corpus/$TARGET" "Corpus/$TARGET" -max_total_time="$SECONDS_TO_RUN" -print_final_stats=1 "${LIMITS[@]}" "$@"
