#!/bin/bash
# Every kind of kernel under compute-sanitizer's memcheck, in PARTS processes side by side; exit status 0: all ran, no errors.
#
#   test/gpu/sanitize.sh [PARTS]
#
# A plain run first fills the cache of cubins: then no compiler is started under the sanitizer, which dies where several threads start one.
# It follows Python alone, not what that starts, and waits for it as long as it takes (--launch-timeout 0).
parts=${1:-4}
cd "$(dirname "$0")/../.." && export PYTHONPATH=test${PYTHONPATH:+:$PYTHONPATH} OMP_NUM_THREADS=1
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix else sys.executable)')
logs=$(mktemp -d)
run() { # name, command before Python
    local name=$1; shift
    local pids=()
    for part in $(seq "$parts"); do
        "$@" "$python" test/gpu/all_kinds.py "$part/$parts" > "$logs/$name.$part" 2>&1 &
        pids+=($!)
    done
    wait "${pids[@]}"
}
run plain
run checked compute-sanitizer --launch-timeout 0 --target-processes application-only --error-exitcode 1
failed=0
for part in $(seq "$parts"); do
    echo "part $part: $(grep -c '^[a-z].*(' "$logs/checked.$part") programs, $(grep 'ERROR SUMMARY' "$logs/checked.$part" || echo 'no summary')"
    grep -q "ERROR SUMMARY: 0 errors" "$logs/checked.$part" && grep -q "^done" "$logs/checked.$part" || { failed=1; tail -20 "$logs/checked.$part"; }
done
rm -r "$logs"
exit $failed
