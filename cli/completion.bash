# Completion of the command rlock for bash. Keys are asked from the server, if it answers at once.

# Others choose the names of locks, visitors of a web site for instance. So a name is quoted before it is offered, and is
# never given to anything that expands it, as compgen -W does. Not offered is what has "$" or a backquote, for which one
# backslash is not enough inside of backquotes; what has quotes or backslashes or cannot be printed, which JSON escapes;
# what would be an option; and what is long. Where a quote was typed, another quoting holds, and none is offered.

# The word as it was typed, and what bash takes for it.
_rlock_keys() {
	local typed=$1 kept=${1%"$2"} unescaped=${COMP_LINE//\\?/} key quoted

	[[ $unescaped != *[\'\"\`]* ]] || return
	while IFS= read -r key; do
		printf -v quoted %q "$key"
		if [[ $key != -* && $quoted == "$typed"* && $quoted != "\$'"* ]]; then
			COMPREPLY+=("${quoted#"$kept"}") # bash keeps what is before its own word, which it begins behind a colon
		fi
	done < <(timeout 0.5 rlock ls --json --quiet --limit 1000 2>/dev/null |
		sed -n 's/^{"key":"\([^"\\$`]\{1,200\}\)".*/\1/p')
}

_rlock() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options i typed
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
		ls) options="--waiting --watch --foreign --limit $all" ;;
		break) options="--fence $all" ;;
		wait) options="--wait $all" ;;
		graph) options="--dot $all" ;;
		who | doctor) options=$all ;;
		*) return ;;
	esac
	[[ ${COMP_LINE:0:COMP_POINT} =~ ([^[:space:]\\]|\\.)*$ ]]
	typed=${BASH_REMATCH[0]}
	if [[ $typed == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
	else
		_rlock_keys "$typed" "$2"
	fi
}

complete -o default -F _rlock rlock
