# Completions of benchtop for bash: `benchtop completions bash` prints this.
_benchtop() {
    local rest=${COMP_LINE:0:COMP_POINT} word kind value titles=() words=() last=-1 i
    # Bash also splits words at : and =. What stands together is put together again.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i == COMP_CWORD)); then
            word=${rest#"${rest%%[![:blank:]]*}"}
        fi
        if ((last < 0)) || [[ $rest == [[:blank:]]* ]]; then
            words[++last]=$word
        else
            words[last]+=$word
        fi
        rest=${rest#"${rest%%[![:blank:]]*}"}
        rest=${rest#"$word"}
    done
    # Titles are for lists only, never to be inserted.
    case $COMP_TYPE in 9 | 33 | 63 | 64) titles=(--titles) ;; esac
    local before=${words[last]%"$2"}
    COMPREPLY=()
    while IFS= read -r value; do
        if [[ -z $kind ]]; then
            kind=$value
        else
            COMPREPLY+=("${value#"$before"}")
        fi
    done < <(benchtop complete-words bash "$last" "${titles[@]}" -- "${words[@]}" 2>/dev/null)
    if [[ $kind == files ]]; then
        compopt -o default 2>/dev/null
    fi
}
complete -o nosort -F _benchtop benchtop 2>/dev/null || complete -F _benchtop benchtop
