#!/bin/sh
# Asks the real PlantUML whether it accepts texts as sequence diagrams.
#
#   scripts/check-plantuml.sh FILE.puml...
#
# Prints `ok PATH` or `FAIL PATH: reason` for each file; exits 1 if one failed, 2 if PlantUML is
# missing. A fragment that is never closed goes unnoticed: PlantUML does not mind it. Needs the
# command `plantuml` (Debian has it; tried with 1.2020.2).
#
# Starting Java is slow, so all files go through one `plantuml -syntax`, which answers for each
# diagram in turn; a mind map after each file marks where its answers end. A file that upsets this
# count (by swallowing the mark, say) sends every file through a PlantUML of its own.
#
# scripts/check-diagrams makes samples and calls this.
set -u

if ! command -v plantuml >/dev/null 2>&1; then
    echo "plantuml is not installed" >&2
    exit 2
fi

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM

# The diagram of a file on standard output, between its marks even if the file has none.
diagram() {
    if grep -q '^[[:space:]]*@start' "$1"; then
        # Text outside is ignored in files, but on standard input it is an empty diagram.
        sed -n '/^[[:space:]]*@start/,/^[[:space:]]*@end/p' "$1"
    else
        echo '@startuml'
        cat "$1"
        printf '\n@enduml\n'
    fi
}

# Joins the lines of an answer and prints the verdict on a file.
verdict() {
    answer=$(tr '\n' ' ' <"$2")
    # Each sequence diagram answers `SEQUENCE` and how many participants it has.
    rest=$(printf '%s' "$answer" | sed 's/SEQUENCE ([0-9]* participants) *//g')
    if [ -n "$answer" ] && [ -z "$rest" ]; then
        echo "ok $1"
    else
        echo "FAIL $1: ${rest:-no diagram found}"
    fi
}

for file in "$@"; do
    diagram "$file"
    printf '@startmindmap\n* mark\n@endmindmap\n'
done >"$work/all"
plantuml -syntax <"$work/all" >"$work/answers" 2>/dev/null
marks=$(grep -c '^MINDMAP$' "$work/answers")

if [ "$marks" -eq "$#" ]; then
    awk -v folder="$work" '
        BEGIN { file = 1; printf "" > (folder "/1") }
        $0 == "MINDMAP" { close(folder "/" file); file++; skip = 1; printf "" > (folder "/" file); next }
        skip { skip = 0; next }
        { print > (folder "/" file) }
    ' "$work/answers"
    number=0
    for file in "$@"; do
        number=$((number + 1))
        verdict "$file" "$work/$number"
    done
else
    for file in "$@"; do
        diagram "$file" | plantuml -syntax >"$work/answer" 2>/dev/null
        verdict "$file" "$work/answer"
    done
fi >"$work/report"

cat "$work/report"
! grep -q '^FAIL' "$work/report"
