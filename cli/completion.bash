# Completion of the command rlock for bash. Keys are asked from the server, if it answers at once.

_rlock_keys() {
	local keys
	mapfile -t keys < <(timeout 0.5 rlock ls --json --quiet --limit 1000 2>/dev/null | sed -n 's/^{"key":"\([^"\\]*\)".*/\1/p')
	mapfile -t COMPREPLY < <(compgen -W "${keys[*]}" -- "$1")
}

_rlock() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options i
	local all='--servers --prefix --json --quiet --verbose --help'

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'run ls who break wait graph doctor --help --version' -- "$word")
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [ "$command" = run ] && [ "${COMP_WORDS[i]}" = -- ]; then
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			else
				mapfile -t COMPREPLY < <(compgen -c -- "$word")
			fi
			return
		fi
	done
	case $before in
		--on-loss)
			mapfile -t COMPREPLY < <(compgen -W 'term kill ignore' -- "$word")
			return
			;;
		--wait | --ttl | --max-hold | --at-least | --metadata | --busy-exit | --grace | --limit | --fence | --servers | --prefix)
			return
			;;
	esac
	case $command in
		run) options="--wait --ttl --max-hold --at-least --metadata --busy-exit --on-loss --grace --shared --limit $all --" ;;
		ls) options="--waiting --watch --limit $all" ;;
		break) options="--fence $all" ;;
		wait) options="--wait $all" ;;
		graph) options="--dot $all" ;;
		who | doctor) options=$all ;;
		*) return ;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
	else
		_rlock_keys "$word"
	fi
}

complete -o default -F _rlock rlock
