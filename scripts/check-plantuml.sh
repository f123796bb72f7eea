#!/bin/sh
# Checks that PlantUML accepts texts as sequence diagrams.
#
#   scripts/check-plantuml.sh FILE.puml...
#
# Prints `ok PATH` or `FAIL PATH: reason` for each file; exits 1 if one failed, 2 if PlantUML is
# missing. PlantUML accepts a fragment that is never closed, so this check does too. Needs the
# command `plantuml` (of Debian; tried with 1.2020.2).
#
# Starting Java is slow, so all files go through one `plantuml -syntax`, which answers for each
# diagram in turn; a mind map after each file marks where its answers end. A file that upsets this
# count (for example, by hiding the mark) makes the script run PlantUML once per file.
#
# scripts/check-diagrams makes samples and calls this script.
set -u

if ! command -v plantuml >/dev/null 2>&1; then
    echo "plantuml is not installed" >&2
    exit 2
fi

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM

# Prints the diagram of a file, with @startuml and @enduml even if the file has none.
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
