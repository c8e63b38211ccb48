#!/bin/sh
#
# Checks the models with Spin: run.sh [--long] [good|mut|late|shared|turnstile|repair|M_NAME]...
#
#   good   baton.pml, late.pml: what is promised holds, whatever goes wrong
#   mut    baton.pml: each mutation breaks it
#   late   late.pml: each mutation breaks it
#   shared     shared.pml: what is promised of shared locks holds, and each mutation breaks it
#   turnstile  turnstile.pml: in which order waiters come in, and how long nobody does; each mutation breaks that
#   repair     (only when named) repair.pml: whether a renewal may take a majority's lock again where a server has lost it, and what for
#   M_...  only this mutation, of whichever model
#
# Without --long, small bounds: about two minutes on an idle machine, and 1 GB of memory. With it, the bounds
# that the protocol was found with: half an hour and up to 8 GB. One model runs at a time. Each line
# ends in [as expected] or [NOT AS EXPECTED]; then the exit status is 1.
#
# Needs spin, gcc and tcc (Debian: apt-get install spin gcc tcc).
set -u

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

long=no groups= only=
for argument in "$@"; do
	case $argument in
		--long) long=yes ;;
		good|mut|late|shared|turnstile|repair) groups="$groups $argument" ;;
		M_*) only="$only -D$argument" ;;
		*) sed -n '3,15s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
done
[ -n "$groups" ] || groups="good mut late shared turnstile"
checked=0 failed=0

# Where there are few states, tcc has checked them before gcc would have compiled the model, and there is memory to store each as
# it is, under a hash that is soon made. Many are worth being compiled well, and take less memory collapsed.
few='tcc -DSFH' many='gcc -O2 -DSFH -DCOLLAPSE'
compile=$few
[ $long = no ] || compile=$many

# True if this check is of a mutation that was asked for by its name.
is_wanted() {
	for flag in "$@"; do
		case "$only " in
			*" $flag "*) return 0 ;;
		esac
	done
	return 1
}

