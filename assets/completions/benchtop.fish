# Completions of benchtop for fish: `benchtop completions fish` prints this.
function __benchtop_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    set -l lines (benchtop complete-words fish (count $words) -- $words "$current" 2>/dev/null)
    if test "$lines[1]" = files
        __fish_complete_path "$current"
    else if test (count $lines) -gt 1
        printf '%s\n' $lines[2..-1]
    end
end
complete --command benchtop --no-files --keep-order --arguments '(__benchtop_complete)'
