#!/bin/sh
#
# Checks the models with Spin: run.sh [--long] [good|mut|stall]...
#
#   good   baton.pml: what is promised holds, whatever goes wrong
#   mut    baton.pml: each mutation breaks it
#   stall  stall.pml: how long nobody holds the lock while somebody waits
#
# Without --long, small bounds: under a minute on an idle machine, and 1 GB of memory. With it, the bounds
# that the protocol was found with: half an hour and up to 8 GB. One model runs at a time. Each line
# ends in [as expected] or [NOT AS EXPECTED]; then the exit status is 1.
#
# Needs spin and gcc (Debian: apt-get install spin gcc).
set -u

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

long=no groups=
for argument in "$@"; do
	case $argument in
		--long) long=yes ;;
		good|mut|stall) groups="$groups $argument" ;;
		*) sed -n '3,13s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
done
[ -n "$groups" ] || groups="good mut stall"
failed=0

# The small ones are checked faster than they are optimized.
optimize=-O0
[ $long = no ] || optimize=-O2

# check MODEL holds|breaks FLAG...
check() {
	model=$1 expected=$2
	shift 2
	if ! (cd "$work" && rm -f pan* ./*.trail && spin -a "$@" "$here/$model" >spin.log 2>&1 \
			&& gcc $optimize -w -DSAFETY -DCOLLAPSE -o pan pan.c); then
		cat "$work/spin.log" >&2
		echo "$model $*: cannot be built [NOT AS EXPECTED]"
		failed=1
		return
	fi
	output=$(cd "$work" && ./pan -E -m200000 -w24 2>&1)
	states=$(echo "$output" | sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p')
	errors=$(echo "$output" | sed -n 's/.*errors: \([0-9]*\).*/\1/p')
	broken=$(echo "$output" | sed -n 's/^pan:1: \(.*\) (at depth.*/, \1/p')
	case $errors in
		0) found=holds ;;
		'') found=unfinished ;;
		*) found=breaks ;;
	esac
	if echo "$output" | grep -q 'max search depth too small'; then
		found=unfinished
	fi
	verdict='[as expected]'
	if [ "$found" != "$expected" ]; then
		verdict='[NOT AS EXPECTED]'
		failed=1
	fi
	echo "$model $*: $found, $states states$broken $verdict"
}

good() {
	if [ $long = no ]; then
		optimize=-O1
		check baton.pml holds -DN=2 -DMAXT=5
		optimize=-O0
		check baton.pml holds -DN=2 -DMAXT=3 -DKEEP
		for flag in LOSS DIE FOREIGN FEXP EXTEND PASSON CUT; do
			check baton.pml holds -DN=2 -DR=1 -DMAXT=4 -D$flag
		done
		check baton.pml holds -DN=2 -DMAXT=3 -DLEASE=1 -DWINDOW=2
		return
	fi
	check baton.pml holds -DN=2 -DMAXT=6
	for flag in LOSS DIE FOREIGN FEXP M_QLONG EXTEND KEEP PASSON CUT; do
		check baton.pml holds -DN=2 -DMAXT=5 -D$flag
	done
	check baton.pml holds -DN=2 -DR=1 -DMAXT=5 -DDIE -DLOSS -DPASSON
	check baton.pml holds -DN=2 -DR=1 -DMAXT=6 -DEXTEND -DFEXP
	check baton.pml holds -DN=2 -DR=1 -DMAXT=5 -DCUT -DEXTEND
	check baton.pml holds -DN=2 -DR=1 -DMAXT=5 -DCUT -DDIE -DFOREIGN
	check baton.pml holds -DN=2 -DMAXT=5 -DLEASE=1 -DWINDOW=3 -DCUT
	check baton.pml holds -DN=3 -DR=1 -DMAXT=4 -DDIE
	check baton.pml holds -DN=3 -DR=1 -DMAXT=4 -DCUT
}

# All within bounds that good() checks.
mut() {
	for flag in M_BASE_RECV M_BASE_BLPOP M_TWLATE M_LATECLAIM M_REORDER M_NOBUMP FDEL; do
		check baton.pml breaks -DN=2 -DMAXT=5 -D$flag
	done
	check baton.pml breaks -DN=2 -DMAXT=3 -DLEASE=1 -DWINDOW=2 -DM_NOMIN
	check baton.pml breaks -DN=2 -DMAXT=4 -DCUT -DM_NOAGAIN
	check baton.pml breaks -DN=2 -DMAXT=5 -DM_QLONG -DM_NODISCARD
	check baton.pml breaks -DN=2 -DMAXT=3 -DKEEP -DM_BASE_ASK
	check baton.pml breaks -DN=2 -DR=1 -DMAXT=4 -DEXTEND -DM_ANEW
}

stall() {
	check stall.pml holds -DN=3 -DD=0 -DBOUND=0
	check stall.pml holds -DN=3 -DD=1 -DBOUND=2
	check stall.pml breaks -DN=3 -DD=1 -DBOUND=1
	check stall.pml holds -DN=3 -DD=2 -DBOUND=6
	check stall.pml holds -DN=3 -DD=0 -DFLAGLOSS -DBOUND=NET
	check stall.pml holds -DN=3 -DD=0 -DFDEL -DBOUND=NET
	check stall.pml holds -DN=3 -DD=1 -DKEEP -DPARK=9 -DBOUND=3
	check stall.pml breaks -DN=3 -DD=0 -DM_CLEAR -DBOUND=0
	if [ $long = yes ]; then
		check stall.pml holds -DN=4 -DD=1
	fi
}

for group in $groups; do
	$group
done
exit $failed