# check MODEL holds|breaks FLAG...
check() {
	model=$1 expected=$2
	shift 2
	if [ -n "$only" ] && ! is_wanted "$@"; then
		return
	fi
	checked=$((checked + 1))
	if ! (cd "$work" && rm -f pan* ./*.trail && spin -a "$@" "$here/$model" >spin.log 2>&1 \
			&& $compile -w -DSAFETY -o pan pan.c); then
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
		compile=$many
		check baton.pml holds -DN=2 -DMAXT=5
		compile=$few
		check baton.pml holds -DN=2 -DMAXT=3 -DKEEP
		for flag in LOSS DIE FOREIGN FEXP EXTEND PASSON CUT; do
			check baton.pml holds -DN=2 -DR=1 -DMAXT=4 -D$flag
		done
		check baton.pml holds -DN=2 -DMAXT=3 -DLEASE=1 -DWINDOW=2
		check baton.pml holds -DN=2 -DR=1 -DMAXT=5 -DDRIFT
		check late.pml holds -DMAXT=4 -DEXTENDS=1
		check late.pml holds -DMAXT=5 -DCOPIES=1
		check late.pml holds -DMAXT=4 -DCOPIES=1 -DDIE
		check late.pml holds -DMAXT=3 -DCOPIES=1 -DEXTENDS=1 -DMOVES
		check late.pml holds -DMAXT=4 -DCOPIES=1 -DFOREIGN
		check late.pml holds -DMAXT=3 -DCOPIES=1 -DEXTENDS=1 -DGRANTS=2
		check late.pml holds -DMAXT=3 -DCOPIES=1 -DEXTENDS=1 -DADOPT
		check late.pml holds -DMAXT=3 -DEXTENDS=0 -DADOPT
		check late.pml holds -DMAXT=4 -DCOPIES=1 -DEXTENDS=0 -DWAITS -DGRANTS=2
		check late.pml holds -DMAXT=3 -DCOPIES=1 -DEXTENDS=1 -DBREAK
		check late.pml holds -DMAXT=4 -DLONG=4 -DCOPIES=1 -DEXTENDS=0 -DADOPT -DDIE
		check late.pml holds -DMAXT=3 -DCOPIES=1 -DEXTENDS=0 -DADOPT -DLEASES
		check late.pml holds -DMAXT=3 -DCOPIES=1 -DEXTENDS=1 -DCLAIM
		check late.pml holds -DMAXT=3 -DEXTENDS=0 -DCLAIM
		check late.pml holds -DMAXT=3 -DCOPIES=1 -DEXTENDS=0 -DCLAIM -DGRANTS=2
		check late.pml holds -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DLEAVES
		check late.pml holds -DMAXT=4 -DEXTENDS=0 -DLEAVES
		check late.pml holds -DMAXT=3 -DEXTENDS=0 -DLEAVES -DBREAK
		check late.pml holds -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DBACK
		check late.pml holds -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DFORWARD
		check late.pml holds -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DFORWARD -DSTEP=2
		return
	fi
	check baton.pml holds -DN=2 -DMAXT=6
	for flag in LOSS DIE FOREIGN FEXP M_QLONG EXTEND KEEP PASSON CUT; do
		check baton.pml holds -DN=2 -DMAXT=5 -D$flag
	done
	check baton.pml holds -DN=2 -DR=1 -DMAXT=5 -DDIE -DLOSS -DPASSON
	check baton.pml holds -DN=2 -DR=1 -DMAXT=6 -DEXTEND -DFEXP
	check baton.pml holds -DN=2 -DR=1 -DMAXT=5 -DDRIFT -DEXTEND
	check baton.pml holds -DN=2 -DMAXT=5 -DDRIFT -DCUT
	check baton.pml holds -DN=2 -DR=1 -DMAXT=5 -DCUT -DEXTEND
	check baton.pml holds -DN=2 -DR=1 -DMAXT=5 -DCUT -DDIE -DFOREIGN
	check baton.pml holds -DN=2 -DMAXT=5 -DLEASE=1 -DWINDOW=3 -DCUT
	check baton.pml holds -DN=3 -DR=1 -DMAXT=4 -DDIE
	check baton.pml holds -DN=3 -DR=1 -DMAXT=4 -DCUT
	check late.pml holds -DMAXT=5
	check late.pml holds -DMAXT=5 -DDIE
	check late.pml holds -DMAXT=4 -DEXTENDS=1 -DCOPIES=3
	check late.pml holds -DMAXT=5 -DEXTENDS=3 -DCOPIES=1
	check late.pml holds -DMAXT=6 -DCALL=2 -DOTHERS=2 -DCOPIES=1
	check late.pml holds -DMAXT=6 -DGRANTS=2 -DEXTENDS=1 -DCOPIES=1
	check late.pml holds -DMAXT=4 -DEXTENDS=1 -DADOPT
	check late.pml holds -DMAXT=5 -DCOPIES=1 -DADOPT
	check late.pml holds -DMAXT=5 -DCOPIES=1 -DMOVES
	check late.pml holds -DMAXT=3 -DEXTENDS=1 -DMOVES
	check late.pml holds -DMAXT=4 -DEXTENDS=1 -DFOREIGN
	check late.pml holds -DMAXT=4 -DEXTENDS=0 -DGRANTS=2
	check late.pml holds -DMAXT=4 -DEXTENDS=0 -DGRANTS=2 -DWAITS
	check late.pml holds -DMAXT=5 -DCOPIES=1 -DBREAK
	check late.pml holds -DMAXT=4 -DEXTENDS=1 -DBREAK
	check late.pml holds -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DBREAK -DADOPT
	check late.pml holds -DMAXT=4 -DEXTENDS=0 -DLEAVES -DBREAK
	check late.pml holds -DMAXT=4 -DLONG=4 -DCOPIES=1 -DEXTENDS=0 -DADOPT -DDIE
	check late.pml holds -DMAXT=4 -DCOPIES=1 -DEXTENDS=0 -DADOPT -DLEASES
	check late.pml holds -DMAXT=4 -DEXTENDS=1 -DCLAIM
	check late.pml holds -DMAXT=5 -DCOPIES=1 -DEXTENDS=2 -DBACK
	check late.pml holds -DMAXT=5 -DCOPIES=1 -DEXTENDS=2 -DFORWARD -DSTEP=2
}

# All within bounds that good() checks.
mut() {
	for flag in M_BASE_RECV M_BASE_BLPOP M_TWLATE M_LATECLAIM M_REORDER M_NOBUMP FDEL; do
		check baton.pml breaks -DN=2 -DMAXT=5 -D$flag
	done
	check baton.pml breaks -DN=2 -DMAXT=3 -DLEASE=1 -DWINDOW=2 -DM_NOMIN
	for flag in M_NOAGAIN M_CLAIM_LAST; do
		check baton.pml breaks -DN=2 -DMAXT=4 -DCUT -D$flag
	done
	check baton.pml breaks -DN=2 -DMAXT=5 -DM_QLONG -DM_NODISCARD
	check baton.pml breaks -DN=2 -DMAXT=3 -DKEEP -DM_BASE_ASK
	check baton.pml breaks -DN=2 -DR=1 -DMAXT=4 -DEXTEND -DM_ANEW
	check baton.pml breaks -DN=2 -DR=1 -DMAXT=5 -DDRIFT -DM_NOMARGIN
}

# What leads to two owners is checked for that alone, and else holds so.
late() {
	for flag in M_NOSERIAL M_LAST_SENDING M_NOBOUND M_TWICE_SETS; do
		check late.pml breaks -DMAXT=4 -DCOPIES=1 -D$flag -DONLY_OWNERS
	done
	for flag in M_EQUAL_SETS M_ALONE_SETTLES M_ALONE_LOST; do
		check late.pml breaks -DMAXT=3 -DCOPIES=1 -DMOVES -D$flag -DONLY_OWNERS
	done
	for flag in M_NOCLOSE_ACQUIRE M_NOCLOSE_AGAIN M_NOCLOSE_FREED M_NOCLOSE_GONE M_NOCLOSE_OTHERS \
			M_NOLOOK M_NOLOOK_AGAIN M_LOST; do
		check late.pml breaks -DMAXT=4 -DCOPIES=1 -D$flag
	done
	check late.pml breaks -DMAXT=4 -DEXTENDS=0 -DGRANTS=2 -DM_FORGET
	for flag in M_NOUNTIL M_AGAIN_NOUNTIL; do
		check late.pml breaks -DMAXT=4 -DCOPIES=1 -DDIE -D$flag
	done
	check late.pml breaks -DMAXT=4 -DLONG=4 -DCOPIES=1 -DEXTENDS=0 -DADOPT -DDIE -DM_REPLACE_NOUNTIL
	check late.pml breaks -DMAXT=3 -DCOPIES=1 -DEXTENDS=0 -DADOPT -DLEASES -DM_REPLACE_TWICE
	for flag in M_REPLACE_TWICE_SETS M_REPLACE_LAST; do
		check late.pml breaks -DMAXT=3 -DCOPIES=1 -DEXTENDS=0 -DADOPT -DLEASES -D$flag -DONLY_OWNERS
	done
	for flag in M_CLAIM_TWICE M_CLAIM_TWICE_SETS M_CLAIM_NOLOOK M_CLAIM_FREE M_CLAIM_SAMETOKEN; do
		check late.pml breaks -DMAXT=3 -DCOPIES=1 -DEXTENDS=1 -DCLAIM -D$flag
	done
	check late.pml breaks -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DLEAVES -DM_LEAVES_TWICE
	check late.pml breaks -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DBACK -DM_CLOSE_EARLY -DNO_VERDICTS
	check late.pml holds -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DM_CLOSE_EARLY -DNO_VERDICTS
	check late.pml breaks -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DFORWARD -DSTEP=2 -DM_STEP
	for flag in M_NOUNDO M_EARLY_UNDO M_AGAIN_UNDO M_ALONE_BELIEVE; do
		check late.pml breaks -DMAXT=4 -DCOPIES=1 -DMOVES -D$flag
	done
	for flag in M_NOLOOK_REPLACE M_HANDED_NOUNDO M_REPLACE_TOKEN; do
		check late.pml breaks -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DADOPT -D$flag
	done
	for flag in M_NOCOUNT M_NOCOUNT_HANDED; do
		check late.pml breaks -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DADOPT -D$flag -DNO_VERDICTS
	done
	check late.pml breaks -DMAXT=3 -DEXTENDS=0 -DADOPT -DM_ADOPT_ANSWERED
	for flag in M_EXTEND_TOKEN M_LOOK_TOKEN M_RELEASE_TOKEN M_AGAIN; do
		check late.pml breaks -DMAXT=4 -DCOPIES=1 -D$flag
	done
	check late.pml breaks -DMAXT=4 -DCOPIES=1 -DEXTENDS=0 -DWAITS -DM_SAMETOKEN -DONLY_OWNERS
	check late.pml breaks -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DBREAK -DM_BREAK_ANY -DONLY_OWNERS
	for flag in M_BREAK_NOUNTIL M_BREAK_NOBUMP; do
		check late.pml breaks -DMAXT=4 -DCOPIES=1 -DEXTENDS=1 -DBREAK -D$flag
	done
	for flag in M_LENGTHEN M_EQUAL_LENGTHENS M_TWICE; do
		check late.pml breaks -DMAXT=4 -DCOPIES=1 -D$flag
		check late.pml holds -DMAXT=4 -DCOPIES=1 -D$flag -DONLY_OWNERS
	done
}

# Each kind of request within small bounds; what a mutation does not need is left out.
shared() {
	compile=$few
	enter='-DEXTENDS=0 -DCHANGES=0' extend=-DCHANGES=0 change=-DEXTENDS=0 alone=-DSHARERS=0
	check shared.pml holds $enter
	check shared.pml holds $extend -DDIE -DLONGER $alone
	check shared.pml holds $change -DCHANGES=2 $alone
	check shared.pml holds $enter -DDELAY=2
	check shared.pml holds $extend -DDOWN $alone
	check shared.pml holds -DMAXT=1 $extend -DLIMIT=1
	check shared.pml holds -DMAXT=1 $change
	check shared.pml holds -DMAXT=1 $enter -DBREAK_SHARES $alone -DOTHERS=0
	renew='-DRENEWS -DGRANTS=2 -DCHANGES=0 -DOTHERS=0 -DSHARERS=0'
	check shared.pml holds $renew -DMAXT=2
	check shared.pml holds $renew -DMAXT=4 -DLONG=4 -DEXTENDS=0 -DDIE
	if [ $long = yes ]; then
		compile=$many
		check shared.pml holds -DRENEWS -DGRANTS=2 -DCHANGES=0 -DOTHERS=0 -DMAXT=2
		for flag in -DLIMIT=1 -DRIDE -DEVICT -DGRANTS=2; do
			check shared.pml holds $enter $flag
		done
		check shared.pml holds $extend
		check shared.pml holds $extend -DLIMIT=1
		check shared.pml holds $extend -DDELAY=2 -DCROWD
		for flag in -DFDEL -DBREAK -DEVICT -DDELAY=2 -DRIDE; do
			check shared.pml holds $extend $flag $alone
		done
		check shared.pml holds $change
		check shared.pml holds $change -DDELAY=2
		for flag in -DDIE -DFDEL -DEVICT; do
			check shared.pml holds $change $flag $alone
		done
		check shared.pml holds $alone
		check shared.pml holds -DMAXT=4 $change -DLONG=4 -DDIE $alone
		check shared.pml holds -DMAXT=2 $extend -DCOPIES=2 $alone
		check shared.pml holds -DMAXT=2 $change -DCOPIES=2 $alone
		check shared.pml holds -DMAXT=2 $extend -DBREAK_SHARES $alone -DOTHERS=0
		check shared.pml holds -DMAXT=2 $change -DBREAK_SHARES $alone -DOTHERS=0
		check shared.pml holds -DMAXT=2 $enter -DBREAK_SHARES -DDELAY=2 $alone -DOTHERS=0
	fi
	compile=$few
	for flag in M_BESIDE M_FREE M_LEXP M_ERA M_NOFENCE M_TWICE_LENGTHENS M_LAST_SENDING M_SAMETOKEN M_LEAVE_TOKEN \
			M_NOCLOSE_FREED M_NOCLOSE_GONE M_NOLOOK; do
		check shared.pml breaks $enter -D$flag
	done
	check shared.pml breaks $enter -DDIE $alone -DM_NOUNTIL
	check shared.pml breaks $enter -DLIMIT=1 -DM_LIMIT
	check shared.pml breaks -DMAXT=2 $enter -DEVICT -DM_EMPTYSET
	check shared.pml breaks $enter -DDELAY=2 -DCROWD -DM_DELAY
	check shared.pml breaks $enter -DDELAY=1 -DM_DELAY_FREE
	check shared.pml breaks $enter -DDOWN $alone -DM_DOWN_NOERA
	for flag in M_BREAK_NOUNTIL M_END_NOUNTIL M_BREAK_NOERA; do
		check shared.pml breaks -DMAXT=2 -DAHEAD=0 $enter -DBREAK_SHARES $alone -DOTHERS=0 -D$flag
	done
	check shared.pml breaks $extend -DM_LEXP_EXTEND
	for flag in M_NOSERIAL M_AGAIN_NOSERIAL M_NOBOUND M_EXTEND_TOKEN M_NOLOOK_AGAIN; do
		check shared.pml breaks $extend $alone -D$flag
	done
	check shared.pml breaks $extend -DLONGER $alone -DM_SHORTENS
	check shared.pml breaks $extend -DLIMIT=1 -DM_AGAIN_LIMIT
	check shared.pml breaks $extend -DEVICT $alone -DM_AGAIN_EMPTYSET
	check shared.pml breaks $extend -DFDEL -DOTHERS=0 -DM_OLDSHARES
	check shared.pml breaks -DMAXT=5 $extend $alone -DOTHERS=0 -DDIE -DM_AGAIN_NOUNTIL
	check shared.pml breaks $extend -DDELAY=2 -DCROWD -DM_AGAIN_DELAY
	check shared.pml breaks $change $alone -DM_DOWN_TOKEN
	for flag in M_UP_NOSERIAL M_UP_REFUSED M_UP_NOFENCE M_UP_OTHERS; do
		check shared.pml breaks $change -D$flag
	done
	for flag in M_UPGRADE_TOKEN M_UP_TWICE M_DOWN_TWICE; do
		check shared.pml breaks $change -DCHANGES=2 $alone -D$flag
	done
	check shared.pml breaks -DMAXT=4 $change -DLONG=4 $alone -DOTHERS=0 -DDIE -DM_UP_NOUNTIL
	check shared.pml breaks -DLONG=2 $alone -DOTHERS=0 -DM_DOWN_NOROW
	check shared.pml breaks $change -DDELAY=2 -DM_DELAY_UP
	for flag in M_REPLACE_NOLOOK M_REPLACE_TWICE; do
		check shared.pml breaks $renew -DMAXT=2 -D$flag
	done
	check shared.pml breaks $renew -DMAXT=4 -DLONG=4 -DEXTENDS=0 -DDIE -DM_REPLACE_NOUNTIL
}

# NET and WINDOW are 2, LEASE is 3; each bound is the least.
turnstile() {
	compile=$few
	passed='-DKINDS=6 -DFDEL -DONE_MANY -DR=8 -DBOUND=NET' # the first one has lost its right, while another takes the lock anew
	for flag in "-DANYKIND -DLIMIT=1" "-DKINDS=1 -DDELAY=2"; do
		check turnstile.pml holds -DORDER $flag
	done
	later='-DORDER -DKINDS=4 -DDELAY=2 -DAGAIN -DR=2' # a ticket is on its way when a cooldown begins
	check turnstile.pml holds $later
	check turnstile.pml holds $passed -DPATIENCE=4
	check turnstile.pml breaks $passed -DPATIENCE=3
	if [ $long = yes ]; then
		compile=$many
		for flag in -DLIMIT=0 -DLIMIT=2 -DRIDE -DDELAY=2 "-DDELAY=2 -DLIMIT=1" "-DN=2 -DLEAVE" "-DN=2 -DLEAVE -DLIMIT=1" "-DN=2 -DR=3" "-DN=2 -DR=2 -DLIMIT=1"; do
			check turnstile.pml holds -DORDER -DANYKIND $flag
		done
		for flag in -DKINDS=1 -DKINDS=6; do
			check turnstile.pml holds -DORDER -DUPDOWN $flag
		done
		check turnstile.pml holds -DORDER -DN=4 -DKINDS=1
		check turnstile.pml holds -DORDER -DN=4 -DKINDS=5 -DLIMIT=2
		check turnstile.pml holds -DANYKIND -DDIE=1 -DBOUND=LEASE
		check turnstile.pml breaks -DANYKIND -DDIE=1 -DBOUND=LEASE-1
		check turnstile.pml holds -DANYKIND -DLIMIT=1 -DDIE=1 -DBOUND=LEASE+1
		for flag in FIRST EVICT_T EVICT_Q EVICT_R EVICT_W FDEL; do
			check turnstile.pml holds -DANYKIND -D$flag -DBOUND=NET
			check turnstile.pml breaks -DANYKIND -D$flag -DBOUND=NET-1
		done
		check turnstile.pml holds -DANYKIND -DEVICT_S -DBOUND=LEASE
		check turnstile.pml breaks -DANYKIND -DEVICT_S -DBOUND=LEASE-1
		check turnstile.pml holds -DANYKIND -DLATE -DBOUND=LEASE+1
		check turnstile.pml breaks -DANYKIND -DLATE -DBOUND=LEASE
	fi
	compile=$few
	for flag in M_NOFIRST M_NONUDGE M_NOPASS M_LYING; do
		check turnstile.pml breaks -DKINDS=1 -D$flag
	done
	check turnstile.pml breaks -DKINDS=1 -DUPDOWN -DM_UPKEEP
	check turnstile.pml breaks -DORDER -DKINDS=1 -DUPDOWN -DM_UPFORGET
	for flag in M_TURN_WAKE M_TURN_OPEN; do
		check turnstile.pml breaks -DORDER -DKINDS=1 -DDELAY=2 -D$flag
	done
	for flag in M_TICKET_VOID M_TICKET_LOST; do
		check turnstile.pml breaks $later -D$flag
	done
	check turnstile.pml breaks $passed -DPATIENCE=6 -DM_STAYS
}

# Two owners are sought among requests that run at any time in their round; how long a server is taken for nobody, among late ones.
repair() {
	compile=$many
	owners='-DMAXT=3 -DTRIES=1 -DCOPIES=0 -DRESTARTS=0' nobody='-DMAXT=4 -DTRIES=0 -DCOPIES=1 -DRESTARTS=0'
	for flag in '' -DPLAIN; do
		check repair.pml holds $owners $flag
	done
	check repair.pml holds $nobody
	check repair.pml breaks $owners -DPLAIN -DM_OVER
	check repair.pml breaks $nobody -DM_NOUNTIL
	compile=$few
	check repair.pml holds -DKEPT -DMAXT=14 -DTRIES=0
	check repair.pml breaks -DKEPT -DMAXT=14 -DTRIES=0 -DM_NOREPAIR
	check repair.pml breaks -DKEPT -DMAXT=14 -DTRIES=1
	check repair.pml holds -DKEPT -DMAXT=14 -DTRIES=2 -DPLAIN
}

for group in $groups; do
	$group
done
[ $checked -gt 0 ] || { echo "there is no such mutation" >&2; exit 2; }
exit $failed
