#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# job.sh FLEET [TYPE]: measures this node for a fleet. Slurm runs it as an array task, one per type of node;
# people run it by hand or by ssh on each node, naming the type: job.sh /shared/fleet zen4
#
# FLEET is the shared folder that `ulplab fleet plan` made:
#   types          a line per type of node: its name is in the first column; task I is line I, from 0
#   options        options of `ulplab run`, one word a line; options.TYPE: more of them for one type
#   bin/           the one program that all nodes run
#   results/TYPE   appears in one rename when a node is done: what is there is whole
#   state/TYPE     what happened, a line each; the last one says why a type is missing
#
# The run is measured on the node's own disk ($ULPLAB_SCRATCH, else $TMPDIR, else /tmp). A task that dies is
# requeued and goes on there. To start it twice does no harm: the second waits for the first, finds its
# results, and ends.
set -u
fleet=${1:?job.sh FLEET [TYPE]}
attempts=3
type=${2:-$(sed -n "$((${SLURM_ARRAY_TASK_ID:?name the type of this node} + 1))p" "$fleet/types" | cut -f1)}
[ -n "$type" ] || { echo "job.sh: $fleet/types: no line ${SLURM_ARRAY_TASK_ID:-}" >&2; exit 2; }
node=${SLURMD_NODENAME:-$(hostname -s)}
mkdir -p "$fleet/state" "$fleet/results" || exit 4

say() { echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $node $*" | tee -a "$fleet/state/$type" 2>/dev/null; }

# Ends the task and says why. Under Slurm the task is requeued, a few times.
give_up() { # CODE REASON
    say "$2"
    if [ -n "${SLURM_JOB_ID:-}" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$attempts" ]; then
        say "requeued"
        scontrol requeue "${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}"
    fi
    exit "$1"
}

# Only one task per node and fleet may run: one that Slurm has given up may still be alive.
identity=$(cd "$fleet" && pwd -P | cksum | cut -d' ' -f1)
scratch=${ULPLAB_SCRATCH:-${TMPDIR:-/tmp}}/ulplab-fleet-$(id -u)/$identity/$type
mkdir -p "$scratch" || give_up 4 "cannot write to $scratch"
exec 9>"$scratch/lock"
flock 9

[ ! -e "$fleet/results/$type" ] || { say "is done already"; exit 0; }

# ---- Measure ----
mapfile -t options < <(cat "$fleet/options" "$fleet/options.$type" 2>/dev/null)
[ -f "$scratch/run/machine.json" ] && options+=(--resume)
say "measures${options[*]:+ with ${options[*]}}"
"$fleet/bin/ulplab" run --quiet --out "$scratch/run" "${options[@]}" 9>&-
code=$?
case $code in
0) why="done" ;;
1) why="done; a gate fell" ;;
3) why="done; some rows crashed or were cut" ;;
4) # The program or its options changed since the run was begun: it is begun anew.
    [ "${options[-1]:-}" != --resume ] || rm -rf "$scratch/run"
    give_up $code "ulplab ended with 4" ;;
*) give_up $code "ulplab ended with $code" ;;
esac

# ---- Hand over: copied beside the final place, then moved there in one rename ----
temporary=$fleet/results/.$type.$node.$$
rm -rf "$scratch/run/samples.jsonl" "$fleet/results/.$type.$node."* # left by a killed task
if ! cp -r "$scratch/run" "$temporary" || ! sync "$temporary"; then
    rm -rf "$temporary"
    give_up 4 "cannot write to $fleet: full?"
fi
# Another node of this type may have been faster; mv -nT leaves its results alone.
mv -nT "$temporary" "$fleet/results/$type"
rm -rf "$temporary" "$scratch/run"
say "$why"
